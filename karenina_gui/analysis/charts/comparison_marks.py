"""Marks of the comparison chart: differences of arms, with their tests and plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from karenina_gui.analysis.charts.chart_text import format_p, format_signed
from karenina_gui.analysis.charts.pairs import Changed, Pair
from karenina_gui.analysis.estimate import Estimate, PairedDifference, PowerPlan
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import ComparedArms, shows_difference
from karenina_gui.analysis.thresholds import (
    MIN_QUESTIONS_FOR_DIFFERENCE,
    SIGNIFICANCE_LEVEL,
)

HOLM, HOCHBERG = "Holm", "Benjamini–Hochberg"


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
    def is_comparable(self) -> bool:
        """Return True if both arms have scores of the same questions."""
        return self.difference.value is not None

    def arms(self, metric: Metric) -> ComparedArms:
        """Return the arms as sentences name them."""
        return ComparedArms(self.baseline, self.label, metric, self.questions, self.replicates)

    @property
    def p(self) -> float | None:
        """p corrected for the number of comparisons."""
        return self.difference.decisive_p

    @property
    def is_significant(self) -> bool:
        """Return True if the difference is significant."""
        return shows_difference(self.difference)

    @property
    def has_stricter_test(self) -> bool:
        """Return True if the interval excludes 0 although the difference is not significant."""
        low, high = self.difference.low, self.difference.high
        is_apart = low is not None and high is not None and (low > 0 or high < 0)
        return is_apart and self.p is not None and not self.is_significant

    @property
    def doubted_by_ranks(self) -> bool:
        """Return True if ranks do not confirm a significant difference of means."""
        return self.is_significant and (self.ranks or 0.0) > SIGNIFICANCE_LEVEL

    @property
    def few_questions(self) -> bool:
        """Return True if there are too few shared questions for more than a hint."""
        return 0 < self.difference.n < MIN_QUESTIONS_FOR_DIFFERENCE

    @property
    def planned_by_defaults(self) -> bool:
        """Return True if the detectable difference does not come from the data."""
        return self.plan.source == "defaults" and self.plan.detectable is not None


@dataclass(frozen=True)
class ComparisonMarks:
    baseline: str | None
    """Baseline of all comparisons; None: they have different ones."""
    comparisons: tuple[Comparison, ...]
    """In the order of the run; conditions before models if one thing at a time changes."""

    @property
    def comparable(self) -> list[Comparison]:
        """Comparisons with shared questions."""
        return [one for one in self.comparisons if one.is_comparable]

    def names(self, is_meant: Callable[[Comparison], object]) -> list[str]:
        """Return the names of the comparisons for which `is_meant` is true."""
        return [self.name(one) for one in self.comparisons if is_meant(one)]

    def name(self, one: Comparison) -> str:
        """Return the shortest unambiguous name of a comparison."""
        return one.title if self.baseline is None else one.label


def mark_label(metric: Metric, one: Comparison) -> str:
    """Return the hover text of a mark: difference and interval."""
    difference = one.difference
    if difference.value is None:
        return "not comparable"
    if difference.low is None or difference.high is None:
        return format_signed(difference.value, metric)
    value, low, high = (format_signed(number, metric) for number in (difference.value, difference.low, difference.high))
    return f"{value} ({low} to {high})"


def p_value_text(one: Comparison) -> str:
    """p-value as text, such as `p = 0.03 (Holm)`; empty without a test."""
    if one.p is None:
        return "identical" if one.difference.identical else ""
    text = format_p(one.p)
    text = f"p {text}" if text.startswith("<") else f"p = {text}"
    return f"{text}{f' ({one.correction})' if one.difference.adjusted is not None else ''}"
