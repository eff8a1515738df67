"""Tokens and cost of drafts before they are ordered."""

from __future__ import annotations

import pytest

from karenina_gui.gui.pages.drafts.draft_dialog import draft_forecast_view, forecast_drafts
from karenina_gui.schemas.model_draft import DraftAttempt, ModelDraft
from karenina_gui.schemas.prices import Price

MODEL = "openai_endpoint:m"
PRICES = {MODEL: Price(model=MODEL, input=1.0, output=10.0)}


def drafts(*tokens: tuple[int | None, int | None]) -> list[ModelDraft]:
    return [ModelDraft(attempts=[DraftAttempt(input_tokens=read, output_tokens=out)]) for read, out in tokens]


def test_without_earlier_drafts_the_prompts_count() -> None:
    one = forecast_drafts(MODEL, [3000], 1, [], PRICES)
    twenty = forecast_drafts(MODEL, [3000], 20, [], PRICES)
    assert (one.earlier, twenty.earlier) == (0, 0)
    assert 600 < one.read.low < 3000 < one.read.high
    assert twenty.read.high == pytest.approx(20 * one.read.high)
    assert one.dollars is not None and 0 < one.dollars.low < one.dollars.high
    text = draft_forecast_view(twenty)
    assert "Estimated from prompt length, with up to 2 retries per draft." in text and "$0." in text


def test_earlier_drafts_of_the_model_make_it_narrow() -> None:
    found = forecast_drafts(MODEL, [3000], 10, drafts((900, 100), (1000, 110), (1100, 90)), PRICES)
    assert found.earlier == 3
    assert 8000 < found.read.low < 10_000 < found.read.high < 12_000
    assert "Estimated from 3 earlier drafts by this model." in draft_forecast_view(found)


def test_drafts_without_counts_say_nothing() -> None:
    assert forecast_drafts(MODEL, [3000], 10, drafts((900, 100), (None, None), (1100, 90)), PRICES).earlier == 0


def test_an_unknown_price_is_never_zero() -> None:
    found = forecast_drafts(MODEL, [3000], 1, [], {})
    assert found.dollars is None
    text = draft_forecast_view(found)
    assert "cost unknown" in text and "No price for m (OpenAI or a compatible server)." in text and "/prices" in text


def test_recorded_replies_cost_nothing() -> None:
    assert "at no cost" in draft_forecast_view(forecast_drafts("replay:m", [3000], 5, [], {}))
