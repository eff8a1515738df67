"""What a person chooses on the Run page, and the run configuration that follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

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

    @classmethod
    def of(cls, config: VerificationConfig) -> RunChoice:
        """The choice that leads to this configuration, for all finished questions."""
        return cls(
            models=[str(model.id) for model in config.answering_models],
            judges=[str(model.id) for model in config.parsing_models],
            replicates=config.replicate_count,
            mode=config.evaluation_mode,
            workers=config.async_max_workers,
            time_limit=config.request_timeout,
            full_trace_for_template=config.use_full_trace_for_template,
            full_trace_for_rubric=config.use_full_trace_for_rubric,
            refusal_check=config.abstention_enabled,
            sufficiency_check=config.sufficiency_enabled,
        )

    @classmethod
    def remembered(cls, memory: Mapping[str, Any]) -> RunChoice:
        """What was kept by `memory`; anything that no longer fits falls back to its default."""
        plain = cls()
        kept = {f.name: _like(getattr(plain, f.name), memory.get(f.name)) for f in fields(cls)}
        choice = cls(**kept)
        choice.scope = choice.scope if choice.scope in SCOPES else "finished"
        choice.mode = choice.mode if choice.mode in MODES else "template_only"
        return choice

    def memory(self) -> dict[str, Any]:
        """What is worth keeping for the next run of the same benchmark."""
        return {**asdict(self), "name": ""}

    def config(self, models: Mapping[str, ModelConfig]) -> VerificationConfig:
        """The run configuration; names that are not among `models` any more are left out."""
        return VerificationConfig(
            answering_models=_named(self.models, models),
            parsing_models=_named(self.judges, models),
            replicate_count=self.replicates,
            evaluation_mode=self.mode,
            async_max_workers=self.workers,
            request_timeout=self.time_limit,
            use_full_trace_for_template=self.full_trace_for_template,
            use_full_trace_for_rubric=self.full_trace_for_rubric,
            abstention_enabled=self.refusal_check,
            sufficiency_enabled=self.sufficiency_check,
        )


def _like(default: Any, kept: Any) -> Any:
    """`kept` where it is of the same kind, else `default`; browsers' memories have kinds of lists of their own."""
    if isinstance(default, list):
        return [str(each) for each in kept] if isinstance(kept, list) else default
    return kept if type(kept) is type(default) else default


def _named(names: Sequence[str], models: Mapping[str, ModelConfig]) -> list[ModelConfig]:
    return [models[name].model_copy(update={"id": name}) for name in names if name in models]
