"""A figure that people see, said once: what it counts, what it leaves out, how it is weighed. The glossary is made of
these; each stands beside the function that computes it."""

from __future__ import annotations

from dataclasses import dataclass, field

NOT_SCORED = (
    "Errors, unreadable judgments, and jobs that have not run: they say nothing about the model. They are counted "
    "separately, never as 0."
)
QUESTIONS_EQUAL = (
    "Each question equally: averaged over the judgments of an answer, then the answers to a question, then the "
    "questions."
)
EACH_ONCE = "Each one once."
NO_INTERVAL = "None."


@dataclass(frozen=True)
class Figure:
    key: str
    """In addresses: `pass-rate`."""
    name: str
    counted: str
    """What is counted, one sentence or two."""
    left_out: str = "Nothing."
    """What is not, and why."""
    weighed: str = EACH_ONCE
    interval: str = NO_INTERVAL
    columns: tuple[str, ...] = field(default=(), compare=False)
    """Of tables of charts, where it is shown."""

    @property
    def anchor(self) -> str:
        return f"figure-{self.key}"

    @property
    def address(self) -> str:
        """Of its entry in the guide."""
        return f"/guide#{self.anchor}"

    @property
    def short(self) -> str:
        return f"{self.name}: {self.counted} Weighting: {self.weighed}"

    @property
    def tooltip(self) -> str:
        return f"{self.short} Opens the glossary."
