"""Agreement of a person's labels with the values of a judge, and its change with the wording or the judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.schemas.calibration import LabelScale, LabelValue
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import percent, quantity

AGREEMENT = Figure(
    "label-agreement",
    "Agreement with the judge",
    "Answers to which a person and the judge gave the same value, of all that both have judged. Texts count as the "
    "same regardless of case and spaces.",
    "Answers that the person skipped, and answers for which the judge gave no value.",
    interval="Wilson 95% CI, with the answer as the unit.",
)
LABEL_KAPPA = Figure(
    "label-kappa",
    "Cohen’s kappa",
    "Agreement of a person and a judge beyond chance (Cohen 1960): 0 is what chance gives, 1 is full agreement. Scores "
    "have quadratic weights (Cohen 1968): being two points apart counts four times as much as one.",
    "Answers that the person skipped, and answers for which the judge gave no value.",
    interval="Jackknife 95% CI over questions; over answers if all belong to one question.",
)
FIGURES = (AGREEMENT, LABEL_KAPPA)

MOST_CATEGORIES = 20
"""Different values up to which there is a table of counts."""
Category = tuple[int, str]
"""Place in the order of the scale, and the value for readers; equal for values that count as the same."""


@dataclass(frozen=True)
class RatedAnswer:
    """One answer with the label of a person and the value of a judge."""

    key: str
    question: int
    """Number of its question."""
    label: Category
    judged: Category

    @property
    def is_same(self) -> bool:
        return self.label == self.judged


@dataclass(frozen=True)
class LabelAgreement:
    """Agreement of labels with the values of one judge under one wording."""

    share: Estimate
    """Share of answers with the same value."""
    same: int
    n: int
    """Answers with a label and a value."""
    questions: int
    """Questions that these answers belong to."""
    kappa: Estimate
    weighted: bool
    """True: kappa has quadratic weights."""
    categories: tuple[str, ...] = ()
    table: tuple[tuple[int, ...], ...] = ()
    """Counts by label (rows) and value of the judge (columns); empty: too many values."""
    differing: tuple[str, ...] = ()
    """Keys of the answers with different values."""
    higher: int = 0
    lower: int = 0
    """Answers whose value by the judge is above, and below, the label; 0 unless values have an order."""


@dataclass(frozen=True)
class AgreementChange:
    """Change from one judge or wording to another, on the answers that both have judged."""

    n: int
    first: int
    """Answers on which the first agrees with the person."""
    second: int
    gained: tuple[str, ...] = ()
    """Keys of answers on which only the second agrees."""
    lost: tuple[str, ...] = ()
    """Keys of answers on which only the first agrees."""
    p: float | None = None
    """Exact McNemar; None: no answer was judged by both."""


@dataclass(frozen=True)
class LabeledAnswers:
    """Labels of a person, as a process of its own receives them."""

    scale: LabelScale
    labels: Mapping[str, LabelValue]
    questions: Mapping[str, int]
    """Number of the question by key of the answer."""
    one_question: bool = False
    """True: all answers belong to the only question that the trait or field is about."""

    def pairs(self, judged: Mapping[str, LabelValue]) -> list[RatedAnswer]:
        """Answers with both values."""
        return [
            RatedAnswer(key, self.questions[key], _category(label, self.scale), _category(judged[key], self.scale))
            for key, label in self.labels.items()
            # Labels of an earlier kind of the trait, such as yes or no before grades, say nothing about this one.
            if key in judged and self.scale.accepts(label) and self.scale.accepts(judged[key])
        ]


@dataclass(frozen=True)
class AgreementReport:
    """All judges and wordings of a calibration."""

    agreements: list[LabelAgreement] = field(default_factory=list)
    changes: dict[tuple[int, int], AgreementChange] = field(default_factory=dict)
    """By places of two of them."""


def agreement_report(labeled: LabeledAnswers, judged: Sequence[Mapping[str, LabelValue]]) -> AgreementReport:
    """Compare labels with each of these judges, and each two of the judges by them."""
    changes = {
        (one, other): agreement_change(labeled, judged[one], judged[other])
        for one in range(len(judged))
        for other in range(len(judged))
        if one != other
    }
    return AgreementReport([label_agreement(labeled, values) for values in judged], changes)


def label_agreement(labeled: LabeledAnswers, judged: Mapping[str, LabelValue]) -> LabelAgreement:
    """Compute the agreement with one judge."""
    pairs = labeled.pairs(judged)
    same = sum(pair.is_same for pair in pairs)
    has_order = labeled.scale.kind == "score"
    categories, table = _counts(pairs, labeled.scale)
    return LabelAgreement(
        share=_share(same, len(pairs)),
        same=same,
        n=len(pairs),
        questions=len({pair.question for pair in pairs}),
        kappa=_kappa(pairs, clustered=not labeled.one_question, weighted=has_order),
        weighted=has_order,
        categories=categories,
        table=table,
        differing=tuple(pair.key for pair in pairs if not pair.is_same),
        higher=has_order * sum(pair.judged > pair.label for pair in pairs),
        lower=has_order * sum(pair.judged < pair.label for pair in pairs),
    )


def agreement_change(
    labeled: LabeledAnswers, first: Mapping[str, LabelValue], second: Mapping[str, LabelValue]
) -> AgreementChange:
    """Compare two judges, or two wordings, on the answers that both have judged."""
    from karenina_gui.analysis.statistics.paired import mcnemar_p

    ones, others = ({pair.key: pair.is_same for pair in labeled.pairs(judged)} for judged in (first, second))
    shared = [key for key in ones if key in others]
    gained, lost = _alone(others, ones, shared), _alone(ones, others, shared)
    agreed = sum(ones[key] for key in shared)
    both = agreed - len(lost)
    return AgreementChange(
        n=len(shared),
        first=agreed,
        second=both + len(gained),
        gained=gained,
        lost=lost,
        p=mcnemar_p([[both, len(lost)], [len(gained), len(shared) - both - len(lost) - len(gained)]]),
    )


def _alone(one: Mapping[str, bool], other: Mapping[str, bool], keys: Sequence[str]) -> tuple[str, ...]:
    """Keys of answers on which only the first of both agrees with the person."""
    return tuple(key for key in keys if one[key] and not other[key])


# Sentences

NOTHING_SHARED = "The judge has read none of the labeled answers."
FULL = "You and the judge agree on all answers, so kappa is 1 and has no interval; other answers may differ."
SPREAD = "The judge’s rare values are overrepresented in this sample, so agreement on all answers can differ."


def agreement_sentence(agreement: LabelAgreement, subject: str, judge: str, person: str = "") -> str:
    """Agreement in sentences that can be quoted alone. `subject`: `the trait “clarity”`; `person`: name or empty."""
    whose = f"{person}’s labels" if person else "The labels"
    if not agreement.n:
        return f"{whose} for {subject} can’t be compared with {judge}. {NOTHING_SHARED}"
    answers = quantity(agreement.n, "answer")
    where = f" to {quantity(agreement.questions, 'question')}" if agreement.questions < agreement.n else ""
    share = f"{percent(agreement.share.value or 0.0)}, {_percent_interval(agreement.share)}"
    text = f"{whose} for {subject} agree with {judge} on {agreement.same:,} of {answers}{where} ({share})."
    return " ".join(filter(None, (text, kappa_sentence(agreement), _leaning(agreement))))


def kappa_sentence(agreement: LabelAgreement) -> str:
    """Kappa with its interval, or the reason for its absence."""
    name = "Cohen’s kappa with quadratic weights" if agreement.weighted else "Cohen’s kappa"
    if agreement.kappa.value is None:
        return f"No kappa: {agreement.kappa.why[:1].lower()}{agreement.kappa.why[1:]}"
    if agreement.kappa.low is None or agreement.kappa.high is None:
        return f"{name} is {kappa_text(agreement.kappa.value)}. {agreement.kappa.why}".strip()
    interval = f"95% CI {kappa_text(agreement.kappa.low)} to {kappa_text(agreement.kappa.high)}"
    return f"{name} is {kappa_text(agreement.kappa.value)} ({interval})."


def kappa_text(value: float) -> str:
    """Kappa with two decimals: `0.62`, `−0.10`, never `−0.00`."""
    text = f"{value:.2f}"
    return "0.00" if float(text) == 0 else text.replace("-", "−")


def change_sentence(change: AgreementChange, first: str, second: str) -> str:
    """Comparison of two judges or wordings by their names."""
    if not change.n:
        return f"No labeled answer was judged by both {first} and {second}."
    text = (
        f"Of {quantity(change.n, 'labeled answer')}, {first} agrees on {change.first:,} and {second} on "
        f"{change.second:,}."
    )
    if not change.gained and not change.lost:
        return f"{text} No answer changed between agreement and disagreement."
    gained = f"{quantity(len(change.gained), 'answer')} went from disagreement to agreement"
    lost = f"{quantity(len(change.lost), 'answer')} the other way"
    p_text = "p < 0.001" if change.p is not None and change.p < 0.001 else f"p = {change.p:.2g}"
    unclear = "" if change.p is not None and change.p < 0.05 else " This can be chance."
    return f"{text} {gained}, {lost} (exact McNemar test, {p_text}).{unclear}"


def agreement_cautions(stats: LabelAgreement, *, spread: bool, one_question: bool = False) -> list[str]:
    """Limits of the figures that their sentence does not state."""
    cautions = [SPREAD] if spread and stats.n else []
    if stats.questions < stats.n and not one_question:
        cautions.append(
            f"{quantity(stats.n, 'answer')} belong to {quantity(stats.questions, 'question')}. Answers to one question "
            "are alike, so the interval of the agreement (Wilson) is likely too narrow."
        )
    return cautions


def _percent_interval(share: Estimate) -> str:
    if share.low is None or share.high is None:
        return "no interval"
    return f"95% CI {share.low * 100:.0f}% to {share.high * 100:.0f}%"


def _leaning(agreement: LabelAgreement) -> str:
    differing = agreement.higher + agreement.lower
    if not differing:
        return ""
    more, word = (agreement.higher, "higher") if agreement.higher >= agreement.lower else (agreement.lower, "lower")
    return f"The judge’s value is {word} in {more:,} of {quantity(differing, 'disagreement')}."


# Values


def value_text(value: LabelValue, scale: LabelScale) -> str:
    """Label for readers."""
    return _category(value, scale)[1]


def _category(value: LabelValue, scale: LabelScale) -> Category:
    """Equal for values that count as the same."""
    if value is None:
        return (10**9, "No value")
    if isinstance(value, bool):
        return (0, "Yes") if value else (1, "No")
    if scale.kind == "class" and value in scale.classes:
        return (scale.classes.index(str(value)), str(value))
    if isinstance(value, int | float):
        # Grades by their distance; other numbers are only equal or not.
        return (int(value) if scale.kind == "score" else 0, f"{value:.15g}")
    return (0, " ".join(value.split()).casefold())


def _share(same: int, n: int) -> Estimate:
    # Statistics libraries take seconds to load.
    from karenina_gui.analysis.statistics.rates import wilson

    return wilson(same, n) if n else Estimate(None, method="Wilson", why=NOTHING_SHARED)


def _counts(pairs: Sequence[RatedAnswer], scale: LabelScale) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Values in the order of the scale, and the counts by label and value of the judge; empty: too many values."""
    listed = {_category(value, scale) for value in scale.values}
    values = sorted(listed | {value for pair in pairs for value in (pair.label, pair.judged)})
    # A table of free texts would have a row for each; the list of disagreements shows them better.
    if len(values) > MOST_CATEGORIES:
        return (), ()
    counts = Counter((pair.label, pair.judged) for pair in pairs)
    return tuple(name for _, name in values), tuple(tuple(counts[row, column] for column in values) for row in values)


def _kappa(pairs: Sequence[RatedAnswer], *, clustered: bool, weighted: bool) -> Estimate:
    """Cohen's kappa. `clustered`: the jackknife leaves out whole questions."""
    from karenina_gui.analysis.statistics.agreement import cohen_kappa

    if why := _reason_for_no_kappa(pairs):
        return Estimate(None, n=len(pairs), why=why)
    labels, judged = _codes(pairs, weighted=weighted)
    kappa = cohen_kappa(
        labels,
        judged,
        weights="quadratic" if weighted else None,
        clusters=[pair.question for pair in pairs] if clustered else None,
    )
    # The jackknife has no variance to go by; its own reason speaks of judges alone.
    return replace(kappa, low=None, high=None, why=FULL) if labels == judged else kappa


def _codes(pairs: Sequence[RatedAnswer], *, weighted: bool) -> tuple[list[float], list[float]]:
    """Labels and values of the judge as numbers."""
    values = sorted({value for pair in pairs for value in (pair.label, pair.judged)})
    # Weights need the grades themselves: their distance counts, not their place among those that occur.
    codes = {value: float(value[0] if weighted else index) for index, value in enumerate(values)}
    return [codes[pair.label] for pair in pairs], [codes[pair.judged] for pair in pairs]


def _reason_for_no_kappa(pairs: Sequence[RatedAnswer]) -> str:
    """Reason why kappa would say nothing; empty: it says something."""
    labels, values = sorted({pair.label for pair in pairs}), sorted({pair.judged for pair in pairs})
    if not pairs:
        return NOTHING_SHARED
    label, value = labels[0][1], values[0][1]
    if len(labels) == 1 and labels == values:
        return f"All labels and all of the judge’s values are “{label}”, so agreement beyond chance is undefined."
    if len(labels) == 1:
        return (
            f"All labels are “{label}”, so kappa could only be 0, however good the judge is. Choose “Draw other "
            "answers” until you give different labels."
        )
    if len(values) == 1:
        return f"The judge always says “{value}”, so kappa could only be 0: it does not tell these answers apart."
    return ""
