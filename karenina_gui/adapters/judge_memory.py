"""Cache of the judges' replies of one job, so that a retry pays only for the calls that failed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from pydantic import TypeAdapter

from karenina_gui.adapters.ports import (
    AgentConfig,
    AgentPort,
    AgentResult,
    LLMPort,
    LLMRequest,
    LLMResponse,
    ParsePortResult,
    ParserPort,
    ParseTarget,
    Ports,
)
from karenina_gui.adapters.recorded_exchange import exchange_key
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.tools import Tool

T = TypeVar("T")

_RESPONSE = TypeAdapter(LLMResponse)
_PARSED = TypeAdapter(ParsePortResult)
_AGENT = TypeAdapter(AgentResult)
_JSON: TypeAdapter[Any] = TypeAdapter(Any)


@dataclass
class JudgeMemory:
    """Good replies by request: those of an earlier attempt are returned again, those of this one are added.

    Equal requests get their replies in the original order. Not thread-safe: one per job.
    """

    before: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """`replies` of the earlier attempt."""
    _replies: dict[str, list[tuple[TypeAdapter[Any], Any]]] = field(default_factory=dict)

    def reply(self, key: str, kind: TypeAdapter[T], ask: Callable[[], T], good: Callable[[T], bool]) -> T:
        """Return the earlier reply to this request, else a new one.

        Raises the errors of `ask`; failures are not cached.
        """
        replies = self._replies.setdefault(key, [])
        earlier = self.before.get(key, ())
        reply = kind.validate_python(earlier[len(replies)]) if len(replies) < len(earlier) else ask()
        if good(reply):
            replies.append((kind, reply))
        return reply

    def take_over(self, replies: Mapping[str, Sequence[Any]]) -> None:
        """Use `replies` of another memory, which was filled in another process, as those of this one."""
        self._replies = {key: [(_JSON, reply) for reply in values] for key, values in replies.items()}

    def replies(self) -> dict[str, list[Any]]:
        """All good replies as JSON values."""
        return {
            key: [kind.dump_python(reply, mode="json") for kind, reply in replies]
            for key, replies in self._replies.items()
            if replies
        }


@dataclass(frozen=True)
class RememberingPorts:
    """Ports of one job that cache judges' replies. Answers are not cached here, since they are cached elsewhere."""

    ports: Ports
    memory: JudgeMemory

    def llm(self, model: ModelConfig) -> LLMPort:
        return _RememberingLLM(model, self.ports.llm(model), self.memory)

    def parser(self, model: ModelConfig) -> ParserPort:
        return _RememberingParser(model, self.ports.parser(model), self.memory)

    def agent(self, model: ModelConfig) -> AgentPort:
        return _RememberingAgent(model, self.ports.agent(model), self.memory)

    def uses_agent(self, model: ModelConfig) -> bool:
        return self.ports.uses_agent(model)

    def is_agent_runtime(self, model: ModelConfig) -> bool:
        return self.ports.is_agent_runtime(model)

    def runs_agents(self, model: ModelConfig) -> bool:
        return self.ports.runs_agents(model)

    def recording_label(self, model: ModelConfig) -> str | None:
        return self.ports.recording_label(model)


@dataclass(frozen=True)
class _RememberingLLM:
    model: ModelConfig
    port: LLMPort
    memory: JudgeMemory

    def invoke(self, request: LLMRequest) -> LLMResponse:
        if request.purpose == "answer_generation":
            return self.port.invoke(request)
        key = f"text {exchange_key(self.model, request)}"
        return self.memory.reply(key, _RESPONSE, lambda: self.port.invoke(request), _is_text)


@dataclass(frozen=True)
class _RememberingParser:
    model: ModelConfig
    port: ParserPort
    memory: JudgeMemory

    def parse_to_pydantic(self, request: LLMRequest, target: ParseTarget) -> ParsePortResult:
        with_schema = replace(request, json_schema=target.json_schema)
        key = f"data {exchange_key(self.model, with_schema)}"
        return self.memory.reply(key, _PARSED, lambda: self.port.parse_to_pydantic(request, target), lambda _: True)


@dataclass(frozen=True)
class _RememberingAgent:
    model: ModelConfig
    port: AgentPort
    memory: JudgeMemory

    def run(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        mcp_servers: Mapping[str, ToolServer],
        config: AgentConfig,
    ) -> AgentResult:
        def ask() -> AgentResult:
            return self.port.run(messages, tools, mcp_servers, config)

        if config.purpose == "answer_generation":
            return ask()
        request = LLMRequest(
            tuple(messages), config.purpose, replicate=config.replicate, judge_replicate=config.judge_replicate
        )
        return self.memory.reply(f"agent {exchange_key(self.model, request)}", _AGENT, ask, _has_ended)


def _is_text(response: LLMResponse) -> bool:
    return response.refusal is None and bool(response.content.strip())


def _has_ended(result: AgentResult) -> bool:
    return not (result.limit_reached or result.timeout_reached or result.refusal)
