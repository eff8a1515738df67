"""What evaluators work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karenina_gui.adapters.ports import ParseTarget
from karenina_gui.rubric.judge import Judge, NoReply
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.messages import Message

NO_JUDGE = NoReply("it asks a judge, and the run has none. Choose one and run again.")


@dataclass(frozen=True)
class RubricTask:
    """One answer with everything that a trait may need to look at it."""

    question: str
    text: str
    """The whole conversation or its final message, as the run has it."""
    config: VerificationConfig
    sandbox: Sandbox
    judge: Judge | None = None
    """None: the run has none."""
    raw_answer: str | None = None
    """The reference answer: for the judges of those traits only that say so."""
    trusted: bool = False
    """Whether author-written code may run on a machine that cannot confine it."""

    @property
    def judge_prompt(self) -> str | None:
        """The judge's own system prompt."""
        return self.judge.model.system_prompt if self.judge else None

    @property
    def instructions(self) -> str | None:
        """What the user adds to the prompts of traits."""
        return self.config.prompt_config.rubric_evaluation if self.config.prompt_config else None

    def ask(self, messages: tuple[Message, ...], target: ParseTarget) -> dict[str, Any] | NoReply:
        """The judge's values. Errors: `RunCancelled` only."""
        return self.judge.ask(messages, target) if self.judge else NO_JUDGE
