"""Where a trait is tried before it judges anybody: patterns and functions on texts of the author's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from karenina_gui.sandbox import RegexOutcome, RegexSearch, Sandbox
from karenina_gui.schemas.template import TemplateProblem

Value = bool | int | float | str | None


@dataclass(frozen=True)
class TriedFunction:
    """What a function returned for a text."""

    value: Value = None
    problem: str | None = None
    """Why there is no score: it failed, it was stopped, or what it returned does not fit the trait."""
    line: int | None = None
    """Line of the source where it failed, 1-based; None: in none."""


class TraitBench:
    """Runs patterns and functions in the sandbox only; whatever is wrong with one is a value, in plain words."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def check_function(self, source: str) -> list[TemplateProblem]:
        """What is wrong with the source of a function, at its lines; empty: nothing."""
        return self._sandbox.examine_trait(source).problems

    def try_function(self, trait: Mapping[str, Any], text: str) -> TriedFunction:
        """What the function in `trait["source"]` makes of a text, held against the trait's kind and range."""
        (outcome,) = self._sandbox.trait(str(trait.get("source") or ""), [text])
        if outcome.error is not None:
            return TriedFunction(problem=outcome.error, line=outcome.line)
        return TriedFunction(outcome.value, misfit(trait, outcome.value))

    def try_pattern(self, pattern: str, case_sensitive: bool, text: str) -> RegexOutcome:
        """Where a pattern is found in a text."""
        (outcome,) = self._sandbox.regex([RegexSearch(pattern=pattern, case_sensitive=case_sensitive)], text)
        return outcome


def misfit(trait: Mapping[str, Any], value: Value) -> str | None:
    """Why a returned value is no score of this trait (its `kind`, range and classes); None: it is one."""
    kind = trait.get("kind")
    if kind == "boolean":
        return None if isinstance(value, bool) else f"It returned {written(value)}, but has to return True or False."
    if kind == "literal":
        classes = list(trait.get("classes") or ())
        by_place = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(classes)
        if by_place or value in classes:
            return None
        return f"It returned {written(value)}, which is none of the classes nor the place of one (from 0)."
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"It returned {written(value)}, but has to return a number."
    lowest, highest = trait.get("min_score"), trait.get("max_score")
    if isinstance(lowest, int | float) and value < lowest:
        return f"It returned {value}, which is below the lowest score, {lowest}."
    if isinstance(highest, int | float) and value > highest:
        return f"It returned {value}, which is above the highest score, {highest}."
    return None


def written(value: Value) -> str:
    """A value as Python code writes it; nothing is said to be nothing."""
    if value is None:
        return "nothing (None)"
    return f"the text {value!r:.80}" if isinstance(value, str) else repr(value)
