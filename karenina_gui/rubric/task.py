"""What evaluators work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karenina_gui.adapters.ports import ParseTarget
from karenina_gui.errors import InputError, PortError
from karenina_gui.evidence.risk import Search
from karenina_gui.judging.judge import Judge, category_of, told_of
from karenina_gui.rubric.terms import Terms
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.result import FailureCategory


@dataclass(frozen=True)
class NoReply:
    """Why the judge gave nothing that can be used, as a sentence."""

    why: str
    category: FailureCategory | None = None
    """What kind of fault the judge had; None: there is no judge to have one."""


NO_JUDGE = NoReply("it asks a judge, and the run has none. Choose one and run again.")


@dataclass(frozen=True)
class RubricTask:
    """One answer with everything that a trait may need to look at it."""

    question: str
    text: str
    """The whole conversation or its final message, as the run has it."""
    terms: Terms
    sandbox: Sandbox
    judge: Judge | None = None
    """None: the run has none."""
    raw_answer: str | None = None
    """The reference answer: for the judges of those traits only that say so."""
    search: Search | None = None
    """Finds what speaks for or against an excerpt; None: nothing is searched."""
    trusted: bool = False
    """Whether author-written code may run on a machine that cannot confine it."""

    @property
    def judge_prompt(self) -> str | None:
        """The judge's own system prompt."""
        return self.judge.model.system_prompt if self.judge else None

    def instructions(self, *purposes: str) -> str | None:
        """What the user adds to the prompts for these purposes, fields of `PromptConfig`."""
        prompts = self.terms.config.prompt_config
        return "\n\n".join(said for name in purposes if (said := getattr(prompts, name, None))) or None

    def ask(self, messages: tuple[Message, ...], target: ParseTarget) -> dict[str, Any] | NoReply:
        """The judge's values. Errors: `RunCancelled` only."""
        if self.judge is None:
            return NO_JUDGE
        try:
            return self.judge.ask("rubric_evaluation", messages, target)
        except (PortError, InputError) as error:
            return NoReply(told_of(self.judge.model, error), category_of(error))
