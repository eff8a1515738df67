"""Response schemas of judges: a JSON Schema to send, and a check of the reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karenina_gui.adapters.ports import ParsedReply


@dataclass(frozen=True)
class FlatReply:
    """Reply with a few required fields, each a string or a boolean."""

    json_schema: dict[str, Any]

    def check(self, data: dict[str, Any]) -> ParsedReply:
        errors = tuple(
            f"{name}: expected a {spec['type']}"
            for name, spec in self.json_schema["properties"].items()
            if not isinstance(data.get(name), bool if spec["type"] == "boolean" else str)
        )
        return ParsedReply(values=data, errors=errors)


@dataclass(frozen=True)
class Checklist:
    """Reply with one entry for each of several names. `entry`: JSON Schema of one entry."""

    title: str
    names: tuple[str, ...]
    entry: dict[str, Any]

    @property
    def json_schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "title": self.title,
            "properties": dict.fromkeys(self.names, self.entry),
            "required": list(self.names),
            "additionalProperties": False,
        }

    def check(self, data: dict[str, Any]) -> ParsedReply:
        """Values by name. An entry of another type is an error, which the judge gets as feedback."""
        kind: type = {"string": str, "array": list}[self.entry["type"]]
        errors = [
            f"{name}: expected a JSON {self.entry['type']}" for name in self.names if not _has_type(data, name, kind)
        ]
        if kind is list:
            shape = self.entry["items"]["properties"]
            errors += [
                f"{name}: each entry needs the texts {', '.join(shape)}"
                for name in self.names
                if _has_type(data, name, list) and not all(_fits(entry, shape) for entry in data[name])
            ]
        return ParsedReply(values={name: data.get(name) for name in self.names}, errors=tuple(errors))


def _has_type(data: dict[str, Any], name: str, kind: type) -> bool:
    return isinstance(data.get(name), kind)


def _fits(entry: Any, shape: dict[str, Any]) -> bool:
    return isinstance(entry, dict) and all(
        isinstance(entry.get(name), str) and entry[name] in field.get("enum", [entry[name]])
        for name, field in shape.items()
    )
