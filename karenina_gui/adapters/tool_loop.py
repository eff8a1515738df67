"""Our own agent: a model that calls tools, turn after turn, until it answers or a limit is reached."""

from __future__ import annotations

import logging
import math
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

from karenina_gui.adapters.adapter_spec import AdapterDependencies, AgentFactory, LLMFactory
from karenina_gui.adapters.patience import WaitTotal
from karenina_gui.adapters.ports import AgentConfig, AgentResult, CallUsage, LLMPort, LLMRequest, LLMResponse
from karenina_gui.adapters.tool_calls import (
    in_messages,
    mark_calls,
    servers_of,
    tools_by_name,
    unreadable_call_text,
    without_providers_own,
)
from karenina_gui.errors import PortError, ProviderError, RunCancelled, ToolServerError
from karenina_gui.schemas.messages import Block, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.tools import Tool, ToolOutput, ToolSpec
from karenina_gui.text import quantity
from karenina_gui.text.surrogates import without_surrogates

log = logging.getLogger(__name__)

_MOST_AT_ONCE = 8
"""Number of concurrent tool calls from one reply."""
_TOO_SHORT = 0.05
"""Seconds before the deadline in which a loop counts as over: timeouts are never exact."""


def tool_loop(open_llm: LLMFactory) -> AgentFactory:
    """Create the agents of an interface whose models can call tools (`LLMRequest.tools`, `LLMResponse.blocks`)."""
    return lambda model, dependencies: ToolLoop(model, dependencies, open_llm)


class ToolLoop:
    """An `AgentPort` over an `LLMPort`: our loop, the provider's tool calling.

    A turn is one model call. Several calls in one reply run concurrently; their results go back in order. Errors of a
    call are reported to the model, except that a server is gone.
    """

    def __init__(self, model: ModelConfig, dependencies: AdapterDependencies, open_llm: LLMFactory) -> None:
        self._model = model
        self._dependencies = dependencies
        self._open_llm = open_llm
        # Fails at once if the model cannot be called, as an `LLMPort` does.
        open_llm(model, dependencies)

    def run(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        mcp_servers: Mapping[str, ToolServer],
        config: AgentConfig,
    ) -> AgentResult:
        """Run the loop.

        Raises as `AgentPort`, and `ConfigurationError` if a server's entry names a variable that is not set.
        """
        deadline = math.inf if config.timeout is None else time.monotonic() + config.timeout
        with ExitStack() as stack:
            served: dict[str, list[Tool]] = {}
            if mcp_servers:
                served = stack.enter_context(self._servers(mcp_servers)).tools
            dependencies = replace(
                self._dependencies, calls=replace(self._dependencies.calls, deadline=deadline, waited=WaitTotal())
            )
            llm = dependencies.listen(self._open_llm(self._model, dependencies), self._model)
            pool = stack.enter_context(ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="tool"))
            offer = tools_by_name(tools, served)
            return _Run(llm, dependencies, offer, servers_of(offer, served), pool, config).through(messages)

    def _servers(self, servers: Mapping[str, ToolServer]) -> Any:
        from karenina_gui.adapters.mcp_servers import ToolServers

        return ToolServers(
            servers, self._model, self._dependencies.connections.environment, self._dependencies.calls.cancelled
        )


@dataclass
class _Run:
    """State of one loop."""

    llm: LLMPort
    dependencies: AdapterDependencies
    tools: Mapping[str, Tool]
    servers: Mapping[str, str]
    """MCP server of each tool that comes from one, by the tool's name."""
    pool: ThreadPoolExecutor
    config: AgentConfig
    new_messages: list[Message] = field(default_factory=list)
    usages: list[CallUsage] = field(default_factory=list)
    retries: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    last: LLMResponse | None = None
    """Reply of the last turn; None before the first one."""
    _ids: set[str] = field(default_factory=set)

    def through(self, messages: Sequence[Message]) -> AgentResult:
        sent = [*self._with_system_prompt(messages)]
        specs = tuple(replace(tool.spec, name=name) for name, tool in self.tools.items())
        try:
            while True:
                uses = self._turn((*sent, *without_providers_own(self.new_messages)), specs)
                if uses is None:
                    return self._result(timeout=True)
                if not uses:
                    return self._result()
                if limit := self._limit(len(uses)):
                    return self._result(limit=limit)
                self._work(uses)
                if self._is_over():
                    return self._result(timeout=True)
        except PortError as error:
            self._leave_with(error)
            raise

    def _with_system_prompt(self, messages: Sequence[Message]) -> Sequence[Message]:
        prompt = self.config.system_prompt
        if not prompt or any(message.role == "system" for message in messages):
            return messages
        return [Message.of("system", prompt), *messages]

    def _turn(self, messages: tuple[Message, ...], specs: tuple[ToolSpec, ...]) -> list[ToolUseBlock] | None:
        """Make one model call and return its tool calls; None: the time was over."""
        request = LLMRequest(
            messages,
            purpose=self.config.purpose,
            replicate=self.config.replicate,
            question_id=self.config.question_id,
            tools=specs,
            judge_replicate=self.config.judge_replicate,
            seed=self.config.seed,
        )
        self._raise_if_cancelled()
        if self.config.on_turn is not None:
            self.config.on_turn(len(self.usages) + 1)
        try:
            response = self.llm.invoke(request)
        except ProviderError as error:
            if error.category == "timeout" and self._is_over():
                self.retries.update(error.retries)
                return None
            raise
        uses = [block for block in self._note(response) if isinstance(block, ToolUseBlock)]
        return [use for use in uses if not (use.dropped or use.by_provider)]

    def _note(self, response: LLMResponse) -> tuple[Block, ...]:
        """Add a reply to the trace and the figures; returns its blocks."""
        self.last = response
        self.usages.append(response.usage)
        self.retries.update(response.retries)
        blocks = self._blocks(response)
        self.new_messages += [Message(role=role, content=some, timestamp=_now()) for role, some in in_messages(blocks)]
        self.new_messages[-1] = self.new_messages[-1].model_copy(
            update={"usage_metadata": _usage_metadata(response.usage)}
        )
        return blocks

    def _blocks(self, response: LLMResponse) -> tuple[Block, ...]:
        """The whole reply. Calls in a reply that was truncated, or stopped by the provider, are marked and not run."""
        blocks: Iterable[Block] = response.blocks or _plain(response)
        blocks = mark_calls(blocks, response.stop_reason, refused=response.refusal is not None)
        if response.refusal and not any(isinstance(block, TextBlock) for block in blocks):
            blocks = [*blocks, TextBlock(text=response.refusal)]
        return tuple(self._with_server(self._with_unique_id(block)) for block in blocks)

    def _with_server(self, block: Block) -> Block:
        """Note the server of a call, for readers of the trace."""
        if not isinstance(block, ToolUseBlock) or block.by_provider:
            return block
        server = self.servers.get(block.name)
        return block if server is None else block.model_copy(update={"server": server})

    def _with_unique_id(self, block: Block) -> Block:
        """Replace a missing or repeated id: some servers give every call the same one, or none."""
        if not isinstance(block, ToolUseBlock) or block.by_provider:
            return block
        if not block.id or block.id in self._ids:
            made = (f"call_{len(self.usages)}_{number}" for number in count(len(self._ids) + 1))
            block = block.model_copy(update={"id": next(name for name in made if name not in self._ids)})
        self._ids.add(block.id)
        return block

    def _limit(self, new_calls: int) -> str | None:
        """The limit that keeps the model from going on, in words; None: it may go on."""
        config, tokens = self.config, sum(usage.total_tokens or 0 for usage in self.usages)
        if len(self.usages) >= config.max_turns:
            return quantity(config.max_turns, "turn")
        if config.max_tokens is not None and tokens >= config.max_tokens:
            return quantity(config.max_tokens, "token")
        if config.max_tool_calls is not None and self.calls + new_calls > config.max_tool_calls:
            return quantity(config.max_tool_calls, "tool call")
        return None

    def _work(self, uses: Sequence[ToolUseBlock]) -> None:
        """Run the model's calls and append their results in the order of the calls.

        Raises `ToolServerError` after all have ended, or `RunCancelled`.
        """
        self.calls += len(uses)
        running = [self.pool.submit(self._call, use) for use in uses]
        results: list[ToolResultBlock] = []
        gone: ToolServerError | None = None
        for use, future in zip(uses, running, strict=True):
            try:
                output = future.result()
            except ToolServerError as error:
                gone = gone or error
                output = ToolOutput(str(error), is_error=True)
            except BaseException:
                _give_up(running)
                raise
            results.append(
                ToolResultBlock(tool_use_id=use.id, content=without_surrogates(output.text), is_error=output.is_error)
            )
        self.new_messages.append(Message(role="tool", content=tuple(results), timestamp=_now()))
        if gone is not None:
            raise gone

    def _call(self, use: ToolUseBlock) -> ToolOutput:
        self._raise_if_cancelled()
        if use.unreadable is not None:
            return _error(unreadable_call_text(use))
        tool = self.tools.get(use.name)
        if tool is None:
            return _error(f"There is no tool '{use.name}'. There are: {', '.join(self.tools) or 'none'}.")
        remaining = self.dependencies.calls.ends - time.monotonic()
        if remaining <= 0:
            return _error("There was no time left for this call.")
        try:
            return tool.call(use.input, None if math.isinf(remaining) else remaining)
        except (ToolServerError, RunCancelled):
            raise
        # Whatever a tool raises, the model can try something else, and the run goes on.
        except Exception as error:
            log.warning("The tool %s failed: %s", use.name, error, exc_info=True)
            return _error(f"{use.name} failed ({type(error).__name__}): {error}")

    def _is_over(self) -> bool:
        return time.monotonic() >= self.dependencies.calls.ends - _TOO_SHORT

    def _result(self, *, timeout: bool = False, limit: str | None = None) -> AgentResult:
        last = self.last
        spoken = next((message for message in reversed(self.new_messages) if message.role == "assistant"), None)
        return AgentResult(
            final_response=spoken.text if spoken else "",
            messages=tuple(self.new_messages),
            usage=_sum(self.usages),
            turns=len(self.usages),
            limit_reached=limit is not None,
            timeout_reached=timeout,
            limit=limit,
            stop_reason=last.stop_reason if last else None,
            refusal=last.refusal if last else None,
            model=last.model if last else None,
            retries=dict(self.retries),
        )

    def _leave_with(self, error: PortError) -> None:
        """Add the messages and token counts so far to the error."""
        error.messages = tuple(self.new_messages)
        error.usages = (*self.usages, *error.usages)
        error.retries = dict(self.retries + Counter(error.retries))
        error.model = error.model or (self.last.model if self.last else None)

    def _raise_if_cancelled(self) -> None:
        if self.dependencies.calls.cancelled():
            raise RunCancelled("The run was stopped. The agent stops working.")


def _plain(response: LLMResponse) -> list[Block]:
    """Blocks of a reply that has none."""
    thinking: list[Block] = [ThinkingBlock(thinking=response.thinking)] if response.thinking else []
    return [*thinking, *([TextBlock(text=response.content)] if response.content else [])]


def _error(text: str) -> ToolOutput:
    return ToolOutput(text, is_error=True)


def _give_up(running: Iterable[Future[ToolOutput]]) -> None:
    for future in running:
        future.cancel()


def _sum(usages: Sequence[CallUsage]) -> CallUsage:
    """Sum over all turns; None if no turn has a figure."""
    received = [usage.input_tokens for usage in usages if usage.input_tokens is not None]
    written = [usage.output_tokens for usage in usages if usage.output_tokens is not None]
    return CallUsage(
        sum(received) if received else None,
        sum(written) if written else None,
        dict(sum((Counter(usage.input_token_details) for usage in usages), Counter())),
        dict(sum((Counter(usage.output_token_details) for usage in usages), Counter())),
        requests=tuple(usages),
    )


def _usage_metadata(usage: CallUsage) -> dict[str, Any] | None:
    if usage.total_tokens is None:
        return None
    return {
        "input_tokens": usage.input_tokens or 0,
        "output_tokens": usage.output_tokens or 0,
        "total_tokens": usage.total_tokens,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
