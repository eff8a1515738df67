"""Outcomes of traits and regular expressions, and replies of cells to a batch."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from karenina_gui.sandbox.error_text import StoppedCode
from karenina_gui.schemas.template import CodeFaultKind, TemplateExecution, TemplateProblem, TemplateVerdict


class TraitOutline(BaseModel):
    """Function and problems of a trait's source, found without calling it."""

    function: str | None = None
    """Name of the function that is called for each text; None if there is none."""
    problems: list[TemplateProblem] = Field(default_factory=list)
    fault: CodeFaultKind | None = None


class TraitOutcome(BaseModel):
    """Result of a trait's function for one text, or the error."""

    value: bool | int | float | str | None = None
    error: str | None = None
    """A sentence for the author; None when the function returned."""
    line: int | None = None
    """Line of the trait's source where it went wrong, 1-based."""
    fault: CodeFaultKind | None = None
    """`error`: the function raised. Any other value: the cell was stopped."""


class RegexSearch(BaseModel):
    """One pattern to look for."""

    model_config = ConfigDict(frozen=True)

    pattern: str
    case_sensitive: bool = True


class TextOutcome(BaseModel):
    """Matches of a search in several texts."""

    items: list[list[tuple[int, int, str]]] = Field(default_factory=list)
    """For each text, its matches: start, end, and replacement. Empty matches are left out."""
    error: str | None = None
    """A sentence for the author; the search gave nothing."""


class RegexOutcome(BaseModel):
    """Matches of one pattern."""

    found: bool | None = None
    """None if the search failed (see `error`)."""
    spans: list[tuple[int, int]] = Field(default_factory=list)
    """Start and end of each match in characters, at most 200."""
    error: str | None = None
    fault: CodeFaultKind | None = None

    @classmethod
    def of(cls, outcome: Self | StoppedCode) -> Self:
        """The outcome itself, or that of a search that was stopped."""
        return cls(error=outcome.message, fault=outcome.kind) if isinstance(outcome, StoppedCode) else outcome


class BatchReply(BaseModel):
    """Reply of a cell to a batch."""

    items: list[Any]


class TraitReply(BaseModel):
    """Format of a cell's reply: a value, or the name of an exception with its message and line."""

    value: bool | int | float | str | None = None
    error: str | None = None
    message: str | None = None
    line: int | None = None

    def outcome(self) -> TraitOutcome:
        if self.error is None:
            return TraitOutcome(value=self.value)
        text = f"{self.error}: {self.message}" if self.message else self.error
        return TraitOutcome(error=text, line=self.line, fault="error")


class TraitReplies(BatchReply):
    items: list[TraitReply]


class RegexReplies(BatchReply):
    items: list[RegexOutcome]


class VerdictReplies(BatchReply):
    items: list[TemplateVerdict]
    _fallback: TemplateExecution | None = PrivateAttr(None)
    """Execution after a fallback. Private, so that a reply of a cell cannot set it."""

    def fell_back_to(self, way: TemplateExecution) -> None:
        self._fallback = way

    def with_ways(self) -> list[TemplateVerdict]:
        """The verdicts, each with the fallback that produced it."""
        for verdict in self.items:
            verdict.fallback = self._fallback
        return self.items
