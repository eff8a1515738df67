"""Expansion of a run into jobs in a fixed order.

A job is question × answering model × condition × judge × replicate × judge replicate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from karenina_gui.schemas.model_labels import labels
from karenina_gui.schemas.verification_config import VerificationConfig


@dataclass(frozen=True)
class Job:
    """One verification. Models are given by index in the configuration and by label."""

    question_id: str
    answering: int
    answering_label: str
    judge: int | None
    """None: the run has no judge."""
    judge_label: str | None
    replicate: int | None
    """1-based; None: the run has one replicate."""
    condition: int | None = None
    """Index in the configuration; None: the run has no conditions."""
    condition_name: str | None = None
    judge_replicate: int | None = None
    """1-based; None: each answer is judged once."""

    @property
    def key(self) -> str:
        """Unique within a run, and equal each time the run is expanded."""
        # Stored in the library: a changed format would orphan the results of earlier runs.
        again = [] if self.judge_replicate is None else [f"judged{self.judge_replicate}"]
        sample = _sample(self.condition_name, self.replicate)
        return "\t".join([self.question_id, self.answering_label, self.judge_label or "", *sample, *again])

    @property
    def answer_key(self) -> str:
        """Key shared by all jobs that judge the same answer."""
        return answer_key(self.question_id, self.answering_label, self.replicate, self.condition_name)

    @property
    def counts_answer(self) -> bool:
        """True if this job's result includes the tokens of the answer: the first of the jobs that share it."""
        return not self.judge and self.judge_replicate in (None, 1)

    @property
    def group(self) -> tuple[str, int, int | None, int | None]:
        """Key of jobs that judge the same answer, as indexes."""
        return self.question_id, self.answering, self.condition, self.replicate


def answer_key(question_id: str, answering_label: str, replicate: int | None, condition: str | None = None) -> str:
    """Key of a saved answer (`Job.answer_key`)."""
    return "\t".join([question_id, answering_label, *_sample(condition, replicate)])


def _sample(condition: str | None, replicate: int | None) -> list[str]:
    under = [] if condition is None else [f"under {condition}"]
    return [*under, *([] if replicate is None else [f"rep{replicate}"])]


def expand(question_ids: Iterable[str], config: VerificationConfig) -> list[Job]:
    """Jobs in their fixed order. The innermost loops are replicates, then judge replicates."""
    answering = list(enumerate(labels(config.answering_models)))
    conditions: list[tuple[int | None, str | None]] = [(at, each.name) for at, each in enumerate(config.conditions)]
    judges: list[tuple[int | None, str | None]] = list(enumerate(labels(config.parsing_models)))
    return [
        Job(question_id, model, label, judge, judge_label, replicate, condition, name, again)
        for question_id in question_ids
        for model, label in answering
        for condition, name in conditions or [(None, None)]
        for judge, judge_label in judges or [(None, None)]
        for replicate in _numbers(config.replicate_count)
        for again in _numbers(config.judge_replicates if judges else 1)
    ]


def _numbers(number: int) -> list[int | None]:
    return [None] if number == 1 else [*range(1, number + 1)]
