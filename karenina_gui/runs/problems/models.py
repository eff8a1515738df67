"""Models of a run that cannot do their part: unreachable, or unsuitable."""

from __future__ import annotations

from contextlib import suppress

from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.errors import InputError
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.runs.problems.cases import (
    FaultyModel,
    ModelFault,
    NoKey,
    NoRecordedAnswers,
    NoRecording,
    RecordedJudge,
    Unavailable,
    UnusableTools,
)
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig


def obstacles(config: VerificationConfig, catalog: ModelCatalog) -> list[FaultyModel]:
    """List missing keys, unreadable recordings, and unusable tools of a run's models."""
    found = [(model, fault_of(model, catalog)) for model in (*config.answering_models, *config.parsing_models)]
    if not config.conditions:  # with conditions: see `problems.conditions`
        found += [(model, unusable_tools(model, catalog)) for model in config.answering_models]
    found += [(judge, RecordedJudge()) for judge in config.parsing_models if not catalog.can_judge(judge)]
    # A dict as an ordered set: a model can be both an answering model and a judge.
    return list(dict.fromkeys(FaultyModel(str(model.id), fault) for model, fault in found if fault is not None))


def missing_packages(config: VerificationConfig) -> list[FaultyModel]:
    """List models that lack a package or setting, without those whose interface does not exist."""
    found: dict[FaultyModel, None] = {}
    for model in (*config.answering_models, *config.parsing_models):
        spec = AdapterRegistry.get_spec(model.interface)
        if spec is not None and spec.lacking is not None and (message := spec.lacking(model)) is not None:
            found[FaultyModel(str(model.id), Unavailable(message))] = None
    return list(found)


def lacking_keys(config: VerificationConfig, catalog: ModelCatalog) -> list[str]:
    """List the environment variables of missing keys."""
    found: dict[str, None] = {}
    for model in (*config.answering_models, *config.parsing_models):
        with suppress(InputError):  # `fault_of` reports an unknown interface
            if (key := catalog.key(model)) and not key.is_set:
                found[key.variable] = None
    return list(found)


def fault_of(model: ModelConfig, catalog: ModelCatalog) -> ModelFault | None:
    """Return a known reason why a model cannot be reached, or None."""
    if model.interface == "replay" and not model.recording:
        return NoRecording()
    try:
        key = catalog.key(model)
        catalog.recording_label(model)
        lacking = catalog.lacking(model)
    except InputError as error:
        return Unavailable(str(error))
    if lacking is not None:
        return Unavailable(lacking)
    if model.interface == "manual" and not model.manual_traces:
        return NoRecordedAnswers()
    return NoKey(key.variable) if key is not None and not key.is_set else None


def unusable_tools(model: ModelConfig, catalog: ModelCatalog) -> UnusableTools | None:
    """Return the tools of a model whose interface cannot use them; None: it can, or it has none."""
    tools = catalog.tools_in_vain(model)
    return UnusableTools(tuple(tools)) if tools else None
