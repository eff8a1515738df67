"""Response schemas for traits: nullable properties with names that every provider accepts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from karenina_gui.adapters.ports import ParsedReply

_SAFE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
"""Property names accepted by every provider."""


def property_names(names: Iterable[str]) -> list[str]:
    """One unique property name for each name, in order: the name itself if it is safe, else `trait_<place>`."""
    originals = list(names)
    taken = {name for name in originals if _SAFE.fullmatch(name)}
    unique = []
    for number, name in enumerate(originals, 1):
        if name not in taken:
            name = f"trait_{number}"
            while name in taken:
                name += "_"
        unique.append(name)
    return unique


def in_own_words(text: str, names: Mapping[str, str]) -> str:
    """Message about a reply, with property names replaced by full names. `names`: full name by property."""
    own = {name: whole for name, whole in names.items() if name != whole}
    if not own:
        return text
    return re.sub(rf"\b({'|'.join(map(re.escape, own))})\b", lambda match: f"“{own[match[0]]}”", text)


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Schema that also accepts null."""
    if "anyOf" in schema:
        return schema
    # Models look for the description next to `anyOf`, not inside it.
    inner = {key: value for key, value in schema.items() if key not in ("description", "title", "default")}
    outer = {"description": schema["description"]} if "description" in schema else {}
    return {"anyOf": [inner, {"type": "null"}], **outer}


@dataclass(frozen=True)
class ReplyForm:
    """`ParseTarget` that accepts any part of the properties, so that a bad value costs only itself.

    A reply that lacks some of them is sent back once; one without any of them is rejected.
    """

    title: str
    properties: dict[str, dict[str, Any]]
    optional: frozenset[str] = frozenset()
    """Properties that may be left out without a word, because they have a default."""

    @property
    def json_schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "title": self.title,
            "properties": self.properties,
            "required": list(self.properties),
            "additionalProperties": False,
        }

    def check(self, data: dict[str, Any]) -> ParsedReply:
        values = {name: data[name] for name in self.properties if name in data}
        if not values:
            return ParsedReply(errors=(f"The reply has none of the properties {', '.join(self.properties)}.",))
        missing = tuple(name for name in self.properties if name not in data and name not in self.optional)
        return ParsedReply(values=values, missing=missing)
