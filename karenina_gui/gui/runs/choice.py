"""What a person chooses on the Run page, and the run configuration that follows from it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

from pydantic import ValidationError

from karenina_gui.gui.parts.bounded_number import Limits
from karenina_gui.schemas.config import EvaluationMode, ModelConfig, VerificationConfig

Scope = Literal["finished", "keywords", "picked"]

SCOPES: dict[Scope, str] = {
    "finished": "All finished questions",
    "keywords": "Finished questions with a keyword",
    "picked": "Questions picked by hand",
}
MODES: dict[EvaluationMode, tuple[str, str]] = {
    "template_only": ("Template", "Each answer is read into the question’s template and compared with what is right."),
    "template_and_rubric": ("Template and rubric", "Templates decide, and each trait of the rubric is rated as well."),
    "rubric_only": ("Rubric", "Only traits are rated; no template is asked, so there is no right or wrong."),
}
"""Title and one sentence for each evaluation mode."""

FIELDS = {
    "replicate_count": "replicates",
    "evaluation_mode": "mode",
    "async_max_workers": "workers",
    "request_timeout": "time_limit",
    "use_full_trace_for_template": "full_trace_for_template",
    "use_full_trace_for_rubric": "full_trace_for_rubric",
    "abstention_enabled": "refusal_check",
    "sufficiency_enabled": "sufficiency_check",
}
"""Settings that the page shows: name in `VerificationConfig`, name in `RunChoice`."""
SHOWN = {*FIELDS, "answering_models", "parsing_models"}


LIMITS = {
    "replicates": Limits("Replicates", 1, 100),
    "workers": Limits("Jobs at the same time", 1, 64),
    "time_limit": Limits("Time limit of a call, in seconds", 1, 3600, whole=False),
}
"""Numbers of a `RunChoice`, by name."""


@dataclass
class RunChoice:
    """The state of one Run page. Models are chosen by their names on the Models page."""

    scope: Scope = "finished"
    keywords: list[str] = field(default_factory=list)
    picked: list[str] = field(default_factory=list)
    """Question ids."""
    models: list[str] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)
    replicates: int = 1
    mode: EvaluationMode = "template_only"
    workers: int = 4
    time_limit: float = 120.0
    """Seconds for one model call."""
    full_trace_for_template: bool = False
    full_trace_for_rubric: bool = True
    refusal_check: bool = False
    sufficiency_check: bool = False
    record: bool = False
    """Keep every exchange with a model in a file, to be played back later."""
    name: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings that the page does not show, by name in `VerificationConfig`, where they are not the usual ones."""
    refused: dict[str, str] = field(default_factory=dict)
    """Numbers that stand in a field of the page and are not taken, by name: what is wrong with each."""

    def refusals(self) -> list[str]:
        """A sentence for each number that a run cannot have, whether it was typed or came with a preset."""
        kept = {name: limits.refusal(getattr(self, name)) for name, limits in LIMITS.items()}
        found = {name: problem for name, problem in (kept | self.refused).items() if problem}
        return [f"{LIMITS[name].title}: {problem}" for name, problem in found.items()]

    @classmethod
    def of(cls, config: VerificationConfig) -> RunChoice:
        """The choice that leads to this configuration, for all finished questions."""
        return cls(
            models=[str(model.id) for model in config.answering_models],
            judges=[str(model.id) for model in config.parsing_models],
            **{own: getattr(config, name) for name, own in FIELDS.items()},
            settings=config.model_dump(mode="json", exclude=SHOWN, exclude_defaults=True),
        )

    @classmethod
    def remembered(cls, memory: Mapping[str, Any]) -> RunChoice:
        """What was kept by `memory`; anything that no longer fits falls back to its default."""
        plain = cls()
        kept = {f.name: _like(getattr(plain, f.name), memory.get(f.name)) for f in fields(cls)}
        choice = cls(**kept)
        choice.scope = choice.scope if choice.scope in SCOPES else "finished"
        choice.mode = choice.mode if choice.mode in MODES else "template_only"
        for name in LIMITS:
            try:
                replace(plain, **{name: getattr(choice, name)}).config({})
            except ValidationError:
                setattr(choice, name, getattr(plain, name))
        return choice

    def memory(self) -> dict[str, Any]:
        """What is worth keeping for the next run of the same benchmark."""
        return {**asdict(self), "name": "", "refused": {}}

    def config(self, models: Mapping[str, ModelConfig]) -> VerificationConfig:
        """The run configuration; names that are not among `models` any more are left out."""
        shown = {name: getattr(self, own) for name, own in FIELDS.items()}
        return VerificationConfig(
            answering_models=_named(self.models, models),
            parsing_models=_named(self.judges, models),
            **shown,
            **self.settings,
        )


def _like(default: Any, kept: Any) -> Any:
    """`kept` where it is of the same kind, else `default`; browsers' memories have kinds of lists of their own."""
    if isinstance(default, list):
        return [str(each) for each in kept] if isinstance(kept, list) else default
    if isinstance(default, dict):
        return _settings(kept) if isinstance(kept, dict) else default
    return kept if type(kept) is type(default) else default


def _named(names: Sequence[str], models: Mapping[str, ModelConfig]) -> list[ModelConfig]:
    return [models[name].model_copy(update={"id": name}) for name in names if name in models]


def _settings(kept: dict[str, Any]) -> dict[str, Any]:
    """Remembered settings, unless a newer version would refuse them."""
    plain: dict[str, Any] = json.loads(json.dumps({name: value for name, value in kept.items() if name not in SHOWN}))
    try:
        VerificationConfig.model_validate(plain)
    except ValidationError:
        return {}
    return plain
