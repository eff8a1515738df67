"""Forecast of tokens, cost and time of a run, from earlier results or from its prompts.

Earlier results of the benchmark give the mean m of each model's calls ± max(1.96·s/√n, 0.1·m), as other questions may
be longer. If a judge now gives more or fewer replies per job than it had steps, the range also covers the ratio of the
two. Without earlier results, tokens are characters / 5 to characters / 3 (English); output is only bounded, and the
turns of agents are unknown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev

from karenina_gui.analysis.costs import dollars
from karenina_gui.analysis.thresholds import (
    CHARACTERS_PER_TOKEN,
    INPUT_TOKENS_OF_JUDGE,
    MIN_EARLIER_RESULTS,
    MIN_MARGIN_SHARE_OF_FORECAST,
    OUTPUT_TOKENS_OF_ANSWER,
    OUTPUT_TOKENS_OF_JUDGE,
    STANDARD_ERRORS_OF_FORECAST,
)
from karenina_gui.schemas.model_config import PLAYED_BACK
from karenina_gui.schemas.prices import ModelTokens, Price
from karenina_gui.schemas.usage import ANSWERING


@dataclass(frozen=True)
class Range:
    low: float
    high: float

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)

    def times(self, number: float) -> Range:
        return Range(self.low * number, self.high * number)

    def widen(self, factor: float) -> Range:
        """Return a range that covers this one and `factor` times it."""
        return Range(self.low * min(1.0, factor), self.high * max(1.0, factor))


NOTHING = Range(0, 0)


@dataclass(frozen=True)
class EarlierCall:
    """Tokens of one model's calls for one earlier result."""

    model: str
    """`interface:model_name`."""
    answering: bool
    input: int
    output: int
    steps: int = 1
    """Number of steps with calls; a step can take several replies."""


@dataclass(frozen=True)
class EarlierResult:
    seconds: float
    models: frozenset[str]
    """Models that were called."""
    calls: tuple[EarlierCall, ...] = ()


@dataclass(frozen=True)
class Work:
    """Work of one model in a run."""

    model: str
    """`interface:model_name`."""
    answers: int = 0
    judgments: int = 0
    """Number of judged jobs."""
    replies: int = 0
    """Maximum number of replies as a judge."""
    prompt: int = 0
    """Mean characters of a question with its system prompt."""
    max_tokens: int = OUTPUT_TOKENS_OF_ANSWER[1]
    agent: bool = False
    """True if an answer takes several turns."""


@dataclass(frozen=True)
class Forecast:
    tokens: Range
    dollars: Range | None
    """US dollars; None: a model has no price, see `unpriced`."""
    seconds: Range | None
    """None: no earlier results of these models."""
    earlier: int
    """Number of earlier results used; 0: only prompts."""
    from_prompts: tuple[str, ...] = ()
    """Models without enough earlier results for some of their work."""
    turns_unknown: tuple[str, ...] = ()
    """Agents among them, whose tokens and cost are lower bounds."""
    unpriced: tuple[str, ...] = ()
    by_model: Mapping[str, Range] = field(default_factory=dict)
    """Tokens of each model."""


def earlier_result(steps: Mapping[str, ModelTokens], seconds: float) -> EarlierResult:
    """Build an earlier result from its tokens by step (`schemas.usage.tokens_by_step`) and its seconds."""
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
    """Return the forecast; `workers`: number of jobs that run at the same time."""
    # Replies played back from a recording take no tokens.
    live = [item for item in work if item.model.partition(":")[0] not in PLAYED_BACK]
    by_model: dict[str, Range] = {}
    costs: list[tuple[str, Range | None]] = []
    guessed: set[str] = set()
    for part in live:
        read, written, measured = _tokens(part, earlier)
        if not measured:
            guessed.add(part.model)
        by_model[part.model] = by_model.get(part.model, NOTHING) + read + written
        costs.append((part.model, _cost(part.model, read, written, prices.get(part.model))))
    models = frozenset(by_model)
    unpriced = tuple(dict.fromkeys(model for model, cost in costs if cost is None))
    return Forecast(
        tokens=sum(by_model.values(), NOTHING),
        dollars=_total(cost for _, cost in costs),
        seconds=_time(models, earlier, jobs, workers),
        earlier=sum(bool(result.models & (models - guessed)) for result in earlier),
        from_prompts=tuple(sorted(guessed)),
        turns_unknown=tuple(sorted({item.model for item in live if item.agent} & guessed)),
        unpriced=unpriced,
        by_model=by_model,
    )


def _total(costs: Iterable[Range | None]) -> Range | None:
    """Return the sum; None: a cost is unknown."""
    total = NOTHING
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total


def _cost(model: str, read: Range, written: Range, price: Price | None) -> Range | None:
    """Return the US dollars of tokens in and out. None: the model has no price."""
    low = dollars(ModelTokens(model, round(read.low), round(written.low)), price)
    high = dollars(ModelTokens(model, round(read.high), round(written.high)), price)
    return None if low is None or high is None else Range(low, high)


def _more_replies(judge: Work, earlier: Iterable[EarlierCall]) -> float:
    """Replies for a job by the steps that one took before."""
    return judge.replies / judge.judgments / fmean(call.steps for call in earlier)


def _time(models: frozenset[str], earlier: Sequence[EarlierResult], jobs: int, workers: int) -> Range | None:
    """Return the seconds of a run. None: too few earlier results."""
    # A job that called another model says nothing about the time of these.
    seconds = [result.seconds for result in earlier if result.models and result.models <= models]
    if len(seconds) < MIN_EARLIER_RESULTS:
        return None
    # The upper end assumes rounds of jobs, in which workers wait for the last one.
    per_job = _mean(seconds)
    return Range(per_job.low * jobs / min(workers, max(1, jobs)), per_job.high * math.ceil(jobs / workers))


def _tokens(work: Work, earlier: Sequence[EarlierResult]) -> tuple[Range, Range, bool]:
    """Read, written, and whether earlier results say so."""
    read = written = NOTHING
    measured = True
    for number, answering in ((work.answers, True), (work.judgments, False)):
        if not number:
            continue
        calls = _calls_of(work.model, earlier, answering=answering)
        if len(calls) >= MIN_EARLIER_RESULTS:
            more = 1.0 if answering else _more_replies(work, calls)
            read += _mean([call.input for call in calls]).times(number).widen(more)
            written += _mean([call.output for call in calls]).times(number).widen(more)
            continue
        measured = False
        asks = _answer if answering else _judgment
        of_read, of_written = asks(work)
        read, written = read + of_read, written + of_written
    return read, written, measured


def _calls_of(model: str, earlier: Sequence[EarlierResult], *, answering: bool) -> list[EarlierCall]:
    """Return the earlier calls of a model to answer, or to judge."""
    calls = (call for result in earlier for call in result.calls)
    return [call for call in calls if call.model == model and call.answering == answering]


def _answer(work: Work) -> tuple[Range, Range]:
    most = min(OUTPUT_TOKENS_OF_ANSWER[1], work.max_tokens)
    return _prompt(work).times(work.answers), Range(min(OUTPUT_TOKENS_OF_ANSWER[0], most), most).times(work.answers)


def _judgment(work: Work) -> tuple[Range, Range]:
    read = _prompt(work) + Range(*OUTPUT_TOKENS_OF_ANSWER) + Range(*INPUT_TOKENS_OF_JUDGE)
    return read.times(work.replies), Range(*OUTPUT_TOKENS_OF_JUDGE).times(work.replies)


def _prompt(work: Work) -> Range:
    least, most = CHARACTERS_PER_TOKEN
    return Range(work.prompt / most, work.prompt / least)


def _mean(values: Sequence[float]) -> Range:
    """`values`: at least `MIN_EARLIER_RESULTS`."""
    mean, error = fmean(values), stdev(values) / math.sqrt(len(values))
    margin = max(STANDARD_ERRORS_OF_FORECAST * error, MIN_MARGIN_SHARE_OF_FORECAST * mean)
    return Range(max(0.0, mean - margin), mean + margin)
