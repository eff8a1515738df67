"""Names and calls of tools: names that every provider accepts, without duplicates, and calls as they were sent."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

from karenina_gui.schemas.messages import Block, Message, ToolResultBlock, ToolUseBlock
from karenina_gui.schemas.stop_reasons import is_cut_off, refusal_sentence
from karenina_gui.schemas.tools import Tool
from karenina_gui.text.surrogates import without_surrogates
from karenina_gui.traces.tool_arguments import read_arguments

# The characters and the length that OpenAI and Anthropic accept for names.
_REFUSED = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST = 64
_LONGEST_QUOTE = 300
"""Characters of unreadable arguments that are quoted to the model."""


def tools_by_name(own: Sequence[Tool], served: Mapping[str, Sequence[Tool]]) -> dict[str, Tool]:
    """All tools by the names for the model, in order.

    `served`: tools of each server. If two have the same name, those of servers become `<server>__<tool>`; the agent's
    own keep theirs. Characters that providers reject become `_`.
    """
    counts = _count_names(tool.spec.name for tools in (own, *served.values()) for tool in tools)
    names: dict[str, Tool] = {}
    for tool in own:
        names[_free(tool.spec.name, names)] = tool
    for server, tools in served.items():
        for tool in tools:
            plain = safe_name(tool.spec.name)
            names[_free(plain if counts[plain] == 1 else f"{server}__{plain}", names)] = tool
    return names


def servers_of(offer: Mapping[str, Tool], served: Mapping[str, Sequence[Tool]]) -> dict[str, str]:
    """{name of a tool for the model: its MCP server}, without the agent's own tools."""
    of = {id(tool): server for server, tools in served.items() for tool in tools}
    return {name: of[id(tool)] for name, tool in offer.items() if id(tool) in of}


def safe_name(name: str) -> str:
    """The name with all characters that some provider rejects replaced, cut to 64."""
    return _REFUSED.sub("_", name)[:_LONGEST] or "_"


def convert_call(call_id: Any, name: Any, arguments: Any) -> ToolUseBlock:
    """Convert a call, with its arguments as text or as a library has parsed them.

    Anything but a JSON object is never repaired, because a guess would run something that the model did not ask for:
    half of a truncated command, say, or one of two commands with the same name.
    """
    read = read_arguments(arguments)
    if isinstance(read, str):
        return not_readable(call_id, name, read)
    return ToolUseBlock(id=_text(call_id), name=_text(name), input=without_surrogates(read))


def not_readable(call_id: Any, name: Any, sent: Any) -> ToolUseBlock:
    """A call that is not run, whatever was `sent` as its arguments."""
    text = sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False, default=str)
    return ToolUseBlock(id=_text(call_id), name=_text(name), unreadable=without_surrogates(text))


def mark_calls(blocks: Iterable[Block], stop_reason: str | None, *, refused: bool = False) -> list[Block]:
    """Mark the calls in a reply that was truncated (their end may be missing) or stopped."""
    refused = refused or refusal_sentence(stop_reason) is not None
    if not refused and not is_cut_off(stop_reason):
        return list(blocks)
    mark = {"refused" if refused else "cut_off": True}
    return [
        block.model_copy(update=mark) if isinstance(block, ToolUseBlock) and not block.by_provider else block
        for block in blocks
    ]


def in_messages(blocks: Iterable[Block]) -> Iterator[tuple[Literal["assistant", "tool"], tuple[Block, ...]]]:
    """Split a reply into messages at the results of tools that the provider ran itself. The last is the model's."""
    is_result = True
    for is_result, some in groupby(blocks, lambda block: isinstance(block, ToolResultBlock)):
        yield "tool" if is_result else "assistant", tuple(some)
    if is_result:
        yield "assistant", ()


def without_providers_own(messages: Iterable[Message]) -> list[Message]:
    """Remove calls that the provider ran itself, with their results: it rejects them in our format."""
    cleaned: list[Message] = []
    own: set[str] = set()
    for message in messages:
        # An id may come again, for a call of ours.
        own = (own | _call_ids(message, by_provider=True)) - _call_ids(message, by_provider=False)
        content = tuple(block for block in message.content if not _belongs(block, own))
        if cleaned and cleaned[-1].role == message.role == "assistant":
            cleaned[-1] = cleaned[-1].model_copy(update={"content": cleaned[-1].content + content})
        elif content or not message.content:
            cleaned.append(message.model_copy(update={"content": content}))
    return cleaned


def _call_ids(message: Message, *, by_provider: bool) -> set[str]:
    return {use.id for use in message.tool_uses if use.by_provider == by_provider}


def _belongs(block: Block, calls: Container[str]) -> bool:
    return (isinstance(block, ToolUseBlock) and block.id in calls) or (
        isinstance(block, ToolResultBlock) and block.tool_use_id in calls
    )


def unreadable_call_text(use: ToolUseBlock) -> str:
    """Message to the model about a call whose arguments are not a JSON object.

    It quotes enough of them for the model to recognize the call.
    """
    text = use.unreadable or ""
    if len(text) > _LONGEST_QUOTE:
        text = f"{text[:_LONGEST_QUOTE]} [... cut here: {len(text):,} characters in all ...]"
    return f"The arguments of {use.name} are not a JSON object, so it was not called: {text}"


def _text(content: Any) -> str:
    return "" if content is None else str(content)


def _count_names(names: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in names:
        counts[safe_name(name)] = counts.get(safe_name(name), 0) + 1
    return counts


def _free(name: str, names: Mapping[str, Tool]) -> str:
    """The name, with a number appended if it is already used."""
    name = safe_name(name)
    number = 2
    free = name
    while free in names:
        free = f"{name[: _LONGEST - 1 - len(str(number))]}_{number}"
        number += 1
    return free
