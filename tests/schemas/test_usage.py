"""Tokens of a result by model, out of what each step says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.schemas.prices import ModelTokens, Spending
from karenina_gui.schemas.result import ModelIdentity, ResultMetadata, ResultTemplate, VerificationResult
from karenina_gui.schemas.usage import by_step, spending_of


def result(usage: dict[str, Any] | None, *, untold: bool = False) -> VerificationResult:
    identity = ModelIdentity(interface="openai", model_name="gpt")
    return VerificationResult(
        metadata=ResultMetadata(question_id="q", template_id="t", answering=identity),
        template=ResultTemplate(usage_metadata=usage, usage_unavailable=untold),
    )


def test_steps_of_one_model_are_added_and_the_total_is_not_counted_again() -> None:
    found = result(
        {
            "answer_generation": {"model": "openai:gpt", "input_tokens": 10, "output_tokens": 5},
            "parsing": {
                "model": "anthropic:claude",
                "input_tokens": 100,
                "output_tokens": 7,
                "input_token_details": {"cache_read": 60, "cache_creation": 20},
            },
            "rubric_evaluation": {
                "model": "openai:gpt",
                "input_tokens": 30,
                "output_tokens": 1,
                "input_token_details": {"cached_tokens": 8, "audio_tokens": 3},
            },
            "total": {"input_tokens": 140, "output_tokens": 13, "total_tokens": 153},
        }
    )
    assert spending_of(found) == Spending(
        (ModelTokens("openai:gpt", 40, 6, 8), ModelTokens("anthropic:claude", 100, 7, 60, 20)), results=1
    )
    assert list(by_step(found)) == ["answer_generation", "parsing", "rubric_evaluation"]


@pytest.mark.parametrize(
    ("details", "written", "for_an_hour"),
    [
        ({"cache_creation": 8}, 8, 0),
        ({"cache_write_tokens": 8}, 8, 0),
        ({"cache_creation": 8, "ephemeral_1h_input_tokens": 5}, 8, 5),
        ({"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 5}, 8, 5),
    ],
    ids=["Anthropic", "OpenAI and OpenRouter", "Anthropic, an hour", "LangChain"],
)
def test_every_providers_name_of_writing_to_the_cache_is_read(
    details: dict[str, int], written: int, for_an_hour: int
) -> None:
    entry = {"model": "m", "input_tokens": 10, "output_tokens": 1, "input_token_details": details}
    (tokens,) = by_step(result({"answer_generation": entry})).values()
    assert (tokens.cache_creation, tokens.cache_creation_1h) == (written, for_an_hour)


def test_figures_of_a_foreign_file_that_are_none_count_as_none() -> None:
    odd = {"model": "m", "input_tokens": "many", "output_tokens": -3, "input_token_details": [1]}
    found = result({"answer_generation": odd, "parsing": "?", "total": None, "other": {"input_tokens": 4}}, untold=True)
    assert spending_of(found) == Spending((ModelTokens("m"),), untold=1, results=1)


def test_a_result_without_calls_has_no_tokens() -> None:
    assert spending_of(result(None)) == Spending(results=1)
    assert spending_of(result(None).model_copy(update={"template": None})) == Spending(results=1)
