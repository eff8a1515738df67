"""The three ports through which everything reaches a model, and the values that cross them.

Stages know ports only. An adapter (one file an interface) implements them; `registry.py` has the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from karenina_gui.schemas.config import ModelConfig, ToolServer
from karenina_gui.schemas.extraction import ExtractionMethod
from karenina_gui.schemas.messages import Block, Message, ToolUseBlock
from karenina_gui.schemas.surrogates import without_surrogates
from karenina_gui.schemas.tools import Tool, ToolSpec
from karenina_gui.schemas.workspace import ClaudeCodeToolName, WorkspaceLimits

Purpose = Literal[
    "answer_generation", "parsing", "abstention_check", "sufficiency_check", "rubric_evaluation",
    "deep_judgment_excerpts", "deep_judgment_reasoning", "deep_judgment_hallucination_assessment",
    "agentic_parsing_investigation", "agentic_parsing_extraction",
    "agentic_rubric_investigation", "agentic_rubric_extraction", "embedding_check", "connection_check",
]  # fmt: skip
"""What a call is for; the key under which its tokens are counted."""


@dataclass(frozen=True, slots=True)
class PortCapabilities:
    """What an interface can do; decides what a run form offers."""

    structured_output: bool = False
    judges: bool = True
    """False: cannot serve as a judge (recorded answers)."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Account of one call: its tokens, from the provider's own figures; None: the provider gave none."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    input_token_details: dict[str, int] = field(default_factory=dict)
    output_token_details: dict[str, int] = field(default_factory=dict)
    method: ExtractionMethod | None = None
    """How a structured reply was asked for; None: free text was, or nobody knows (older recordings)."""

    @property
    def total_tokens(self) -> int | None:
        if self.input_tokens is None and self.output_tokens is None:
            return None
        return (self.input_tokens or 0) + (self.output_tokens or 0)


@dataclass(frozen=True, slots=True)
class LLMRequest:
    """One call.

    `json_schema` (None: free text) asks for structured output; `replicate` (1-based; None: not replicated) tells equal
    requests of different replicates apart in recordings; it never reaches a provider.
    """

    messages: tuple[Message, ...]
    purpose: Purpose = "answer_generation"
    json_schema: dict[str, Any] | None = None
    replicate: int | None = None
    question_id: str | None = None
    """Finds a recorded answer (`manual`); never sent to a provider, no part of a recording's key."""
    tools: tuple[ToolSpec, ...] = ()
    """What the model may call; never together with `json_schema`."""
    judge_replicate: int | None = None
    """Tells equal requests apart, as `replicate` does, where an answer is judged several times; 1-based; None: once."""
    seed: int | None = None
    """Of sampling, sent where the provider takes one, unless the model has its own; None: none. No part of a
    recording's key: `judge_replicate` tells apart what it tells apart."""
    schema_in_words: bool = False
    """Say the schema in the prompt, too: a server may take it and not heed it. No part of a recording's key."""


@dataclass(frozen=True, slots=True)
class LLMResponse:
    """One reply. `data` is set when structured output was asked for and the reply was a JSON object.

    Whatever an adapter gives, no text in it has half a surrogate pair.
    """

    content: str
    data: dict[str, Any] | None = None
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    """The model that the provider says has answered."""
    stop_reason: str | None = None
    refusal: str | None = None
    """The provider's own refusal text; None: it did not refuse."""
    thinking: str | None = None
    blocks: tuple[Block, ...] = ()
    """The whole reply in its order, as it goes back to the provider with the next turn; given where tools were."""
    retries: dict[str, int] = field(default_factory=dict)
    """Retries used for this reply, by category (connection, timeout, rate_limit, server_error)."""

    def __post_init__(self) -> None:
        _repair(self, "content", "data", "model", "stop_reason", "refusal", "thinking", "blocks")

    @property
    def tool_uses(self) -> list[ToolUseBlock]:
        """Tools that the model calls with this reply."""
        return [block for block in self.blocks if isinstance(block, ToolUseBlock)]


class LLMPort(Protocol):
    """Text or structured output from one model.

    Errors: `ProviderError` (after the retry budget is spent), `AuthenticationError`, `RecordingMiss`, `RunCancelled`.
    """

    def invoke(self, request: LLMRequest) -> LLMResponse: ...


class ParseTarget(Protocol):
    """What a judge's reply is read into: a JSON Schema to send, and a check of what comes back."""

    @property
    def json_schema(self) -> dict[str, Any]: ...

    def check(self, data: dict[str, Any]) -> ParsedReply: ...


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """`errors` empty: `values` fit. `nulls`: fields that the judge left null."""

    values: dict[str, Any] = field(default_factory=dict)
    nulls: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsePortResult:
    reply: ParsedReply
    usages: tuple[Usage, ...] = ()
    """One a call: the first reply, and feedback rounds if there were any."""
    raw_response: str = ""
    model: str | None = None
    retries: dict[str, int] = field(default_factory=dict)


class ParserPort(Protocol):
    """Structured data from free text, by a judge.

    Errors: as `LLMPort`, and `ParseError` when no reply fits after the feedback round, `RefusalError`.
    """

    def parse_to_pydantic(self, request: LLMRequest, target: ParseTarget) -> ParsePortResult: ...


class EnclosedProgram(Protocol):
    """A whole program that was made ready to start in a sandbox, once."""

    @property
    def starter(self) -> str:
        """Start this in the program's place, with the program's own arguments."""
        ...

    def trouble(self) -> str | None:
        """Why it has to be stopped, a sentence; None: it may go on."""
        ...


class ProgramBox(Protocol):
    """Makes sandboxes for whole programs: a workspace to write in, one server to reach, and nothing else."""

    @property
    def limits(self) -> WorkspaceLimits:
        """Limits on memory, processes, disk and time."""
        ...

    @property
    def home(self) -> str:
        """A folder for the program alone, as it sees it."""
        ...

    def place(self, name: str) -> str:
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
        """Make a program ready to start with `folder` as its workspace.

        `port`: of this computer's loopback, all that it reaches. `scratch`: a folder that stays while the program runs,
        hidden from it. `environment`: added to what the program is given when it starts. Errors: `OSError`.
        """
        ...


@dataclass(frozen=True, slots=True)
class OwnTools:
    """Tools of an agent runtime's own that it works with."""

    names: tuple[ClaudeCodeToolName, ...] = get_args(ClaudeCodeToolName)
    """Names that the runtime uses for them."""
    box: ProgramBox | None = None
    """The sandbox in which the whole runtime works; None: nothing confines it."""


@dataclass(frozen=True, slots=True)
class AgentConfig:
    max_turns: int = 25
    system_prompt: str | None = None
    timeout: float | None = None
    """Seconds for the whole loop; None: no limit of its own."""
    workspace_path: Path | None = None
    """Folder that the agent works in; None: it has none."""
    question_id: str | None = None
    replicate: int | None = None
    judge_replicate: int | None = None
    """As in `LLMRequest`, and so is `seed`."""
    seed: int | None = None
    max_tokens: int | None = None
    """Tokens, sent and received, over all turns; None: no limit. The turn that passes it is the last."""
    max_tool_calls: int | None = None
    """Calls of tools over all turns; None: no limit."""
    purpose: Purpose = "answer_generation"
    on_turn: Callable[[int], None] | None = field(default=None, compare=False)
    """Called as each turn begins, with its number from 1; None: nobody listens."""
    own_tools: OwnTools | None = None
    """Built-in tools of the agent runtime, in addition to those that it is given; None: none."""


@dataclass(frozen=True, slots=True)
class AgentResult:
    """A whole loop's outcome. Whatever an adapter gives, no text in it has half a surrogate pair."""

    final_response: str
    messages: tuple[Message, ...]
    usage: Usage = field(default_factory=Usage)
    dollars: float | None = None
    """What the runtime itself says that all turns have cost (US dollars); None: it says nothing."""
    turns: int = 0
    limit_reached: bool = False
    """A limit on turns, tokens or tool calls ended it before it had answered; `limit` says which."""
    timeout_reached: bool = False
    """Its time was over before it had answered; the messages are what it had done until then."""
    limit: str | None = None
    """The limit that was reached, in words ("25 turns"); None: none was."""
    stop_reason: str | None = None
    """Of the last turn."""
    refusal: str | None = None
    """The provider's own refusal; None: it did not refuse."""
    model: str | None = None
    raw_trace: str | None = None
    """Text form of a recorded trace that has no messages; None: render it from `messages`."""
    retries: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _repair(self, "final_response", "messages", "model", "raw_trace")


class AgentPort(Protocol):
    """A whole loop of turns with tools: those given here, and those of MCP servers, which are opened for the loop.

    Limits are outcomes (`AgentResult.limit_reached`, `timeout_reached`). Errors: as `LLMPort`, and
    `AgentExecutionError`, `ToolServerError`; each has what was said before it in `messages`.
    """

    def run(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        mcp_servers: Mapping[str, ToolServer],
        config: AgentConfig,
    ) -> AgentResult: ...


class Embedder(Protocol):
    """A model that tells how alike two texts are in meaning."""

    @property
    def name(self) -> str: ...

    def similarity(self, one: str, other: str) -> float:
        """Cosine of the two texts' vectors, -1 to 1. Errors: `ConfigurationError`: what the model needs is missing."""
        ...


Cancelled = Callable[[], bool]
"""Asked before every model call; True: make no further call."""


class Ports(Protocol):
    """Opens ports for the models of one run; limits, retries, cancelling and recording are already settled inside."""

    def llm(self, model: ModelConfig) -> LLMPort: ...

    def parser(self, model: ModelConfig) -> ParserPort: ...

    def agent(self, model: ModelConfig) -> AgentPort: ...

    def uses_agent(self, model: ModelConfig) -> bool:
        """Whether answers come through `AgentPort`: MCP servers, an agent runtime, recorded answers."""
        ...

    def is_agent_runtime(self, model: ModelConfig) -> bool:
        """Whether the interface is itself an agent (`agent_tier` deep_agent), so that it always has tools."""
        ...

    def runs_agents(self, model: ModelConfig) -> bool:
        """Whether a judge of this interface can investigate: it runs agents, and replies to prompts as well."""
        ...

    def recording_label(self, model: ModelConfig) -> str | None:
        """Label of the recording that this model plays back; None: it is live."""
        ...


def _repair(value: object, *names: str) -> None:
    for name in names:
        object.__setattr__(value, name, without_surrogates(getattr(value, name)))
