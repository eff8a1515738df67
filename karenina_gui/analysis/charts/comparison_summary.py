"""Summary and cautions of the comparison chart: which comparison is reported, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from karenina_gui.analysis.charts.chart_text import group_reasons, join_first
from karenina_gui.analysis.charts.comparison_marks import HOCHBERG, HOLM, Comparison, ComparisonMarks
from karenina_gui.analysis.charts.pairs import Changed
from karenina_gui.analysis.charts.sentences import (
    APPROXIMATE,
    COMPARISONS,
    DOUBTED_BY_RANKS,
    EXCLUDED,
    FALSE_DISCOVERIES,
    FEW_QUESTIONS,
    LEADS,
    PLANNED_BY_DEFAULTS,
    SEVERAL_COMPARISONS,
    SIGNIFICANT_PAIRS,
    STRICTER_TEST,
    ComparisonCase,
)
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import (
    describe_difference,
    describe_one_of_several,
    describe_plan,
    shared_cautions,
)
from karenina_gui.text import quantity, verb


@dataclass(frozen=True)
class ComparisonSummary:
    """Decision about the summary of a comparison chart."""

    case: ComparisonCase
    number: int
    """Comparisons, including those without shared questions."""
    significant: int
    first: Comparison
    """The comparison that is reported: of several the largest, significant ones before others."""
    lead: str = ""
    """Introduction of the first."""
    second: Comparison | None = None
    """The largest between models, if conditions are compared, too."""
    second_lead: str = ""


def summarize(marks: ComparisonMarks) -> ComparisonSummary:
    """Decide which comparison to report: the largest significant one, or the largest if none is significant.

    Reports conditions and models separately if both are compared.
    """
    known, number = marks.known, len(marks.comparisons)
    significant = sum(one.shown for one in known)
    if len(known) == 1:
        return ComparisonSummary("single" if number == 1 else "only_known", number, significant, known[0])
    if marks.baseline is not None or {one.changed for one in known} != {"condition", "model"}:
        largest = _largest(known)
        lead = LEADS["largest" if largest.difference.value else "all_zero"]
        return ComparisonSummary("several", number, significant, largest, lead)
    first, lead = _largest_of_factor(known, "condition")
    second, second_lead = _largest_of_factor(known, "model")
    return ComparisonSummary("by_factor", number, significant, first, lead, second, second_lead)


def sentence(metric: Metric, marks: ComparisonMarks, summary: ComparisonSummary) -> str:
    """Summary of the reported comparison, with the number of significant ones if there are several."""
    template, first = COMPARISONS[summary.case], summary.first
    if summary.case in ("single", "only_known"):
        return template.format(number=_number(marks, summary), told=comparison_sentence(metric, first))
    if summary.second is None:
        told = describe_one_of_several(first.difference, first.arms(metric), summary.lead)
        return template.format(number=_number(marks, summary), told=told, remedy=_remedy_sentence(metric, first))
    second = summary.second
    caution, other_caution = shared_cautions(first.difference, second.difference)
    return template.format(
        number=_number(marks, summary),
        first=describe_one_of_several(first.difference, first.arms(metric), summary.lead, caution=False),
        caution=caution,
        second=describe_one_of_several(second.difference, second.arms(metric), summary.second_lead, caution=False),
        other_caution=other_caution,
    )


def _number(marks: ComparisonMarks, summary: ComparisonSummary) -> str:
    """`2 of 4 pairwise comparisons are significant (Holm-corrected).`"""
    return SIGNIFICANT_PAIRS["some" if summary.significant else "none"].format(
        shown=summary.significant,
        every=summary.number,
        comparisons="pairwise comparisons" if marks.baseline is None else f"comparisons with {marks.baseline}",
        are=verb(summary.significant, "is", "are"),
        correction=next((one.correction for one in marks.comparisons if one.correction), HOLM),
    )


def _largest(known: Sequence[Comparison]) -> Comparison:
    return max(known, key=lambda one: (one.shown, abs(one.difference.value or 0.0)))


def _largest_of_factor(known: Sequence[Comparison], changed: Changed) -> tuple[Comparison, str]:
    """Return the largest difference between conditions or models, and its introduction."""
    found = [one for one in known if one.changed == changed]
    alone = len(found) == 1 or not any(one.difference.value for one in found)
    return _largest(found), LEADS["factor" if alone else "largest_of_factor"].format(changed=f"{changed}s")


def comparison_sentence(metric: Metric, one: Comparison) -> str:
    """Return the sentence about one comparison, with what would settle it if it is not significant."""
    return f"{describe_difference(one.difference, one.arms(metric))}{_remedy_sentence(metric, one)}"


def _remedy_sentence(metric: Metric, one: Comparison) -> str:
    """Return the sentence about the sample that would decide an open comparison; empty if it needs none."""
    found, plan = one.difference, one.plan
    settled = one.shown or found.identical or plan.detectable is None or found.n < 2
    if settled or (plan.questions is not None and plan.questions <= found.n):
        return ""
    return f" {describe_plan(plan, replace(one.arms(metric), questions=found.n), found.value)}"


def cautions(marks: ComparisonMarks) -> list[str]:
    return [*_multiplicity(marks), *_gaps(marks), *_doubts(marks)]


def _multiplicity(marks: ComparisonMarks) -> list[str]:
    """Return cautions about the number of comparisons."""
    said = []
    if len([one for one in marks.comparisons if one.difference.low is not None]) > 1:
        said.append(SEVERAL_COMPARISONS)
    # The false discovery rate says nothing about comparisons that are not significant.
    if any(one.correction == HOCHBERG and one.shown for one in marks.comparisons):
        said.append(FALSE_DISCOVERIES)
    return said


def _gaps(marks: ComparisonMarks) -> list[str]:
    """Return cautions about excluded questions and missing figures."""
    excluded = [
        f"{marks.name(one)}: {quantity(one.difference.dropped, 'question')}"
        for one in marks.comparisons
        if one.difference.dropped
    ]
    said = [EXCLUDED.format(numbers=join_first(excluded))] if excluded else []
    return said + group_reasons((marks.name(one), one.difference.why) for one in marks.comparisons)


def _doubts(marks: ComparisonMarks) -> list[str]:
    """Return cautions about the reliability of intervals, tests and plans."""
    said = []
    if stricter := marks.names(lambda one: one.has_stricter_test):
        said.append(STRICTER_TEST.format(names=join_first(stricter)))
    if doubted := marks.names(lambda one: one.doubted_by_ranks):
        said.append(DOUBTED_BY_RANKS.format(names=join_first(doubted)))
    if few := marks.names(lambda one: one.few_questions):
        said.append(FEW_QUESTIONS.format(names=join_first(few)))
    elif marks.names(lambda one: one.difference.approximate):
        said.append(APPROXIMATE)
    if marks.names(lambda one: one.planned_by_defaults):
        said.append(PLANNED_BY_DEFAULTS)
    return said
