"""All jobs of a run as columns, the input of statistics and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from karenina_gui.schemas.outcome import Outcome, Reason

Scores = Mapping[str, bool | int | float]


@dataclass(frozen=True)
class JobTable:
    """One row per job of a run, including jobs without a result; all columns have the same length.

    Rows are in the run's stable order. Labels are as in `ResultSummary`.
    """

    result_id: Sequence[int | None] = ()
    """None: the job has no result (yet)."""
    question_id: Sequence[str] = ()
    answering: Sequence[str] = ()
    condition: Sequence[str | None] = ()
    """None: the run has no conditions."""
    judge: Sequence[str | None] = ()
    replicate: Sequence[int | None] = ()
    judge_replicate: Sequence[int | None] = ()
    outcome: Sequence[Outcome | None] = ()
    category: Sequence[Reason | None] = ()
    seconds: Sequence[float | None] = ()
    tokens: Sequence[int | None] = ()
    answer_tokens: Sequence[int | None] = ()
    """Tokens of the answer without judging; None: unknown, or counted with another judgment of the same answer."""
    traits: Sequence[Scores] = ()
    """{trait: score}; rows with equal scores may share one object."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """{question id: its text, first 200 characters}, of questions with results."""
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """{question id: its keywords}, of questions with results."""
    requested: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """{question id: all traits of its rubric, scored or not}, without questions whose rubric is unknown."""

    def __len__(self) -> int:
        return len(self.question_id)
