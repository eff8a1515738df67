"""Sentences about statistics for quotation by domain experts.

They claim a difference only if it is significant, and state the number of questions. Differences of rates are in
percentage points; other scores keep their own unit.
"""

from __future__ import annotations

from collections.abc import Sequence

from karenina_gui.analysis.estimate import Estimate, PairedDifference, PowerPlan, VarianceComponents
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
    MIN_QUESTIONS_FOR_VARIANCE,
)
from karenina_gui.text import percent, quantity, verb

CAUTIONS = (
    f" With fewer than {MIN_QUESTIONS_FOR_NORMAL} questions, the {{}} approximate.",
    " The {} approximate, because nearly all scores are at one end of the scale.",
)
"""Cautions for few questions and for scores near an end; the placeholder is `interval is` or `intervals are`."""
APPROXIMATE = (
    f"The intervals are approximate: fewer than {MIN_QUESTIONS_FOR_NORMAL} questions, or nearly all scores at one end "
    "of the scale."
)
"""Caution about several intervals together."""


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
        return f"{name} has no {score} on any of {quantity(questions, 'question')}.{_reason(estimate.why)}"
    digits = decimals(estimate.value, estimate.low, estimate.high, metric)
    level, on = (
        format_mean(estimate.value, digits, metric),
        in_clusters(quantity(estimate.n, "question"), estimate.clusters),
    )
    details = _details(format_scale(metric), format_interval(estimate, digits, metric))
    bounded = bool(estimate.low is not None and estimate.high is not None)
    after = f"{'' if bounded else _reason(estimate.why)}{_share_scored(estimate.n, questions)}"
    after += _approximate_note(estimate) if bounded else ""
    if metric.kind != "binary":
        return f"{name} has a mean “{metric.trait}” score of {level} on {on}{details}.{after}"
    if metric.trait is not None:
        return f"“{metric.trait}” is yes for {name} in {level} of answers to {on}{details}.{after}"
    if several:
        return f"{name} has a pass rate of {level} over {on}{details}.{after}"
    return f"{name} passes {level} of {on}{details}.{after}"


def describe_difference(
    difference: PairedDifference,
    a: str,
    b: str,
    metric: Metric,
    questions: int,
    replicates: int | str | None = None,
    *,
    caution: bool = True,
) -> str:
    """Sentence about B compared with A: `B has a significantly higher pass rate than A on 50 questions …`

    A difference is significant only if its interval excludes 0 and its corrected test agrees. `questions`: number of
    questions asked, scored in both or not. `replicates`: per question in each arm, or in words (`2 to 3 replicates`);
    None: omitted. `caution` False: omit the sentence of `cautions_of`.
    """
    n = difference.n
    if difference.value is None or not n:
        return f"No comparison: none of {quantity(questions, 'question')} has scores for both {a} and {b}."
    more = f"{_share_both(n, questions)}{_caution(difference).format('interval is') if caution else ''}"
    if difference.identical or difference.low is None or difference.high is None:
        return f"{_without_interval(difference, a, b, metric)}{_share_both(n, questions)}"
    if shows_difference(difference):
        return f"{_significant_sentence(difference, a, b, metric, _on(n, replicates))}{more}"
    return f"{_not_significant_sentence(difference, a, b, metric, _on(n, replicates))}{more}"


def describe_one_of_several(
    difference: PairedDifference,
    a: str,
    b: str,
    metric: Metric,
    questions: int,
    replicates: int | str | None,
    lead: str,
    *,
    caution: bool = True,
) -> str:
    """Sentence about one of several comparisons: `Largest difference: B vs. A, +6 percentage points …`

    `lead`: introduction that names the comparison.
    """
    assert difference.value is not None
    digits = decimals(difference.value, difference.low, difference.high, metric)
    interval = format_difference_interval(difference, digits, metric) or "no interval"
    verdict = "significant" if shows_difference(difference) else "not significant"
    details = _details(format_scale(metric), interval, verdict)
    size, on = format_difference(difference.value, digits, metric), _on(difference.n, replicates)
    after = f"{_better(metric)}{_share_both(difference.n, questions)}"
    after += _caution(difference).format("interval is") if caution else ""
    return f"{lead}: {b} vs. {a}, {size} in {measure(metric)} on {on}{details}.{after}"


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
    p = difference.p if difference.adjusted is None else difference.adjusted
    return not difference.low <= 0 <= difference.high and (p is None or p <= 1 - difference.level + 1e-12)


def describe_components(components: VarianceComponents, metric: Metric, labels: Sequence[str]) -> str:
    """Sentence about variance components: their shares, and how to increase precision; `labels`: all arms."""
    on = f"{quantity(components.n, 'question')} {with_configurations(labels)}"
    scores = scores_of(metric)
    known = {part: getattr(components, part) for part in PARTS if getattr(components, part) is not None}
    unknown = "".join(_reason(components.why.get(part, "")) for part in PARTS if part not in known)
    if not known:
        why = _reason(next(iter(components.why.values()), ""))
        return f"The sources of variance in {scores} on {on} cannot be estimated.{why}"
    if components.total <= 0:
        return f"On {on}, {scores} do not vary, apart from mean differences between configurations.{unknown}"
    shares = {part: variance / components.total for part, variance in known.items()}
    largest = max(shares, key=lambda part: shares[part])
    remedy = ALONE if components.n < 2 else component_remedy(components, largest)
    names = component_names(components)
    listed = ", ".join(f"{percent(share)} {names[part]}" for part, share in shares.items())
    rough = (
        f" With fewer than {MIN_QUESTIONS_FOR_VARIANCE} questions, these shares are rough estimates."
        if components.n < MIN_QUESTIONS_FOR_VARIANCE
        else ""
    )
    return f"Sources of variance in {scores} on {on}: {listed}. {remedy}{rough}{unknown}"


def component_names(components: VarianceComponents) -> dict[str, str]:
    """Return the name of each component; the one that includes answers without repeats says so."""
    if components.answer is not None:
        return PARTS
    home = "question" if components.interaction is None else "interaction"
    return PARTS | {home: f"{PARTS[home]} and between answers to the same question (not separable)"}


def component_remedy(components: VarianceComponents, part: str) -> str:
    """Return the sentence about how to increase precision if this component is the largest."""
    return REMEDIES[part] if components.answer is not None or part == "judge" else UNTOLD


PARTS = {
    "question": "between questions",
    "interaction": "between questions that favor one configuration",
    "answer": "between answers to the same question",
    "judge": "between judgments of the same answer",
}
REMEDIES = {
    "question": "More questions make the result more precise; more replicates hardly help.",
    "interaction": "More questions make comparisons more precise; more replicates hardly help.",
    "answer": "More replicates of each question make the result more precise.",
    "judge": "A clearer rubric, a better judge, or more judgments of each answer make the result more precise.",
}
ALONE = "More questions make the result more precise; one question says nothing about others."
UNTOLD = (
    "More questions make the result more precise; the effect of more replicates cannot be estimated from these data."
)
"""Name of the question component if it includes the answers, because each was answered once."""


def describe_plan(
    plan: PowerPlan,
    a: str,
    b: str,
    metric: Metric,
    questions: int,
    replicates: int | str | None = None,
    difference: float | None = None,
) -> str:
    """Sentence about sample sizes to settle `difference`, or about the detectable one.

    `difference`: None or 0: nothing to settle. `questions`: scored in both. `replicates`: as in `of_difference`.
    """
    on, power = _on(questions, replicates), f"{100 * plan.power:.0f}% power"
    pair = f"in {measure(metric)} between {a} and {b}"
    if plan.detectable is None:
        return f"The detectable difference {pair} on {on} is unknown.{_reason(plan.why)}"
    rule = "" if plan.source == "data" else " This uses default variances, as there are too few questions."
    if not difference or plan.questions is None:
        least = format_size(plan.detectable, decimals(plan.detectable, None, None, metric), metric)
        return f"The smallest detectable difference {pair} on {on} is {least} ({power}).{rule}"
    size = format_size(abs(difference), decimals(difference, None, None, metric), metric)
    if plan.questions <= questions:
        enough = verb(questions, "is", "are")
        return f"{on} {enough} enough to detect a difference of {size} {pair} ({power}).{rule}"
    ways = _ways(plan, questions, replicates)
    return f"Detecting a difference of {size} {pair} ({power}) takes {ways}.{_reason(plan.why)}{rule}"


def _ways(plan: PowerPlan, questions: int, replicates: int | str | None) -> str:
    assert plan.questions is not None
    number = (
        f"more than {MAX_REPORTED_NUMBER:,}" if plan.questions > MAX_REPORTED_NUMBER else f"about {plan.questions:,}"
    )
    more_questions = f"{number} questions{_with(replicates)}"
    if plan.replicates is None:
        return more_questions
    more = (
        f"more than {MAX_REPORTED_NUMBER:,} replicates"
        if plan.replicates > MAX_REPORTED_NUMBER
        else _replicates(plan.replicates)
    )
    present = "this question" if questions == 1 else f"each of the {questions:,} questions"
    return f"{more_questions}, or {more} of {present}"


def _significant_sentence(difference: PairedDifference, a: str, b: str, metric: Metric, on: str) -> str:
    assert difference.value is not None and difference.low is not None and difference.high is not None
    digits = decimals(difference.value, difference.low, difference.high, metric)
    b_first = (difference.value > 0) == (metric.higher_is_better is not False)
    first, second = (b, a) if b_first else (a, b)
    than = f"significantly {'lower' if metric.higher_is_better is False else 'higher'} {measure(metric)} than {second}"
    least, most = (format_number(end, digits, metric) for end in sorted((abs(difference.low), abs(difference.high))))
    details = _details(format_scale(metric), f"{INTERVAL_LABEL} {least} to {most}" if least != most else "")
    size = with_unit(format_number(abs(difference.value), digits, metric), metric)
    return f"{first} has a {than} on {on}: {size}{details}.{_better(metric)}"


def _not_significant_sentence(difference: PairedDifference, a: str, b: str, metric: Metric, on: str) -> str:
    assert difference.value is not None and difference.low is not None and difference.high is not None
    digits = decimals(difference.value, difference.low, difference.high, metric)
    interval = format_difference_interval(difference, digits, metric)
    unlike_0 = difference.low > 0 or difference.high < 0  # the test does not agree, which has to be explained
    if unlike_0 and difference.adjusted is not None:
        interval = f"uncorrected {interval}"
    details = ", ".join(filter(None, (format_scale(metric), interval, _p(difference) if unlike_0 else "")))
    size = format_difference(difference.value, digits, metric)
    start = f"No significant difference in {measure(metric)} between {a} and {b} on {on}"
    return f"{start} ({b} − {a}: {size}{f', {details}' if details else ''})."


def _p(difference: PairedDifference) -> str:
    if difference.adjusted is not None:
        return f"adjusted p = {difference.adjusted:.2g}"
    return "" if difference.p is None else f"p = {difference.p:.2g}"


def _better(metric: Metric) -> str:
    return " Lower is better." if metric.higher_is_better is False else ""


def _without_interval(difference: PairedDifference, a: str, b: str, metric: Metric) -> str:
    assert difference.value is not None
    n, value = difference.n, difference.value
    on = f"each of {quantity(n, 'question')}" if difference.identical and n > 1 else quantity(n, "question")
    if value:
        higher, lower = (b, a) if value > 0 else (a, b)
        size = format_size(abs(value), decimals(value, None, None, metric), metric)
        start = f"{higher} has a higher {measure(metric)} than {lower} on {on}: {size}"
    else:
        start = f"{a} and {b} have the same {measure(metric)} on {on}"
    if difference.low is None or difference.high is None:
        return f"{start}. These data allow no interval and no test."
    digits = decimals(value, difference.low, difference.high, metric)
    return f"{start} ({b} − {a}: {format_difference_interval(difference, digits, metric)}{unit_of(metric)})."


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
    """Return one of `CAUTIONS`, or nothing."""
    few, at_end = CAUTIONS
    return (few if n < MIN_QUESTIONS_FOR_NORMAL else at_end) if approximate else ""


def _caution(difference: PairedDifference) -> str:
    """Return the caution of a difference; empty without an interval."""
    told = difference.value is not None and not difference.identical
    bounded = difference.low is not None and difference.high is not None
    return _approximate(difference.approximate and told and bounded, difference.n) if difference.n else ""


def _approximate_note(estimate: Estimate) -> str:
    if estimate.clusters is not None and estimate.clusters < MIN_CLUSTERS_FOR_NORMAL:
        return f" With fewer than {MIN_CLUSTERS_FOR_NORMAL} clusters, the interval is approximate."
    return _approximate(estimate.approximate, estimate.n).format("interval is")


def _reason(why: str) -> str:
    """Format a reason as a further sentence."""
    return f" {why[0].upper()}{why[1:].rstrip('.')}." if why else ""
