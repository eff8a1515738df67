"""Models of a run that cannot do their part: unreachable, or unsuitable."""

from __future__ import annotations

from contextlib import suppress

from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.errors import InputError
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig

NO_KEY = "no API key"
"""Beginning of the fault of a model whose key is missing."""


def obstacles(config: VerificationConfig, catalog: ModelCatalog) -> list[str]:
    """List missing keys, unreadable recordings, and unusable tools of a run's models."""
    called = (*config.answering_models, *config.parsing_models)
    # Workers have keys, packages and recordings of their own, which they check themselves.
    faults = [(model, None if config.cluster else fault_of(model, catalog)) for model in called]
    if not config.conditions:  # with conditions: see `problems.conditions`
        faults += [(model, unusable_tools(model, catalog)) for model in config.answering_models]
    unable = "recorded answers only, so it can’t judge. Select another judge."
    faults += [(judge, unable) for judge in config.parsing_models if not catalog.can_judge(judge)]
    # A dict as an ordered set: a model can be both an answering model and a judge.
    return list(dict.fromkeys(f"{model.id}: {fault}" for model, fault in faults if fault is not None))


def missing_packages(config: VerificationConfig) -> list[str]:
    """List models that lack a package or setting, without those whose interface does not exist."""
    messages: dict[str, None] = {}
    for model in (*config.answering_models, *config.parsing_models):
        spec = AdapterRegistry.get_spec(model.interface)
        if spec is not None and spec.lacking is not None and (message := spec.lacking(model)) is not None:
            messages[f"{model.id}: {message}"] = None
    return list(messages)


def lacking_keys(config: VerificationConfig, catalog: ModelCatalog) -> list[str]:
    """List the environment variables of missing keys; those of a cluster's workers are not known here."""
    if config.cluster:
        return []
    variables: dict[str, None] = {}
    for model in (*config.answering_models, *config.parsing_models):
        with suppress(InputError):  # `fault_of` reports an unknown interface
            if (key := catalog.key(model)) and not key.is_set:
                variables[key.variable] = None
    return list(variables)


def fault_of(model: ModelConfig, catalog: ModelCatalog) -> str | None:
    """Return a known reason why a model cannot be reached, or None.

    It begins in lowercase, because the model is named before it.
    """
    if model.interface == "replay" and not model.recording:
        return "no recording. Enter the path of one under Recording on the Models page."
    try:
        key = catalog.key(model)
        catalog.recording_label(model)
        lacking = catalog.lacking(model)
    except InputError as error:
        return str(error)
    if lacking is not None:
        return lacking
    if model.interface == "manual" and not model.manual_traces:
        return "no recorded answers. Import them on the Models page."
    if key is None or key.is_set:
        return None
    return (
        f"{NO_KEY}. Enter {key.variable} on the API keys page, or set the environment variable and restart the "
        "application."
    )


def unusable_tools(model: ModelConfig, catalog: ModelCatalog) -> str | None:
    """Return the problem of tools that the interface cannot use, like `fault_of`; None: it can, or there are none."""
    if not (tools := catalog.tools_in_vain(model)):
        return None
    return (
        f"its interface can’t use tools ({', '.join(tools)}). Select another answering model, or remove its tools on "
        "the Models page."
    )
