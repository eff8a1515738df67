"""Chart of paired differences between arms on the same questions.

The test depends on the type of data and never on the result: the exact McNemar test for one verdict per question in
each arm, a sign permutation test for grades or below 30 questions, otherwise the paired t test (`_difference`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import format_signed, join_first, results_of, scored_trait
from karenina_gui.analysis.charts.finding_factory import NO_SCORE, empty_finding, make_finding, style_index
from karenina_gui.analysis.charts.pairs import Changed, Pair, pairs_of, title
from karenina_gui.analysis.estimate import Estimate, PairedDifference, PowerPlan
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import (
    APPROXIMATE,
    cap_for_display,
    describe_difference,
    describe_one_of_several,
    describe_plan,
    shared_cautions,
    shows_difference,
)
from karenina_gui.analysis.thresholds import (
    MAX_COMPARISONS_FOR_HOLM,
    MIN_QUESTIONS_FOR_DIFFERENCE,
    MIN_QUESTIONS_FOR_NORMAL,
    SIGNIFICANCE_LEVEL,
)
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import quantity, verb

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Integers, Scores

HOLM, HOCHBERG = "Holm", "Benjamini–Hochberg"
SHARE = "With this many comparisons, up to 5% of the significant ones may be false positives (false discovery rate)."
ADJUSTED = "Adjusted p"
COLUMNS = (
    *("Model", "Condition", "Compared with", "Difference", "95% CI low", "95% CI high", "p", ADJUSTED),
    *("Wilcoxon p", "Bootstrap CI low", "Bootstrap CI high"),
    *("Shared questions", "Excluded questions", "Minimum detectable difference", "Questions needed"),
    *("Replicates needed", "Method", "Remark"),
)
SEVERAL = (
    "Each interval is for one comparison and not corrected for the number of comparisons. The largest of several "
    "differences is likely to shrink when it is measured again."
)
ALONE = "There is only one configuration. Run a second model or condition to compare it with."

FIGURES = (
    Figure(
        "difference",
        "Difference",
        "Mean of one configuration minus the mean of the other, question by question.",
        left_out="Questions scored in only one of the two; they are counted as excluded.",
        weighed="Each question equally.",
        interval=(
            "95% CI: Student’s t over the differences, or Tango’s score interval for one verdict each. Not corrected "
            "for multiple comparisons."
        ),
        columns=("Difference", "95% CI low", "95% CI high", "Shared questions", "Excluded questions"),
    ),
    Figure(
        "p",
        "p",
        "Probability of a difference at least this large if there is none: exact McNemar test for one verdict each, "
        f"sign permutation test for grades or below {MIN_QUESTIONS_FOR_NORMAL} questions, otherwise paired t-test. The "
        "table names the test.",
        left_out="Comparisons without a shared question.",
        weighed=(
            "Adjusted p: corrected for multiple comparisons, by Holm for up to ten, otherwise by Benjamini–Hochberg."
        ),
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
        "BCa bootstrap of the difference, 2,499 resamples of questions with a fixed seed: a check for skewed data.",
        weighed="Each question equally.",
        interval="95% CI.",
        columns=("Bootstrap CI low", "Bootstrap CI high"),
    ),
    Figure(
        "detectable",
        "Minimum detectable difference",
        "Smallest difference that this many questions and replicates detect with 80% power (shaded band).",
        columns=("Minimum detectable difference", "Questions needed", "Replicates needed"),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


@dataclass(frozen=True)
class Comparison:
    """Difference of an arm's mean from that of its baseline."""

    label: str
    baseline: str
    """Label of the baseline arm."""
    title: str
    """`with tools vs. baseline (gpt)`."""
    changed: Changed
    pair: Pair
    correction: str
    """Correction of p: `HOLM` or `HOCHBERG`; empty: only one comparison."""
    style_index: int
    """Index of the arm among all arms of the run."""
    difference: PairedDifference
    plan: PowerPlan
    questions: int
    """Questions asked in either arm, with or without a score."""
    ranks: float | None
    """Uncorrected Wilcoxon p, which is robust against a few extreme questions; None: the metric is yes/no, or no
    difference."""
    drawn: Estimate | None
    """Difference with its BCa bootstrap interval, which allows for skewed differences; None: verdicts, or no interval.
    """
    replicates: int | str
    """Scored answers per question in each arm: `3`, or `2 to 3 replicates` if the number varies."""

    @property
    def p(self) -> float | None:
        """p corrected for the number of comparisons."""
        return self.difference.p if self.difference.adjusted is None else self.difference.adjusted

    @property
    def shown(self) -> bool:
        """Return True if the difference is significant."""
        return shows_difference(self.difference)


@dataclass(frozen=True)
class ComparisonMarks:
    baseline: str | None
    """Baseline of all comparisons; None: they have different ones."""
    comparisons: tuple[Comparison, ...]
    """In the order of the run; conditions before models if one thing at a time changes."""

    def name(self, one: Comparison) -> str:
        """Return the shortest unambiguous name of a comparison."""
        return one.title if self.baseline is None else one.label


def find(scores: Scores, data: ChartData) -> Finding:
    trait = scored_trait(scores, data)
    chosen = pairs_of(scores.arms, data.request.against)
    comparisons = _comparisons(scores, data, chosen.pairs)
    table = ChartTable(
        tuple(_column_title(name, comparisons) for name in COLUMNS),
        [_row(scores, each_one) for each_one in comparisons],
        [results_of(scores.arms[each_one.pair.arm], trait=trait) for each_one in comparisons],
    )
    known = [each_one for each_one in comparisons if each_one.difference.value is not None]
    if not known:
        reasons = [each_one.difference.why for each_one in comparisons if each_one.difference.why]
        why = ALONE if len(scores.arms) == 1 else (reasons or [NO_SCORE])[0] if scores.scored else NO_SCORE
        return empty_finding(scores, why, table)
    marks = ComparisonMarks(None if chosen.common is None else scores.arms[chosen.common].label, tuple(comparisons))
    remarks = [chosen.remark] if chosen.remark else []
    return make_finding(scores, sentence(scores.metric, marks), table, marks, [*remarks, *cautions(marks)])


def _column_title(name: str, comparisons: list[Comparison]) -> str:
    """`Adjusted p (Holm)`."""
    how = next((one.correction for one in comparisons if one.correction), "")
    return f"{name} ({how})" if how and name == ADJUSTED else name


def _comparisons(scores: Scores, data: ChartData, pairs: Sequence[Pair]) -> list[Comparison]:
    from karenina_gui.analysis.statistics.means import QUICK_DRAWS, bootstrap
    from karenina_gui.analysis.statistics.paired import adjust_p_values, wilcoxon_p
    from karenina_gui.analysis.statistics.power import plan

    metric, cells = scores.metric, scores.cells
    differences = [_difference(scores, pair) for pair in pairs]
    several, many = len(pairs) > 1, len(pairs) > MAX_COMPARISONS_FOR_HOLM
    corrected = adjust_p_values([each.p for each in differences], many=many) if several else [None] * len(pairs)
    return [
        Comparison(
            label=scores.arms[pair.arm].label,
            baseline=scores.arms[pair.baseline].label,
            title=title(scores.arms, pair),
            changed=pair.changed,
            pair=pair,
            correction="" if not several else HOCHBERG if many else HOLM,
            style_index=style_index(scores, data, pair.arm),
            difference=replace(found, adjusted=p),
            plan=plan(scores, pair.baseline, pair.arm, found.value),
            questions=int((cells.planned[:, _columns_of(pair)] > 0).any(axis=1).sum()),
            ranks=wilcoxon_p(cells.mean[:, pair.arm] - cells.mean[:, pair.baseline])
            if metric.kind == "number"
            else None,
            drawn=None
            if _has_single_verdicts(scores, pair) or found.low is None
            else bootstrap(cells.mean[:, pair.arm] - cells.mean[:, pair.baseline], draws=QUICK_DRAWS),
            replicates=_replicates(cells.scored[:, _columns_of(pair)]),
        )
        for pair, found, p in zip(pairs, differences, corrected, strict=True)
    ]


def _columns_of(pair: Pair) -> list[int]:
    return [pair.baseline, pair.arm]


def _difference(scores: Scores, pair: Pair) -> PairedDifference:
    """Compute the difference of a pair with the test for its type of data."""
    from karenina_gui.analysis.statistics.paired import paired_difference

    metric, cells = scores.metric, scores.cells
    # Steps between grades need not be equal, and the mean of few questions is not normal: both need the permutation
    # test.
    shared_questions = int((cells.scored[:, _columns_of(pair)] > 0).all(axis=1).sum())
    return paired_difference(
        cells.mean[:, pair.baseline],
        cells.mean[:, pair.arm],
        binary=metric.kind == "binary",
        single=_has_single_verdicts(scores, pair),
        by_signs=scores.graded or shared_questions < MIN_QUESTIONS_FOR_NORMAL,
        low=metric.low,
        high=metric.high,
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


def sentence(metric: Metric, marks: ComparisonMarks) -> str:
    """Summary of the largest significant difference, or of the largest one if none is significant.

    Reports conditions and models separately if both are compared.
    """
    known = [one for one in marks.comparisons if one.difference.value is not None]
    if len(marks.comparisons) == 1:
        return comparison_sentence(metric, known[0])
    number = _number(marks, sum(one.shown for one in known))
    if len(known) == 1:
        return f"{number} {comparison_sentence(metric, known[0])}"
    changed = {one.changed for one in known}
    if marks.baseline is not None or changed != {"condition", "model"}:
        largest = _largest(known)
        lead = "Largest difference" if largest.difference.value else "For example"
        return f"{number} {_of_several(metric, largest, lead)}{_remedy_sentence(metric, largest)}"
    of_conditions, of_models = ([one for one in known if one.changed == kind] for kind in ("condition", "model"))
    first, second = _largest(of_conditions), _largest(of_models)
    caution, other_caution = shared_cautions(first.difference, second.difference)
    of_first = _of_several(metric, first, _introduction(of_conditions, "conditions"), caution=False)
    of_second = _of_several(metric, second, _introduction(of_models, "models"), caution=False)
    return f"{number} {of_first}{caution} {of_second}{other_caution}"


def _number(marks: ComparisonMarks, shown: int) -> str:
    """`2 of 4 pairwise comparisons are significant (Holm-corrected).`"""
    every = len(marks.comparisons)
    comparisons = "pairwise comparisons" if marks.baseline is None else f"comparisons with {marks.baseline}"
    how = next((one.correction for one in marks.comparisons if one.correction), HOLM)
    if not shown:
        return f"None of {every} {comparisons} is significant ({how}-corrected)."
    return f"{shown} of {every} {comparisons} {verb(shown, 'is', 'are')} significant ({how}-corrected)."


def _largest(known: list[Comparison]) -> Comparison:
    return max(known, key=lambda one: (one.shown, abs(one.difference.value or 0.0)))


def _introduction(known: list[Comparison], changed: str) -> str:
    """Return the introduction of the largest difference."""
    alone = len(known) == 1 or not any(one.difference.value for one in known)
    return f"Difference between {changed}" if alone else f"Largest difference between {changed}"


def _of_several(metric: Metric, one: Comparison, lead: str, *, caution: bool = True) -> str:
    return describe_one_of_several(
        one.difference, one.baseline, one.label, metric, one.questions, one.replicates, lead, caution=caution
    )


def comparison_sentence(metric: Metric, one: Comparison) -> str:
    """Return the sentence about one comparison, with what would settle it if it is not significant."""
    told = describe_difference(one.difference, one.baseline, one.label, metric, one.questions, one.replicates)
    return f"{told}{_remedy_sentence(metric, one)}"


def _remedy_sentence(metric: Metric, one: Comparison) -> str:
    """Return the sentence about what would settle an open comparison; empty if there is none."""
    found, plan = one.difference, one.plan
    settled = one.shown or found.identical or plan.detectable is None or found.n < 2
    if settled or (plan.questions is not None and plan.questions <= found.n):
        return ""
    return f" {describe_plan(plan, one.baseline, one.label, metric, found.n, one.replicates, found.value)}"


def cautions(marks: ComparisonMarks) -> list[str]:
    return [*_multiplicity(marks), *_gaps(marks), *_doubts(marks)]


def _multiplicity(marks: ComparisonMarks) -> list[str]:
    """Return cautions about the number of comparisons."""
    said = []
    if len([one for one in marks.comparisons if one.difference.low is not None]) > 1:
        said.append(SEVERAL)
    # The false discovery rate says nothing about comparisons that are not significant.
    if any(one.correction == HOCHBERG and one.shown for one in marks.comparisons):
        said.append(SHARE)
    return said


def _gaps(marks: ComparisonMarks) -> list[str]:
    """Return cautions about excluded questions and missing figures."""
    said = []
    incomplete = [one for one in marks.comparisons if one.difference.dropped]
    if incomplete:
        numbers = join_first(
            [f"{marks.name(one)}: {quantity(one.difference.dropped, 'question')}" for one in incomplete]
        )
        said.append(f"Excluded, because scored in only one of the two: {numbers}.")
    reasons: dict[str, list[str]] = {}
    for one in marks.comparisons:
        if one.difference.why:
            reasons.setdefault(one.difference.why, []).append(marks.name(one))
    return said + [f"{join_first(labels)}: {reason}" for reason, labels in reasons.items()]


def _doubts(marks: ComparisonMarks) -> list[str]:
    """Return cautions about the reliability of intervals, tests and plans."""
    said = []
    doubted = [marks.name(one) for one in marks.comparisons if one.shown and (one.ranks or 0.0) > SIGNIFICANCE_LEVEL]
    if doubted:
        said.append(f"{join_first(doubted)}: the Wilcoxon test does not confirm this; a few questions may dominate.")
    few = [marks.name(one) for one in marks.comparisons if 0 < one.difference.n < MIN_QUESTIONS_FOR_DIFFERENCE]
    if few:
        least = MIN_QUESTIONS_FOR_DIFFERENCE
        said.append(f"With fewer than {least} questions, a difference is only a hint ({join_first(few)}).")
    elif any(one.difference.approximate for one in marks.comparisons):
        said.append(APPROXIMATE)
    if any(one.plan.source == "defaults" and one.plan.detectable is not None for one in marks.comparisons):
        said.append("Detectable differences use default variances, because there are too few questions.")
    return said


def _row(scores: Scores, one: Comparison) -> tuple[Cell, ...]:
    arm, found, plan = scores.arms[one.pair.arm], one.difference, one.plan
    drawn = (None, None) if one.drawn is None else (one.drawn.low, one.drawn.high)
    method = found.method if one.drawn is None or one.drawn.low is None else f"{found.method}; {one.drawn.method}"
    return (
        *(arm.answering, arm.condition, one.baseline, found.value, found.low, found.high, found.p, found.adjusted),
        *(one.ranks, *drawn, found.n, found.dropped, plan.detectable),
        *(cap_for_display(plan.questions), cap_for_display(plan.replicates), method),
        "identical" if found.identical else found.why,
    )


def mark_label(metric: Metric, one: Comparison) -> str:
    """Return the hover text of a mark: difference and interval."""
    found = one.difference
    if found.value is None:
        return "not comparable"
    if found.low is None or found.high is None:
        return format_signed(found.value, metric)
    value, low, high = (format_signed(each, metric) for each in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})"


def p_value_text(one: Comparison) -> str:
    """`p = 0.03 (Holm)`; empty where there is no test."""
    if one.p is None:
        return "identical" if one.difference.identical else ""
    shown = "p < 0.001" if one.p < 0.001 else f"p = {one.p:.2g}" if one.p < 0.1 else f"p = {one.p:.2f}"
    return f"{shown}{f' ({one.correction})' if one.difference.adjusted is not None else ''}"
