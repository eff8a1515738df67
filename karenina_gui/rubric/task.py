"""Input of trait evaluators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karenina_gui.adapters.ports import ParseTarget
from karenina_gui.errors import InputError, PortError
from karenina_gui.evidence.risk import Search
from karenina_gui.judging.judge import Judge, category_of, model_error_text
from karenina_gui.rubric.trait_settings import TraitSettings
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.result import FailureCategory


@dataclass(frozen=True)
class NoReply:
    """Reason for a missing reply of the judge, as a sentence."""

    why: str
    category: FailureCategory | None = None
    """Failure category; None: the run has no judge."""


NO_JUDGE = NoReply("it needs a judge, but the run has none. Choose one and run again.")


@dataclass(frozen=True)
class RubricTask:
    """One answer with everything that a trait may need."""

    question: str
    text: str
    """Full trace or final message, depending on the run."""
    terms: TraitSettings
    sandbox: Sandbox
    judge: Judge | None = None
    """None: the run has no judge."""
    raw_answer: str | None = None
    """Reference answer, only for judges of traits with `include_ground_truth`."""
    search: Search | None = None
    """Web search for quotes; None: no search."""
    trusted: bool = False
    """True: author-written code may run on a computer without a sandbox for it."""

    @property
    def judge_prompt(self) -> str | None:
        """System prompt of the judge model."""
        return self.judge.model.system_prompt if self.judge else None

    def instructions(self, *purposes: str) -> str | None:
        """The user's additional instructions for these purposes, which are fields of `PromptConfig`."""
        prompts = self.terms.config.prompt_config
        return "\n\n".join(instruction for name in purposes if (instruction := getattr(prompts, name, None))) or None

    def ask(self, messages: tuple[Message, ...], target: ParseTarget) -> dict[str, Any] | NoReply:
        """The judge's values. Raises `RunCancelled` only."""
        if self.judge is None:
            return NO_JUDGE
        try:
            return self.judge.ask("rubric_evaluation", messages, target)
        except (PortError, InputError) as error:
            return NoReply(model_error_text(self.judge.model, error), category_of(error))
