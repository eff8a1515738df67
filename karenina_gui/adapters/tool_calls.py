"""Tools on their way to a model and back: names that every provider takes, none of them twice, and calls."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

from karenina_gui.schemas.messages import Block, Message, ToolResultBlock, ToolUseBlock
from karenina_gui.schemas.stop_reasons import is_cut_off, stopped
from karenina_gui.schemas.surrogates import without_surrogates
from karenina_gui.schemas.tool_arguments import read_arguments
from karenina_gui.schemas.tools import Tool

_REFUSED = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST = 64
_LONGEST_QUOTE = 300
"""Characters of unreadable arguments that the model is shown again."""


def offered(own: Sequence[Tool], served: Mapping[str, Sequence[Tool]]) -> dict[str, Tool]:
    """All tools by the names that the model calls them by, in their order.

    `served` has those of each server. Where two have one name, those of servers become `server__tool`; the agent's own
    keep theirs. Characters that providers refuse become `_`.
    """
    counts = _counted(tool.spec.name for tools in (own, *served.values()) for tool in tools)
    names: dict[str, Tool] = {}
    for tool in own:
        names[_free(tool.spec.name, names)] = tool
    for server, tools in served.items():
        for tool in tools:
            plain = taken(tool.spec.name)
            names[_free(plain if counts[plain] == 1 else f"{server}__{plain}", names)] = tool
    return names


def servers_of(offer: Mapping[str, Tool], served: Mapping[str, Sequence[Tool]]) -> dict[str, str]:
    """{name of a tool as the model calls it: its MCP server}; the agent's own tools are not in it."""
    of = {id(tool): server for server, tools in served.items() for tool in tools}
    return {name: of[id(tool)] for name, tool in offer.items() if id(tool) in of}


def taken(name: str) -> str:
    """The name as every provider takes it."""
    return _REFUSED.sub("_", name)[:_LONGEST] or "_"


def called(call_id: Any, name: Any, arguments: Any) -> ToolUseBlock:
    """A call as models write it, with the arguments as a text or as what a library has read of one.

    What is not a JSON object is never repaired, because a guess would run something that nobody asked for: half of a
    command, say, where the provider cut it off, or one of two commands under one name.
    """
    read = read_arguments(arguments)
    if isinstance(read, str):
        return not_readable(call_id, name, read)
    return ToolUseBlock(id=_text(call_id), name=_text(name), input=without_surrogates(read))


def not_readable(call_id: Any, name: Any, sent: Any) -> ToolUseBlock:
    """A call that is not run, whatever was `sent` as its arguments."""
    text = sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False, default=str)
    return ToolUseBlock(id=_text(call_id), name=_text(name), unreadable=without_surrogates(text))


def marked(blocks: Iterable[Block], stop_reason: str | None, *, refused: bool = False) -> list[Block]:
    """The blocks of a reply; calls of one that was cut off (their end may be missing) or stopped are marked as that."""
    refused = refused or stopped(stop_reason) is not None
    if not refused and not is_cut_off(stop_reason):
        return list(blocks)
    mark = {"refused" if refused else "cut_off": True}
    return [
        block.model_copy(update=mark) if isinstance(block, ToolUseBlock) and not block.by_provider else block
        for block in blocks
    ]


def in_messages(blocks: Iterable[Block]) -> Iterator[tuple[Literal["assistant", "tool"], tuple[Block, ...]]]:
    """A reply as messages: more than one where it has results of tools that the provider ran itself. The last one is
    the model's."""
    told = True
    for told, some in groupby(blocks, lambda block: isinstance(block, ToolResultBlock)):
        yield "tool" if told else "assistant", tuple(some)
    if told:
        yield "assistant", ()


def without_providers_own(messages: Iterable[Message]) -> list[Message]:
    """Without the calls that the provider ran itself, and their results: it does not take them back in our form."""
    kept: list[Message] = []
    own: set[str] = set()
    for message in messages:
        own |= {use.id for use in message.tool_uses if use.by_provider}
        own -= {use.id for use in message.tool_uses if not use.by_provider}
        content = tuple(block for block in message.content if not _belongs(block, own))
        if kept and kept[-1].role == message.role == "assistant":
            kept[-1] = kept[-1].model_copy(update={"content": kept[-1].content + content})
        elif content or not message.content:
            kept.append(message.model_copy(update={"content": content}))
    return kept


def _belongs(block: Block, calls: Container[str]) -> bool:
    return (isinstance(block, ToolUseBlock) and block.id in calls) or (
        isinstance(block, ToolResultBlock) and block.tool_use_id in calls
    )


def told_unreadable(use: ToolUseBlock) -> str:
    """What the model is told of a call whose arguments are not a JSON object, with as much of them as it needs in
    order to know them again."""
    text = use.unreadable or ""
    if len(text) > _LONGEST_QUOTE:
        text = f"{text[:_LONGEST_QUOTE]} [... cut here: {len(text):,} characters in all ...]"
    return f"The arguments of {use.name} are not a JSON object, so it was not called: {text}"


def _text(given: Any) -> str:
    return "" if given is None else str(given)


def _counted(names: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in names:
        counts[taken(name)] = counts.get(taken(name), 0) + 1
    return counts


def _free(name: str, names: Mapping[str, Tool]) -> str:
    """The name, with a number behind it where it is given away already."""
    name = taken(name)
    number = 2
    free = name
    while free in names:
        free = f"{name[: _LONGEST - 1 - len(str(number))]}_{number}"
        number += 1
    return free
