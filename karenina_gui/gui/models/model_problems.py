"""Checks of the models of a run: reachability and suitability."""

from __future__ import annotations

from contextlib import suppress

from karenina_gui.errors import InputError
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig


def problems(config: VerificationConfig, catalog: ModelCatalog) -> list[str]:
    """List problems of a run's models: missing keys, unreadable recordings, unusable tools."""
    # A dict as an ordered set: a model can be both an answering model and a judge.
    found: dict[str, None] = {}
    for model in (*config.answering_models, *config.parsing_models):
        if sentence := problem(model, catalog):
            found[f"{model.id}: {sentence}"] = None
    for model in () if config.conditions else config.answering_models:  # with conditions: see `runs.conditions`
        if sentence := without_tools(model, catalog):
            found[f"{model.id}: {sentence}"] = None
    for judge in config.parsing_models:
        if not catalog.can_judge(judge):
            found[f"{judge.id}: recorded answers only, so it can’t judge. Select another judge."] = None
    return list(found)


def lacking_keys(config: VerificationConfig, catalog: ModelCatalog) -> list[str]:
    """List the environment variables of missing keys."""
    found: dict[str, None] = {}
    for model in (*config.answering_models, *config.parsing_models):
        with suppress(InputError):  # `problem` reports an unknown interface
            if (key := catalog.key(model)) and not key.is_set:
                found[key.variable] = None
    return list(found)


def problem(model: ModelConfig, catalog: ModelCatalog) -> str | None:
    """Return a known reason why a model cannot be reached, or None."""
    if model.interface == "replay" and not model.recording:
        return "no recording. Choose a recorded file on the Models page."
    try:
        key = catalog.key(model)
        catalog.recording_label(model)
        lacking = catalog.lacking(model)
    except InputError as error:
        return str(error)
    if lacking is not None:
        return lacking
    if model.interface == "manual" and not model.manual_traces:
        return "no recorded answers. Choose a file on the Models page."
    if key is not None and not key.is_set:
        return (
            f"no API key. Enter {key.variable} on the API keys page, or set the environment variable and restart the "
            "application."
        )
    return None


def without_tools(model: ModelConfig, catalog: ModelCatalog) -> str | None:
    """Return the reason why a model cannot use its tools; None: it can, or it has none."""
    tools = catalog.tools_in_vain(model)
    return (
        f"its interface can’t use tools ({', '.join(tools)}). Select another answering model, or remove its tools on "
        "the Models page."
        if tools
        else None
    )
