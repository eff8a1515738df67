"""Forecast of the tokens and cost of drafts."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from karenina_gui.analysis.costs import dollars
from karenina_gui.analysis.forecast import NOTHING, Range
from karenina_gui.analysis.thresholds import (
    CHARACTERS_PER_TOKEN,
    MIN_EARLIER_RESULTS,
    MIN_MARGIN_SHARE_OF_FORECAST,
    OUTPUT_TOKENS_OF_JUDGE,
    STANDARD_ERRORS_OF_FORECAST,
)
from karenina_gui.authoring.drafting.drafter import RETRIES
from karenina_gui.authoring.drafting.prompts import TEMPLATE_SCHEMA
from karenina_gui.gui.components.html import Html, join_html, link, tag
from karenina_gui.gui.prices.price_text import PAGE, in_dollars, model_in_words
from karenina_gui.schemas.model_config import PLAYED_BACK
from karenina_gui.schemas.model_draft import ModelDraft
from karenina_gui.schemas.prices import ModelTokens, Price
from karenina_gui.text import quantity

SCHEMA_LENGTH = len(json.dumps(TEMPLATE_SCHEMA))
"""Characters of the response schema, which providers count as input."""


@dataclass(frozen=True)
class DraftForecast:
    """Forecast for a number of drafts."""

    model: str
    """`interface:model_name`."""
    read: Range
    written: Range
    dollars: Range | None
    """None: the model has no price."""
    earlier: int
    """Number of earlier drafts that it is based on; 0: the length of the prompts."""

    @property
    def played_back(self) -> bool:
        return self.model.partition(":")[0] in PLAYED_BACK


def forecast_drafts(
    model: str, prompts: Sequence[int], count: int, earlier: Sequence[ModelDraft], prices: Mapping[str, Price]
) -> DraftForecast:
    """Forecast `count` drafts. `prompts`: characters of the prompts of some of them."""
    used = [tokens for draft in earlier if (tokens := _tokens_of(draft)) is not None]
    if len(used) >= MIN_EARLIER_RESULTS:
        read, written = _mean([counts[0] for counts in used]), _mean([counts[1] for counts in used])
    else:
        used = []
        read, written = _from_prompts(prompts)
    read, written = read.times(count), written.times(count)
    ends = (read.low, written.low), (read.high, written.high)
    low, high = (dollars(ModelTokens(model, round(into), round(out)), prices.get(model)) for into, out in ends)
    return DraftForecast(model, read, written, None if low is None or high is None else Range(low, high), len(used))


def _tokens_of(draft: ModelDraft) -> tuple[int, int] | None:
    """Input and output tokens of all attempts; None: the provider did not report them."""
    counts = [(attempt.input_tokens, attempt.output_tokens) for attempt in draft.attempts]
    read, written = [count for count, _ in counts if count], [count for _, count in counts if count]
    return (sum(read), sum(written)) if len(read) == len(written) == len(counts) else None


def _from_prompts(prompts: Sequence[int]) -> tuple[Range, Range]:
    """Tokens in and out of one draft: from a single call to all retries, each with the reply before it."""
    if not prompts:
        return NOTHING, NOTHING
    length = fmean(prompts) + SCHEMA_LENGTH
    least, most = CHARACTERS_PER_TOKEN
    once = Range(length / most, length / least)
    written = Range(*OUTPUT_TOKENS_OF_JUDGE)
    read = Range(once.low, once.high * (RETRIES + 1) + written.high * RETRIES)
    return read, Range(written.low, written.high * (RETRIES + 1))


def _mean(values: Sequence[int]) -> Range:
    mean, error = fmean(values), stdev(values) / math.sqrt(len(values))
    margin = max(STANDARD_ERRORS_OF_FORECAST * error, MIN_MARGIN_SHARE_OF_FORECAST * mean)
    return Range(max(0.0, mean - margin), mean + margin)


def draft_forecast_view(forecast: DraftForecast) -> Html:
    """HTML of a forecast: `Estimate: 4,000 to 9,000 tokens · $0.01 to $0.05`, and its basis."""
    if forecast.played_back:
        return tag("p", "Replays recorded replies: no model is called, at no cost.")
    tokens = forecast.read + forecast.written
    money = (
        "cost unknown"
        if forecast.dollars is None
        else _span(*map(in_dollars, (forecast.dollars.low, forecast.dollars.high)))
    )
    return join_html(
        [
            tag("p", tag("b", f"Estimate: {_span(_round(tokens.low), _round(tokens.high))} tokens"), f" · {money}"),
            tag("p", _basis(forecast), class_="result-muted"),
            None if forecast.dollars is not None else _without_price(forecast.model),
        ]
    )


def _basis(forecast: DraftForecast) -> str:
    if forecast.earlier:
        return f"Estimated from {quantity(forecast.earlier, 'earlier draft')} by this model."
    return f"Estimated from prompt length, with up to {quantity(RETRIES, 'retry')} per draft."


def _without_price(model: str) -> Html:
    return tag("p", f"No price for {model_in_words(model)}. ", link(PAGE, "Enter prices"), class_="result-muted")


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _round(number: float) -> str:
    """Two significant digits: more would suggest precision that the forecast lacks."""
    return f"{int(float(f'{number:.1e}')):,}"
