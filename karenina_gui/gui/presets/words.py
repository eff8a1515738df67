"""What a preset sets, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karenina_gui.gui.parts.comparison import written
from karenina_gui.gui.runs.choice import MODES, SHOWN
from karenina_gui.gui.runs.plan_view import counted
from karenina_gui.schemas.config import ModelConfig, VerificationConfig
from karenina_gui.schemas.model_labels import labels


def briefly(config: VerificationConfig) -> str:
    """`2 models · 1 judge · 3 replicates · Template`."""
    parts = [counted(len(config.answering_models), "model"), counted(len(config.parsing_models), "judge")]
    parts.append(counted(config.replicate_count, "replicate"))
    return " · ".join([*parts, MODES[config.evaluation_mode][0]])


def in_full(config: VerificationConfig) -> list[tuple[str, str]]:
    """Title and value of everything that a run of it would go by, the usual first."""
    return [
        ("Answering models", _models(config.answering_models)),
        ("Judges", _models(config.parsing_models)),
        ("Replicates", f"{config.replicate_count:,}"),
        ("What is checked", MODES[config.evaluation_mode][0]),
        ("Jobs at the same time", f"{config.workers:,}"),
        ("Time limit of a call", f"{config.request_timeout:g} s"),
        *further(config.model_dump(mode="json", exclude=SHOWN, exclude_defaults=True)),
        *[(title, "yes") for name, title in SWITCHES.items() if getattr(config, name)],
    ]


def further(settings: dict[str, Any]) -> list[tuple[str, str]]:
    """Settings that the Run page has no control for: `Task ordering`, `random`."""
    return [(title(name), written(value)) for name, value in settings.items()]


def title(name: str) -> str:
    """`async_max_workers` as a person reads it."""
    words = name.removesuffix("_config").replace("_", " ")
    return words[:1].upper() + words[1:]


SWITCHES = {
    "abstention_enabled": "Ask whether the model refused",
    "sufficiency_enabled": "Ask whether the answer says enough",
    "use_full_trace_for_template": "Judge the whole conversation",
    "use_full_trace_for_rubric": "Rate traits on the whole conversation",
}


def _models(models: Sequence[ModelConfig]) -> str:
    return ", ".join(
        label if label == model.model_name else f"{label} ({model.model_name})"
        for label, model in zip(labels(models), models, strict=True)
    )
