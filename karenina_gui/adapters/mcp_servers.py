"""MCP servers of one agent's loop: opened together, called from threads, and closed with the loop."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import tempfile
import threading
from collections.abc import AsyncIterator, Coroutine, Mapping
from concurrent.futures import Future, wait
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self, TypeVar

from karenina_gui.adapters.connections import Endpoint, host_of
from karenina_gui.adapters.error_mapping import plain, redact
from karenina_gui.adapters.ports import Cancelled
from karenina_gui.errors import ConfigurationError, RunCancelled, ToolServerError
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer, resolve_references
from karenina_gui.schemas.tools import Tool, ToolOutput, ToolSpec
from karenina_gui.text import join_list, verb
from karenina_gui.text.secrets import without_secrets
from karenina_gui.text.surrogates import without_surrogates
from karenina_gui.text.truncation import shorten

if TYPE_CHECKING:
    import httpx2
    from anyio import CancelScope
    from mcp import Client
    from mcp.types import CallToolResult, Tool as ServedTool

T = TypeVar("T")

# What goes wrong is said in our own errors; the package would log every line of a server that chatters, with a trace.
logging.getLogger("mcp").setLevel(logging.CRITICAL)

_GLANCE = 0.1
"""Polling interval in seconds for `cancelled` while waiting."""
_PATIENCE = 2.0
"""Seconds beyond a call's timeout until a server counts as unresponsive even to cancellation."""
_LAST_LINES = 8
"""Lines of a program's stderr that are shown if it fails."""
_LAST_BYTES = 4096
"""Bytes of stderr that are searched for these lines."""
_LONGEST = 200_000
"""Bytes of one result that the model gets; of a longer one, its beginning and end."""
_INHERITED = ("LANG", "LC_ALL", "TZ")
"""Variables that a program sees in addition to those that the package passes on (`PATH`, `HOME` and the like)."""


class ToolServers:
    """The servers of one loop, open within `with`.

    One thread with its own event loop serves all of them; it ends with the last server, whatever happened. Raises
    `ToolServerError` if one cannot be reached, `ConfigurationError` if a variable that an entry names is not set,
    `RunCancelled`.
    """

    def __init__(
        self,
        servers: Mapping[str, ToolServer],
        model: ModelConfig,
        environment: Mapping[str, str],
        cancelled: Cancelled,
    ) -> None:
        self._servers = {name: _Server(name, entry, environment) for name, entry in servers.items()}
        self._model = model
        self._cancelled = cancelled
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="mcp", daemon=True)
        self.tools: dict[str, list[Tool]] = {}
        """Tools of each server that are offered to the model."""

    def __enter__(self) -> Self:
        # Imported here, outside of the connection timeout: loading takes longer than most servers need.
        import mcp.client.streamable_http  # noqa: F401

        _accept_surrogates()
        self._thread.start()
        try:
            opened = {name: self._submit(server.open()) for name, server in self._servers.items()}
            for name, future in opened.items():
                tools = self._wait(future)
                server = self._servers[name]
                self.tools[name] = [self._as_tool(server, tool) for tool in tools if self._is_offered(server, tool)]
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _is_offered(self, server: _Server, tool: ServedTool) -> bool:
        filters = (server.entry.tools, self._model.mcp_tool_filter)
        return all(names is None or tool.name in names for names in filters)

    def _as_tool(self, server: _Server, tool: ServedTool) -> Tool:
        description = (self._model.mcp_tool_description_overrides or {}).get(tool.name, tool.description)
        hide = partial(without_secrets, secrets=server.secrets)
        spec = ToolSpec(hide(tool.name), hide(description or ""), hide(dict(tool.input_schema)))
        return _ServedTool(self, server, tool.name, spec)

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _wait(self, future: Future[T]) -> T:
        """Result of the work. Raises `RunCancelled`; the work is then abandoned."""
        while not wait({future}, timeout=_GLANCE).done:
            if self._cancelled():
                future.cancel()
                raise RunCancelled("The run was stopped. The agent’s servers are closed.")
        return future.result()

    def call(self, server: _Server, tool: str, arguments: dict[str, Any], seconds: float) -> ToolOutput:
        return self._wait(self._submit(server.call(tool, arguments, seconds)))

    def _close(self) -> None:
        async def end() -> None:
            await asyncio.gather(*(server.close() for server in self._servers.values()))
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await self._loop.shutdown_asyncgens()
            await self._loop.shutdown_default_executor()

        self._submit(end()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@dataclass(frozen=True)
class _ServedTool:
    """A `Tool` of an MCP server."""

    servers: ToolServers
    server: _Server
    name: str
    spec: ToolSpec

    def call(self, arguments: dict[str, Any], seconds: float | None = None) -> ToolOutput:
        own = self.server.entry.call_seconds
        return self.servers.call(self.server, self.name, arguments, own if seconds is None else min(own, seconds))


class _Server:
    """One server. All of it runs in the event loop; its connection lives in a single task."""

    def __init__(self, name: str, entry: ToolServer, environment: Mapping[str, str]) -> None:
        if missing := [variable for variable in entry.variables if not environment.get(variable)]:
            raise ConfigurationError(
                f"The MCP server “{name}” needs {join_list(missing)}. Enter {verb(len(missing), 'it', 'them')} on the "
                f"API keys page of the application, or set the environment "
                f"{verb(len(missing), 'variable', 'variables')} and restart."
            )
        self.name = name
        self.entry = entry
        self._environment = environment
        self.secrets = entry.secrets(environment)
        self._client: Client | None = None
        self._tools: list[ServedTool] = []
        self._opened = asyncio.Event()
        self._over = asyncio.Event()
        self._problem: str | None = None
        """Reason why there is no connection, or no longer one."""
        self._errors: IO[bytes] | None = None
        """stderr of the program; None: it does not run."""
        self._status = 200
        """HTTP status of the last reply."""
        self._patience: CancelScope | None = None
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> list[ServedTool]:
        """Connect, and return the server's tools. Raises `ToolServerError`."""
        self._task = asyncio.create_task(self._live())
        await self._opened.wait()
        if self._problem is not None:
            raise ToolServerError(self._problem, server=self.name)
        return self._tools

    async def call(self, tool: str, arguments: dict[str, Any], seconds: float) -> ToolOutput:
        """Call a tool. Raises `ToolServerError` if the connection is gone."""
        from anyio import fail_after
        from mcp import MCPError
        from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT

        if self._client is None or self._over.is_set():
            raise self._lost_error(None)
        try:
            with fail_after(seconds + _PATIENCE):
                result = await self._client.call_tool(tool, arguments, read_timeout_seconds=seconds)
        except TimeoutError:
            return self._late(tool, seconds)
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                return self._late(tool, seconds)
            if error.code == CONNECTION_CLOSED or not await self._answers():
                # An error of one tool is the model's to deal with, as long as the server is alive.
                raise self._lost_error(error) from None
            return ToolOutput(self._redact(f"{tool} failed: {error}"), is_error=True)
        except Exception as error:
            if not await self._answers():
                raise self._lost_error(error) from None
            return ToolOutput(self._redact(f"{tool} failed ({type(error).__name__}): {error}"), is_error=True)
        return ToolOutput(shorten(self._redact(_text_of(result)), _LONGEST), is_error=bool(result.is_error))

    async def close(self) -> None:
        self._over.set()
        if self._task is not None:
            if not self._opened.is_set() and self._patience is not None:
                self._patience.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _live(self) -> None:
        """Own the connection from its opening to its end.

        anyio requires that the task that enters a cancel scope also leaves it.
        """
        from anyio import fail_after

        # Closed before it was opened.
        if self._over.is_set():
            self._opened.set()
            return
        with tempfile.TemporaryFile() as self._errors:
            try:
                with fail_after(self.entry.connect_seconds) as self._patience:
                    async with self._connect(self._errors) as client:
                        self._tools = await _list_tools(client)
                        # The timeout applied to connecting only.
                        self._patience.deadline = math.inf
                        self._client = client
                        self._opened.set()
                        await self._over.wait()
            except Exception as error:
                if not self._opened.is_set():
                    self._problem = self._connection_error(error)
            finally:
                self._client = self._errors = None
                self._over.set()
                self._opened.set()

    @asynccontextmanager
    async def _connect(self, errors: IO[bytes]) -> AsyncIterator[Client]:
        import httpx2
        from mcp import Client, StdioServerParameters, stdio_client
        from mcp.client.sse import sse_client
        from mcp.client.streamable_http import streamable_http_client

        entry = self.entry
        if entry.type == "stdio":
            own = {name: self._resolve(value) for name, value in entry.env.items()}
            inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
            parameters = StdioServerParameters(
                command=self._resolve(str(entry.command)),
                args=[self._resolve(argument) for argument in entry.args],
                env={**inherited, **own},
            )
            async with Client(stdio_client(parameters, errlog=errors)) as client:  # type: ignore[arg-type]
                yield client
            return
        headers = {name: self._resolve(value) for name, value in entry.headers.items()}
        address = self._resolve(str(entry.url))
        if entry.type == "sse":
            patience = entry.call_seconds + _PATIENCE
            async with Client(sse_client(address, headers, entry.connect_seconds, patience)) as client:
                yield client
        else:
            waits = httpx2.Timeout(entry.connect_seconds, read=entry.call_seconds + _PATIENCE)
            hooks = {"response": [self._note]}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=waits, event_hooks=hooks) as http,
                Client(streamable_http_client(address, http_client=http)) as client,
            ):
                yield client

    async def _note(self, response: httpx2.Response) -> None:
        self._status = response.status_code

    async def _answers(self) -> bool:
        """True if the server still responds."""
        if self._client is None:
            return False
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._client.list_tools(cache_mode="bypass")
        except Exception:
            return False
        return True

    def _resolve(self, text: str) -> str:
        return resolve_references(text, self._environment)

    def _redact(self, text: str) -> str:
        """Text of the server without the values of the variables that its entry names."""
        return without_secrets(text, self.secrets)

    def _late(self, tool: str, seconds: float) -> ToolOutput:
        return ToolOutput(f"{tool} did not answer within {seconds:.0f} s.", is_error=True)

    def _lost_error(self, error: Exception | None) -> ToolServerError:
        cause = f" ({_cause(error)})" if error is not None else ""
        self._problem = self._problem or self._redact(
            f"The MCP server “{self.name}” failed while the agent was working{cause}. Check that it is running, then "
            f"try again.{self._last_words()}"
        )
        return ToolServerError(self._problem, server=self.name)

    def _connection_error(self, error: Exception) -> str:
        return self._redact(f"MCP server “{self.name}”: {self._why(error)}{self._last_words()}")

    def _why(self, error: Exception) -> str:
        entry, cause = self.entry, _root(error)
        if isinstance(cause, FileNotFoundError):
            return f"Couldn’t find the program “{entry.command}”. Install it, or enter its full path."
        if isinstance(cause, PermissionError):
            return f"“{entry.command}” isn’t an executable program. Check the command and its permissions."
        where = f"“{entry.command}”" if entry.type == "stdio" else host_of(self._resolve(str(entry.url)))
        if isinstance(cause, TimeoutError):
            return (
                f"{where} didn’t list its tools within {entry.connect_seconds:g} s. Check it, or increase its timeout."
            )
        if entry.type == "stdio":
            return f"{where} exited or isn’t an MCP server ({_cause(error)}). Try its command in a terminal."
        if self._status in (401, 403):
            return f"{where} rejected the request (HTTP {self._status}). Check the header with its key."
        if self._status >= 400:
            return f"{where} isn’t an MCP server (HTTP {self._status}). Check its URL."
        if type(cause).__name__ == "MCPError":
            return f"{where} isn’t an MCP server ({_cause(error)}). Check its URL; many end in /mcp."
        return f"Couldn’t reach {where} ({_cause(error)}). Check that it is running, and check its URL."

    def _last_words(self) -> str:
        # Windows has no `pread`.
        if self._errors is None or not hasattr(os, "pread"):
            return ""
        size = os.fstat(self._errors.fileno()).st_size
        # Not by seek(): the program shares the file position and writes there.
        written = os.pread(self._errors.fileno(), _LAST_BYTES, max(0, size - _LAST_BYTES))
        lines = [line for line in written.decode(errors="replace").splitlines() if line.strip()]
        if not lines:
            return ""
        quoted = redact("\n".join(lines[-_LAST_LINES:]), Endpoint("", "", ""))
        return f" Its output:\n{quoted}"


def _accept_surrogates() -> None:
    """Let the package read messages with half a surrogate: it drops them, so that a call waits for its timeout."""
    from mcp.types import jsonrpc_message_adapter as adapter
    from pydantic import ValidationError

    if "validate_json" in vars(adapter):
        return
    strict = adapter.validate_json

    def validate_json(data: Any, **settings: Any) -> Any:
        try:
            return strict(data, **settings)
        except ValidationError as refusal:
            try:
                message = without_surrogates(json.loads(data))
            except (ValueError, RecursionError):
                raise refusal from None
            return adapter.validate_python(message, **settings)

    vars(adapter)["validate_json"] = validate_json


async def _list_tools(client: Client) -> list[ServedTool]:
    tools: list[ServedTool] = []
    page = await client.list_tools()
    tools += page.tools
    while page.next_cursor:
        page = await client.list_tools(cursor=page.next_cursor)
        tools += page.tools
    return tools


def _text_of(result: CallToolResult) -> str:
    """Everything that a tool returned, as text; other content is described."""
    parts = [_describe(part) for part in result.content]
    data = result.structured_content
    if data is not None and not _repeats([part.text for part in result.content if part.type == "text"], data):
        parts.append(json.dumps(data, ensure_ascii=False))
    return "\n".join(parts)


def _repeats(texts: list[str], data: Any) -> bool:
    """True if the texts hold the structured content, as they do of most servers, and not only a summary of it."""
    values = [_value(text) for text in texts]
    # Servers wrap what is not an object, and send the entries of a list as texts of their own.
    wrapped = data["result"] if isinstance(data, dict) and data.keys() == {"result"} else data
    return data in values or wrapped in (values, *values, *texts)


def _value(text: str) -> Any:
    """The parsed JSON, or the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _describe(part: Any) -> str:
    kind = part.type
    if kind == "text":
        return str(part.text)
    if kind in ("image", "audio"):
        return f"[{kind}, {part.mime_type}, {len(part.data) * 3 // 4} bytes; not shown]"
    if kind == "resource_link":
        return f"[resource {part.uri}: {part.description or part.name}]"
    if kind == "resource":
        inner = part.resource
        text = getattr(inner, "text", None)
        return str(text) if text is not None else f"[resource {inner.uri}, {inner.mime_type or 'no text'}; not shown]"
    return f"[{kind}; not shown]"


def _root(error: BaseException) -> BaseException:
    """First error in nested exception groups, into which task groups wrap it."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error


def _cause(error: Exception) -> str:
    root = _root(error)
    return plain(str(root).partition("\n")[0]) or type(root).__name__
