"""Jobs of a run, in a fixed order.

A job is question × answering model × condition × judge × replicate × judge replicate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from karenina_gui.schemas.model_labels import labels
from karenina_gui.schemas.verification_config import VerificationConfig


@dataclass(frozen=True)
class Job:
    """One verification. Models are given by label, the condition by name, as in results."""

    key: str
    """Unique within a run, and equal each time the run is expanded (`job_key`); empty outside a run."""
    question_id: str
    answering: str
    judge: str | None = None
    """None: the run has no judge."""
    replicate: int | None = None
    """1-based; None: the run has one replicate."""
    condition: str | None = None
    """None: the run has no conditions."""
    judge_replicate: int | None = None
    """1-based; None: each answer is judged once."""

    @property
    def answer_key(self) -> str:
        """Key shared by all jobs that judge the same answer."""
        return "\t".join([self.question_id, self.answering, *_sample(self.condition, self.replicate)])


def job_key(
    question_id: str,
    answering: str,
    judge: str | None,
    replicate: int | None,
    condition: str | None,
    judge_replicate: int | None,
) -> str:
    # Stored in the library: a changed format would orphan the results of earlier runs.
    again = [] if judge_replicate is None else [f"judged{judge_replicate}"]
    return "\t".join([question_id, answering, judge or "", *_sample(condition, replicate), *again])


def _sample(condition: str | None, replicate: int | None) -> list[str]:
    under = [] if condition is None else [f"under {condition}"]
    return [*under, *([] if replicate is None else [f"rep{replicate}"])]


def expand(question_ids: Iterable[str], config: VerificationConfig) -> list[Job]:
    """Jobs in their fixed order. The innermost loops are replicates, then judge replicates."""
    answering = labels(config.answering_models)
    conditions: list[str | None] = [condition.name for condition in config.conditions]
    judges: list[str | None] = [*labels(config.parsing_models)]
    combinations = (
        (question_id, model, judge, replicate, condition, again)
        for question_id in question_ids
        for model in answering
        for condition in conditions or [None]
        for judge in judges or [None]
        for replicate in _numbers(config.replicate_count)
        for again in _numbers(config.judge_replicates if judges else 1)
    )
    return [Job(job_key(*parts), *parts) for parts in combinations]


def _numbers(number: int) -> list[int | None]:
    return [None] if number == 1 else [*range(1, number + 1)]
