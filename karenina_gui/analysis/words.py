"""What figures say, in sentences that a domain expert can quote.

They are cautious: where the data do not show a difference, none is claimed, whatever the means look like; every one
names how many questions it rests on. Points are percentage points, of rates; other scores keep their own unit.
"""

from __future__ import annotations

from math import floor, log10

from karenina_gui.analysis.estimate import Components, Difference, Estimate, Plan
from karenina_gui.analysis.metrics import Metric
from karenina_gui.text import quantity

FEW = 30
"""Questions below which intervals are approximate (Bowyer et al. 2025, arXiv 2503.01747)."""
CAUTIONS = (
    f" With fewer than {FEW} questions the {{}} approximate.",
    " The {} approximate: nearly all scores are at one end.",
)
"""Where questions are few, and where scores are all alike; `interval is` or `intervals are` belongs into it."""
FEW_CLUSTERS = 20
"""Clusters of questions below which the same holds."""
HINT = 10
"""Questions below which a split of variance is no more than a hint."""
MANY = 1_000_000
"""What no run will ever have: from here on a number is not worth saying."""


def worth_saying(number: int | None) -> int | str | None:
    """How many of something are needed, for a table; None stays None."""
    return number if number is None or number <= MANY else f"more than {MANY:,}"


def of_estimate(estimate: Estimate, name: str, metric: Metric, questions: int, *, several: bool = False) -> str:
    """Of one mean or rate: `A passes 72% of these 50 questions; the data allow anything from 58 to 83%.`

    `name`: of whom it is, as a reader knows it; `questions`: those that were asked, with or without a score;
    `several`: whether a question has more than one answer, so that the rate is one of answers.
    """
    if estimate.value is None or not estimate.n:
        return f"{name} has no score{_in(metric)} on any of {quantity(questions, 'question')}.{_reason(estimate.why)}"
    digits = _digits(estimate.value, estimate.low, estimate.high, metric)
    start = f"{_has(name, metric)} {_level(estimate.value, digits, metric)} {_of_these(estimate.n, metric, several)}"
    start += "" if estimate.clusters is None else f" in {quantity(estimate.clusters, 'cluster')}"
    if estimate.low is None or estimate.high is None:
        return f"{start}.{_reason(estimate.why)}{_share_scored(estimate.n, questions)}"
    low, high = (_bare(end, digits, metric) for end in (estimate.low, estimate.high))
    unit = "%" if metric.kind == "binary" else ""
    allowed = f"; the data allow anything from {low} to {high}{unit}" if low != high else ""
    return f"{start}{allowed}.{_share_scored(estimate.n, questions)}{_rough(estimate)}"


def of_difference(
    difference: Difference, a: str, b: str, metric: Metric, questions: int, replicates: int | str | None = None,
    *, caution: bool = True,
) -> str:  # fmt: skip
    """Of B compared with A: `B beats A by 6 points on these 50 questions; with 3 replicates the data allow anything
    from 1 to 11.`

    A difference is claimed only where its interval leaves out 0 and its test, corrected for the number of comparisons,
    agrees. `questions`: those that were asked, scored in both or not. `replicates`: of each question in each arm, or
    said in words (`2 to 3 replicates`); None: not said. `caution` False: what `cautions_of` says is left out.
    """
    n = difference.n
    more = f"{_share_both(n, questions)}{_caution(difference).format('interval is') if caution else ''}"
    if difference.value is None or not n:
        return f"Nothing to compare: 0 of {quantity(questions, 'question')} have scores for both {a} and {b}."
    if difference.identical or difference.low is None or difference.high is None:
        return f"{_without_interval(difference, a, b, metric)}{_share_both(n, questions)}"
    if claims(difference):
        return f"{_claimed(difference, a, b, metric, _with(replicates))}{more}"
    return f"{_not_told_apart(difference, a, b, metric)}{more}"


def cautions_of(first: Difference, second: Difference) -> tuple[str, str]:
    """What follows each of two sentences that stand one after the other: the same is said once, of both intervals."""
    one, other = _caution(first), _caution(second)
    if one == other:
        return "", other.format("intervals are")
    return one.format("interval is"), other.format("interval is")


def claims(difference: Difference) -> bool:
    """Whether the data show that there is a difference: interval and test agree that it is not 0."""
    if not difference.value or difference.low is None or difference.high is None:
        return False
    p = difference.p if difference.adjusted is None else difference.adjusted
    return not difference.low <= 0 <= difference.high and (p is None or p <= 1 - difference.level + 1e-12)


def of_components(components: Components, metric: Metric) -> str:
    """Of the parts of the variance: the largest one, the others, and what makes the result surer."""
    these, scores = _these(components.n), f"scores{_in(metric)}"
    known = {part: getattr(components, part) for part in PARTS if getattr(components, part) is not None}
    untold = "".join(_reason(components.why.get(part, "")) for part in PARTS if part not in known)
    if not known:
        why = _reason(next(iter(components.why.values()), ""))
        return f"What {scores} on {these} vary by is not known.{why}"
    if components.total <= 0:
        return f"On {these} no {scores} vary, apart from what models and conditions differ by on average.{untold}"
    shares = {part: variance / components.total for part, variance in known.items()}
    largest = max(shares, key=lambda part: shares[part])
    remedy = ALONE if components.n < 2 else remedy_of(components, largest)
    names = names_of(components)
    listed = ", ".join(f"{_share(share)} {names[part]}" for part, share in shares.items()).replace("%", "% lies", 1)
    rough = f" Below {HINT} questions these shares are no more than a hint." if components.n < HINT else ""
    return f"Of what {scores} on {these} vary by, {listed}: {remedy}.{rough}{untold}"


def names_of(components: Components) -> dict[str, str]:
    """Where each part lies; the one as part of which answers count that were not repeated says so."""
    if components.answer is not None:
        return PARTS
    home = "question" if components.interaction is None else "interaction"
    return PARTS | {home: f"{PARTS[home]} and between answers to the same question, the two together"}


def remedy_of(components: Components, part: str) -> str:
    """What makes the result surer where this part is the largest."""
    return REMEDIES[part] if components.answer is not None or part == "judge" else UNTOLD


PARTS = {
    "question": "between questions",
    "interaction": "between questions that suit one model or condition more than another",
    "answer": "between answers to the same question",
    "judge": "between judgments of the same answer",
}
REMEDIES = {
    "question": "more questions make the result surer, more replicates hardly do",
    "interaction": "more questions make a comparison surer, more replicates hardly do",
    "answer": "more replicates of each question make the result surer",
    "judge": "a clearer rubric, a better judge or more judgments of each answer make the result surer",
}
ALONE = "more questions make the result surer; one alone says nothing of others"
UNTOLD = "more questions make the result surer; what more replicates would change these data cannot say"
"""Where the answers are part of the questions, because each was answered once."""


def of_plan(
    plan: Plan, a: str, b: str, metric: Metric, questions: int, replicates: int | str | None = None,
    difference: float | None = None,
) -> str:  # fmt: skip
    """Of what would settle a difference that was seen, or, where `difference` is None or 0, of what could be seen.

    `questions`: scored in both. `replicates`: as in `of_difference`.
    """
    these = f"{_these(questions)}{_and(replicates)}"
    if plan.detectable is None:
        return f"How small a difference{_in(metric)} {these} could show is not known.{_reason(plan.why)}"
    rule = "" if plan.source == "data" else " This goes by usual variances: these data are too few to have their own."
    if not difference or plan.questions is None:
        return f"{_findable(plan, a, b, metric, these)}{rule}"
    size = _amount(abs(difference), _digits(difference, None, None, metric), metric)
    what = f"a difference of {size}{_in(metric)} between {a} and {b}"
    if plan.questions <= questions:
        return f"{these[0].upper()}{these[1:]} are enough to find {what}.{rule}"
    return f"To settle {what}, seen on {these}, it takes {_ways(plan)}.{_reason(plan.why)}{rule}"


def _findable(plan: Plan, a: str, b: str, metric: Metric, these: str) -> str:
    assert plan.detectable is not None
    least = _amount(plan.detectable, _digits(plan.detectable, None, None, metric), metric)
    often = f"{100 * plan.power:.0f} times in 100"
    what = f"a difference of {least}{_in(metric)} between {a} and {b}"
    return f"On {these}, {what} would be found {often}, a smaller one less often."


def _ways(plan: Plan) -> str:
    assert plan.questions is not None
    questions = f"more than {MANY:,}" if plan.questions > MANY else f"about {plan.questions:,}"
    ways = f"{questions} questions with as many replicates"
    if plan.replicates is None:
        return ways
    replicates = f"more than {MANY:,} replicates" if plan.replicates > MANY else _replicates(plan.replicates)
    return f"{ways}, or {replicates} of each of these"


def _claimed(difference: Difference, a: str, b: str, metric: Metric, given: str) -> str:
    assert difference.value is not None and difference.low is not None and difference.high is not None
    digits = _digits(difference.value, difference.low, difference.high, metric)
    least, most = (_bare(end, digits, metric) for end in sorted((abs(difference.low), abs(difference.high))))
    size = _amount(abs(difference.value), digits, metric)
    start = _ahead(difference.value, a, b, metric, size)
    allowed = f"; {given}the data allow anything from {least} to {most}" if least != most else ""
    return f"{start} on {_these(difference.n)}{_better(metric)}{allowed}."


def _ahead(value: float, a: str, b: str, metric: Metric, size: str) -> str:
    """Who is ahead, by how much: the better one, or the higher one where nobody knows which is better."""
    b_first = (value > 0) == (metric.higher_is_better is not False)
    first, second = (b, a) if b_first else (a, b)
    verb = {True: "beats", False: "is lower than", None: "is higher than"}[metric.higher_is_better]
    return f"{first} {verb} {second} by {size}{_in(metric)}"


def _better(metric: Metric) -> str:
    return ", which is better here" if metric.higher_is_better is False else ""


def _not_told_apart(difference: Difference, a: str, b: str, metric: Metric) -> str:
    assert difference.value is not None and difference.low is not None and difference.high is not None
    start = f"{_these(difference.n).capitalize()} {_do(difference.n)} not tell {a} and {b} apart{_in(metric)}"
    digits = _digits(difference.value, difference.low, difference.high, metric)
    if difference.low > 0 or difference.high < 0:
        size = _amount(abs(difference.value), digits, metric)
        alone = difference.p is not None and difference.p <= 1 - difference.level + 1e-12
        many = "with so many comparisons " if alone and difference.adjusted is not None else ""
        return f"{start}: {many}chance explains a difference of {size} as well."
    if difference.low == difference.high:
        return f"{start}: no difference was seen."
    low = _side(difference.low, a, b, digits, metric, unit=True)
    high = _side(difference.high, a, b, digits, metric, unit=difference.low == 0)
    return f"{start}: the difference may be anything from {low} to {high}."


def _side(end: float, a: str, b: str, digits: int, metric: Metric, *, unit: bool) -> str:
    """An end of an interval and whom it speaks for: `4 points for A`; without direction `B higher by 4 points`."""
    if not end:
        return "none"
    size = _amount(abs(end), digits, metric) if unit else _bare(abs(end), digits, metric)
    if metric.higher_is_better is None:
        return f"{a if end < 0 else b} higher by {size}"
    return f"{size} for {b if (end > 0) == metric.higher_is_better else a}"


def _without_interval(difference: Difference, a: str, b: str, metric: Metric) -> str:
    assert difference.value is not None
    n, value = difference.n, difference.value
    these = _each_of_these(n) if difference.identical else _these(n)
    if value:
        higher, lower = (b, a) if value > 0 else (a, b)
        size = _amount(abs(value), _digits(value, None, None, metric), metric)
        start = f"{higher} came out {size} above {lower}{_in(metric)} on {these}"
    else:
        same = "came out the same" if difference.identical else "have the same mean"
        start = f"{a} and {b} {same}{_in(metric)} on {these}"
    if difference.low is None or difference.high is None:
        return f"{start}; whether that would be so again these data cannot say."
    widest = max(abs(difference.low), abs(difference.high))
    allowed = _amount(widest, _digits(value, difference.low, difference.high, metric), metric)
    return f"{start}; the data allow up to {allowed} either way."


# Figures


def _digits(value: float, low: float | None, high: float | None, metric: Metric) -> int:
    """After the point: as many as the width of the interval is worth, or two figures where there is none; at most 4."""
    width = abs(high - low) / 5 if low is not None and high is not None and high != low else abs(value) / 10
    shown = width * 100 if metric.kind == "binary" else width
    most = 1 if metric.kind == "binary" else 4
    return 0 if shown <= 0 else min(most, max(0, -floor(log10(shown) + 1e-9)))


def _bare(value: float, digits: int, metric: Metric) -> str:
    """A figure without its unit: `6`, `0.4`, `1,204`; never `-0`, and 0 only where it is 0."""
    shown = value * 100 if metric.kind == "binary" else value
    for more in range(digits, digits + 3):
        text = f"{shown:,.{more}f}"
        if float(text.replace(",", "")) != 0:
            return text.rstrip("0").rstrip(".") if "." in text else text
    return "almost 0" if abs(shown) > 1e-9 else "0"


def _amount(size: float, digits: int, metric: Metric) -> str:
    """Of a difference: `6 points`, `0.4`, `0.4 (scale 1 to 5)`."""
    shown = _bare(size, digits, metric)
    if metric.kind == "binary":
        return f"{shown} {'point' if shown == '1' else 'points'}"
    return f"{shown}{_scale(metric)}"


def _level(value: float, digits: int, metric: Metric) -> str:
    """Of a mean: `72%`, `3.4 (scale 1 to 5)`."""
    shown = _bare(value, digits, metric)
    if metric.kind != "binary":
        return f"{shown}{_scale(metric)}"
    return "almost 100%" if shown == "100" and value < 1 - 1e-9 else f"{shown}%"


def _scale(metric: Metric) -> str:
    if metric.low is None or metric.high is None:
        return ""
    return f" (scale {metric.low:g} to {metric.high:g})"


def _share(share: float) -> str:
    whole = floor(100 * share + 0.5 + 1e-9)
    if whole == 100 and share < 1 - 1e-9:
        return "over 99%"
    return "under 1%" if whole == 0 and share > 0 else f"{whole}%"


# Turns of phrase


def _in(metric: Metric) -> str:
    return "" if metric.trait is None else f" in “{metric.trait}”"


def _has(name: str, metric: Metric) -> str:
    if metric.trait is None:
        return f"{name} passes"
    return f"“{metric.trait}” holds for {name} on" if metric.kind == "binary" else f"{name} has a mean of"


def _of_these(n: int, metric: Metric, several: bool) -> str:
    answers = "the answers to " if several else ""
    return f"of {answers}{_these(n)}" if metric.kind == "binary" else f"{_in(metric).strip()} on {_these(n)}"


def _these(n: int) -> str:
    return "this question" if n == 1 else f"these {quantity(n, 'question')}"


def _each_of_these(n: int) -> str:
    return _these(n) if n == 1 else f"each of {_these(n)}"


def _do(n: int) -> str:
    return "does" if n == 1 else "do"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _with(replicates: int | str | None) -> str:
    return "" if replicates is None else f"with {_replicates(replicates)} "


def _and(replicates: int | str | None) -> str:
    return "" if replicates is None else f" with {_replicates(replicates)}"


def _replicates(replicates: int | str) -> str:
    return replicates if isinstance(replicates, str) else quantity(replicates, "replicate")


def _share_both(n: int, questions: int) -> str:
    return f" Only {n:,} of {quantity(questions, 'question')} {_are(n)} scored in both." if n < questions else ""


def _share_scored(n: int, questions: int) -> str:
    have = "has" if n == 1 else "have"
    return f" Only {n:,} of {quantity(questions, 'question')} {have} a score." if n < questions else ""


def _approximate(approximate: bool, n: int) -> str:
    """One of `CAUTIONS`, or nothing."""
    few, at_end = CAUTIONS
    return (few if n < FEW else at_end) if approximate else ""


def _caution(difference: Difference) -> str:
    """The same of a difference; of one without an interval there is none."""
    told = difference.value is not None and not difference.identical
    bounded = difference.low is not None and difference.high is not None
    return _approximate(difference.approximate and told and bounded, difference.n) if difference.n else ""


def _rough(estimate: Estimate) -> str:
    if estimate.clusters is not None and estimate.clusters < FEW_CLUSTERS:
        return f" With fewer than {FEW_CLUSTERS} clusters the interval is approximate."
    return _approximate(estimate.approximate, estimate.n).format("interval is")


def _reason(why: str) -> str:
    """As a sentence of its own, after another."""
    return f" {why[0].upper()}{why[1:].rstrip('.')}." if why else ""
