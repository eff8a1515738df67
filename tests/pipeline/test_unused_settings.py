"""Changed settings without effect are reported."""

from __future__ import annotations

from karenina_gui import ModelConfig, VerificationConfig
from karenina_gui.pipeline.unused_settings import UNUSED_OF_MODEL, UNUSED_OF_RUN, unused_settings


def test_the_tables_name_real_fields() -> None:
    assert set(VerificationConfig.model_fields) > UNUSED_OF_RUN
    assert set(ModelConfig.model_fields) > UNUSED_OF_MODEL


def test_defaults_need_no_word() -> None:
    assert unused_settings(VerificationConfig(answering_models=[ModelConfig(model_name="m")])) == []


def test_every_changed_setting_without_an_effect_is_named() -> None:
    config = VerificationConfig.model_validate(
        {
            "answering_models": [{"model_name": "m", "max_retries": 7, "temperature": 0.9}],
            "agentic_rubric_parallel": True,
            "agentic_parsing": True,
            "agentic_parsing_trigger": "dynamic",
            "replicate_count": 3,
            "deep_judgment_rubric_mode": "enable_all",
        }
    )
    assert unused_settings(config) == [
        "The run: this version ignores agentic_parsing_trigger and agentic_rubric_parallel.",
        "m: this version ignores max_retries.",
    ]
