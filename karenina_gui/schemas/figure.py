"""Definition of a figure in the application: what it counts, what it leaves out, how it is weighted.

The glossary consists of these; each is defined next to the function that computes it.
"""

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
    """Part of the URL: `pass-rate`."""
    name: str
    counted: str
    """Counted things, in one or two sentences."""
    left_out: str = "Nothing."
    """Things that are left out, and why."""
    weighed: str = EACH_ONCE
    interval: str = NO_INTERVAL
    columns: tuple[str, ...] = field(default=(), compare=False)
    """Columns of chart tables that show it."""

    @property
    def anchor(self) -> str:
        return f"figure-{self.key}"

    @property
    def address(self) -> str:
        """URL of its entry in the guide."""
        return f"/guide?page=glossary#{self.anchor}"

    @property
    def short(self) -> str:
        return f"{self.name}: {self.counted} Weighting: {self.weighed}"

    @property
    def tooltip(self) -> str:
        return f"{self.short} Opens the glossary."
