"""The judge of one job, as stages ask it."""

from __future__ import annotations

from typing import Any

from karenina_gui.adapters.ports import LLMRequest, ParsedReply, ParsePortResult, ParseTarget, Purpose
from karenina_gui.errors import InputError, PortError
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.messages import Message


class ContextJudge:
    """Asks this model, and counts tokens and retries of every call with the context, of failed ones too."""

    def __init__(self, context: VerificationContext, model: ModelConfig) -> None:
        self.model = model
        self.calls = 0
        """Replies that the model has given."""
        self._context = context

    def ask(self, purpose: Purpose, messages: tuple[Message, ...], target: ParseTarget) -> dict[str, Any]:
        return self.parse(purpose, messages, target).reply.values

    def parse(self, purpose: Purpose, messages: tuple[Message, ...], target: ParseTarget) -> ParsePortResult:
        """Errors: those of `ParserPort.parse_to_pydantic`."""
        context = self._context
        request = LLMRequest(messages, purpose, replicate=context.replicate, question_id=context.question_id)
        try:
            result = context.world.ports.parser(self.model).parse_to_pydantic(request, target)
        except (PortError, InputError) as error:
            self.calls += len(error.usages) if isinstance(error, PortError) else 0
            context.count_failed(error, self.model, purpose)
            raise
        self.calls += len(result.usages)
        context.count(purpose, self.model, result.usages, result.retries)
        return result


class FlatTarget:
    """A judge's verdict of a few required fields."""

    def __init__(self, json_schema: dict[str, Any]) -> None:
        self.json_schema = json_schema

    def check(self, data: dict[str, Any]) -> ParsedReply:
        errors = tuple(
            f"{name}: expected a {spec['type']}"
            for name, spec in self.json_schema["properties"].items()
            if not isinstance(data.get(name), bool if spec["type"] == "boolean" else str)
        )
        return ParsedReply(values=data, errors=errors)
