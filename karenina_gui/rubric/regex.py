"""Regex traits: a pattern is searched in the text; the result is turned round when `invert_result` is set."""

from __future__ import annotations

from typing import Any

from karenina_gui.sandbox import RegexSearch, Sandbox
from karenina_gui.schemas.rubric import RegexRubricTrait


def evaluate_regex(traits: list[RegexRubricTrait], text: str, sandbox: Sandbox) -> tuple[dict[str, Any], list[str]]:
    """{trait: found XOR inverted}, and a sentence for every pattern that could not be searched.

    Patterns are the author's, and some never end: the search runs in a sandbox cell with a time limit.
    """
    searches = [RegexSearch(pattern=trait.pattern, case_sensitive=trait.case_sensitive) for trait in traits]
    scores: dict[str, Any] = {}
    problems = []
    for trait, outcome in zip(traits, sandbox.regex(searches, text), strict=True):
        if outcome.error is not None:
            problems.append(f"The trait {trait.name!r} has no score: {outcome.error}")
        else:
            scores[trait.name] = outcome.found != trait.invert_result
    return scores, problems
