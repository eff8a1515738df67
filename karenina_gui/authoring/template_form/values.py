"""Values in a template's source: literals, calls of the template's own classes, and anything else as code."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """A call such as `NumericTolerance(tolerance=0.1)`."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CodeValue:
    """An expression that a form can show, but not edit."""

    source: str


def read_value(node: ast.expr, source: str) -> Any:
    """Value of an expression with the text `source`: a literal, a `Call` with such values, or `CodeValue`."""
    try:
        return _read(node)
    except (TypeError, ValueError):
        return CodeValue(source)


def _read(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)) if number is not True:
            return -number
        case ast.List():
            return [_read(element) for element in node.elts]
        case ast.Tuple():
            return tuple(_read(element) for element in node.elts)
        case ast.Set():
            return {_read(element) for element in node.elts}
        case ast.Dict() if None not in node.keys:
            return {_read(key): _read(value) for key, value in zip(node.keys, node.values, strict=True) if key}
        case ast.Call(func=ast.Name(id=name), args=[]) if all(keyword.arg for keyword in node.keywords):
            return Call(name, {str(keyword.arg): _read(keyword.value) for keyword in node.keywords})
    raise ValueError("not a value")


def write_value(value: Any) -> str:
    """Source of a value. Raises `ValueError` for a type that a template cannot hold as a literal."""
    if isinstance(value, CodeValue):
        return value.source
    if isinstance(value, Call):
        return f"{value.name}({', '.join(f'{name}={write_value(part)}' for name, part in value.settings.items())})"
    if isinstance(value, str):
        return _write_text(value)
    if isinstance(value, float):
        return _write_number(value)
    if value is None or isinstance(value, bool | int):
        return repr(value)
    return _write_collection(value)


def _write_collection(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{write_value(key)}: {write_value(element)}" for key, element in value.items()) + "}"
    parts = [write_value(element) for element in (sorted(value, key=repr) if isinstance(value, set) else value)]
    if isinstance(value, list):
        return f"[{', '.join(parts)}]"
    if isinstance(value, tuple):
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if isinstance(value, set) and parts:
        return "{" + ", ".join(parts) + "}"
    raise ValueError(f"A template cannot hold {value!r} as a value.")


def _write_text(text: str) -> str:
    """Source of a text, in double quotes where neither quotes nor backslashes need an escape for it."""
    plain = repr(text)
    if plain.startswith("'") and '"' not in text:
        # repr escapes single quotes only where both kinds occur.
        return f'"{plain[1:-1]}"'
    return plain


def _write_number(number: float) -> str:
    if math.isnan(number):
        raise ValueError("Enter a number.")
    if math.isinf(number):
        return "1e999" if number > 0 else "-1e999"
    return json.dumps(number)
