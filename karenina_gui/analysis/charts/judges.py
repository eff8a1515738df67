"""Chart of inter-judge agreement, and of the agreement of repeated judgments by one judge."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from karenina_gui.analysis.charts.chart import Cell, ChartTable, Finding, share_formats
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.chart_text import NO_SCORE, format_number, results_with
from karenina_gui.analysis.charts.finding_factory import empty_finding, make_finding
from karenina_gui.analysis.charts.judge_marks import Agreement, Confusion, JudgeMarks, Leaning
from karenina_gui.analysis.charts.replicate_counts import bad_label, good_label
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import scores_of
from karenina_gui.analysis.thresholds import (
    MAX_JUDGE_PAIRS,
    MAX_RATINGS_CROSSED,
    MIN_ALPHA_RELIABLE,
    MIN_ALPHA_TENTATIVE,
    MIN_QUESTIONS_FOR_NORMAL,
)
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import percent, quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Floats, Integers, Scores

RatingLevel = Literal["nominal", "ordinal", "interval"]
COLUMNS = (
    *("Judges", "Judgments per answer", "Answers judged twice or more", "Same rating", "Krippendorff’s alpha"),
    *("95% CI low", "95% CI high", "Scale", "Kappa", "Kappa type"),
    *("ICC (absolute agreement)", "ICC CI low", "ICC CI high", "Answers with all judgments"),
    *("First higher", "Second higher", "Sign test p", "Remark"),
)

FIGURES = (
    Figure(
        "same-rating",
        "Same rating",
        "Share of pairs of judgments of an answer that give the same rating.",
        left_out="Answers judged once.",
        weighed="Each answer equally.",
        columns=("Same rating", "Judgments per answer", "Answers judged twice or more"),
    ),
    Figure(
        "alpha",
        "Krippendorff’s alpha",
        "Agreement beyond chance: 1 is full agreement, 0 is chance level. Conclusions need 0.8, tentative ones 0.667.",
        left_out="Answers judged once.",
        interval="95% CI, jackknife over questions.",
        columns=("Krippendorff’s alpha", "95% CI low", "95% CI high"),
    ),
    Figure(
        "kappa",
        "Kappa and ICC",
        "Cohen’s kappa for two judges, Fleiss’ kappa for more; ICC for absolute agreement of scores and grades.",
        left_out="Answers that not all judges have judged.",
        interval="95% CI of the ICC, over questions.",
        columns=("Kappa", "ICC (absolute agreement)", "ICC CI low", "ICC CI high", "Answers with all judgments"),
    ),
    Figure(
        "direction",
        "First higher, second higher",
        "Answers rated higher by the first of two judges, and by the second. The p value is from an exact sign test "
        "in which each question counts once.",
        left_out="Answers with the same rating.",
        columns=("First higher", "Second higher", "Sign test p"),
    ),
)
"""Figures of this chart besides those shared by all charts (`figures`)."""


@dataclass(frozen=True)
class _Group:
    label: str
    rows: tuple[int, ...]
    """Rows of the rating matrix."""
    names: tuple[str, str]
    """Names of the first two judgments."""
    judge: str | None = None
    """As in `Agreement`."""


def find(scores: Scores, data: ChartData) -> Finding:
    (ratings, questions), level = _ratings(scores), _level(scores)
    groups = _agreements(scores, ratings, questions, level)
    agreements = tuple(one for _, one in groups)
    links = [results_with(scores.metric, judge=one.judge) for one in agreements]
    table = ChartTable(COLUMNS, [_row(one, level) for one in agreements], links, share_formats(["Same rating"]))
    if not agreements:
        once = "No answer was judged more than once. Add a second judge, or run several judgments of each answer."
        return empty_finding(scores, once if scores.scored else NO_SCORE, table)
    confusions = (_confusion(scores.metric, group, ratings, row) for row, (group, _) in enumerate(groups))
    marks = JudgeMarks(agreements, next(filter(None, confusions), None))
    text = sentence(agreements[0], scores.metric)
    return make_finding(scores, text, table, marks, cautions(agreements, scores.metric))


def _agreements(
    scores: Scores, ratings: Floats, questions: Integers, level: RatingLevel
) -> list[tuple[_Group, Agreement]]:
    """Return the agreement of each group with common answers."""
    ordered = scores.metric.has_order
    every = [(group, _agreement(group, ratings, questions, level, ordered=ordered)) for group in _groups(scores)]
    return [(group, one) for group, one in every if one.same.n]


def _ratings(scores: Scores) -> tuple[Floats, Integers]:
    """Return judgments × answers (NaN: no score), and the question of each answer."""
    import numpy as np

    widest = int(scores.replicate.max(initial=0)) + 1
    arms = max(1, len(scores.arms))
    keys, answer = np.unique(scores.cell * widest + scores.replicate, return_inverse=True)
    matrix = np.full((len(scores.judgments), len(keys)), np.nan)
    matrix[scores.judgment, answer] = scores.value
    return matrix, keys // widest // arms


def _level(scores: Scores) -> RatingLevel:
    if scores.metric.kind == "binary" or not scores.metric.has_order:
        return "nominal"
    return "ordinal" if scores.graded else "interval"


def _groups(scores: Scores) -> list[_Group]:
    """Return the groups: all judges together, each pair by first judgments, each judge's repeats."""
    by_judge: dict[str, list[int]] = {}
    for row, judgment in enumerate(scores.judgments):
        by_judge.setdefault(judgment.judge or "the judge", []).append(row)
    # Pairs use the first judgment of each judge: more judgments by one would give it more weight.
    firsts = {judge: min(rows, key=lambda row: scores.judgments[row].number) for judge, rows in by_judge.items()}
    pairs = [
        _Group(f"{one} and {other}", (firsts[one], firsts[other]), (one, other))
        for one, other in combinations(by_judge, 2)
    ]
    names = list(firsts)
    all_judges = (
        [_Group(f"All {len(firsts)} judges", tuple(firsts.values()), (names[0], names[1]))] if len(firsts) > 2 else []
    )
    repeats = [
        _Group(
            f"{judge}, repeated judgments",
            tuple(rows),
            (f"{judge}, first judgment", f"{judge}, second judgment"),
            scores.judgments[rows[0]].judge,
        )
        for judge, rows in by_judge.items()
        if len(rows) > 1
    ]
    return [*all_judges, *pairs[:MAX_JUDGE_PAIRS], *repeats]


def _agreement(
    group: _Group,
    ratings: Floats,
    questions: Integers,
    level: RatingLevel,
    *,
    ordered: bool,
) -> Agreement:
    import numpy as np

    from karenina_gui.analysis.statistics.agreement import cohen_kappa, krippendorff_alpha, raw_agreement
    from karenina_gui.analysis.statistics.intraclass import absolute_agreement

    judgments = ratings[list(group.rows)]
    if len(judgments) == 2:
        kappa = cohen_kappa(
            judgments[0], judgments[1], weights=None if level == "nominal" else "quadratic", clusters=questions
        )
    else:
        kappa = _fleiss(judgments, questions, level)
    raw, alpha = raw_agreement(judgments, clusters=questions), krippendorff_alpha(judgments, level, clusters=questions)
    has_two_ratings = (~np.isnan(judgments)).sum(axis=0) > 1
    icc = Estimate(None) if level == "nominal" else absolute_agreement(judgments, clusters=questions)
    leaning = (
        _leaning(group.names, judgments, questions) if ordered and group.judge is None and len(judgments) == 2 else None
    )
    number = len(np.unique(questions[has_two_ratings]))
    return Agreement(group.label, len(judgments), raw, alpha, kappa, icc, number, group.judge, leaning)


def _leaning(names: tuple[str, str], judgments: Floats, questions: Integers) -> Leaning:
    import numpy as np
    from scipy import stats

    is_complete = ~np.isnan(judgments).any(axis=0)
    sides = np.sign(judgments[0, is_complete] - judgments[1, is_complete])
    # Answers to one question are correlated: a sign test over answers would find direction in one question.
    by_question = np.sign(np.bincount(questions[is_complete], weights=sides))
    above, of_questions = ((int((signs > 0).sum()), int((signs < 0).sum())) for signs in (sides, by_question))
    decided = sum(of_questions)
    p = float(stats.binomtest(of_questions[0], decided).pvalue) if decided else None
    return Leaning(*names, above, of_questions, p)


def _fleiss(judgments: Floats, questions: Integers, level: str) -> Estimate:
    """Fleiss' kappa over the answers with all ratings."""
    import numpy as np

    from karenina_gui.analysis.statistics.agreement import fleiss_kappa

    if level != "nominal":
        return Estimate(None, why="Fleiss’ kappa is for classes. Use alpha for ordered ratings.")
    is_complete = ~np.isnan(judgments).any(axis=0)
    whole = judgments[:, is_complete]
    different = np.unique(whole)
    return fleiss_kappa((whole.T[:, :, None] == different).sum(axis=1), clusters=questions[is_complete])


def _confusion(metric: Metric, group: _Group, ratings: Floats, row: int) -> Confusion | None:
    import numpy as np

    pair = ratings[list(group.rows[:2])]
    pair = pair[:, ~np.isnan(pair).any(axis=0)]
    different = np.unique(pair)
    # A table of many distinct scores has mostly cells of 0 and 1.
    if not len(different) or len(different) > MAX_RATINGS_CROSSED:
        return None
    if metric.kind == "binary":
        # Both outcomes stay in the table if only one occurs.
        different = np.array([0.0, 1.0])
    elif metric.classes:
        different = np.union1d(different, np.arange(len(metric.classes)))
    places = np.searchsorted(different, pair)
    counts = np.zeros((len(different), len(different)), dtype=np.int64)
    np.add.at(counts, (places[0], places[1]), 1)
    names = tuple(_rating(metric, value) for value in different.tolist())
    return Confusion(*group.names, row, names, tuple(tuple(line) for line in counts.tolist()))


def _rating(metric: Metric, value: float) -> str:
    if metric.kind == "binary":
        better = (value > 0.5) != (metric.higher_is_better is False)
        return good_label(metric) if better else bad_label(metric)
    if metric.classes:
        return metric.classes[int(value)] if 0 <= value < len(metric.classes) else "none of the classes"
    return format_number(value)


def _row(one: Agreement, level: str) -> tuple[Cell, ...]:
    alpha, kappa, icc = one.alpha, one.kappa, one.icc
    whose = None if kappa.value is None else "Cohen" if one.judgments == 2 else "Fleiss"
    return (
        *(one.label, one.judgments, one.same.n, one.same.value, alpha.value, alpha.low, alpha.high, level),
        *(kappa.value, whose, icc.value, icc.low, icc.high, icc.n or None),
        *((None, None, None) if one.leaning is None else (*one.leaning.above, one.leaning.p)),
        alpha.why or kappa.why or icc.why,
    )


def sentence(one: Agreement, metric: Metric) -> str:
    """Summary of raw agreement, alpha, and what conclusions they allow."""
    alpha = one.alpha
    share = "" if one.same.value is None else percent(one.same.value)
    questions = f" to {quantity(one.questions, 'question')}" if one.questions < one.same.n else ""
    start = f"{one.label}, {scores_of(metric)}: same rating for {share} of {quantity(one.same.n, 'answer')}{questions}"
    if alpha.value is None:
        return f"{start}. {alpha.why}".strip()
    ends = "" if alpha.low is None or alpha.high is None else f" (95% CI {alpha.low:.2f} to {alpha.high:.2f})"
    text = f"{start}, Krippendorff’s alpha {alpha.value:.2f}{ends}. {_conclusion(one)}"
    return " ".join(filter(None, (text, _direction(one.leaning, metric), _icc_sentence(one))))


def _conclusion(one: Agreement) -> str:
    """Say what conclusions the agreement allows, by the interval of alpha."""
    alpha, least = one.alpha, f"{MIN_ALPHA_TENTATIVE:g}"
    if one.same.value == 1:
        return "The judgments agree on every answer."
    if alpha.low is None or alpha.high is None:
        return "These data allow no interval, so the agreement is uncertain."
    if alpha.low >= MIN_ALPHA_RELIABLE:
        return f"Reliable: the CI is at or above {MIN_ALPHA_RELIABLE:g}."
    if alpha.low >= MIN_ALPHA_TENTATIVE:
        return f"Good enough for tentative conclusions: the CI is at or above {least}."
    if alpha.high >= MIN_ALPHA_TENTATIVE:
        return f"Unclear: the CI includes {least}, the minimum even for tentative conclusions."
    return f"Not reliable: the CI is below {least}. Make the rubric clearer, or choose a better judge."


def _direction(leaning: Leaning | None, metric: Metric) -> str:
    """Return `Where they differ, a passes what b fails in 10 of 10 answers.`; empty if they never differ."""
    if leaning is None or not leaning.number:
        return ""
    second = leaning.above[1] > leaning.above[0]
    high, low = (leaning.second, leaning.first) if second else (leaning.first, leaning.second)
    rates = f"passes what {low} fails" if metric.trait is None else f"rates higher than {low}"
    return f"Where they differ, {high} {rates} in {max(leaning.above):,} of {quantity(leaning.number, 'answer')}."


def _icc_sentence(one: Agreement) -> str:
    """Return the ICC as a share of variance; empty if undefined."""
    icc = one.icc
    if icc.value is None:
        return ""
    some = "" if icc.n == one.same.n else f" for the {quantity(icc.n, 'answer')} with all judgments"
    share = "none" if icc.value <= 0 else percent(icc.value)
    interval = "" if icc.low is None or icc.high is None else f", 95% CI {icc.low:.2f} to {icc.high:.2f}"
    return (
        f"Of the variance of single judgments{some}, {share} lies between answers and the rest between judgments of "
        f"the same answer (ICC for absolute agreement {icc.value:.2f}{interval})."
    )


def cautions(groups: tuple[Agreement, ...], metric: Metric) -> list[str]:
    """Return the limitations that the sentence about the first group does not state."""
    # The sentence states why the first group has no alpha.
    stated = groups[0].alpha.why if groups[0].alpha.value is None else ""
    cautions = [f"{one.label}: {one.alpha.why}" for one in groups if one.alpha.why not in ("", stated)]
    cautions += filter(None, (_systematic_difference(one, metric) for one in groups))
    if any(one.has_approximate_interval for one in groups):
        cautions.append(f"The intervals are approximate: fewer than {MIN_QUESTIONS_FOR_NORMAL} questions.")
    if any(one.is_low_by_prevalence for one in groups):
        cautions.append("Alpha and kappa are low although the judges mostly agree: nearly all ratings are the same.")
    if groups[0].icc.value is not None:
        cautions.append(
            "“Sources of variance” estimates the judge’s share together with questions and configurations, so it "
            "differs slightly from that of the ICC."
        )
    return cautions


def _systematic_difference(one: Agreement, metric: Metric) -> str:
    """Return the caution about judges that differ in one direction; empty if they do not."""
    if one.leaning is None or not one.leaning.one_sided:
        return ""
    questions = quantity(sum(one.leaning.questions), "question")
    return (
        f"{one.label}: systematic difference (exact sign test over {questions}, p = {one.leaning.p:.2g}). "
        f"{_direction(one.leaning, metric)} Results depend on the choice of judge."
    )
