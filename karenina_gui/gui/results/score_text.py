"""Scores of a result in one line of a table: `clarity 4 (1 to 5) · cites a source yes`."""

from __future__ import annotations

from collections.abc import Mapping

from karenina_gui.analysis.charts.chart_text import format_number
from karenina_gui.analysis.trait_figures import Score
from karenina_gui.gui.components.expected_found import format_value
from karenina_gui.schemas.result import TraitScale, scale_of

NO_CLASS = "none of its classes"


def scores_in_words(scores: Mapping[str, Score], scales: Mapping[str, TraitScale]) -> str:
    """Format the scores in their order; `scales` by trait. Empty: no scores."""
    return " · ".join(f"{name} {_score(score, scale_of(name, scales))}" for name, score in scores.items())


def _score(score: Score, scale: TraitScale | None) -> str:
    """Format a class by its name, and a grade with its scale."""
    if scale is not None and scale.classes and not isinstance(score, bool):
        return scale.classes[int(score)] if 0 <= score < len(scale.classes) else NO_CLASS
    if scale is None or isinstance(score, bool) or scale.min_score is None or scale.max_score is None:
        return format_number(score) if isinstance(score, float) else format_value(score)
    return f"{format_number(score)} ({scale.min_score} to {scale.max_score})"
