"""In-memory interface whose models reply by a script: valid replies, nonsense and failures."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, Literal, get_args

from karenina_gui.adapters.adapter_spec import AdapterDependencies, AdapterSpec
from karenina_gui.adapters.ports import AgentConfig, AgentResult, CallUsage, LLMRequest, LLMResponse
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.errors import (
    AgentExecutionError,
    AgentTimeoutError,
    AuthenticationError,
    ConfigurationError,
    ParseError,
    ProviderError,
    ProviderFault,
    RecordingMiss,
    RefusalError,
)
from karenina_gui.schemas.messages import Message, TextBlock, ToolResultBlock, ToolUseBlock
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.tools import Tool

INTERFACE = "scripted-peer"
FAULTS: dict[str, Callable[[], Exception]] = {
    **{each: partial(ProviderError, f"no luck ({each})", category=each) for each in get_args(ProviderFault)},
    "key": partial(AuthenticationError, "TWIN_KEY is missing"),
    "recording": partial(RecordingMiss, "the recording has no such exchange"),
    "declined": partial(RefusalError, "it declined", explanation="no"),
    "unreadable": partial(ParseError, "it cannot be read", raw_response="{"),
    "configuration": partial(ConfigurationError, "this model cannot be asked like that"),
}
"""All replies that are not answers."""

Manner = Literal["fitting", "bent", "fenced", "text", "empty", "refusal", "fault", "bug"]


@dataclass(frozen=True)
class Turn:
    """One reply. `seed` decides on all details."""

    manner: Manner = "fitting"
    seed: int = 0
    text: str = ""
    fault: str = "connection"


@dataclass(frozen=True)
class AgentRun:
    """Tools and settings that an agent was given."""

    model: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    servers: dict[str, ToolServer]
    config: AgentConfig

    @property
    def text(self) -> str:
        return "\n\n".join(message.text for message in self.messages)


@dataclass
class Peer:
    """Peer of all models of the interface. Each play sets `reply`."""

    reply: Callable[[str, LLMRequest], LLMResponse] = lambda model, request: LLMResponse("")
    agent: Callable[[Sequence[Message]], AgentResult] = lambda messages: AgentResult("", ())
    asked: list[LLMRequest] = field(default_factory=list)
    investigate: Callable[[AgentRun], AgentResult] | None = None
    """Runs agents in place of `agent`, for tests that look at more than the messages."""
    runs: list[AgentRun] = field(default_factory=list)

    def register(self) -> None:
        spec = AdapterSpec(INTERFACE, "Scripted peer", llm_factory=self._llm, agent_factory=self._agent)
        AdapterRegistry.register(spec)

    def config(self, name: str, **settings: Any) -> ModelConfig:
        return ModelConfig(id=name, model_name=name, interface=INTERFACE, **settings)

    def _llm(self, model: ModelConfig, dependencies: AdapterDependencies) -> _Port:
        return _Port(self, str(model.id), dependencies)

    def _agent(self, model: ModelConfig, _wiring: AdapterDependencies) -> _Agent:
        return _Agent(self, str(model.id))


@dataclass(frozen=True)
class _Port:
    peer: Peer
    name: str
    dependencies: AdapterDependencies

    def invoke(self, request: LLMRequest) -> LLMResponse:
        self.peer.asked.append(request)
        return self.dependencies.calls.run(lambda: self.peer.reply(self.name, request))[0]


@dataclass(frozen=True)
class _Agent:
    peer: Peer
    name: str

    def run(
        self, messages: Sequence[Message], tools: Sequence[Tool], mcp_servers: Mapping[str, ToolServer],
        config: AgentConfig,
    ) -> AgentResult:  # fmt: skip
        run = AgentRun(self.name, tuple(messages), tuple(tools), dict(mcp_servers), config)
        self.peer.runs.append(run)
        return self.peer.agent(messages) if self.peer.investigate is None else self.peer.investigate(run)


class Script:
    """The turns one after the other, then again from the first."""

    def __init__(self, turns: Sequence[Turn], words: Sequence[str]) -> None:
        self.turns = turns
        self.words = words
        """Words for random strings."""
        self.faults: list[tuple[str, str]] = []
        """(purpose, fault) of every failed call."""
        self._next = 0

    def reply(self, _model: str, request: LLMRequest) -> LLMResponse:
        turn = self.turns[self._next % len(self.turns)]
        self._next += 1
        if turn.manner in ("fault", "bug"):
            self.faults.append((request.purpose, turn.fault))
            raise FAULTS[turn.fault]() if turn.manner == "fault" else ZeroDivisionError("a bug in an adapter")
        return self._response(turn, request.json_schema)

    def agent(self, messages: Sequence[Message]) -> AgentResult:
        turn = self.turns[self._next % len(self.turns)]
        self._next += 1
        if turn.manner == "bug":
            self.faults.append(("answer_generation", "agent"))
            raise AgentExecutionError("the loop broke")
        if turn.manner == "fault":
            self.faults.append(("answer_generation", turn.fault))
            raise AgentTimeoutError("too slow") if turn.fault == "timeout" else FAULTS[turn.fault]()
        return _loop(turn, Random(turn.seed))

    def _response(self, turn: Turn, schema: dict[str, Any] | None) -> LLMResponse:
        chance = Random(turn.seed)
        usage = CallUsage() if chance.random() < 0.2 else CallUsage(chance.randrange(99), chance.randrange(99))
        stop = chance.choice([None, "stop", "length"])
        if turn.manner == "refusal":
            return LLMResponse("", usage=usage, refusal=turn.text or "I will not.", stop_reason=stop)
        if turn.manner == "empty" or (schema is None and turn.manner != "text"):
            text = "" if turn.manner == "empty" else f"So: {' '.join(chance.sample(list(self.words), k=2))}"
            return LLMResponse(text, usage=usage, stop_reason=stop)
        if schema is None or turn.manner == "text":
            return LLMResponse(turn.text, usage=usage, stop_reason=stop)
        data = value_of(schema, chance, self.words)
        if turn.manner == "bent":
            data = _bent(data, chance)
        text = json.dumps(data)
        if turn.manner == "fenced":
            return LLMResponse(f"{turn.text}\n```json\n{text}\n```", usage=usage)
        return LLMResponse(text, data if isinstance(data, dict) else None, usage)


def value_of(schema: dict[str, Any], chance: Random, words: Sequence[str], root: dict[str, Any] | None = None) -> Any:
    """A value that fits the schema. Strings are made of `words`."""
    root = root or schema
    if "$ref" in schema:
        return value_of(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], chance, words, root)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    if "anyOf" in schema:
        options = schema["anyOf"]
        return value_of(options[0] if chance.random() < 0.85 else chance.choice(options), chance, words, root)
    match schema.get("type", "object"):
        case "object":
            return {name: value_of(each, chance, words, root) for name, each in schema.get("properties", {}).items()}
        case "array":
            return [value_of(schema.get("items", {}), chance, words, root) for _ in range(chance.randrange(3))]
        case "string":
            return chance.choice(list(words))
        case "integer":
            return chance.randint(-2, 9)
        case "number":
            return chance.choice([0.5, 2016.0, -1.0])
        case "boolean":
            return chance.random() < 0.5
        case _:
            return None


STRANGE = (None, True, 7, -0.5, math.nan, 10**30, "", "yes", "\ud800", [], {}, ["x", None], {"risk": 3}, [[{}]])


def _bent(data: Any, chance: Random) -> Any:
    """The value with one random change at any depth."""
    if isinstance(data, dict) and data and chance.random() < 0.9:
        name = chance.choice(list(data))
        if chance.random() < 0.2:
            return {key: value for key, value in data.items() if key != name}
        return {**data, name: _bent(data[name], chance)}
    if isinstance(data, list) and data and chance.random() < 0.7:
        return [_bent(data[0], chance), *data[1:]]
    return chance.choice(STRANGE)


def _loop(turn: Turn, chance: Random) -> AgentResult:
    use = ToolUseBlock(id="1", name="search", input={"q": "BCL2"})
    steps = [
        Message(role="assistant", content=(TextBlock(text="I look it up."), use)),
        Message(role="tool", content=(ToolResultBlock(tool_use_id="1", content="found"),)),
        Message.of("assistant", turn.text),
    ]
    messages = tuple(steps[: chance.randrange(4)])
    return AgentResult(
        turn.text, messages, limit_reached=chance.random() < 0.2, timeout_reached=chance.random() < 0.1, turns=2
    )
