"""Summary and cautions of the judge chart: agreement, and what conclusions it allows."""

from __future__ import annotations

from karenina_gui.analysis.charts.judge_marks import Agreement, Leaning
from karenina_gui.analysis.charts.sentences import (
    ALPHA,
    APPROXIMATE_AGREEMENT,
    CONCLUSIONS,
    DIRECTIONS,
    ICC,
    LOW_BY_PREVALENCE,
    OTHER_SHARES,
    SAME_RATING,
    SYSTEMATIC_DIFFERENCE,
    AgreementCase,
)
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import scores_of
from karenina_gui.analysis.thresholds import (
    MIN_ALPHA_RELIABLE,
    MIN_ALPHA_TENTATIVE,
)
from karenina_gui.text import percent, quantity


def agreement_case(one: Agreement) -> AgreementCase:
    """Decide what conclusions the agreement allows, by the interval of alpha."""
    alpha = one.alpha
    if alpha.value is None:
        return "no_alpha"
    if one.same.value == 1:
        return "full"
    if alpha.low is None or alpha.high is None:
        return "no_interval"
    if alpha.low >= MIN_ALPHA_RELIABLE:
        return "reliable"
    if alpha.low >= MIN_ALPHA_TENTATIVE:
        return "tentative"
    return "unclear" if alpha.high >= MIN_ALPHA_TENTATIVE else "unreliable"


def sentence(one: Agreement, metric: Metric) -> str:
    """Summary of raw agreement, alpha, and what conclusions they allow."""
    case, alpha = agreement_case(one), one.alpha
    start = SAME_RATING.format(
        label=one.label,
        scores=scores_of(metric),
        share="" if one.same.value is None else percent(one.same.value),
        answers=quantity(one.same.n, "answer"),
        questions=f" to {quantity(one.questions, 'question')}" if one.questions < one.same.n else "",
    )
    if alpha.value is None:
        return f"{start}. {alpha.why}".strip()
    ends = "" if alpha.low is None or alpha.high is None else f" (95% CI {alpha.low:.2f} to {alpha.high:.2f})"
    told = ALPHA.format(start=start, alpha=alpha.value, interval=ends, conclusion=CONCLUSIONS[case])
    return " ".join(filter(None, (told, _direction(one.leaning, metric), _icc_sentence(one))))


def _direction(leaning: Leaning | None, metric: Metric) -> str:
    """Return `Where they differ, a passes what b fails in 10 of 10 answers.`; empty if they never differ."""
    if leaning is None or not leaning.number:
        return ""
    second = leaning.above[1] > leaning.above[0]
    high, low = (leaning.second, leaning.first) if second else (leaning.first, leaning.second)
    return DIRECTIONS["verdict" if metric.trait is None else "trait"].format(
        high=high, low=low, n=max(leaning.above), answers=quantity(leaning.number, "answer")
    )


def _icc_sentence(one: Agreement) -> str:
    """Return the ICC as a share of variance; empty if undefined."""
    icc = one.icc
    if icc.value is None:
        return ""
    return ICC.format(
        some="" if icc.n == one.same.n else f" for the {quantity(icc.n, 'answer')} with all judgments",
        share="none" if icc.value <= 0 else percent(icc.value),
        icc=icc.value,
        interval="" if icc.low is None or icc.high is None else f", 95% CI {icc.low:.2f} to {icc.high:.2f}",
    )


def cautions(groups: tuple[Agreement, ...], metric: Metric) -> list[str]:
    """Return the limitations that the sentence about the first group does not state."""
    # The sentence states why the first group has no alpha.
    stated = groups[0].alpha.why if groups[0].alpha.value is None else ""
    said = [f"{one.label}: {one.alpha.why}" for one in groups if one.alpha.why not in ("", stated)]
    said += filter(None, (_systematic_difference(one, metric) for one in groups))
    if any(one.has_approximate_interval for one in groups):
        said.append(APPROXIMATE_AGREEMENT)
    if any(one.is_low_by_prevalence for one in groups):
        said.append(LOW_BY_PREVALENCE)
    if groups[0].icc.value is not None:
        said.append(OTHER_SHARES)
    return said


def _systematic_difference(one: Agreement, metric: Metric) -> str:
    """Return the caution about judges that differ in one direction; empty if they do not."""
    if one.leaning is None or not one.leaning.one_sided:
        return ""
    return SYSTEMATIC_DIFFERENCE.format(
        label=one.label,
        questions=quantity(sum(one.leaning.questions), "question"),
        p=one.leaning.p,
        direction=_direction(one.leaning, metric),
    )
