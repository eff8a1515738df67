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
from karenina_gui.analysis.thresholds import (
    MAX_REPORTED_NUMBER,
    MIN_CLUSTERS_FOR_NORMAL,
    MIN_QUESTIONS_FOR_NORMAL,
)
from karenina_gui.text import quantity, verb

LOWER_IS_BETTER = " Lower is better."


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
    if estimate.value is None or not estimate.n:
        score = "score" if metric.trait is None else f"“{metric.trait}” score"
        total = quantity(questions, "question")
        return f"{name} has no {score} on any of {total}.{reason_sentence(estimate.why)}"
    digits = decimals(estimate.value, estimate.low, estimate.high, metric)
    bounded = estimate.low is not None and estimate.high is not None
    mean = format_mean(estimate.value, digits, metric)
    details = _details(format_scale(metric), format_interval(estimate, digits, metric))
    on = f"{in_clusters(quantity(estimate.n, 'question'), estimate.clusters)}{details}"
    if metric.kind != "binary":
        text = f"{name} has a mean “{metric.trait}” score of {mean} on {on}."
    elif metric.trait is not None:
        text = f"“{metric.trait}” is yes for {name} in {mean} of answers to {on}."
    elif several:
        text = f"{name} has a pass rate of {mean} over {on}."
    else:
        text = f"{name} passes {mean} of {on}."
    reason = "" if bounded else reason_sentence(estimate.why)
    approximate = _approximate_note(estimate) if bounded else ""
    return f"{text}{reason}{_share_scored(estimate.n, questions)}{approximate}"


def describe_difference(difference: PairedDifference, arms: ComparedArms, *, caution: bool = True) -> str:
    """Sentence about B compared with A: `B has a significantly higher pass rate than A on 50 questions …`

    A difference is significant only if its interval excludes 0 and its corrected test agrees. `caution` False: omit
    the caution of `shared_cautions`.
    """
    if difference.value is None or not difference.n:
        total = quantity(arms.questions, "question")
        return f"No comparison: none of {total} has scores for both {arms.a} and {arms.b}."
    text = _comparison(difference, difference.value, arms) + _share_both(difference.n, arms.questions)
    return f"{text}{_caution(difference)}" if caution else text


def _comparison(difference: PairedDifference, value: float, arms: ComparedArms) -> str:
    if difference.identical or difference.low is None or difference.high is None:
        return _untested_difference(difference, value, arms)
    if shows_difference(difference):
        return _significant_difference(difference, value, difference.low, difference.high, arms)
    return _insignificant_difference(difference, value, difference.low, difference.high, arms)


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
    size = format_difference(difference.value, digits, metric)
    interval = format_difference_interval(difference, digits, metric) or "no interval"
    text = (
        f"{lead}: {arms.b} vs. {arms.a}, {size} in {measure(metric)} on {_on(difference.n, arms.replicates)}"
        f"{_details(format_scale(metric), interval, verdict)}.{_better(metric)}"
        f"{_share_both(difference.n, arms.questions)}"
    )
    return f"{text}{_caution(difference)}" if caution else text


def shared_cautions(first: PairedDifference, second: PairedDifference) -> tuple[str, str]:
    """Return the cautions after each of two consecutive sentences; a common one is stated once."""
    one, other = _caution(first), _caution(second)
    if one == other:
        return "", _caution(second, "intervals are")
    return one, other


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
    metric, on = arms.metric, _on(arms.questions, arms.replicates)
    between = f"in {measure(metric)} between {arms.a} and {arms.b}"
    reason = reason_sentence(plan.why)
    if plan.detectable is None:
        return f"The minimum detectable difference {between} on {on} is unknown.{reason}"
    power = f"{100 * plan.power:.0f}% power"
    typical = " This assumes a typical spread of scores, as there are too few questions."
    rule = "" if plan.source == "data" else typical
    if not difference or plan.questions is None:
        least = _format_least(plan.detectable, metric)
        return f"The minimum detectable difference {between} on {on} is {least} ({power}).{rule}"
    size = _format_least(abs(difference), metric)
    if plan.questions <= arms.questions:
        are = verb(arms.questions, "is", "are")
        return f"{on} {are} enough to detect a difference of {size} {between} ({power}).{rule}"
    return f"Detecting a difference of {size} {between} ({power}) takes {_ways(plan, arms)}.{reason}{rule}"


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


def _untested_difference(difference: PairedDifference, value: float, arms: ComparedArms) -> str:
    """Sentence about a difference without a test."""
    metric, a, b = arms.metric, arms.a, arms.b
    questions = quantity(difference.n, "question")
    on = f"each of {questions}" if difference.identical and difference.n > 1 else questions
    text = f"{a} and {b} have the same {measure(metric)} on {on}"
    if value:
        higher, lower = (b, a) if value > 0 else (a, b)
        text = f"{higher} has a higher {measure(metric)} than {lower} on {on}: {_format_least(abs(value), metric)}"
    if difference.low is None or difference.high is None:
        return f"{text}. These data allow no interval and no test."
    digits = decimals(value, difference.low, difference.high, metric)
    return f"{text} ({b} − {a}: {format_difference_interval(difference, digits, metric)}{unit_of(metric)})."


def _significant_difference(
    difference: PairedDifference, value: float, low: float, high: float, arms: ComparedArms
) -> str:
    metric = arms.metric
    digits = decimals(value, low, high, metric)
    b_first = (value > 0) == (metric.higher_is_better is not False)
    first, second = (arms.b, arms.a) if b_first else (arms.a, arms.b)
    least, most = (format_number(end, digits, metric) for end in sorted((abs(low), abs(high))))
    higher = "lower" if metric.higher_is_better is False else "higher"
    size = with_unit(format_number(abs(value), digits, metric), metric)
    details = _details(format_scale(metric), f"{INTERVAL_LABEL} {least} to {most}" if least != most else "")
    return (
        f"{first} has a significantly {higher} {measure(metric)} than {second} on "
        f"{_on(difference.n, arms.replicates)}: {size}{details}.{_better(metric)}"
    )


def _insignificant_difference(
    difference: PairedDifference, value: float, low: float, high: float, arms: ComparedArms
) -> str:
    metric, a, b = arms.metric, arms.a, arms.b
    digits = decimals(value, low, high, metric)
    interval = format_difference_interval(difference, digits, metric)
    unlike_0 = low > 0 or high < 0  # the test does not agree, which has to be explained
    if unlike_0 and difference.adjusted is not None:
        interval = f"uncorrected {interval}"
    size = format_difference(value, digits, metric)
    details = ", ".join(filter(None, (size, format_scale(metric), interval, _p(difference) if unlike_0 else "")))
    on = _on(difference.n, arms.replicates)
    return f"No significant difference in {measure(metric)} between {a} and {b} on {on} ({b} − {a}: {details})."


def _p(difference: PairedDifference) -> str:
    if (p := difference.decisive_p) is None:
        return ""
    return f"p = {p:.2g}" if difference.adjusted is None else f"adjusted p = {p:.2g}"


def _better(metric: Metric) -> str:
    return LOWER_IS_BETTER if metric.higher_is_better is False else ""


# Parts of sentences


def _details(*parts: str) -> str:
    text = ", ".join(part for part in parts if part)
    return f" ({text})" if text else ""


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


def _approximate(n: int, intervals: str = "interval is") -> str:
    """Return the caution about an interval over `n` questions; `intervals`: also for several, with its verb."""
    if n < MIN_QUESTIONS_FOR_NORMAL:
        return f" With fewer than {MIN_QUESTIONS_FOR_NORMAL} questions, the {intervals} approximate."
    return f" The {intervals} approximate, because nearly all scores are at one end of the scale."


def _caution(difference: PairedDifference, intervals: str = "interval is") -> str:
    """Return the caution of a difference; empty without an interval."""
    has_comparison = difference.value is not None and not difference.identical and bool(difference.n)
    bounded = difference.low is not None and difference.high is not None
    return _approximate(difference.n, intervals) if difference.approximate and has_comparison and bounded else ""


def _approximate_note(estimate: Estimate) -> str:
    if estimate.clusters is not None and estimate.clusters < MIN_CLUSTERS_FOR_NORMAL:
        return f" With fewer than {MIN_CLUSTERS_FOR_NORMAL} clusters, the interval is approximate."
    return _approximate(estimate.n) if estimate.approximate else ""


def reason_sentence(why: str) -> str:
    """Format a reason as a further sentence."""
    return f" {why[0].upper()}{why[1:].rstrip('.')}." if why else ""
