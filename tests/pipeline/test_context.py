"""The context of a job: agentic settings and result fields."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from karenina_gui import ArtifactKeys, ModelConfig, VerificationConfig, VerificationContext
from karenina_gui.adapters.ports import CallUsage
from karenina_gui.schemas.usage import tokens_by_step

DEFAULTS = {
    "agentic_parsing": False,
    "agentic_judge_context": "workspace_only",
    "agentic_parsing_max_turns": 15,
    "agentic_parsing_timeout": 120.0,
    "agentic_rubric_strategy": "individual",
    "workspace_copy": True,
    "workspace_cleanup": True,
}
"""`agentic-evaluation.md`, section 8, and `agentic-rubric-evaluation.md`, section 3."""
OTHERS: dict[str, Any] = {
    "agentic_parsing": True,
    "agentic_judge_context": "trace_only",
    "agentic_parsing_max_turns": 3,
    "agentic_parsing_timeout": 5.0,
    "agentic_rubric_strategy": "shared",
    "workspace_copy": False,
    "workspace_cleanup": False,
}


def context(**given: Any) -> VerificationContext:
    return VerificationContext("q", "t", "Mend calc.py.", "", ModelConfig(model_name="m", interface="manual"), **given)


def settings(context: VerificationContext) -> dict[str, Any]:
    return {name: getattr(context, name) for name in DEFAULTS}


def test_agentic_settings_have_the_specified_defaults() -> None:
    assert settings(context()) == DEFAULTS


def test_agentic_settings_are_those_of_the_configuration_or_given() -> None:
    config = VerificationConfig.model_validate(OTHERS)
    assert settings(context(config=config)) == settings(context(**OTHERS)) == OTHERS
    assert settings(context(config=config, workspace_copy=True)) == OTHERS | {"workspace_copy": True}
    assert config.workspace_copy is False  # other jobs of the run have it as it was


def test_a_setting_is_kept_once_and_checked() -> None:
    made = context()
    made.agentic_parsing_max_turns = 4
    assert made.config.agentic_parsing_max_turns == 4
    with pytest.raises(ValidationError):
        made.agentic_parsing_max_turns = 0


def test_fields_of_the_result_are_written_with_or_without_an_artifact() -> None:
    made = context()
    keys = ArtifactKeys
    assert made.get_result_field(keys.AGENTIC_PARSING_PERFORMED, False) is False
    assert made.get_result_field(keys.INVESTIGATION_TRACE) is None
    made.set_artifact_and_result(keys.AGENTIC_RUBRIC_EVALUATION_PERFORMED, True)
    made.set_artifact_and_result(keys.INVESTIGATION_TRACE, "It runs.")
    assert made.get_artifact(keys.AGENTIC_RUBRIC_EVALUATION_PERFORMED) is True
    assert made.get_result_field(keys.AGENTIC_RUBRIC_EVALUATION_PERFORMED, False) is True
    assert made.get_result_field("template.investigation_trace") == "It runs."


def test_the_tokens_of_an_agents_long_requests_are_kept_apart() -> None:
    job, model = context(), ModelConfig(id="m", model_name="m", interface="openai_endpoint")
    long = CallUsage(300_000, 5, {"cache_read": 9})
    requests = (long, CallUsage(1000, 2), long)
    job.count("answer_generation", model, (CallUsage(601_000, 12, {"cache_read": 18}, requests=requests),), {})
    job.count("parsing", model, (CallUsage(1000, 2),), {})
    steps = tokens_by_step(job.usage)
    parts = {part.length: (part.input, part.output, part.cache_read) for part in steps["answer_generation"].parts}
    assert parts == {272_000: (600_000, 10, 18), 0: (1000, 2, 0)}
    assert (steps["parsing"].length, steps["parsing"].parts) == (0, ())
