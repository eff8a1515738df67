"""Chart of paired differences between arms on the same questions.

The test depends on the type of data and never on the result: the exact McNemar test for one verdict per question in
each arm, a permutation test for grades or below 30 questions, otherwise the paired t test (`_difference`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from karenina_gui.analysis.charts.chart import Cell, CellFormat, ChartTable, Finding
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import (
    APPROXIMATE,
    NO_SCORE,
    group_reasons,
    join_first,
    results_of,
    scored_trait,
)
from karenina_gui.analysis.charts.comparison_marks import HOCHBERG, HOLM, Comparison, ComparisonMarks
from karenina_gui.analysis.charts.finding_factory import empty_finding, make_finding, style_index
from karenina_gui.analysis.charts.pairs import Changed, Pair, pairs_of, title
from karenina_gui.analysis.estimate import PairedDifference
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import (
    cap_for_display,
    describe_difference,
    describe_one_of_several,
    describe_plan,
    shared_cautions,
)
from karenina_gui.analysis.thresholds import (
    MAX_COMPARISONS_FOR_HOLM,
    MAX_QUESTIONS_FOR_BOOTSTRAP,
    MIN_QUESTIONS_FOR_DIFFERENCE,
    MIN_QUESTIONS_FOR_NORMAL,
    MIN_QUESTIONS_FOR_VARIANCE,
    RESAMPLES_OF_MANY_INTERVALS,
)
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import quantity, verb

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Integers, Scores

ADJUSTED = "Adjusted p"
COLUMNS = (
    *("Model", "Condition", "Compared with", "Difference", "95% CI low", "95% CI high", "p", ADJUSTED),
    *("Wilcoxon p", "Bootstrap CI low", "Bootstrap CI high"),
    *("Shared questions", "Excluded questions", "Minimum detectable difference", "Questions needed"),
    *("Replicates needed", "Method", "Bootstrap method", "Remark"),
)
DIFFERENCES = ("Difference", "95% CI low", "95% CI high")
BOOTSTRAP = ("Bootstrap CI low", "Bootstrap CI high")
DETECTABLE = "Minimum detectable difference"
_IN_POINTS = frozenset([*DIFFERENCES, *BOOTSTRAP, DETECTABLE])
"""Columns that are in percentage points if the metric is a rate."""


def _in_points(name: str) -> str:
    return f"{name} (percentage points)"


FIGURES = (
    Figure(
        "difference",
        "Difference",
        "Mean of one configuration minus the mean of the other, question by question.",
        left_out="Questions scored in only one of the two; they are counted as excluded.",
        weighed="Each question equally.",
        interval=(
            "95% CI: Student’s t over the differences, or Tango’s score interval if each question has one verdict per "
            "configuration. Not corrected for multiple comparisons."
        ),
        columns=(*DIFFERENCES, *map(_in_points, DIFFERENCES), "Shared questions", "Excluded questions"),
    ),
    Figure(
        "p",
        "p",
        "Probability of a difference at least this large if the configurations are equally good. Test: exact McNemar "
        "with one verdict per question and configuration, permutation for grades or with fewer than "
        f"{MIN_QUESTIONS_FOR_NORMAL} questions, otherwise paired t; the table names it. Adjusted p: corrected for "
        "multiple comparisons, by Holm for up to ten, otherwise by Benjamini–Hochberg.",
        left_out="Comparisons without a shared question.",
        weighed="Each question equally.",
        columns=("p", "Adjusted p", "Adjusted p (Holm)", "Adjusted p (Benjamini–Hochberg)"),
    ),
    Figure(
        "p-ranks",
        "Wilcoxon p",
        "Wilcoxon signed-rank test of the differences: a check that a few extreme questions cannot dominate.",
        left_out="Differences of 0.",
        columns=("Wilcoxon p",),
    ),
    Figure(
        "bootstrap",
        "Bootstrap CI",
        "BCa bootstrap of the difference, 2,499 resamples of questions with a fixed seed: a check where a few "
        "differences are much larger than the others.",
        weighed="Each question equally.",
        interval="95% CI.",
        columns=(*BOOTSTRAP, *map(_in_points, BOOTSTRAP), "Bootstrap method"),
    ),
    Figure(
        "detectable",
        "Minimum detectable difference",
        "Smallest difference that this many questions and replicates detect with 80% power (shaded band). Questions or "
        "replicates needed: so many would detect the difference that was found, the other number unchanged.",
        columns=(DETECTABLE, _in_points(DETECTABLE), "Questions needed", "Replicates needed"),
    ),
    Figure(
        "difference-method",
        "Method of a comparison",
        "The test of p, then the 95% CI of the difference. A permutation test swaps the two scores of each question in "
        "all ways: p is the share with a mean difference at least this large. t interval: Student’s t over questions.",
        weighed="Each question equally.",
        columns=("Method",),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


def find(scores: Scores, data: ChartData) -> Finding:
    trait = scored_trait(scores, data)
    chosen = pairs_of(scores.arms, data.request.against)
    comparisons = _comparisons(scores, data, chosen.pairs)
    columns = tuple(_column_title(name, comparisons, scores.metric) for name in COLUMNS)
    table = ChartTable(
        columns,
        [_row(scores, item) for item in comparisons],
        [results_of(scores.arms[item.pair.arm], trait=trait) for item in comparisons],
        _formats(columns),
    )
    if not any(item.is_comparable for item in comparisons):
        return empty_finding(scores, _empty_reason(scores, comparisons), table)
    marks = ComparisonMarks(None if chosen.common is None else scores.arms[chosen.common].label, tuple(comparisons))
    remarks = [chosen.remark] if chosen.remark else []
    text = sentence(scores.metric, marks, summarize(marks))
    return make_finding(scores, text, table, marks, [*remarks, *cautions(marks)])


def _empty_reason(scores: Scores, comparisons: list[Comparison]) -> str:
    if len(scores.arms) == 1:
        return "There is only one configuration. Run a second model or condition to compare it with."
    reasons = (item.difference.why for item in comparisons if item.difference.why)
    return next(reasons, NO_SCORE) if scores.scored else NO_SCORE


def _column_title(name: str, comparisons: list[Comparison], metric: Metric) -> str:
    """`Adjusted p (Holm)`, `Difference (percentage points)`."""
    if metric.kind == "binary" and name in _IN_POINTS:
        return _in_points(name)
    how = next((one.correction for one in comparisons if one.correction), "")
    return f"{name} ({how})" if how and name == ADJUSTED else name


def _formats(columns: tuple[str, ...]) -> dict[str, CellFormat]:
    points: dict[str, CellFormat] = dict.fromkeys(map(_in_points, _IN_POINTS), "points")
    p_values = (name for name in columns if name in ("p", "Wilcoxon p") or name.startswith(ADJUSTED))
    return points | dict.fromkeys(p_values, "p")


def tested_difference(scores: Scores, data: ChartData, arm: int, baseline: int) -> PairedDifference:
    """Difference of two arms, with p corrected as among the comparisons of this chart."""
    pairs = [*pairs_of(scores.arms, data.request.against).pairs]
    if all({pair.arm, pair.baseline} != {arm, baseline} for pair in pairs):
        pairs.append(Pair(baseline, arm, "both"))
    tests = zip(pairs, _differences(scores, pairs), strict=True)
    pair, tested = next(test for test in tests if {test[0].arm, test[0].baseline} == {arm, baseline})
    if pair.arm == arm or tested.value is None:
        return tested
    low, high = (None if end is None else -end for end in (tested.high, tested.low))
    return replace(tested, value=-tested.value, low=low, high=high)


def _differences(scores: Scores, pairs: Sequence[Pair]) -> list[PairedDifference]:
    """Differences of the pairs; of several, with corrected p."""
    from karenina_gui.analysis.statistics.paired import adjust_p_values

    differences = [_difference(scores, pair) for pair in pairs]
    if len(pairs) < 2:
        return differences
    corrected = adjust_p_values(
        [difference.p for difference in differences], many=len(pairs) > MAX_COMPARISONS_FOR_HOLM
    )
    return [replace(difference, adjusted=p) for difference, p in zip(differences, corrected, strict=True)]


def _comparisons(scores: Scores, data: ChartData, pairs: Sequence[Pair]) -> list[Comparison]:
    from karenina_gui.analysis.statistics.means import bootstrap
    from karenina_gui.analysis.statistics.paired import wilcoxon_p
    from karenina_gui.analysis.statistics.power import plan

    metric, cells = scores.metric, scores.cells
    several, many = len(pairs) > 1, len(pairs) > MAX_COMPARISONS_FOR_HOLM
    is_large = len(scores.questions) > MAX_QUESTIONS_FOR_BOOTSTRAP
    return [
        Comparison(
            label=scores.arms[pair.arm].label,
            baseline=scores.arms[pair.baseline].label,
            title=title(scores.arms, pair),
            changed=pair.changed,
            pair=pair,
            correction="" if not several else HOCHBERG if many else HOLM,
            style_index=style_index(scores, data, pair.arm),
            difference=difference,
            plan=plan(scores, pair.baseline, pair.arm, difference.value),
            questions=int((cells.planned[:, _columns_of(pair)] > 0).any(axis=1).sum()),
            ranks=wilcoxon_p(cells.mean[:, pair.arm] - cells.mean[:, pair.baseline])
            if metric.kind == "number"
            else None,
            drawn=None
            if _has_single_verdicts(scores, pair) or difference.low is None or is_large
            else bootstrap(cells.mean[:, pair.arm] - cells.mean[:, pair.baseline], draws=RESAMPLES_OF_MANY_INTERVALS),
            replicates=_replicates(cells.scored[:, _columns_of(pair)]),
        )
        for pair, difference in zip(pairs, _differences(scores, pairs), strict=True)
    ]


def _columns_of(pair: Pair) -> list[int]:
    return [pair.baseline, pair.arm]


def _difference(scores: Scores, pair: Pair) -> PairedDifference:
    """Compute the difference of a pair with the test for its type of data."""
    from karenina_gui.analysis.statistics.paired import PairedDesign, paired_difference

    metric, cells = scores.metric, scores.cells
    # Steps between grades need not be equal, and the mean of few questions is not normal: both need the permutation
    # test.
    shared_questions = int((cells.scored[:, _columns_of(pair)] > 0).all(axis=1).sum())
    return paired_difference(
        cells.mean[:, pair.baseline],
        cells.mean[:, pair.arm],
        PairedDesign(
            binary=metric.kind == "binary",
            single=_has_single_verdicts(scores, pair),
            by_signs=scores.graded or shared_questions < MIN_QUESTIONS_FOR_NORMAL,
            low=metric.low,
            high=metric.high,
        ),
    )


def _replicates(scored: Integers) -> int | str:
    """Return the number of answers per question, or its range; `scored`: answers by question × arm."""
    some = scored[scored > 0]
    least, most = int(some.min(initial=some.max(initial=0))), int(some.max(initial=0))
    return most if least == most else f"{least:,} to {most:,} replicates"


def _has_single_verdicts(scores: Scores, pair: Pair) -> bool:
    """Return True if each question has at most one yes/no answer in both arms."""
    import numpy as np

    if scores.metric.kind != "binary":
        return False
    means: Any = scores.cells.mean[:, _columns_of(pair)]
    # Several judgments that disagree give a mean between 0 and 1, which is no verdict for McNemar's test.
    is_verdict = np.isnan(means) | (means == 0) | (means == 1)
    return bool(is_verdict.all() and scores.cells.scored[:, _columns_of(pair)].max(initial=0) <= 1)


def _row(scores: Scores, one: Comparison) -> tuple[Cell, ...]:
    arm, delta, plan = scores.arms[one.pair.arm], one.difference, one.plan
    drawn = (None, None) if one.drawn is None else (one.drawn.low, one.drawn.high)
    times = 100.0 if scores.metric.kind == "binary" else 1.0
    value, low, high, drawn_low, drawn_high, detectable = (
        None if end is None else times * end for end in (delta.value, delta.low, delta.high, *drawn, plan.detectable)
    )
    return (
        *(arm.answering, arm.condition, one.baseline, value, low, high, delta.p, delta.adjusted),
        *(one.ranks, drawn_low, drawn_high, delta.n, delta.dropped, detectable),
        *(cap_for_display(plan.questions), cap_for_display(plan.replicates), delta.method),
        None if one.drawn is None or one.drawn.low is None else one.drawn.method,
        "identical" if delta.identical else delta.why,
    )


@dataclass(frozen=True)
class ComparisonSummary:
    """Decision about the summary of a comparison chart."""

    case: Literal["single", "only_known", "several", "by_factor"]
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
    comparable, number = marks.comparable, len(marks.comparisons)
    significant = sum(one.is_significant for one in comparable)
    if len(comparable) == 1:
        return ComparisonSummary("single" if number == 1 else "only_known", number, significant, comparable[0])
    if marks.baseline is not None or {one.changed for one in comparable} != {"condition", "model"}:
        largest = _largest(comparable)
        lead = "Largest difference" if largest.difference.value else "For example"
        return ComparisonSummary("several", number, significant, largest, lead)
    first, lead = _largest_of_factor(comparable, "condition")
    second, second_lead = _largest_of_factor(comparable, "model")
    return ComparisonSummary("by_factor", number, significant, first, lead, second, second_lead)


def sentence(metric: Metric, marks: ComparisonMarks, summary: ComparisonSummary) -> str:
    """Summary of the reported comparison, with the number of significant ones if there are several."""
    first, number = summary.first, _number(marks, summary)
    if summary.case == "single":
        return comparison_sentence(metric, first)
    if summary.case == "only_known":
        return f"{number} {comparison_sentence(metric, first)}"
    if summary.second is None:
        text = describe_one_of_several(first.difference, first.arms(metric), summary.lead)
        return f"{number} {text}{_remedy_sentence(metric, first)}"
    second = summary.second
    caution, other_caution = shared_cautions(first.difference, second.difference)
    condition, model = (
        describe_one_of_several(one.difference, one.arms(metric), lead, caution=False)
        for one, lead in ((first, summary.lead), (second, summary.second_lead))
    )
    return f"{number} {condition}{caution} {model}{other_caution}"


def _number(marks: ComparisonMarks, summary: ComparisonSummary) -> str:
    """`2 of 4 pairwise comparisons are significant (Holm-corrected).`"""
    comparisons = "pairwise comparisons" if marks.baseline is None else f"comparisons with {marks.baseline}"
    correction = next((one.correction for one in marks.comparisons if one.correction), HOLM)
    if not summary.significant:
        return f"None of {summary.number} {comparisons} is significant ({correction}-corrected)."
    are = verb(summary.significant, "is", "are")
    return f"{summary.significant} of {summary.number} {comparisons} {are} significant ({correction}-corrected)."


def _largest(comparable: Sequence[Comparison]) -> Comparison:
    return max(comparable, key=lambda one: (one.is_significant, abs(one.difference.value or 0.0)))


def _largest_of_factor(comparable: Sequence[Comparison], changed: Changed) -> tuple[Comparison, str]:
    """Return the largest difference between conditions or models, and its introduction."""
    comparisons = [one for one in comparable if one.changed == changed]
    alone = len(comparisons) == 1 or not any(one.difference.value for one in comparisons)
    return _largest(comparisons), f"{'Difference' if alone else 'Largest difference'} between {changed}s"


def comparison_sentence(metric: Metric, one: Comparison) -> str:
    """Return the sentence about one comparison, with what would settle it if it is not significant."""
    return f"{describe_difference(one.difference, one.arms(metric))}{_remedy_sentence(metric, one)}"


def _remedy_sentence(metric: Metric, one: Comparison) -> str:
    """Return the sentence about the sample that would decide an open comparison; empty if it needs none."""
    difference, plan = one.difference, one.plan
    settled = one.is_significant or difference.identical or plan.detectable is None or difference.n < 2
    if settled or (plan.questions is not None and plan.questions <= difference.n):
        return ""
    return f" {describe_plan(plan, replace(one.arms(metric), questions=difference.n), difference.value)}"


def cautions(marks: ComparisonMarks) -> list[str]:
    return [*_multiplicity(marks), *_gaps(marks), *_doubts(marks)]


def _multiplicity(marks: ComparisonMarks) -> list[str]:
    """Return cautions about the number of comparisons."""
    cautions = []
    if len([one for one in marks.comparisons if one.difference.low is not None]) > 1:
        cautions.append(
            "Each interval is for one comparison and not corrected for the number of comparisons. The largest of "
            "several differences is likely to shrink when it is measured again."
        )
    # The false discovery rate says nothing about comparisons that are not significant.
    if any(one.correction == HOCHBERG and one.is_significant for one in marks.comparisons):
        cautions.append(
            "With this many comparisons, up to 5% of the significant ones may be false positives (false discovery "
            "rate)."
        )
    return cautions


def _gaps(marks: ComparisonMarks) -> list[str]:
    """Return cautions about excluded questions and missing figures."""
    excluded = [
        f"{marks.name(one)}: {quantity(one.difference.dropped, 'question')}"
        for one in marks.comparisons
        if one.difference.dropped
    ]
    cautions = [f"Excluded, because scored in only one of the two: {join_first(excluded)}."] if excluded else []
    return cautions + group_reasons((marks.name(one), one.difference.why) for one in marks.comparisons)


def _doubts(marks: ComparisonMarks) -> list[str]:
    """Return cautions about the reliability of intervals, tests and plans."""
    doubts = []
    if stricter := marks.names(lambda one: one.has_stricter_test):
        doubts.append(
            f"{join_first(stricter)}: not significant, although the 95% CI excludes 0. The test is stricter than the "
            "interval: it is corrected for all comparisons, and with few questions it assumes no normal distribution."
        )
    if doubted := marks.names(lambda one: one.doubted_by_ranks):
        doubts.append(f"{join_first(doubted)}: the Wilcoxon test does not confirm this; a few questions may dominate.")
    if few := marks.names(lambda one: one.few_questions):
        doubts.append(
            f"With fewer than {MIN_QUESTIONS_FOR_DIFFERENCE} questions, a difference is only a hint "
            f"({join_first(few)})."
        )
    elif marks.names(lambda one: one.difference.approximate):
        doubts.append(APPROXIMATE)
    if marks.names(lambda one: one.planned_by_defaults):
        doubts.append(
            f"Below {MIN_QUESTIONS_FOR_VARIANCE} questions, minimum detectable differences assume a typical spread."
        )
    return doubts
