"""Agent settings of a model as form fields: tools, MCP servers, limits.

An MCP server is a row of texts, whether the model stores it as a URL or as an entry with more settings.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import ValidationError

from karenina_gui.gui.kit.number_text import NumberLimits, number_in
from karenina_gui.gui.pages.models.fields import ModelField, Row, checked_address, looks_like_key, sentence
from karenina_gui.gui.records.form_field import Column
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.workspace import ClaudeCodeToolName, WorkspaceToolName

TOOL_NAMES: tuple[str, ...] = get_args(WorkspaceToolName)
READING = ("list_files", "read_file", "search_files")
TOOLS = {
    "list_files": ("List files", "Shows names and sizes."),
    "read_file": ("Read files", "Reads long files in parts."),
    "search_files": ("Search files", "Finds text by regular expression."),
    "write_file": ("Write files", "Creates or overwrites files."),
    "edit_file": ("Edit files", "Replaces text in a file."),
    "run_command": ("Run commands", "Runs programs and scripts in the workspace."),
}
"""{tool: (title, description)}."""


CLAUDE_CODE_NAMES: tuple[str, ...] = get_args(ClaudeCodeToolName)
CLAUDE_CODE_READING = ("Glob", "Grep", "Read")
CLAUDE_CODE_TOOLS = {
    "Bash": ("Bash", "Runs commands, as in a terminal."),
    "Edit": ("Edit", "Replaces text in a file."),
    "Glob": ("Glob", "Finds files by name."),
    "Grep": ("Grep", "Searches files for a pattern."),
    "NotebookEdit": ("NotebookEdit", "Edits notebooks (.ipynb): documents of text, code, and its output."),
    "Read": ("Read", "Reads files, including images, PDFs, and notebooks."),
    "Write": ("Write", "Creates or overwrites files."),
}
"""{tool of Claude Code: (title, description)}."""


_NAMES = {"workspace_tools": TOOL_NAMES, "claude_code_tools": CLAUDE_CODE_NAMES}
"""{setting with tools: the tools}."""


def _tool(tools: str, name: str, title: str) -> ModelField:
    def tools_of(model: ModelConfig) -> set[str]:
        return {*(getattr(model, tools) or ())}

    def write(model: ModelConfig, on: Any) -> dict[str, Any]:
        return chosen_tools(tools, tools_of(model) | {name} if on else tools_of(model) - {name})

    return ModelField(f"{tools}.{name}", title, kind="switch", read=lambda model: name in tools_of(model), write=write)


def chosen_tools(tools: str, names: Collection[str]) -> dict[str, Any]:
    """Return the change that enables these tools. Empty: none was chosen, so the default applies."""
    return {tools: [name for name in _NAMES[tools] if name in names] or None}


def server_rows(model: ModelConfig) -> list[Row]:
    """Return a row for each server of the model, plain URLs first."""
    entries = model.mcp_servers or {}
    rows = [
        {"name": name, "kind": "http", "url": url}
        for name, url in (model.mcp_urls_dict or {}).items()
        if name not in entries
    ]
    return rows + [_row(name, server) for name, server in entries.items()]


def _row(name: str, server: ToolServer) -> Row:
    row = {"name": name, "kind": server.type, "entry": "yes", "tools": ", ".join(server.tools or ())}
    if server.type == "stdio":
        row |= {"command": server.command_line, "env": _to_lines(server.env, "=")}
    else:
        row |= {"url": server.url or "", "headers": _to_lines(server.headers, ": ")}
    for key, field in SECONDS.items():
        if getattr(server, field) != ToolServer.model_fields[field].default:
            row[key] = f"{getattr(server, field):g}"
    return {key: text for key, text in row.items() if text}


SECONDS = {"connect": "connect_seconds", "call": "call_seconds"}
"""{key of a row: field of a server}."""
_SHARED_TIMEOUTS = {"connect": "mcp_http_timeout", "call": "mcp_sse_read_timeout"}
"""{key of a row: field for all servers that are plain URLs}."""


def _servers(model: ModelConfig, rows: Sequence[Row]) -> dict[str, Any]:
    """Return the servers of rows. A plain URL stays one, for compatibility with other programs."""
    addresses: dict[str, str] = {}
    entries: dict[str, ToolServer] = {}
    for row in rows:
        name = _text(row, "name")
        if not name or name in addresses or name in entries:
            raise ValueError("Give each server a unique name.")
        try:
            server = server_of(row, model)
        except ValueError as fault:
            raise ValueError(f"{name}: {fault}") from None
        if _is_plain_url(row):
            addresses[name] = str(server.url)
        else:
            entries[name] = server
    return {"mcp_urls_dict": addresses or None, "mcp_servers": entries or None}


def server_of(row: Row, model: ModelConfig) -> ToolServer:
    """Return the server of a row. Raises `ValueError` if the row is invalid."""
    settings = _transport(row)
    if tools := names_in(_text(row, "tools")):
        settings["tools"] = tools
    for key, field in SECONDS.items():
        if text := _text(row, key):
            settings[field] = _seconds(text)
        elif _was_plain_url(row) and (usual := getattr(model, _SHARED_TIMEOUTS[key])) is not None:
            settings[field] = usual
    try:
        return ToolServer.model_validate(settings)
    except ValidationError as error:
        if error.errors(include_url=False)[0]["loc"][:1] in {(field,) for field in SECONDS.values()}:
            raise ValueError("Enter timeouts in seconds: up to 600 to connect, up to 3600 for a call.") from None
        raise ValueError(sentence(error)) from None


def _transport(row: Row) -> dict[str, Any]:
    kind = row.get("kind") or "http"
    if kind != "stdio":
        headers = dict(_pairs(_text(row, "headers"), "=:"))
        return {"type": kind, "url": checked_address(_text(row, "url")), "headers": headers}
    # shlex splits as a shell does, but the command runs without a shell.
    command = _split_names(_text(row, "command"))
    if not command:
        raise ValueError("Enter the command to run, with its arguments.")
    return {"type": kind, "command": command[0], "args": command[1:], "env": dict(_pairs(_text(row, "env"), "="))}


def fault_of(row: Row, model: ModelConfig) -> str | None:
    """Return the problem of a row. None: it is valid."""
    try:
        server_of(row, model)
    except ValueError as fault:
        return str(fault)
    return None


def unset_in(row: Row, is_set: Callable[[str], bool]) -> list[str]:
    """Return variables that a row uses and that are not set."""
    texts = " ".join(_text(row, key) for key in (("command", "env") if row.get("kind") == "stdio" else ("headers",)))
    return [name for name in dict.fromkeys(_VARIABLE.findall(texts)) if not is_set(name)]


_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def _is_plain_url(row: Row) -> bool:
    return _was_plain_url(row) and not any(_text(row, key) for key in ("headers", "tools", *SECONDS))


def _was_plain_url(row: Row) -> bool:
    return (row.get("kind") or "http") == "http" and not row.get("entry")


def _text(row: Row, key: str) -> str:
    return str(row.get(key) or "").strip()


def _to_lines(values: Mapping[str, str], sign: str) -> str:
    return "\n".join(f"{name}{sign}{value}" for name, value in values.items())


def _pairs(text: str, signs: str) -> Iterator[tuple[str, str]]:
    for line in filter(None, map(str.strip, text.splitlines())):
        match = re.fullmatch(rf"([\w.-]+)\s*[{signs}]\s*(.*)", line)
        if match is None:
            form = "Name: ${VARIABLE}" if ":" in signs else "NAME=${VARIABLE}"
            raise ValueError(f"Enter one {form} per line. This line is different: {_mask_end(line)}")
        if looks_like_key(match[2]):
            raise ValueError(_KEY_HERE.format(match[1]))
        yield match[1], match[2]


_KEY_HERE = (
    "The value of {} looks like an API key. Store it in an environment variable and enter ${{NAME}} here instead."
)


def _mask_end(line: str) -> str:
    """Return only the beginning of a line: it may contain a key."""
    return line if len(line) <= 12 else f"{line[:12]}…"


def _split_names(text: str) -> list[str]:
    try:
        parts = shlex.split(text)
    except ValueError:
        raise ValueError("The command has an unclosed quotation mark.") from None
    if any(map(looks_like_key, parts)):
        raise ValueError(_KEY_HERE.format("an argument"))
    return parts


def _seconds(text: str) -> float:
    if (number := number_in(text)) is None:
        raise ValueError(f"“{text}” is not a number. Enter seconds.")
    return number


def names_in(text: str) -> list[str]:
    """Return the distinct names in a text such as `a, b c`."""
    return list(dict.fromkeys(re.split(r"[\s,;]+", text.strip()))) if text.strip() else []


def _names(name: str) -> Callable[[ModelConfig, Any], dict[str, Any]]:
    return lambda _model, text: {name: names_in(str(text or "")) or None}


def _descriptions(_model: ModelConfig, rows: Sequence[Row]) -> dict[str, Any]:
    descriptions: dict[str, str] = {}
    for row in rows:
        tool, text = _text(row, "tool"), _text(row, "description")
        if not tool or not text:
            raise ValueError("Enter a tool name and a description in each line.")
        if tool in descriptions:
            raise ValueError(f"{tool} is already listed.")
        descriptions[tool] = text
    return {"mcp_tool_description_overrides": descriptions or None}


def _limit(name: str, title: str, hint: str) -> ModelField:
    """Create a field of `agent_middleware.limits`. Other content of the table is preserved."""

    def read(model: ModelConfig) -> Any:
        return ((model.agent_middleware or {}).get("limits") or {}).get(name)

    def write(model: ModelConfig, value: Any) -> dict[str, Any]:
        refusal = "Enter a whole number, 1 or more. Leave it empty for the default."
        number = NumberLimits(1, whole=True).read(value, refusal)
        middleware = dict(model.agent_middleware or {})
        limits = dict(middleware.pop("limits", None) or {})
        limits.pop(name, None)
        if number is not None:
            limits[name] = number
        if limits:
            middleware["limits"] = limits
        return {"agent_middleware": middleware or None}

    return ModelField(f"agent_middleware.{name}", title, hint, "number", read=read, write=write)


def _time(name: str, title: str, hint: str) -> ModelField:
    def write(_model: ModelConfig, value: Any) -> dict[str, Any]:
        refusal = "Enter more than 0 seconds. Leave it empty for the default."
        return {name: NumberLimits(above=0, most=1e9).read(value, refusal)}

    return ModelField(name, title, hint, "number", write=write)


TOOL_FIELDS = {name: _tool("workspace_tools", name, TOOLS[name][0]) for name in TOOL_NAMES}
CLAUDE_CODE_FIELDS = {name: _tool("claude_code_tools", name, CLAUDE_CODE_TOOLS[name][0]) for name in CLAUDE_CODE_NAMES}
LIMIT_FIELDS = (
    _limit("model_call_limit", "Turn limit", "default: 25"),
    _limit("tool_call_limit", "Maximum tool calls", "default: no limit"),
    _limit("token_limit", "Maximum total tokens", "default: no limit"),
    _time("agent_timeout", "Time limit (s)", "default: 180"),
)
SERVER_FIELD = ModelField(
    "tool_servers",
    "MCP servers",
    "tools the model can use to answer",
    "rows",
    read=server_rows,
    write=_servers,
)
SERVER_TIMES = (
    _time("mcp_http_timeout", "Connection timeout (s)", "for servers without their own; default: 30"),
    _time("mcp_sse_read_timeout", "Tool call timeout (s)", "for servers without their own; default: 60"),
)
FILTER_FIELD = ModelField(
    "mcp_tool_filter",
    "Allowed server tools",
    "of all servers together: names, separated by commas; default: all",
    read=lambda model: ", ".join(model.mcp_tool_filter or ()),
    write=_names("mcp_tool_filter"),
)
DESCRIPTION_FIELD = ModelField(
    "mcp_tool_description_overrides",
    "Tool description overrides",
    "sent to the model instead of the server’s descriptions",
    "rows",
    read=lambda model: [
        {"tool": tool, "description": text} for tool, text in (model.mcp_tool_description_overrides or {}).items()
    ],
    write=_descriptions,
    columns=(Column("tool", "Tool"), Column("description", "Description", width="2fr")),
    add="Add tool",
)
AGENT_FIELDS = {
    field.name: field
    for field in (
        *TOOL_FIELDS.values(),
        *CLAUDE_CODE_FIELDS.values(),
        SERVER_FIELD,
        FILTER_FIELD,
        DESCRIPTION_FIELD,
        *SERVER_TIMES,
        *LIMIT_FIELDS,
    )
}


def any_set(model: ModelConfig) -> bool:
    """Return True if a setting is set that affects only agents."""
    return any(field.value_of(model) not in (None, False, "", []) for field in AGENT_FIELDS.values())
