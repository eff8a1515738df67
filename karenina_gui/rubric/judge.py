"""The model that judges traits, with the account of what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from karenina_gui.adapters.ports import LLMRequest, ParseTarget, Ports, Purpose, Usage
from karenina_gui.errors import InputError, PortError
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.messages import Message


class Account(Protocol):
    """Where tokens and retries are counted, also those of calls that came to nothing."""

    def count(
        self, purpose: Purpose, model: ModelConfig, usages: tuple[Usage, ...], retries: dict[str, int]
    ) -> None: ...

    def count_failed(self, error: PortError | InputError, model: ModelConfig, purpose: Purpose) -> None: ...


@dataclass(frozen=True)
class NoReply:
    """Why the judge gave nothing that can be used, as a sentence."""

    why: str


@dataclass(frozen=True)
class Judge:
    model: ModelConfig
    ports: Ports
    account: Account
    question_id: str | None = None
    replicate: int | None = None

    def ask(
        self, messages: tuple[Message, ...], target: ParseTarget, purpose: Purpose = "rubric_evaluation"
    ) -> dict[str, Any] | NoReply:
        """The values that `target` has taken from the reply. Errors: `RunCancelled` only."""
        request = LLMRequest(messages, purpose, replicate=self.replicate, question_id=self.question_id)
        try:
            result = self.ports.parser(self.model).parse_to_pydantic(request, target)
        except (PortError, InputError) as error:
            self.account.count_failed(error, self.model, purpose)
            said, name = str(error), self.model.id
            return NoReply(said if said.startswith(f"{name} ") else f"{name}: {said}")
        self.account.count(purpose, self.model, result.usages, result.retries)
        return result.reply.values
