"""State of the Run page, and its conversion to a run configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from karenina_gui.gui.pages.run_setup import setting
from karenina_gui.gui.pages.run_setup.condition_draft import ConditionDraft, usable_conditions
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig

Scope = Literal["finished", "keywords", "picked"]

SCOPES: dict[Scope, str] = {
    "finished": "All finished questions",
    "keywords": "Finished questions with a keyword",
    "picked": "Selected questions",
}


@dataclass
class RunDraft:
    """State of a Run page; models are identified by their names on the Models page."""

    scope: Scope = "finished"
    keywords: list[str] = field(default_factory=list)
    picked: list[str] = field(default_factory=list)
    """Ids of the selected questions."""
    models: list[str] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)
    record: bool = False
    """Record every exchange with a model to a file that can be replayed."""
    name: str = ""
    conditions: list[ConditionDraft] = field(default_factory=list)
    """The first one is the baseline; empty: models run without conditions."""
    settings: setting.Settings = field(default_factory=dict)
    """Settings that differ from the defaults, without models and conditions."""
    refused: dict[str, Any] = field(default_factory=dict)
    """Invalid input by setting; the run uses the last valid values."""

    @classmethod
    def of(cls, config: VerificationConfig) -> RunDraft:
        """Build the state for a configuration, with all finished questions."""
        settings = setting.changed_settings(config)
        settings.pop("allow_programs", None)  # the page asks before each run
        return cls(
            models=[str(model.id) for model in config.answering_models],
            judges=[str(model.id) for model in config.parsing_models],
            conditions=[ConditionDraft.of(condition) for condition in config.conditions],
            settings=settings,
        )

    @classmethod
    def from_memory(cls, memory: Mapping[str, Any]) -> RunDraft:
        """Restore the state from `memory`; invalid parts fall back to their defaults."""
        plain = cls()
        values = {
            f.name: _of_same_type(getattr(plain, f.name), memory.get(f.name))
            for f in fields(cls)
            if f.name != "conditions"
        }
        choice = cls(**values)
        drafts = map(ConditionDraft.from_memory, memory.get("conditions") or ())
        choice.conditions = [draft for draft in drafts if draft is not None]
        choice.settings = setting.usable(choice.settings)
        choice.confine()
        choice.scope = choice.scope if choice.scope in SCOPES else "finished"
        return choice

    def confine(self) -> bool:
        """Reset the consent to unsandboxed commands; return True if it was given."""
        # Consent holds for a single run, and must come from the user instead of a file or an earlier run.
        self.settings.pop("allow_programs", None)
        return bool(self.settings.pop("allow_unconfined_commands", False))

    def to_memory(self) -> dict[str, Any]:
        """Convert the state to JSON, to be saved for the next run of the benchmark."""
        values = {f.name: deepcopy(getattr(self, f.name)) for f in fields(self)}
        return {**values, "conditions": [draft.to_memory() for draft in self.conditions]}

    def value(self, path: str) -> Any:
        """Return the value of a setting by its path, such as `few_shot_config.pool_k`."""
        return setting.value(self.settings, path)

    def is_default(self, path: str) -> bool:
        return bool(self.value(path) == setting.default_value(path))

    def set(self, path: str, entered: Any) -> None:
        """Set a valid value; None resets to the default."""
        self.refused.pop(path, None)
        self.settings = setting.with_value(self.settings, path, entered)

    def config(self, models: Mapping[str, ModelConfig]) -> VerificationConfig:
        """Build the run configuration without deleted models and invalid conditions (`condition_draft.problems`)."""
        return VerificationConfig(
            answering_models=_models_by_name(self.models, models),
            parsing_models=_models_by_name(self.judges, models),
            conditions=usable_conditions(self.conditions),
            **{**setting.GUI_DEFAULTS, **self.settings},
        )


def _of_same_type(default: Any, stored: Any) -> Any:
    """Return `kept` if it has the type of `default`, else `default`."""
    # Saved choices may come from another version.
    if isinstance(default, list):
        return [str(item) for item in stored] if isinstance(stored, list) else default
    if isinstance(default, dict):
        return json.loads(json.dumps(stored)) if isinstance(stored, dict) else default
    return stored if type(stored) is type(default) else default


def _models_by_name(names: Sequence[str], models: Mapping[str, ModelConfig]) -> list[ModelConfig]:
    return [models[name].model_copy(update={"id": name}) for name in names if name in models]
