"""One loop of Claude Code: starts, follows, limits and ends its process, and serves our tools to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

from karenina_gui.adapters.claude_code_transcript import TranscriptBuilder, fault_of_loop, server_fault, with_trace
from karenina_gui.adapters.claude_sdk_internals import process_of
from karenina_gui.adapters.connections import Endpoint
from karenina_gui.adapters.ports import AgentConfig, AgentResult, EnclosedProgram
from karenina_gui.errors import AgentExecutionError, PortError, RunCancelled, ToolServerError
from karenina_gui.schemas.messages import final_answer
from karenina_gui.schemas.tools import Tool

if TYPE_CHECKING:
    import anyio

_GLANCE = 0.05
"""Polling interval in seconds for cancellation."""
_LONGEST_RESULT = 500_000
"""Characters of a tool's result that the model gets unshortened; results of our tools are shorter."""
_KEPT_LINES = 20
"""Number of last lines of the program's stderr to keep."""


@dataclass
class Loop:
    """One loop: its settings, its limits, and how it ended."""

    model: str
    endpoint: Endpoint
    config: AgentConfig
    tools: Sequence[Tool]
    trace: TranscriptBuilder
    allowed: Sequence[str] = ()
    """Tools that may be called, as the program names them; `SERVER__*`: all of a server."""
    served: Mapping[str, Sequence[Tool]] = field(default_factory=dict)
    """Tools of the MCP servers that this process connects to on the program's behalf, by server name."""
    enclosed: EnclosedProgram | None = None
    """Sandbox around the program; None: unsandboxed."""
    limit: str | None = None
    late: bool = False
    cancelled: bool = False
    error: Exception | None = None
    broken: ToolServerError | None = None
    stopped: str | None = None
    """Reason why its sandbox was closed; None: it was not."""
    lines: list[str] = field(default_factory=list)
    _called: int = 0
    _until: float | None = None
    _scope: anyio.CancelScope | None = None

    async def play(self, prompt: str, options: Any, cancelled: Any) -> None:
        """Run the loop to its end. The process is gone afterwards, whatever ended it."""
        import anyio

        if self.config.timeout is not None:
            self._until = monotonic() + self.config.timeout
        async with anyio.create_task_group() as tasks:
            self._scope = tasks.cancel_scope
            tasks.start_soon(self._watch, cancelled)
            tasks.start_soon(self.trace.relay.serve)
            if self.enclosed is not None:
                tasks.start_soon(self._guard, self.enclosed)
            try:
                await self._follow(prompt, options)
            except Exception as error:  # of the package, its program, or a message that it cannot read
                self.error = error
            tasks.cancel_scope.cancel()

    def outcome(self) -> AgentResult | PortError:
        if self.cancelled:
            raise RunCancelled("The run was stopped. No more models are called.")
        if (fault := self._fault_outside()) is not None:
            return with_trace(fault, self.trace)
        result = self.trace.result
        if result is not None and result.subtype == "error_max_turns":
            self.limit = f"{self.config.max_turns} turns"
        if not self._has_ended() and (result is None or result.is_error):
            return self._fault()
        return self._result()

    def _fault_outside(self) -> PortError | None:
        """Fault of the sandbox or of a tool server, which counts whatever the program says."""
        if self.stopped is not None:
            return AgentExecutionError(f"The sandbox stopped Claude Code. {self.stopped}")
        if self.broken is not None:
            return self.broken
        return server_fault(self.trace) if self.trace.lost_server is not None else None

    def _has_ended(self) -> bool:
        """True if the answer so far is the outcome, even without a good result of the program."""
        return self.limit is not None or self.late or self.trace.refusal is not None or self.trace.cut_off

    def _fault(self) -> PortError:
        if self.trace.relay.fault is not None:
            return with_trace(self.trace.relay.fault, self.trace)
        return fault_of_loop(self.trace, self.error, self.lines, self.model, self.endpoint)

    def _result(self) -> AgentResult:
        trace, messages = self.trace, self.trace.messages()
        answer, _ = final_answer(messages)
        return AgentResult(
            final_response=answer or "",
            messages=messages,
            usage=trace.usage,
            dollars=trace.dollars,
            turns=trace.turns,
            limit_reached=self.limit is not None,
            timeout_reached=self.late,
            limit=self.limit,
            stop_reason=self.endpoint.without_key(trace.stop_reason),
            refusal=self.endpoint.without_key(trace.refusal),
            model=self.endpoint.without_key(trace.model),
            retries=dict(trace.retries),
        )

    def hear(self, line: str) -> None:
        """Keep a line of the program's stderr."""
        self.lines = [*self.lines, line][-_KEPT_LINES:]

    async def before_call(self, call: Any, call_id: str | None, _context: Any) -> Any:
        """Hook of the program before each tool call, those of its own tools included; bare mode has no hooks."""
        why = await self.trace.calls.why_not(str(call_id), str(call.get("tool_name")))
        denied = {"permissionDecision": "deny", "permissionDecisionReason": why}
        return {} if why is None else {"hookSpecificOutput": {"hookEventName": "PreToolUse", **denied}}

    async def may_call(self, tool: str, arguments: dict[str, Any], context: Any) -> Any:
        """Permission callback of the program for each tool that is not allowed beforehand."""
        import claude_agent_sdk as sdk

        if not any(tool == name or (name.endswith("*") and tool.startswith(name[:-1])) for name in self.allowed):
            return sdk.PermissionResultDeny(message=f"The tool {tool} is not allowed.")
        why = await self.trace.calls.why_not(str(context.tool_use_id), tool)
        return sdk.PermissionResultAllow() if why is None else sdk.PermissionResultDeny(message=why)

    def server(self, name: str, tools: Sequence[Tool]) -> Any:
        """Serve tools as an MCP server in this process."""
        import claude_agent_sdk as sdk

        return sdk.create_sdk_mcp_server(name, tools=[self._wrap(tool) for tool in tools])

    async def _follow(self, prompt: str, options: Any) -> None:
        import claude_agent_sdk as sdk

        client = sdk.ClaudeSDKClient(options)
        try:
            await client.connect()
            await client.query(prompt)
            self._tell_turn()
            async for message in client.receive_response():
                self.trace.add(message)
                if isinstance(message, sdk.UserMessage):  # with results of tools, which the next turn begins with
                    self._tell_turn()
                self.limit = self.trace.reached_limit(self.config)
                if self.limit or self.trace.refusal or self.trace.lost_server:
                    break
        finally:
            self.trace.relay.shut()
            await _end(client, at_once=self.trace.result is None, commands=self.config.own_tools is not None)

    def _tell_turn(self) -> None:
        if self.config.on_turn is not None:
            self.config.on_turn(self.trace.turns + 1)

    async def _watch(self, cancelled: Any) -> None:
        import anyio

        while True:
            self.cancelled = cancelled()
            self.late = self._until is not None and monotonic() > self._until
            if (self.cancelled or self.late) and self._scope is not None:
                self._scope.cancel()
            await anyio.sleep(_GLANCE)

    async def _guard(self, enclosed: EnclosedProgram) -> None:
        import anyio

        while self.stopped is None:
            await anyio.sleep(_GLANCE)
            self.stopped = await anyio.to_thread.run_sync(enclosed.trouble)
        if self._scope is not None:
            self._scope.cancel()

    def _wrap(self, tool: Tool) -> Any:
        import anyio
        import claude_agent_sdk as sdk

        async def call(arguments: dict[str, Any]) -> dict[str, Any]:
            # Lets `_follow` first process what the program sent before this call.
            await anyio.sleep(0)
            self._called += 1
            most = self.config.max_tool_calls
            if self.limit is not None or (most is not None and self._called > most):
                return _result("No more tools can be called.", is_error=True)
            seconds = None if self._until is None else max(0.0, self._until - monotonic())
            try:
                output = await anyio.to_thread.run_sync(tool.call, arguments, seconds)
            except ToolServerError as error:
                self.broken = error
                if self._scope is not None:
                    self._scope.cancel()
                raise
            return _result(output.text, is_error=output.is_error)

        spec = tool.spec
        shown_whole = sdk.ToolAnnotations(maxResultSizeChars=_LONGEST_RESULT)
        # Without both of these the package takes a schema for a table of names and types.
        schema = {"type": "object", "properties": {}, **spec.input_schema}
        return sdk.tool(spec.name, spec.description, schema, shown_whole)(call)


async def _end(client: Any, *, at_once: bool, commands: bool) -> None:
    """End the program and wait until it is gone. Left alone it takes seconds to end in the middle of a reply."""
    import anyio

    # Shielded: a cancelled task would otherwise leave the process behind.
    with anyio.CancelScope(shield=True):
        process = process_of(client)
        if at_once and process is not None and process.returncode is None:
            # SIGTERM also ends its commands, but the program first tells the provider that they were stopped. Without
            # commands SIGKILL is enough: its MCP servers end with their input.
            (process.terminate if commands else process.kill)()
        await client.disconnect()
        if process is not None:
            await process.aclose()


def _result(text: str, *, is_error: bool) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "is_error": is_error}
