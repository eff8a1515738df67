"""Sentences about statistics for quotation by domain experts.

They claim a difference only if it is significant, and state the number of questions. Differences of rates are in
percentage points; other scores keep their own unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karenina_gui.analysis.estimate import Estimate, PairedDifference, PowerPlan
from karenina_gui.analysis.formatting import (
    INTERVAL_LABEL,
    decimals,
    format_difference,
    format_difference_interval,
    format_interval,
    format_mean,
    format_number,
    format_scale,
    format_size,
    unit_of,
    with_unit,
)
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_sentences import (
    APPROXIMATE_INTERVALS,
    DEFAULT_VARIANCES,
    DIFFERENCES,
    ESTIMATES,
    LOWER_IS_BETTER,
    ONE_OF_SEVERAL,
    PLANS,
    DifferenceCase,
    EstimateCase,
    PlanCase,
)
from karenina_gui.analysis.thresholds import (
    MAX_REPORTED_NUMBER,
    MIN_CLUSTERS_FOR_NORMAL,
    MIN_QUESTIONS_FOR_NORMAL,
)
from karenina_gui.text import quantity, verb


@dataclass(frozen=True)
class ComparedArms:
    """Two arms that are compared, and on how much."""

    a: str
    """Label of the baseline."""
    b: str
    metric: Metric
    questions: int
    """Questions asked, scored in both arms or not."""
    replicates: int | str | None = None
    """Answers per question in each arm, or in words (`2 to 3 replicates`); None: omitted."""


def cap_for_display(number: int | None) -> int | str | None:
    """Return the number for a table, or None if it is too large to be useful."""
    return number if number is None or number <= MAX_REPORTED_NUMBER else f"more than {MAX_REPORTED_NUMBER:,}"


def describe_estimate(estimate: Estimate, name: str, metric: Metric, questions: int, *, several: bool = False) -> str:
    """Sentence about one mean or rate: `A passes 72% of 50 questions (95% CI 58–83%).`

    `name`: label of the arm. `questions`: number of questions asked. `several`: True if a question has several answers,
    so that the rate is one of answers.
    """
    case = estimate_case(estimate, metric, several=several)
    if estimate.value is None or case == "no_score":
        return ESTIMATES[case].format(
            name=name,
            score="score" if metric.trait is None else f"“{metric.trait}” score",
            asked=quantity(questions, "question"),
            reason=reason_sentence(estimate.why),
        )
    digits = decimals(estimate.value, estimate.low, estimate.high, metric)
    bounded = estimate.low is not None and estimate.high is not None
    return ESTIMATES[case].format(
        name=name,
        trait=metric.trait,
        mean=format_mean(estimate.value, digits, metric),
        on=in_clusters(quantity(estimate.n, "question"), estimate.clusters),
        details=_details(format_scale(metric), format_interval(estimate, digits, metric)),
        reason="" if bounded else reason_sentence(estimate.why),
        share=_share_scored(estimate.n, questions),
        approximate=_approximate_note(estimate) if bounded else "",
    )


def estimate_case(estimate: Estimate, metric: Metric, *, several: bool) -> EstimateCase:
    """Decide how a mean is called; `several`: as in `describe_estimate`."""
    if estimate.value is None or not estimate.n:
        return "no_score"
    if metric.kind != "binary":
        return "mean"
    if metric.trait is not None:
        return "trait_rate"
    return "rate_of_answers" if several else "rate"


def describe_difference(difference: PairedDifference, arms: ComparedArms, *, caution: bool = True) -> str:
    """Sentence about B compared with A: `B has a significantly higher pass rate than A on 50 questions …`

    A difference is significant only if its interval excludes 0 and its corrected test agrees. `caution` False: omit
    the caution of `shared_cautions`.
    """
    case = difference_case(difference)
    if case == "no_data":
        asked = quantity(arms.questions, "question")
        return DIFFERENCES[case].format(asked=asked, a=arms.a, b=arms.b)
    told = DIFFERENCES[case].format(**_difference_parts(case, difference, arms))
    told += _share_both(difference.n, arms.questions)
    return f"{told}{_caution(difference).format('interval is')}" if caution else told


def difference_case(difference: PairedDifference) -> DifferenceCase:
    """Decide what can be said about a difference."""
    if difference.value is None or not difference.n:
        return "no_data"
    bounded = difference.low is not None and difference.high is not None
    if difference.identical or not bounded:
        if difference.value:
            return "observed_with_interval" if bounded else "observed"
        return "same_with_interval" if bounded else "same"
    return "significant" if shows_difference(difference) else "not_significant"


def describe_one_of_several(
    difference: PairedDifference, arms: ComparedArms, lead: str, *, caution: bool = True
) -> str:
    """Sentence about one of several comparisons: `Largest difference: B vs. A, +6 percentage points …`

    `lead`: introduction that names the comparison.
    """
    assert difference.value is not None
    metric = arms.metric
    digits = decimals(difference.value, difference.low, difference.high, metric)
    verdict = "significant" if shows_difference(difference) else "not significant"
    told = ONE_OF_SEVERAL.format(
        lead=lead,
        a=arms.a,
        b=arms.b,
        size=format_difference(difference.value, digits, metric),
        measure=measure(metric),
        on=_on(difference.n, arms.replicates),
        details=_details(
            format_scale(metric), format_difference_interval(difference, digits, metric) or "no interval", verdict
        ),
        better=_better(metric),
    )
    told += _share_both(difference.n, arms.questions)
    return f"{told}{_caution(difference).format('interval is')}" if caution else told


def shared_cautions(first: PairedDifference, second: PairedDifference) -> tuple[str, str]:
    """Return the cautions after each of two consecutive sentences; a common one is stated once."""
    one, other = _caution(first), _caution(second)
    if one == other:
        return "", other.format("intervals are")
    return one.format("interval is"), other.format("interval is")


def shows_difference(difference: PairedDifference) -> bool:
    """Return True if interval and test agree that the difference is not 0."""
    if not difference.value or difference.low is None or difference.high is None:
        return False
    p = difference.decisive_p
    return not difference.low <= 0 <= difference.high and (p is None or p <= 1 - difference.level + 1e-12)


def describe_plan(plan: PowerPlan, arms: ComparedArms, difference: float | None = None) -> str:
    """Sentence about sample sizes to settle `difference`, or about the detectable one.

    `arms`: with the questions that are scored in both. `difference`: None or 0: nothing to settle.
    """
    case = plan_case(plan, arms.questions, difference)
    metric = arms.metric
    return PLANS[case].format(
        measure=measure(metric),
        a=arms.a,
        b=arms.b,
        on=_on(arms.questions, arms.replicates),
        power=f"{100 * plan.power:.0f}% power",
        are=verb(arms.questions, "is", "are"),
        least="" if plan.detectable is None else _format_least(plan.detectable, metric),
        size=_format_least(abs(difference), metric) if difference else "",
        ways=_ways(plan, arms) if case == "takes_more" else "",
        reason=reason_sentence(plan.why),
        rule="" if plan.source == "data" else DEFAULT_VARIANCES,
    )


def plan_case(plan: PowerPlan, questions: int, difference: float | None) -> PlanCase:
    """Decide what can be said about sample sizes; `questions`: scored in both arms."""
    if plan.detectable is None:
        return "unknown"
    if not difference or plan.questions is None:
        return "detectable"
    return "enough" if plan.questions <= questions else "takes_more"


def _format_least(size: float, metric: Metric) -> str:
    return format_size(size, decimals(size, None, None, metric), metric)


def _ways(plan: PowerPlan, arms: ComparedArms) -> str:
    assert plan.questions is not None
    number = cap_for_display(plan.questions)
    about = f"about {number:,}" if isinstance(number, int) else number
    more_questions = f"{about} questions{_with(arms.replicates)}"
    if plan.replicates is None:
        return more_questions
    capped = cap_for_display(plan.replicates)
    more = f"{capped} replicates" if isinstance(capped, str) else _replicates(plan.replicates)
    present = "this question" if arms.questions == 1 else f"each of the {arms.questions:,} questions"
    return f"{more_questions}, or {more} of {present}"


def _difference_parts(case: DifferenceCase, difference: PairedDifference, arms: ComparedArms) -> dict[str, str]:
    """Return the placeholders of `DIFFERENCES` for a case with data."""
    assert difference.value is not None
    metric, on = arms.metric, _on(difference.n, arms.replicates)
    parts = {"a": arms.a, "b": arms.b, "measure": measure(metric), "on": on, "better": _better(metric)}
    if case == "significant":
        return parts | _significant_parts(difference, arms)
    if case == "not_significant":
        return parts | _not_significant_parts(difference, metric)
    higher, lower = (arms.b, arms.a) if difference.value > 0 else (arms.a, arms.b)
    each = f"each of {quantity(difference.n, 'question')}" if difference.identical and difference.n > 1 else ""
    digits = decimals(difference.value, difference.low, difference.high, metric)
    return parts | {
        "on": each or quantity(difference.n, "question"),
        "higher": higher,
        "lower": lower,
        "size": _format_least(abs(difference.value), metric),
        "interval": f"{format_difference_interval(difference, digits, metric)}{unit_of(metric)}",
    }


def _significant_parts(difference: PairedDifference, arms: ComparedArms) -> dict[str, str]:
    assert difference.value is not None and difference.low is not None and difference.high is not None
    metric = arms.metric
    digits = decimals(difference.value, difference.low, difference.high, metric)
    b_first = (difference.value > 0) == (metric.higher_is_better is not False)
    first, second = (arms.b, arms.a) if b_first else (arms.a, arms.b)
    least, most = (format_number(end, digits, metric) for end in sorted((abs(difference.low), abs(difference.high))))
    return {
        "first": first,
        "second": second,
        "higher": "lower" if metric.higher_is_better is False else "higher",
        "size": with_unit(format_number(abs(difference.value), digits, metric), metric),
        "details": _details(format_scale(metric), f"{INTERVAL_LABEL} {least} to {most}" if least != most else ""),
    }


def _not_significant_parts(difference: PairedDifference, metric: Metric) -> dict[str, str]:
    assert difference.value is not None and difference.low is not None and difference.high is not None
    digits = decimals(difference.value, difference.low, difference.high, metric)
    interval = format_difference_interval(difference, digits, metric)
    unlike_0 = difference.low > 0 or difference.high < 0  # the test does not agree, which has to be explained
    if unlike_0 and difference.adjusted is not None:
        interval = f"uncorrected {interval}"
    size = format_difference(difference.value, digits, metric)
    details = (size, format_scale(metric), interval, _p(difference) if unlike_0 else "")
    return {"details": ", ".join(filter(None, details))}


def _p(difference: PairedDifference) -> str:
    if (p := difference.decisive_p) is None:
        return ""
    return f"p = {p:.2g}" if difference.adjusted is None else f"adjusted p = {p:.2g}"


def _better(metric: Metric) -> str:
    return LOWER_IS_BETTER if metric.higher_is_better is False else ""


# Parts of sentences


def _details(*parts: str) -> str:
    told = ", ".join(part for part in parts if part)
    return f" ({told})" if told else ""


def measure(metric: Metric) -> str:
    """Name the metric: `pass rate`, `“cites” rate`, `mean “depth” score`."""
    if metric.trait is None:
        return "pass rate"
    return f"“{metric.trait}” rate" if metric.kind == "binary" else f"mean “{metric.trait}” score"


def with_configurations(labels: Sequence[str]) -> str:
    """Name the configurations after a number of questions: `with gpt`, `in 12 configurations`."""
    return f"with {labels[0]}" if len(labels) == 1 else f"in {quantity(len(labels), 'configuration')}"


def scores_of(metric: Metric) -> str:
    """Name single scores: `verdicts`, `“depth” scores`."""
    return "verdicts" if metric.trait is None else f"“{metric.trait}” scores"


def in_clusters(questions: str, clusters: int | None) -> str:
    """Append the number of clusters: `50 questions in 12 clusters`; None: questions are independent."""
    return questions if clusters is None else f"{questions} in {quantity(clusters, 'cluster')}"


def _on(n: int, replicates: int | str | None) -> str:
    """Format `50 questions with 3 replicates`."""
    return f"{quantity(n, 'question')}{_with(replicates)}"


def _with(replicates: int | str | None) -> str:
    return "" if replicates is None else f" with {_replicates(replicates)}"


def _replicates(replicates: int | str) -> str:
    return replicates if isinstance(replicates, str) else quantity(replicates, "replicate")


def _share_both(n: int, questions: int) -> str:
    return (
        f" Only {n:,} of {quantity(questions, 'question')} {verb(n, 'is', 'are')} scored in both."
        if n < questions
        else ""
    )


def _share_scored(n: int, questions: int) -> str:
    have = verb(n, "has", "have")
    return f" Only {n:,} of {quantity(questions, 'question')} {have} a score." if n < questions else ""


def _approximate(approximate: bool, n: int) -> str:
    """Return one of `APPROXIMATE_INTERVALS`, or nothing."""
    if not approximate:
        return ""
    return APPROXIMATE_INTERVALS["few_questions" if n < MIN_QUESTIONS_FOR_NORMAL else "near_end"]


def _caution(difference: PairedDifference) -> str:
    """Return the caution of a difference; empty without an interval."""
    told = difference.value is not None and not difference.identical
    bounded = difference.low is not None and difference.high is not None
    return _approximate(difference.approximate and told and bounded, difference.n) if difference.n else ""


def _approximate_note(estimate: Estimate) -> str:
    if estimate.clusters is not None and estimate.clusters < MIN_CLUSTERS_FOR_NORMAL:
        return APPROXIMATE_INTERVALS["few_clusters"].format("interval is")
    return _approximate(estimate.approximate, estimate.n).format("interval is")


def reason_sentence(why: str) -> str:
    """Format a reason as a further sentence."""
    return f" {why[0].upper()}{why[1:].rstrip('.')}." if why else ""
