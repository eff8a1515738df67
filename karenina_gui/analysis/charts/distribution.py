"""Chart of the distribution of scores by arm: counts of each score or of score ranges."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, share_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import NO_SCORE, format_number, results_of
from karenina_gui.analysis.charts.finding_factory import empty_finding, make_finding, style_index
from karenina_gui.analysis.charts.replicate_counts import bad_label, good_label
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.thresholds import (
    MAX_BARS_BY_SCORE,
    MIN_SCORES_FOR_DISTRIBUTION,
)
from karenina_gui.schemas.figure import Figure
from karenina_gui.schemas.outcome import OUTCOMES
from karenina_gui.text import join_list, percent, plural, quantity, verb

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Floats, Scores

NONE_OF_THEM = "none of the classes"
COLUMNS = ("Model", "Condition", "Score", "From", "To", "Count", "Share of scores", "Scores")

FIGURES = (
    Figure(
        "distribution",
        "Score distribution",
        "Number of judgments with this score or range, and their share in the configuration.",
        left_out="Judgments without a score.",
        weighed="Each judgment once, not weighted by question.",
        columns=("From", "To", "Count", "Share of scores", "Scores"),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


@dataclass(frozen=True)
class Bin:
    label: str
    low: float
    high: float
    """Equal to `low` for a single score."""


@dataclass(frozen=True)
class BarLinks:
    """Link of a bar to its results."""

    link: dict[str, str]
    exact: bool
    """True if the link shows exactly the results of the bar; False: all results of the arm."""


@dataclass(frozen=True)
class ArmDistribution:
    label: str
    arm: int
    style_index: int
    """Index of the arm among all arms of the run."""
    counts: tuple[int, ...]
    """Scores in each bin."""
    number: int
    """Number of scores."""
    mean: float | None
    """None: no scores, yes/no scores, or classes."""
    median: float | None


@dataclass(frozen=True)
class DistributionMarks:
    bins: tuple[Bin, ...]
    arms: tuple[ArmDistribution, ...]
    """All arms, including those without a score."""
    exact: tuple[bool, ...]
    """For each bar, arm by arm: True if its link shows exactly its results."""

    @property
    def scored(self) -> list[ArmDistribution]:
        """Arms with a score."""
        return [arm for arm in self.arms if arm.number]

    @property
    def counts(self) -> list[int]:
        """Scores of all arms in each bin."""
        return [sum(arm.counts[index] for arm in self.scored) for index in range(len(self.bins))]


def find(scores: Scores, data: ChartData) -> Finding:
    bins = _bins(scores)
    arms = [_arm(scores, data, bins, index) for index in range(len(scores.arms))]
    table = _table(scores, bins, arms)
    if not bins:
        return empty_finding(scores, NO_SCORE, table)
    behind = [_link_of_bar(scores, data, arm.arm, one) for arm in arms for one in bins]
    marks = DistributionMarks(tuple(bins), tuple(arms), tuple(one.exact for one in behind))
    links = [one.link for one in behind]
    return make_finding(scores, sentence(scores.metric, marks), table, marks, _cautions(marks.scored), links)


def _table(scores: Scores, bins: list[Bin], arms: list[ArmDistribution]) -> ChartTable:
    return ChartTable(
        COLUMNS,
        [_row(scores, arm, one, count) for arm in arms for one, count in zip(bins, arm.counts, strict=True)],
        [results_of(scores.arms[arm.arm]) for arm in arms for _ in bins],
        share_formats(["Share of scores"]),
    )


def _cautions(arms: list[ArmDistribution]) -> list[str]:
    few = min(arm.number for arm in arms)
    if few >= MIN_SCORES_FOR_DISTRIBUTION:
        return []
    return [f"{quantity(few, 'score')} {verb(few, 'is', 'are')} too few to show a distribution."]


def _link_of_bar(scores: Scores, data: ChartData, arm: int, one: Bin) -> BarLinks:
    """Return the link of a bar: by outcome for verdicts, by yes/no for traits, otherwise by arm."""
    metric = scores.metric
    of_arm = results_of(scores.arms[arm], trait=metric.trait)
    if metric.kind != "binary":
        return BarLinks(of_arm, exact=False)
    exact = _outcomes_of_bar(scores, data, arm, one) if metric.trait is None else _scores_of_bar(metric, data, one)
    return BarLinks(of_arm | exact, exact=bool(exact))


def _outcomes_of_bar(scores: Scores, data: ChartData, arm: int, one: Bin) -> dict[str, str]:
    """Return the query for the verdicts of a bar; empty: their outcomes are unknown."""
    import numpy as np

    if data.outcome is None:
        return {}
    codes = np.unique(data.outcome[(scores.arm == arm) & (scores.value == one.low)])
    judged = sorted(OUTCOMES[code] for code in codes if code >= 0)
    return {"outcome": ",".join(judged)} if judged else {}


def _scores_of_bar(metric: Metric, data: ChartData, one: Bin) -> dict[str, str]:
    """Return the query for the yes/no scores of a bar; empty: no query shows exactly these."""
    word = "yes" if one.low else "no"
    if not data.request.errors_as_failures or one.low != metric.worst:
        return {"is": word}
    # Errors counted as the worst score have no score in the results table, but neither have questions never asked.
    return {} if data.others else {"is": f"{word}-or-none"}


def _bins(scores: Scores) -> list[Bin]:
    """Return the bins in ascending order; empty: no scores."""
    import numpy as np

    metric = scores.metric
    different = np.unique(scores.value[~np.isnan(scores.value)])
    if not len(different):
        return []
    if metric.kind == "binary":
        ends = (bad_label(metric), good_label(metric))
        # Both outcomes have a bar, even if one never occurs.
        return [Bin(name, end, end) for name, end in zip(_names_of_ends(metric, ends), (0.0, 1.0), strict=True)]
    if metric.classes:
        return _class_bins(metric, different)
    different = _with_steps_between(metric, different)
    if len(different) <= MAX_BARS_BY_SCORE:
        return [Bin(format_number(value), value, value) for value in different.tolist()]
    return _ranges(different, metric)


def _class_bins(metric: Metric, different: Floats) -> list[Bin]:
    """Return one bin per class, after those of scores outside the classes."""
    named = {float(index): name for index, name in enumerate(metric.classes)}
    outside_classes = [value for value in different.tolist() if value not in named]
    return [Bin(named.get(value, _label_outside_classes(value)), value, value) for value in [*outside_classes, *named]]


def _with_steps_between(metric: Metric, different: Floats) -> Floats:
    """Add the scores that never occur, if all are integers on a scale with few steps."""
    import numpy as np

    is_integer = bool((different == np.round(different)).all())
    if not is_integer or metric.low is None or metric.high is None or metric.high - metric.low >= MAX_BARS_BY_SCORE:
        return different
    # Scores that never occur are bars of 0, so that charts of one trait have the same axis.
    return np.union1d(different, np.arange(np.floor(metric.low), metric.high + 1))


def _names_of_ends(metric: Metric, ends: tuple[str, str]) -> tuple[str, str]:
    """Return the names of 0 and 1."""
    return ends[::-1] if metric.higher_is_better is False else ends


def _label_outside_classes(value: float) -> str:
    return NONE_OF_THEM if value == -1 else format_number(value)


def _ranges(different: Floats, metric: Metric) -> list[Bin]:
    import numpy as np

    ends = [float(different[0]), float(different[-1])]
    if metric.low is not None and metric.high is not None:
        # Scores outside the declared scale still need a bin.
        ends = [min(ends[0], metric.low), max(ends[1], metric.high)]
    edges = np.histogram_bin_edges(different, bins=MAX_BARS_BY_SCORE, range=(ends[0], ends[1])).tolist()
    return [Bin(f"{format_number(low)} to {format_number(high)}", low, high) for low, high in pairwise(edges)]


def _arm(scores: Scores, data: ChartData, bins: list[Bin], index: int) -> ArmDistribution:
    import numpy as np

    values = scores.value[(scores.arm == index) & ~np.isnan(scores.value)]
    has_mean = len(values) and not scores.metric.classes and scores.metric.kind != "binary"
    return ArmDistribution(
        label=scores.arms[index].label,
        arm=index,
        style_index=style_index(scores, data, index),
        counts=_counts(values, bins),
        number=len(values),
        mean=float(values.mean()) if has_mean else None,
        median=float(np.median(values)) if has_mean else None,
    )


def _counts(values: Floats, bins: list[Bin]) -> tuple[int, ...]:
    import numpy as np

    if not bins:
        return ()
    if all(one.low == one.high for one in bins):
        return tuple(int(np.count_nonzero(values == one.low)) for one in bins)
    return tuple(np.histogram(values, bins=[*(one.low for one in bins), bins[-1].high])[0].tolist())


def sentence(metric: Metric, marks: DistributionMarks) -> str:
    scored, counts = marks.scored, marks.counts
    most = max(range(len(counts)), key=counts.__getitem__)
    tied = [one.label for one, count in zip(marks.bins, counts, strict=True) if count == counts[most]]
    text = _most_frequent(metric, tied, counts[most], sum(arm.number for arm in scored))
    means = sorted((arm.mean, arm.label) for arm in scored if arm.mean is not None)
    if means:
        return _with_means(text, means)
    return f"{text}." if tied[1:] else _by_arm(text, scored, most)


def _most_frequent(metric: Metric, labels: list[str], count: int, total: int) -> str:
    """Name the most frequent scores; `count`: occurrences of each, of `total` scores."""
    name = "verdict" if metric.trait is None else f"“{metric.trait}” {'class' if metric.classes else 'score'}"
    scores = quantity(total, "verdict" if metric.trait is None else "score")
    prefix = "each " if labels[1:] else ""
    return f"Most frequent {plural(len(labels), name)}: {join_list(labels)}, {prefix}{count:,} of {scores}"


def _with_means(most: str, means: list[tuple[float, str]]) -> str:
    """Return the summary with the means; `means`: (mean, label of the arm) in ascending order."""
    (lowest, first), (highest, last) = means[0], means[-1]
    low, high = format_number(lowest), format_number(highest)
    if len(means) == 1:
        return f"{most}. {first} has a mean of {low}."
    if low != high:
        return f"{most}. Means range from {low} ({first}) to {high} ({last})."
    return f"{most}. {'Both' if len(means) == 2 else f'All {len(means):,}'} configurations have a mean of {low}."


def _by_arm(text: str, arms: list[ArmDistribution], most: int) -> str:
    """Return the summary with the range of the most frequent score over the arms, if they differ."""
    shares = sorted((arm.counts[most] / arm.number, arm.label, _count_of(arm.counts[most], arm.number)) for arm in arms)
    (low, first, least), (high, last, greatest) = shares[0], shares[-1]
    return f"{text}." if percent(low) == percent(high) else f"{text}, from {least} ({first}) to {greatest} ({last})."


def _count_of(count: int, of: int) -> str:
    """Return `3 of 10`."""
    # A percentage of scores would be mistaken for the mean over questions, which weights questions equally.
    return f"{count:,} of {of:,}"


def _row(scores: Scores, arm: ArmDistribution, one: Bin, count: int) -> tuple[Cell, ...]:
    of = scores.arms[arm.arm]
    share = count / arm.number if arm.number else None
    return of.answering, of.condition, one.label, one.low, one.high, count, share, arm.number
