"""Summaries of presets in words."""

from __future__ import annotations

from collections.abc import Sequence

from karenina_gui.gui.models.retry_numbers import ESCALATION
from karenina_gui.gui.run_setup import option_text
from karenina_gui.gui.run_setup.condition_differences import in_words
from karenina_gui.gui.run_setup.draft import RunDraft
from karenina_gui.gui.run_setup.options import (
    FIXED_JUDGES,
    JUDGE_REPLICATES,
    MODE,
    MODES,
    REPLICATES,
    TIME_LIMIT,
    WORKERS,
)
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.model_labels import labels
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import quantity


def config_summary(config: VerificationConfig) -> str:
    """Summarize a preset: `2 models · 1 judge · 3 replicates · Template only`."""
    parts = [quantity(len(config.answering_models), "model"), quantity(len(config.parsing_models), "judge")]
    if config.conditions:
        parts.append(quantity(len(config.conditions), "condition"))
    parts.append(quantity(config.replicate_count, "replicate"))
    return " · ".join([*parts, MODES[config.evaluation_mode][0]])


def setting_rows(config: VerificationConfig) -> list[tuple[str, str]]:
    """List titles and values of all settings of a preset, standard ones first."""
    choice = RunDraft.of(config)
    # The page shows retries as editable fields.
    choice.settings.pop("retry_policy", None)
    judged = bool(config.parsing_models)
    always = {WORKERS.title: f"{config.workers:,}", TIME_LIMIT.title: f"{config.request_timeout:g} s"}
    changed = [row for row in option_text.setting_rows(choice) if row[0] not in always]
    return [
        ("Answering models", _models(config.answering_models)),
        ("Judges", _models(config.parsing_models)),
        *[(f"Condition “{condition.name}”", in_words(condition)) for condition in config.conditions],
        (REPLICATES.title, f"{config.replicate_count:,}"),
        *([(JUDGE_REPLICATES.title, f"{config.judge_replicates:,}")] if config.judge_replicates > 1 else []),
        *([(FIXED_JUDGES.title, "on" if config.fixed_judges else "off")] if judged else []),
        (MODE.title, MODES[config.evaluation_mode][0]),
        *always.items(),
        *changed,
        *([("Retries", ESCALATION)] if config.retry_policy.timeout_escalation else []),
    ]


def _models(models: Sequence[ModelConfig]) -> str:
    return ", ".join(
        label if label == model.model_name else f"{label} ({model.model_name})"
        for label, model in zip(labels(models), models, strict=True)
    )
