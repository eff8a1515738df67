"""The three ports through which all code reaches a model, and the values that cross them.

Pipeline stages know ports only. An adapter (one file per interface) implements them; `registry.py` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from karenina_gui.schemas.extraction import ExtractionMethod
from karenina_gui.schemas.messages import Block, Message, ToolUseBlock, thoughts_apart, with_thoughts
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.tools import Tool, ToolSpec
from karenina_gui.schemas.workspace import ClaudeCodeToolName, WorkspaceLimits
from karenina_gui.text.surrogates import without_surrogates
from karenina_gui.text.thoughts import split_thought

Purpose = Literal[
    "answer_generation",
    "parsing",
    "abstention_check",
    "sufficiency_check",
    "rubric_evaluation",
    "deep_judgment_excerpts",
    "deep_judgment_reasoning",
    "deep_judgment_hallucination_assessment",
    "agentic_parsing_investigation",
    "agentic_parsing_extraction",
    "agentic_rubric_investigation",
    "agentic_rubric_extraction",
    "embedding_check",
    "connection_check",
    "template_draft",
    "trait_draft",
]
"""Purpose of a call; the key under which its tokens are counted."""


@dataclass(frozen=True, slots=True)
class PortCapabilities:
    """Capabilities of an interface, which decide what a run form offers."""

    structured_output: bool = False
    judges: bool = True
    """False: cannot serve as a judge (recorded answers)."""


@dataclass(frozen=True, slots=True)
class CallUsage:
    """Token counts of one call from the provider's own figures; None: the provider gave none."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    input_token_details: dict[str, int] = field(default_factory=dict)
    output_token_details: dict[str, int] = field(default_factory=dict)
    method: ExtractionMethod | None = None
    """Method by which structured output was requested; None: free text, or unknown (older recordings)."""
    requests: tuple[CallUsage, ...] = field(default=(), compare=False)
    """The single requests of an agent's loop, whose lengths decide about prices; empty: it is one request."""

    @property
    def total_tokens(self) -> int | None:
        if self.input_tokens is None and self.output_tokens is None:
            return None
        return (self.input_tokens or 0) + (self.output_tokens or 0)


@dataclass(frozen=True, slots=True)
class LLMRequest:
    """One call.

    `json_schema` (None: free text) asks for structured output. `replicate` (1-based; None: not replicated)
    distinguishes equal requests of different replicates in recordings; it is never sent to a provider.
    """

    messages: tuple[Message, ...]
    purpose: Purpose = "answer_generation"
    json_schema: dict[str, Any] | None = None
    replicate: int | None = None
    question_id: str | None = None
    """Finds a recorded answer (`manual`); never sent to a provider, and not part of a recording's key."""
    tools: tuple[ToolSpec, ...] = ()
    """Tools that the model may call; never together with `json_schema`."""
    judge_replicate: int | None = None
    """Distinguishes equal requests, as `replicate` does, if an answer is judged several times; 1-based; None: once."""
    seed: int | None = None
    """Sampling seed, sent if the provider accepts one, unless the model has its own; None: none.

    Not part of a recording's key: `judge_replicate` already distinguishes the requests.
    """
    schema_in_words: bool = False
    """Repeat the schema in the prompt: a server may accept it and ignore it. Not part of a recording's key."""


_TEXTS = ("content", "data", "model", "stop_reason", "refusal", "thinking", "blocks")
"""Fields of a reply that the provider writes."""


@dataclass(frozen=True, slots=True)
class LLMResponse:
    """One reply. `data` is set if structured output was requested and the reply was a JSON object.

    Lone surrogates in any text are replaced. A thought at the head of the text (`<think>`) becomes part of `thinking`.
    """

    content: str
    data: dict[str, Any] | None = None
    usage: CallUsage = field(default_factory=CallUsage)
    model: str | None = None
    """Name of the model that answered, according to the provider."""
    stop_reason: str | None = None
    refusal: str | None = None
    """The provider's own refusal text; None: it did not refuse."""
    thinking: str | None = None
    blocks: tuple[Block, ...] = ()
    """The whole reply in order, as it is sent back to the provider with the next turn; set if the request had tools."""
    retries: dict[str, int] = field(default_factory=dict)
    """Retries used for this reply, by category (connection, timeout, rate_limit, server_error)."""

    def __post_init__(self) -> None:
        _repair(self, *_TEXTS)
        thought, content = split_thought(self.content, has_thought=bool(self.thinking))
        if content != self.content:
            object.__setattr__(self, "content", content)
            object.__setattr__(self, "thinking", "\n\n".join(filter(None, (self.thinking, thought))) or None)
        object.__setattr__(self, "blocks", thoughts_apart(self.blocks))

    def with_texts(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> LLMResponse:
        """The reply with all that the provider wrote as `change` returns it, by field."""
        texts = {name: getattr(self, name) for name in _TEXTS}
        changed = change(texts)
        return self if changed is texts else replace(self, **changed)

    @property
    def tool_uses(self) -> list[ToolUseBlock]:
        """Tools that the model calls with this reply."""
        return [block for block in self.blocks if isinstance(block, ToolUseBlock)]


class LLMPort(Protocol):
    """Text or structured output from one model.

    Raises `ProviderError` (after the retry budget is spent), `AuthenticationError`, `RecordingMiss`, `RunCancelled`.
    """

    def invoke(self, request: LLMRequest) -> LLMResponse: ...


class ParseTarget(Protocol):
    """Target of a judge's reply: a JSON Schema to send, and a check of the reply."""

    @property
    def json_schema(self) -> dict[str, Any]: ...

    def check(self, data: dict[str, Any]) -> ParsedReply: ...


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """Checked reply. `errors` empty: `values` fit. `nulls`: fields that the judge left null."""

    values: dict[str, Any] = field(default_factory=dict)
    nulls: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """Fields that the judge left out although they were asked for. They are asked for once more, as nulls are."""


@dataclass(frozen=True, slots=True)
class ParsePortResult:
    reply: ParsedReply
    usages: tuple[CallUsage, ...] = ()
    """One per call: the first reply, and feedback rounds if there were any."""
    raw_response: str = ""
    model: str | None = None
    retries: dict[str, int] = field(default_factory=dict)


class ParserPort(Protocol):
    """Structured data from free text, by a judge.

    Raises as `LLMPort`, and `ParseError` if no reply fits after the feedback round, `RefusalError`.
    """

    def parse_to_pydantic(self, request: LLMRequest, target: ParseTarget) -> ParsePortResult: ...


class EnclosedProgram(Protocol):
    """A whole program that is ready to start in a sandbox, once."""

    @property
    def starter(self) -> str:
        """Command to start in place of the program, with the program's own arguments."""
        ...

    def trouble(self) -> str | None:
        """Reason to stop the program, as a sentence; None: it may go on."""
        ...


class ProgramBox(Protocol):
    """Factory for sandboxes around whole programs: a workspace to write in, one server to reach, and nothing else."""

    @property
    def limits(self) -> WorkspaceLimits:
        """Limits on memory, processes, disk and time."""
        ...

    @property
    def home(self) -> str:
        """Private home folder of the program, as it sees it."""
        ...

    def path(self, name: str) -> str:
        """Path of a file in `files`, as the program sees it."""
        ...

    def around(
        self,
        folder: Path,
        program: Path,
        port: int,
        scratch: Path,
        *,
        files: Mapping[str, bytes],
        environment: Mapping[str, str],
    ) -> EnclosedProgram:
        """Prepare a program to start with `folder` as its workspace.

        `port`: of the only server that it can reach, on this computer's loopback interface. `scratch`: a folder that
        exists while the program runs and is hidden from it. `environment`: added to the variables that the program is
        started with. Raises `OSError`.
        """
        ...


@dataclass(frozen=True, slots=True)
class OwnTools:
    """Built-in tools of an agent runtime that it may use."""

    names: tuple[ClaudeCodeToolName, ...] = get_args(ClaudeCodeToolName)
    """Names of the tools in the runtime."""
    box: ProgramBox | None = None
    """Sandbox for the whole runtime; None: unsandboxed."""


@dataclass(frozen=True, slots=True)
class AgentConfig:
    max_turns: int = 25
    system_prompt: str | None = None
    timeout: float | None = None
    """Seconds for the whole loop; None: no limit of its own."""
    workspace_path: Path | None = None
    """Folder that the agent works in; None: no workspace."""
    question_id: str | None = None
    replicate: int | None = None
    judge_replicate: int | None = None
    """See `LLMRequest`, also for `seed`."""
    seed: int | None = None
    max_tokens: int | None = None
    """Limit on input and output tokens over all turns; None: no limit. The turn that exceeds it is the last."""
    max_tool_calls: int | None = None
    """Limit on tool calls over all turns; None: no limit."""
    purpose: Purpose = "answer_generation"
    on_turn: Callable[[int], None] | None = field(default=None, compare=False)
    """Called at the start of each turn with its number from 1; None: no callback."""
    own_tools: OwnTools | None = None
    """Built-in tools of the agent runtime, in addition to the given ones; None: none."""


@dataclass(frozen=True, slots=True)
class AgentResult:
    """Outcome of a whole loop. Lone surrogates in any text are replaced, and thoughts in texts become blocks."""

    final_response: str
    messages: tuple[Message, ...]
    usage: CallUsage = field(default_factory=CallUsage)
    dollars: float | None = None
    """Cost of all turns according to the runtime, in US dollars; None: unknown."""
    turns: int = 0
    limit_reached: bool = False
    """A limit on turns, tokens or tool calls ended the loop before it had answered; `limit` says which."""
    timeout_reached: bool = False
    """The time limit ended the loop before it had answered; `messages` has the turns until then."""
    limit: str | None = None
    """The limit that was reached, in words ("25 turns"); None: none was."""
    stop_reason: str | None = None
    """Stop reason of the last turn."""
    refusal: str | None = None
    """The provider's own refusal; None: it did not refuse."""
    model: str | None = None
    raw_trace: str | None = None
    """Text form of a recorded trace; None: render it from `messages`."""
    judged: str | None = None
    """Text to judge of a recorded conversation if it is not the last message; None: the last message."""
    retries: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _repair(self, "final_response", "messages", "model", "raw_trace", "judged")
        object.__setattr__(self, "messages", tuple(with_thoughts(self.messages)))
        has_thought = bool(self.messages and self.messages[-1].thinking)
        object.__setattr__(self, "final_response", split_thought(self.final_response, has_thought=has_thought)[1])


class AgentPort(Protocol):
    """A whole loop of turns with tools: the given ones, and those of MCP servers, which are opened for the loop.

    Limits are outcomes (`AgentResult.limit_reached`, `timeout_reached`). Raises as `LLMPort`, and
    `AgentExecutionError`, `ToolServerError`; each has the messages before it in `messages`.
    """

    def run(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        mcp_servers: Mapping[str, ToolServer],
        config: AgentConfig,
    ) -> AgentResult: ...


class Embedder(Protocol):
    """A model that measures how similar two texts are in meaning."""

    @property
    def name(self) -> str: ...

    def similarity(self, one: str, other: str) -> float:
        """Cosine similarity of the two texts, -1 to 1. Raises `ConfigurationError` if something is not installed."""
        ...


Cancelled = Callable[[], bool]
"""Polled before every model call; True: make no further call."""


class Ports(Protocol):
    """Opens ports for the models of one run. Limits, retries, cancellation and recording are built in."""

    def llm(self, model: ModelConfig) -> LLMPort: ...

    def parser(self, model: ModelConfig) -> ParserPort: ...

    def agent(self, model: ModelConfig) -> AgentPort: ...

    def uses_agent(self, model: ModelConfig) -> bool:
        """True if answers come through `AgentPort`: MCP servers, an agent runtime, recorded answers."""
        ...

    def is_agent_runtime(self, model: ModelConfig) -> bool:
        """True if the interface is itself an agent (`agent_tier` deep_agent), so that it always has tools."""
        ...

    def runs_agents(self, model: ModelConfig) -> bool:
        """True if a judge of this interface can investigate: it runs agents, and replies to prompts as well."""
        ...

    def recording_label(self, model: ModelConfig) -> str | None:
        """Label of the recording that this model plays back; None: it is live."""
        ...


def _repair(value: object, *names: str) -> None:
    for name in names:
        object.__setattr__(value, name, without_surrogates(getattr(value, name)))
