"""A run as its jobs: question × answering model × judge × replicate, in an order that never changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.model_labels import labels


@dataclass(frozen=True)
class Job:
    """One verification to make. Models are given by their place in the configuration and by their label."""

    question_id: str
    answering: int
    answering_label: str
    judge: int | None
    """None: the run has no judge."""
    judge_label: str | None
    replicate: int | None
    """1-based; None when the run has one replicate."""

    @property
    def key(self) -> str:
        """Unique within a run and the same each time the run is expanded."""
        replicate = [] if self.replicate is None else [f"rep{self.replicate}"]
        return "\t".join([self.question_id, self.answering_label, self.judge_label or "", *replicate])

    @property
    def answer_key(self) -> str:
        """The same for all jobs of a run that are judged on one answer."""
        return answer_key(self.question_id, self.answering_label, self.replicate)

    @property
    def counts_answer(self) -> bool:
        """Whether the tokens of its answer stand in the result of this job: the first one's of those that share it."""
        return not self.judge

    @property
    def group(self) -> tuple[str, int, int | None]:
        """Jobs of one group are judged on the same answer."""
        return self.question_id, self.answering, self.replicate


def answer_key(question_id: str, answering_label: str, replicate: int | None) -> str:
    """Under which an answer is kept (`Job.answer_key`)."""
    return "\t".join([question_id, answering_label, *([] if replicate is None else [f"rep{replicate}"])])


def expand(question_ids: Iterable[str], config: VerificationConfig) -> list[Job]:
    """The jobs in their stable order; the innermost loop runs over the replicates."""
    answering = labels(config.answering_models)
    judges: list[tuple[int | None, str | None]] = list(enumerate(labels(config.parsing_models))) or [(None, None)]
    replicates = [None] if config.replicate_count == 1 else range(1, config.replicate_count + 1)
    return [
        Job(question_id, model, model_label, judge, judge_label, replicate)
        for question_id in question_ids
        for model, model_label in enumerate(answering)
        for judge, judge_label in judges
        for replicate in replicates
    ]
