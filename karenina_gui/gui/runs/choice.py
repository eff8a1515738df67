"""What a person chooses on the Run page, and the run configuration that follows from it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from karenina_gui.gui.runs import setting
from karenina_gui.gui.runs.condition_draft import ConditionDraft, usable
from karenina_gui.schemas.config import ModelConfig, VerificationConfig

Scope = Literal["finished", "keywords", "picked"]

SCOPES: dict[Scope, str] = {
    "finished": "All finished questions",
    "keywords": "Finished questions with a keyword",
    "picked": "Selected questions",
}


@dataclass
class RunChoice:
    """The state of one Run page. Models are chosen by their names on the Models page."""

    scope: Scope = "finished"
    keywords: list[str] = field(default_factory=list)
    picked: list[str] = field(default_factory=list)
    """Question ids."""
    models: list[str] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)
    record: bool = False
    """Keep every exchange with a model in a file, to be played back later."""
    name: str = ""
    conditions: list[ConditionDraft] = field(default_factory=list)
    """The first is the baseline; none: the models are asked as they are."""
    settings: setting.Settings = field(default_factory=dict)
    """What is not usual in `VerificationConfig`, but the models and the conditions."""
    refused: dict[str, Any] = field(default_factory=dict)
    """What was entered for settings that cannot be it, by their places; the run goes by what was there before."""

    @classmethod
    def of(cls, config: VerificationConfig) -> RunChoice:
        """The choice that leads to this configuration, for all finished questions."""
        settings = setting.changed_settings(config)
        settings.pop("allow_programs", None)  # the page asks before each run
        return cls(
            models=[str(model.id) for model in config.answering_models],
            judges=[str(model.id) for model in config.parsing_models],
            conditions=[ConditionDraft.of(condition) for condition in config.conditions],
            settings=settings,
        )

    @classmethod
    def remembered(cls, memory: Mapping[str, Any]) -> RunChoice:
        """What was kept by `memory`; anything that no longer fits falls back to its default."""
        plain = cls()
        kept = {
            f.name: _like(getattr(plain, f.name), memory.get(f.name)) for f in fields(cls) if f.name != "conditions"
        }
        choice = cls(**kept)
        drafts = map(ConditionDraft.remembered, memory.get("conditions") or ())
        choice.conditions = [draft for draft in drafts if draft is not None]
        choice.settings = setting.usable(choice.settings)
        choice.confine()
        choice.scope = choice.scope if choice.scope in SCOPES else "finished"
        return choice

    def confine(self) -> bool:
        """Take back that commands may run unconfined: only a person says so, for a single run. Whether they might."""
        self.settings.pop("allow_programs", None)
        return bool(self.settings.pop("allow_unconfined_commands", False))

    def memory(self) -> dict[str, Any]:
        """The choices as plain JSON, to be stored for the next run of the same benchmark."""
        kept = {f.name: deepcopy(getattr(self, f.name)) for f in fields(self)}
        return {**kept, "conditions": [draft.memory() for draft in self.conditions]}

    def value(self, path: str) -> Any:
        """What the run goes by: of a place in `VerificationConfig`, such as `few_shot_config.pool_k`."""
        return setting.value(self.settings, path)

    def is_usual(self, path: str) -> bool:
        return bool(self.value(path) == setting.usual(path))

    def set(self, path: str, entered: Any) -> None:
        """A value that the setting can be; None: as usual."""
        self.refused.pop(path, None)
        self.settings = setting.with_value(self.settings, path, entered)

    def config(self, models: Mapping[str, ModelConfig]) -> VerificationConfig:
        """The run configuration; names that are not among `models` any more are left out, and so are conditions that a
        run cannot have (`condition_draft.problems`)."""
        return VerificationConfig(
            answering_models=_named(self.models, models),
            parsing_models=_named(self.judges, models),
            conditions=usable(self.conditions),
            **{**setting.OWN, **self.settings},
        )


def _like(default: Any, kept: Any) -> Any:
    """`kept` where it is of the same kind, else `default`; browsers' memories have kinds of lists of their own."""
    if isinstance(default, list):
        return [str(each) for each in kept] if isinstance(kept, list) else default
    if isinstance(default, dict):
        return json.loads(json.dumps(kept)) if isinstance(kept, dict) else default
    return kept if type(kept) is type(default) else default


def _named(names: Sequence[str], models: Mapping[str, ModelConfig]) -> list[ModelConfig]:
    return [models[name].model_copy(update={"id": name}) for name in names if name in models]
