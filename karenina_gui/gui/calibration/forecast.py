"""Forecast of the tokens and cost of judging the answers of a calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from karenina_gui.analysis.costs import dollars
from karenina_gui.analysis.thresholds import CHARACTERS_PER_TOKEN, OUTPUT_TOKENS_OF_JUDGE
from karenina_gui.gui.components.html import Html, join_html, link, tag
from karenina_gui.gui.prices.price_text import PAGE, in_dollars, model_in_words
from karenina_gui.schemas.model_config import PLAYED_BACK, ModelConfig
from karenina_gui.schemas.prices import ModelTokens, Price
from karenina_gui.text import quantity

INSTRUCTIONS = 1_500
"""Characters of a judge's instructions, about: it has others for traits than for templates."""


def judging_forecast(model: ModelConfig, lengths: Sequence[int], prices: Mapping[str, Price]) -> Html:
    """HTML of the forecast of one call for each text of these lengths."""
    if model.interface in PLAYED_BACK:
        none = tag("p", "An answer or a wording that was not recorded gets no value.", class_="hint")
        return join_html([tag("p", "Replays recorded replies: no model is called, at no cost."), none])
    calls = quantity(len(lengths), "call")
    name = f"{model.interface}:{model.model_name}"
    read = sum(lengths) + INSTRUCTIONS * len(lengths)
    least, most = CHARACTERS_PER_TOKEN
    ends = [(read / most, OUTPUT_TOKENS_OF_JUDGE[0]), (read / least, OUTPUT_TOKENS_OF_JUDGE[1])]
    tokens = [ModelTokens(name, round(into), round(out * len(lengths))) for into, out in ends]
    low, high = (dollars(usage, prices.get(name)) for usage in tokens)
    total = " to ".join(f"{int(float(f'{usage.input + usage.output:.1e}')):,}" for usage in tokens)
    if low is None or high is None:
        unpriced = tag("p", f"No price for {model_in_words(name)}. ", link(PAGE, "Enter prices"), class_="hint")
        return join_html([tag("p", tag("b", f"{calls}, {total} tokens"), " · cost unknown"), unpriced])
    return tag("p", tag("b", f"{calls}, {total} tokens"), f" · {in_dollars(low)} to {in_dollars(high)}")
