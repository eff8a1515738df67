"""Regex traits: a pattern search in the text, negated by `invert_result`."""

from __future__ import annotations

from collections.abc import Sequence

from karenina_gui.rubric.scores import TraitScores
from karenina_gui.rubric.task import RubricTask
from karenina_gui.sandbox import RegexSearch
from karenina_gui.schemas.rubric import RegexRubricTrait


def evaluate_regex(traits: Sequence[RegexRubricTrait], task: RubricTask) -> TraitScores:
    """Scores for `regex_trait_scores`: True if the pattern is found, negated by `invert_result`."""
    # In a sandbox cell with a time limit: patterns come from the author, and some backtrack without end.
    searches = [RegexSearch(pattern=trait.pattern, case_sensitive=trait.case_sensitive) for trait in traits]
    scores = TraitScores()
    for trait, outcome in zip(traits, task.sandbox.regex(searches, task.text), strict=True):
        if outcome.error is not None:
            scores.miss([trait.name], outcome.error)
        else:
            scores.put("regex_trait_scores", trait.name, outcome.found != trait.invert_result)
    return scores
