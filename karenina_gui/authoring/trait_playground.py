"""Place to try a trait before it judges anybody: patterns and functions on texts of the author's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karenina_gui.sandbox import RegexOutcome, RegexSearch, Sandbox
from karenina_gui.schemas.rubric.returned import Value, misfit
from karenina_gui.schemas.template import TemplateProblem


@dataclass(frozen=True)
class TriedFunction:
    """Outcome of a function for a text."""

    value: Value = None
    problem: str | None = None
    """Reason for a missing score: it failed, was stopped, or returned a value that does not fit the trait."""
    line: int | None = None
    """Line of the source where it failed, 1-based; None: in none."""


class TraitPlayground:
    """Runs patterns and functions in the sandbox only; everything wrong with one is a value, in plain words."""

    def __init__(self, sandbox: Sandbox, trusted: Callable[[], bool] = lambda: False) -> None:
        """`trusted` says if their code may run on a computer that has no lock for it."""
        self._sandbox = sandbox
        self._trusted = trusted

    def check_function(self, source: str) -> list[TemplateProblem]:
        """Problems in the source of a function, at its lines; empty: none."""
        return self._sandbox.examine_trait(source, trust=self._trusted()).problems

    def try_function(self, trait: Mapping[str, Any], text: str) -> TriedFunction:
        """The value that the function in `trait["source"]` has for a text, held against the trait's kind and range."""
        source = str(trait.get("source") or "")
        (outcome,) = self._sandbox.trait(source, [text], trust=self._trusted())
        if outcome.error is not None:
            return TriedFunction(problem=outcome.error, line=outcome.line)
        return TriedFunction(outcome.value, misfit(trait, outcome.value))

    def search_all(self, pattern: str, case_sensitive: bool, texts: Sequence[str]) -> list[RegexOutcome]:
        """Places at which a pattern is found in each text; see `Sandbox.regex_over`."""
        return self._sandbox.regex_over(RegexSearch(pattern=pattern, case_sensitive=case_sensitive), texts)

    def try_pattern(self, pattern: str, case_sensitive: bool, text: str) -> RegexOutcome:
        """Places at which a pattern is found in a text."""
        (outcome,) = self._sandbox.regex([RegexSearch(pattern=pattern, case_sensitive=case_sensitive)], text)
        return outcome
