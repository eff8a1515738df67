"""Tools on their way to a model and back: names that every provider takes, none of them twice, and calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from karenina_gui.schemas.messages import ToolUseBlock
from karenina_gui.schemas.surrogates import without_surrogates
from karenina_gui.schemas.tool_arguments import read_arguments
from karenina_gui.schemas.tools import Tool

_REFUSED = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST = 64


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
    use = ToolUseBlock(id=_text(call_id), name=_text(name))
    read = without_surrogates(read_arguments(arguments))
    return use.model_copy(update={"unreadable": read} if isinstance(read, str) else {"input": read})


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
