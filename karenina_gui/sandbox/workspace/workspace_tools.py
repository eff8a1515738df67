"""Tools of an agent in its workspace: list, read, search, write and edit files, and run commands."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from karenina_gui.errors import InputError
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.sandbox.workspace import text_search
from karenina_gui.sandbox.workspace.confined_folder import printable_path
from karenina_gui.sandbox.workspace.safe_walk import FolderEntry
from karenina_gui.sandbox.workspace.workspace_folder import LONGEST_TEXT, ROOT, WorkspaceFolder, inside
from karenina_gui.schemas.tools import Tool, ToolOutput, ToolSpec
from karenina_gui.text.truncation import mark, shorten

READING_TOOLS = ("list_files", "read_file", "search_files")
"""Tools that change nothing."""
_ENTRIES, _LINES, _HITS = 1000, 2000, 200
_DEPTH, _DEEPEST = 4, 20
_SEARCH_S = 20.0
_SEARCHED_FILE, _SEARCHED = 2 << 20, 64 << 20
"""Bytes of one file, and of all of them, that are searched."""
_PATH = {"type": "string", "description": f"Below {ROOT}, as {ROOT}/notes/a.txt or relative to it, as notes/a.txt"}
_WITHOUT_WORKSPACE = (
    f"Python and Node import nothing from {ROOT} for what you type yourself (-c, -m, -e, standard input); programs in "
    "it run as usual when you name their file."
)
_KINDS: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "boolean": (bool,)}

Arguments = dict[str, Any]


@dataclass(frozen=True)
class _Room:
    """Objects that every tool works on."""

    folder: Path
    box: CommandBox

    @property
    def files(self) -> WorkspaceFolder:
        return WorkspaceFolder(self.folder, self.box.limits)

    @property
    def output(self) -> int:
        """Bytes of one answer."""
        return self.box.limits.output_kb << 10


@dataclass(frozen=True)
class WorkspaceTool:
    """One tool of one workspace. Answers in words whatever a model passes to it, and raises nothing."""

    spec: ToolSpec
    _room: _Room
    _do: Callable[[_Room, Arguments, float | None], ToolOutput]

    def call(self, arguments: dict[str, Any], seconds: float | None = None) -> ToolOutput:
        try:
            # Arguments are a model's: valid JSON, but not of the types or names that the schema asks for.
            done = self._do(self._room, _validate(arguments, self.spec.input_schema), seconds)
        except InputError as error:
            done = ToolOutput(str(error), is_error=True)
        except (OSError, RecursionError, MemoryError) as fault:
            reason = getattr(fault, "strerror", None) or type(fault).__name__
            done = ToolOutput(f"This did not work: {reason}.", is_error=True)
        return ToolOutput(shorten(done.text, self._room.output + 1024), done.is_error)


def workspace_tools(folder: Path, names: Collection[str], box: CommandBox) -> list[Tool]:
    """The tools of these names, always in the same order. `run_command` is left out if the box refuses commands."""
    room = _Room(folder, box)
    return [
        WorkspaceTool(_for_judges(spec) if box.judging_since is not None else spec, room, do)
        for spec, do in _TOOLS
        if spec.name in names and (spec.name != "run_command" or box.refusal is None)
    ]


def _for_judges(spec: ToolSpec) -> ToolSpec:
    more = f" {_WITHOUT_WORKSPACE}" if spec.name == "run_command" else ""
    return replace(spec, description=f"{spec.description}{more}")


def _list_files(room: _Room, arguments: Arguments, _: float | None) -> ToolOutput:
    path = inside(arguments.get("path", ""))
    depth = min(max(arguments.get("depth", _DEPTH), 1), _DEEPEST)
    lines: list[str] = []
    for entry in room.files.entries(path, depth):
        if len(lines) == _ENTRIES:
            lines.append(f"[only the first {_ENTRIES} entries; list a folder of its own to see more]")
            break
        lines.append(_line(f"{path}/{entry.path}" if path else entry.path, entry))
    return ToolOutput("\n".join(lines) or "(empty folder)")


def _line(path: str, entry: FolderEntry) -> str:
    if entry.is_folder:
        return f"{printable_path(path)}/"
    return f"{printable_path(path)}  {f'{entry.state.st_size} bytes' if entry.is_file else '(link or special file)'}"


def _read_file(room: _Room, arguments: Arguments, _: float | None) -> ToolOutput:
    path = inside(arguments["path"])
    first, count = max(arguments.get("offset", 1), 1), max(arguments.get("limit", _LINES), 1)
    part = room.files.lines(path, first, count, room.output)
    if not part.last:
        empty = first == 1
        return ToolOutput("(empty file)" if empty else f"The file ends before line {first}.", is_error=not empty)
    size = min(len(part.text.encode()), room.output)
    is_exact = arguments.get("limit") is not None and part.last - first + 1 == count
    note = f"\n{mark(part.left, size)}" if size < part.left and not is_exact else ""
    if part.more:
        note += f"\n[lines {first} to {part.last}; the file goes on, read it with offset {part.last + 1}]"
    return ToolOutput(part.text.replace("\0", "�").removesuffix("\n") + note)


def _search_files(room: _Room, arguments: Arguments, seconds: float | None) -> ToolOutput:
    path, pattern = inside(arguments.get("path", "")), arguments.get("files", "*")
    files = room.files
    passed_over = 0
    texts: list[tuple[str, bytes]] = []
    remaining = _SEARCHED
    for name in _files_below(files, path, pattern):
        try:
            data = files.content(name, _SEARCHED_FILE + 1)
        except InputError:
            passed_over += 1
            continue
        # Binary: a zero byte near the beginning, as grep decides it.
        if b"\0" in data[:8192]:
            continue
        if len(data) > min(remaining, _SEARCHED_FILE):
            passed_over += 1
            continue
        remaining -= len(data)
        texts.append((name, data))
    allowed = _SEARCH_S if seconds is None else min(seconds, _SEARCH_S)
    output = _search(arguments["pattern"], arguments.get("ignore_case", False), texts, max(0.1, allowed))
    note = f"\n[{passed_over} files were not searched: too long, or not to be read]" if passed_over else ""
    return ToolOutput(output.text + note, output.is_error)


def _files_below(files: WorkspaceFolder, path: str, pattern: str) -> list[str]:
    if not files.is_folder(path):
        return [path]
    entries = [entry for entry in files.entries(path) if entry.is_file]
    return [
        f"{path}/{entry.path}" if path else entry.path
        for entry in entries
        if fnmatchcase(entry.name, pattern) or fnmatchcase(entry.path, pattern)
    ]


def _run_search(request: bytes, contents: list[bytes], seconds: float) -> tuple[bytes, bool]:
    """Output of a search in a process of its own, and true if it ended in time."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", text_search.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
    )
    with process:
        try:
            return process.communicate(b"".join([request, b"\n", *contents]), seconds)[0], True
        except subprocess.TimeoutExpired:
            process.kill()
            return process.communicate()[0], False


def _search(pattern: str, ignore_case: bool, texts: list[tuple[str, bytes]], seconds: float) -> ToolOutput:
    request = {
        "pattern": pattern,
        "ignore_case": ignore_case,
        "at_most": _HITS,
        "files": [[printable_path(name), len(data)] for name, data in texts],
    }
    output, in_time = _run_search(json.dumps(request).encode(), [data for _, data in texts], seconds)
    lines, end = _hits_in(output)
    if "error" in end:
        return ToolOutput(f"The pattern cannot be used: {end['error']}.", is_error=True)
    if "lines" not in end:
        reason = f"took longer than {seconds:g} s" if not in_time else "needed too much memory"
        return ToolOutput("\n".join([*lines, f"[The search {reason} and was ended. Use a simpler pattern.]"]), True)
    if end["lines"] > len(lines):
        lines.append(f"[{end['lines']} lines match; these are the first {len(lines)}]")
    return ToolOutput("\n".join(lines) or "(nothing found)")


def _hits_in(output: bytes) -> tuple[list[str], dict[str, Any]]:
    """Matching lines, and the search's last message; empty if it did not come to its end."""
    # A process that was killed may have written half of its last line.
    messages = [json.loads(line) for line in output.splitlines(keepends=True) if line.endswith(b"\n")]
    hits = [message for message in messages if isinstance(message, list)]
    end = messages[-1] if messages and isinstance(messages[-1], dict) else {}
    return [f"{path}:{number}: {line}" for path, number, line in hits], end


def _write_file(room: _Room, arguments: Arguments, _: float | None) -> ToolOutput:
    path, data = inside(arguments["path"]), arguments["content"].encode()
    new = room.files.write(path, data)
    return ToolOutput(f"{'Made' if new else 'Replaced'} {ROOT}/{path} ({len(data)} bytes).")


def _edit_file(room: _Room, arguments: Arguments, _: float | None) -> ToolOutput:
    path, old, new = inside(arguments["path"]), arguments["old_text"].encode(), arguments["new_text"].encode()
    if not old:
        raise InputError("old_text is empty. Give the text that is to be replaced, or write the whole file.")
    data = room.files.content(path, LONGEST_TEXT + 1)
    if len(data) > LONGEST_TEXT:
        raise InputError(f"{ROOT}/{path} is longer than {LONGEST_TEXT >> 20} MB. Change it by a command.")
    if (count := data.count(old)) != 1:
        lines = " Its lines end with a carriage return, too." if b"\r\n" in data and b"\r\n" not in old else ""
        raise InputError(
            f"Nothing was changed: old_text is in {ROOT}/{path} {count} times, and must be there exactly once. "
            + ("Give more of the text around it." if count else f"It has to agree to the letter.{lines}")
        )
    room.files.write(path, data.replace(old, new))
    return ToolOutput(f"Changed {ROOT}/{path}.")


def _run_command(room: _Room, arguments: Arguments, seconds: float | None) -> ToolOutput:
    return room.box.run(room.folder, arguments["command"], seconds)


def _validate(arguments: Any, schema: dict[str, Any]) -> Arguments:
    """Validate the arguments by the tool's schema; null counts as missing. Raises `InputError`."""
    if not isinstance(arguments, dict):
        raise InputError("The arguments are no object. Give an object with named arguments.")
    properties = schema["properties"]
    if unknown := sorted(map(str, arguments.keys() - properties.keys())):
        raise InputError(f"There is no argument {_printable(unknown[0])}. There are: {', '.join(properties)}.")
    values = {name: value for name, value in arguments.items() if value is not None}
    if missing := [name for name in schema.get("required", []) if name not in values]:
        raise InputError(f"The argument {missing[0]} is missing.")
    return {name: _value(name, value, properties[name]["type"]) for name, value in values.items()}


def _value(name: str, value: Any, kind: str) -> Any:
    # Some models send 3.0 for an integer.
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    # bool is a subclass of int.
    if not isinstance(value, _KINDS[kind]) or (kind == "integer" and isinstance(value, bool)):
        article = "an" if kind == "integer" else "a"
        raise InputError(f"The argument {name} has to be {article} {kind}.")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InputError(f"The argument {name} has a sign in it that is no valid Unicode.") from None
    return value


def _printable(name: str) -> str:
    return name[:60].encode("utf-8", "replace").decode()


def _spec(name: str, description: str, required: Collection[str], **properties: dict[str, Any]) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": properties,
        "required": [key for key in properties if key in required],
        "additionalProperties": False,
    }
    return ToolSpec(name, description, schema)


_TOOLS: tuple[tuple[ToolSpec, Callable[[_Room, Arguments, float | None], ToolOutput]], ...] = (
    (
        _spec(
            "list_files",
            f"List the files and folders below a folder of {ROOT}, with the size of each file.",
            (),
            path={**_PATH, "description": f"The folder, below {ROOT}; default: {ROOT} itself"},
            depth={"type": "integer", "description": f"How many levels of folders, 1 to {_DEEPEST}; default {_DEPTH}"},
        ),
        _list_files,
    ),
    (
        _spec(
            "read_file",
            f"Read a text file in {ROOT}, or some lines of it.",
            ("path",),
            path=_PATH,
            offset={"type": "integer", "description": "Number of the first line, from 1; default 1"},
            limit={"type": "integer", "description": f"How many lines at most; default {_LINES}"},
        ),
        _read_file,
    ),
    (
        _spec(
            "search_files",
            f"Find the lines of text files in {ROOT} that match a regular expression (Python syntax).",
            ("pattern",),
            pattern={"type": "string", "description": "The regular expression, searched line by line"},
            path={**_PATH, "description": f"The folder or file to search, below {ROOT}; default: all of {ROOT}"},
            files={"type": "string", "description": "Only files of such names, as *.csv; default: all"},
            ignore_case={"type": "boolean", "description": "Whether A and a are the same; default false"},
        ),
        _search_files,
    ),
    (
        _spec(
            "write_file",
            f"Write a text file in {ROOT}: a new one, or the whole content of one that is there.",
            ("path", "content"),
            path=_PATH,
            content={"type": "string", "description": "All of its text"},
        ),
        _write_file,
    ),
    (
        _spec(
            "edit_file",
            f"Replace a passage in a text file in {ROOT}.",
            ("path", "old_text", "new_text"),
            path=_PATH,
            old_text={
                "type": "string",
                "description": "The passage to the letter; it must be in the file exactly once",
            },
            new_text={"type": "string", "description": "What takes its place"},
        ),
        _edit_file,
    ),
    (
        _spec(
            "run_command",
            f"Run a shell command in {ROOT} and get what it writes. Each command starts anew in {ROOT}; nothing that "
            "it leaves running stays.",
            ("command",),
            command={"type": "string", "description": "The command, as for bash -c"},
        ),
        _run_command,
    ),
)
