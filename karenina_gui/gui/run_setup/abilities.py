"""Limits of a model in a run that follow from its interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from karenina_gui.runs.models import ModelCatalog
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.text import join_list

Place = Literal["models", "judges"]
"""Role of a model, as named in `RunDraft`."""


def limitations(model: ModelConfig, place: Place, catalog: ModelCatalog) -> list[str]:
    """List the limits of a model in a role as sentences; empty: no limits."""
    if place == "judges":
        return [] if catalog.keeps_to_schemas(model) else [IN_WORDS]
    sentences = [] if catalog.is_asked(model) else [NOT_ASKED]
    if tools := catalog.tools_in_vain(model):
        sentences.append(f"Can’t use its tools: {', '.join(tools)}.")
    return sentences


IN_WORDS = "No structured output: asked for JSON in the prompt, so invalid replies are more likely."
NOT_ASKED = "Recorded answers: few-shot examples and instructions have no effect."


def no_judges(names: Sequence[str]) -> str:
    """Sentence about models that cannot judge: `a and b can’t judge: recorded answers only.`"""
    return f"{join_list(names)} can’t judge: recorded answers only."
