"""Tokens, cost and time of a run before it starts: from earlier results of its benchmark, else from its prompts.

Earlier results give the mean of each model's calls with a margin of 1.96 standard errors, and of a tenth at least:
other questions may be longer. Where a judge now gives more or fewer replies for a job than it had steps, as with traits
that are new, the range reaches from what it took to what it takes reply by reply. Without earlier results, English
takes 3 to 5 characters a token, what will be written is only bounded, and nobody knows how many turns an agent takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev

from karenina_gui.analysis.costs import dollars
from karenina_gui.schemas.config import PLAYED_BACK
from karenina_gui.schemas.prices import ModelTokens, Price
from karenina_gui.schemas.usage import ANSWERING

FEWEST = 3
"""Earlier results of a model below which its prompts are counted instead."""
MARGIN = 0.1
"""Least share by which the mean of earlier results may be wrong."""
CHARACTERS = (5, 3)
"""Of a token, where there are few and where there are many tokens."""
WRITTEN = (50, 1500)
"""Tokens of an answer that nobody has seen yet."""
JUDGE_READS = (300, 1200)
"""Tokens of instructions and schema in a judge's request, beside question and answer."""
JUDGE_WRITES = (30, 400)
"""Tokens of a judge's reply."""


@dataclass(frozen=True)
class Range:
    low: float
    high: float

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)

    def times(self, number: float) -> Range:
        return Range(self.low * number, self.high * number)

    def reaching(self, factor: float) -> Range:
        """As wide as both of it and of so many times it."""
        return Range(self.low * min(1.0, factor), self.high * max(1.0, factor))


NOTHING = Range(0, 0)


@dataclass(frozen=True)
class EarlierCall:
    """Tokens of what one model did for one earlier result."""

    model: str
    """`interface:model_name`."""
    answering: bool
    input: int
    output: int
    steps: int = 1
    """In which it was called; one may have taken several replies."""


@dataclass(frozen=True)
class EarlierResult:
    seconds: float
    models: frozenset[str]
    """Those that were called for it."""
    calls: tuple[EarlierCall, ...] = ()


@dataclass(frozen=True)
class Work:
    """What a run will ask of one model."""

    model: str
    """`interface:model_name`."""
    answers: int = 0
    judgments: int = 0
    """Jobs that it judges."""
    replies: int = 0
    """Replies that it gives as a judge, at most."""
    prompt: int = 0
    """Characters of a question with its system prompt, on average."""
    max_tokens: int = WRITTEN[1]
    agent: bool = False
    """Whether it takes several turns for each answer."""


@dataclass(frozen=True)
class Forecast:
    tokens: Range
    dollars: Range | None
    """None: a model has no price, see `unpriced`."""
    seconds: Range | None
    """None: there are no earlier results of these models."""
    earlier: int
    """Results that it rests on; 0: on prompts alone."""
    from_prompts: tuple[str, ...] = ()
    """Models without enough earlier results for some of their work."""
    turns_unknown: tuple[str, ...] = ()
    """Agents among them: tokens and cost are the least that they can be."""
    unpriced: tuple[str, ...] = ()
    by_model: Mapping[str, Range] = field(default_factory=dict)
    """Tokens of each model."""


def earlier_result(steps: Mapping[str, ModelTokens], seconds: float) -> EarlierResult:
    """From the tokens of one result by step (`schemas.usage.tokens_by_step`) and the seconds that its job took."""
    judging: dict[str, list[ModelTokens]] = {}
    calls: list[EarlierCall] = []
    for step, tokens in steps.items():
        if step == ANSWERING:
            calls.append(EarlierCall(tokens.model, True, tokens.input, tokens.output))
        else:
            judging.setdefault(tokens.model, []).append(tokens)
    for model, used in judging.items():
        calls.append(EarlierCall(model, False, sum(t.input for t in used), sum(t.output for t in used), len(used)))
    return EarlierResult(seconds, frozenset(call.model for call in calls), tuple(calls))


def forecast(
    work: Sequence[Work], earlier: Sequence[EarlierResult], prices: Mapping[str, Price], *, jobs: int, workers: int
) -> Forecast:
    """`workers`: jobs at the same time. What is played back takes no tokens, and is left out."""
    live = [each for each in work if each.model.partition(":")[0] not in PLAYED_BACK]
    by_model: dict[str, Range] = {}
    money = NOTHING
    unpriced: list[str] = []
    guessed: set[str] = set()
    for each in live:
        model, price = each.model, prices.get(each.model)
        read, written, known = _tokens(each, earlier)
        guessed |= set() if known else {model}
        by_model[model] = by_model.get(model, NOTHING) + read + written
        low = dollars(ModelTokens(model, round(read.low), round(written.low)), price)
        high = dollars(ModelTokens(model, round(read.high), round(written.high)), price)
        if low is None or high is None:
            unpriced.append(model)
        else:
            money += Range(low, high)
    models = by_model.keys()
    like = [result for result in earlier if result.models and result.models <= models]
    return Forecast(
        tokens=sum(by_model.values(), NOTHING),
        dollars=None if unpriced else money,
        seconds=_time([each.seconds for each in like], jobs, workers) if len(like) >= FEWEST else None,
        earlier=sum(bool(result.models & (models - guessed)) for result in earlier),
        from_prompts=tuple(sorted(guessed)),
        turns_unknown=tuple(sorted({each.model for each in live if each.agent} & guessed)),
        unpriced=tuple(dict.fromkeys(unpriced)),
        by_model=by_model,
    )


def _more_replies(judge: Work, earlier: Iterable[EarlierCall]) -> float:
    """Replies for a job by the steps that one took before."""
    return judge.replies / judge.judgments / fmean(call.steps for call in earlier)


def _time(seconds: Sequence[float], jobs: int, workers: int) -> Range:
    """Seconds of a run; the upper end assumes that the workers take the jobs in rounds, which matters for few jobs."""
    each = _mean(seconds)
    return Range(each.low * jobs / min(workers, max(1, jobs)), each.high * math.ceil(jobs / workers))


def _tokens(work: Work, earlier: Sequence[EarlierResult]) -> tuple[Range, Range, bool]:
    """Read, written, and whether earlier results say so."""
    read = written = NOTHING
    known = True
    for number, answering in ((work.answers, True), (work.judgments, False)):
        if not number:
            continue
        calls = [
            call
            for result in earlier
            for call in result.calls
            if call.model == work.model and call.answering == answering
        ]
        if len(calls) >= FEWEST:
            more = 1.0 if answering else _more_replies(work, calls)
            read += _mean([call.input for call in calls]).times(number).reaching(more)
            written += _mean([call.output for call in calls]).times(number).reaching(more)
            continue
        known = False
        asks = _answer if answering else _judgment
        of_read, of_written = asks(work)
        read, written = read + of_read, written + of_written
    return read, written, known


def _answer(work: Work) -> tuple[Range, Range]:
    most = min(WRITTEN[1], work.max_tokens)
    return _prompt(work).times(work.answers), Range(min(WRITTEN[0], most), most).times(work.answers)


def _judgment(work: Work) -> tuple[Range, Range]:
    read = _prompt(work) + Range(*WRITTEN) + Range(*JUDGE_READS)
    return read.times(work.replies), Range(*JUDGE_WRITES).times(work.replies)


def _prompt(work: Work) -> Range:
    return Range(work.prompt / CHARACTERS[0], work.prompt / CHARACTERS[1])


def _mean(values: Sequence[float]) -> Range:
    """`values`: at least `FEWEST`."""
    mean = fmean(values)
    margin = max(1.96 * stdev(values) / math.sqrt(len(values)), MARGIN * mean)
    return Range(max(0.0, mean - margin), mean + margin)
