"""Traces of which only the text form is left, read back into messages; see `messages.render_trace`."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Iterator, Sequence
from typing import Any

from karenina_gui.schemas.messages import (
    CALLS,
    CUT_OFF,
    Block,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    is_header,
)
from karenina_gui.schemas.tool_arguments import read_arguments

_TOOL = "--- Tool Message (call_id: "
_THINKING = "--- Thinking ---"
_FAILED = "[ERROR] "
_CALL = re.compile(
    r"  (?P<name>\S+) \(.*\)\n   Call ID: (?P<id>.*)"
    r"(?:\n   Args: (?P<arguments>.*))?(?:\n   Not run: (?P<not_run>.*))?\n?"
)

_ODD_ESCAPE = re.compile(r"\\[^\\'\"abfnrtvxuU]")
"""One that Python never writes, and warns of where it reads it."""


def messages_of_text(trace: str) -> list[Message]:
    """The blocks of a trace as messages; a text without any header is one message of the model.

    Arguments of calls that cannot be read stay the text that they are. What does not have the form of a call is left
    in the message.
    """
    messages: list[Message] = []
    thinking: list[Block] = []
    for header, body in _blocks(trace):
        if header == _THINKING:
            thinking.append(ThinkingBlock(thinking=body))
        elif header.startswith(_TOOL):
            messages.append(_tool_message(header.removeprefix(_TOOL).removesuffix(") ---"), body))
        else:
            messages.append(Message(role="assistant", content=(*thinking, *_said(body))))
            thinking = []
    return [*messages, Message(role="assistant", content=tuple(thinking))] if thinking else messages


def _blocks(trace: str) -> Iterator[tuple[str, str]]:
    """(header, text below it); the header is empty for what stands before the first."""
    header, lines = "", list[str]()
    for line in trace.split("\n"):
        if is_header(line):
            if header or "".join(lines).strip():
                yield header, _unquoted(lines)
            header, lines = line.strip(), []
        else:
            lines.append(line)
    if header or "".join(lines).strip():
        yield header, _unquoted(lines)


def _unquoted(lines: Sequence[str]) -> str:
    """The text as it was before its lines that look like headers were quoted."""
    return "\n".join(line[2:] if _is_quoted(line) else line for line in lines).strip("\n")


def _is_quoted(line: str) -> bool:
    return line.startswith("> ") and is_header(line[2:])


def _said(body: str) -> Iterator[Block]:
    text, found, rest = f"\n{body}\n".partition(f"\n{CALLS}\n")
    calls = _calls(rest) if found else []
    spoken = text.strip("\n") if calls else body
    if spoken:
        yield TextBlock(text=re.sub(rf"^> (?={CALLS}$)", "", spoken, flags=re.MULTILINE))
    yield from calls


def _calls(text: str) -> list[ToolUseBlock]:
    """Empty where anything else than calls stands there."""
    calls, at = [], 0
    text = text.rstrip("\n") + "\n"
    while match := _CALL.match(text, at):
        calls.append(_call(match))
        at = match.end()
    return calls if at == len(text) else []


def _call(match: re.Match[str]) -> ToolUseBlock:
    use = ToolUseBlock(id=match["id"].strip(), name=match["name"], cut_off=match["not_run"] == CUT_OFF)
    read = _arguments(match["arguments"] or "")
    if isinstance(read, dict):
        return use.model_copy(update={"input": read})
    return use.model_copy(update={"unreadable": read, "recorded": match["not_run"] is None})


def _arguments(text: str) -> dict[str, Any] | str:
    read = read_arguments(text)
    return read if isinstance(read, dict) else text if (value := _value(text)) is None else value


def _value(text: str) -> dict[str, Any] | None:
    """The object that Python wrote so, as the text form does; None: it is none."""
    if not text.startswith("{") or _ODD_ESCAPE.search(text):
        return None
    try:
        value = literal_eval(text)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, dict) and all(isinstance(key, str) for key in value) else None


def _tool_message(call: str, body: str) -> Message:
    failed = body.startswith(_FAILED)
    result = ToolResultBlock(tool_use_id=call, content=body.removeprefix(_FAILED), is_error=failed)
    return Message(role="tool", content=(result,))
