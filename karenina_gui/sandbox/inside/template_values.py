"""Reader of the values and types in a template: literals, and objects of our own classes.

Nothing of the source is evaluated: each node is held against an allow-list, and everything else is code.
"""

from __future__ import annotations

import ast
import typing
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pydantic

from karenina_gui.sandbox.inside.code_separation import IsCode
from karenina_gui.schemas import composition, primitives, verified_field

_WIDEST_INTEGER = 4096
"""Bits."""
_PLAIN_TYPES: dict[str, Any] = {
    **{kind.__name__: kind for kind in (bool, dict, float, int, list, set, str, tuple)},
    **{name: getattr(typing, name) for name in ("Any", "Dict", "List")},
}
_GENERIC: dict[str, Any] = {
    **{kind.__name__: kind for kind in (dict, list, set, tuple)},
    **{name: getattr(typing, name) for name in ("Dict", "List", "Literal", "Optional", "Union")},
}
_CALLABLE: dict[str, Callable[..., Any]] = {
    "VerifiedField": verified_field.VerifiedField,
    "ConditionalGroundTruth": verified_field.ConditionalGroundTruth,
    "GroundTruthCase": verified_field.GroundTruthCase,
    "SynonymMap": primitives.SynonymMap,
    **primitives.PRIMITIVES,
    **{name: getattr(composition, name) for name in ("AllOf", "AnyOf", "AtLeastN", "FieldCheck")},
}
_FIELD_SETTINGS = {
    "default",
    "default_factory",
    "description",
    "title",
    "examples",
    "ge",
    "gt",
    "le",
    "lt",
    "multiple_of",
    "min_length",
    "max_length",
}
FACTORIES: dict[str, Any] = {kind.__name__: kind for kind in (dict, list, set)}
KNOWN_NAMES = {*_PLAIN_TYPES, *_GENERIC, *_CALLABLE, "Field", "BaseAnswer", "BaseModel"}


class WrongValue(Exception):
    """A value that one of our own classes rejects."""

    def __init__(self, line: int, error: Exception) -> None:
        super().__init__(str(error))
        self.line = line
        self.error = error
        self.tree = ast.Module(body=[], type_ignores=[])
        self.doubts: list[warnings.WarningMessage] = []
        """Warnings of the parser."""


class ValueReader:
    """Reads the nodes of one template."""

    def __init__(self) -> None:
        self.types = dict(_PLAIN_TYPES)
        """{name: type}, to which imports add."""
        self.generic = dict(_GENERIC)
        """{name: type that takes arguments}, to which imports add."""

    def value(self, node: ast.expr) -> Any:
        """A literal, or an object of one of our own classes."""
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.List):
            return [self.value(element) for element in node.elts]
        if isinstance(node, ast.Dict):
            return self._dict(node, self.value)
        return self.literal(node)

    def literal(self, node: ast.expr | None) -> Any:
        """A number, a text, or a collection of literals."""
        if isinstance(node, ast.Constant):
            return _constant(node)
        if isinstance(node, ast.UnaryOp):
            return _signed_number(node)
        if isinstance(node, ast.List):
            return [self.literal(element) for element in node.elts]
        if isinstance(node, ast.Tuple):
            return tuple(self.literal(element) for element in node.elts)
        if isinstance(node, ast.Set):
            return self._wrap_errors(node, lambda: {self.literal(element) for element in node.elts})
        if isinstance(node, ast.Dict):
            return self._dict(node, self.literal)
        return refuse(node)

    def _dict(self, node: ast.Dict, read: Callable[[ast.expr], Any]) -> dict[Any, Any]:
        if None in node.keys:
            refuse(node)
        made: dict[Any, Any] = self._wrap_errors(
            node, lambda: {self.literal(key): read(item) for key, item in _pairs(node)}
        )
        return made

    def _call(self, node: ast.Call) -> Any:
        """Call one of our own classes, or `Field`, with literal arguments."""
        name = node.func.id if isinstance(node.func, ast.Name) else None
        settings = {argument.arg: argument.value for argument in node.keywords}
        if None in settings or len(settings) != len(node.keywords):
            refuse(node)
        if name == "Field":
            return self._plain_field(node, settings)
        if name not in _CALLABLE:
            refuse(node)
        positional = [self.value(argument) for argument in node.args]
        named = {str(key): self.value(value) for key, value in settings.items()}
        return self._wrap_errors(node, lambda: _CALLABLE[name](*positional, **named))

    def _plain_field(self, node: ast.Call, settings: dict[str | None, ast.expr]) -> Any:
        if settings.keys() - _FIELD_SETTINGS or len(node.args) > 1:
            refuse(node)
        positional = [self.literal(argument) for argument in node.args]
        named = {str(key): self._setting(str(key), value) for key, value in settings.items()}
        return self._wrap_errors(node, lambda: pydantic.Field(*positional, **named))

    def _setting(self, name: str, node: ast.expr) -> Any:
        if name != "default_factory":
            return self.literal(node)
        if isinstance(node, ast.Name) and node.id in FACTORIES:
            return FACTORIES[node.id]
        return refuse(node)

    def type_of(self, node: ast.expr) -> Any:
        """The type that an annotation names."""
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        if isinstance(node, ast.Name) and node.id in self.types:
            return self.types[node.id]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            first, second = self.type_of(node.left), self.type_of(node.right)
            return self._wrap_errors(node, lambda: first | second)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in self.generic:
            return self._generic_type(node, self.generic[node.value.id])
        return refuse(node)

    def _generic_type(self, node: ast.Subscript, generic: Any) -> Any:
        arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if generic is typing.Literal:
            read: tuple[Any, ...] = tuple(_choice(argument) for argument in arguments)
        elif generic is typing.Annotated:
            read = (self.type_of(arguments[0]), *(self._bound(argument) for argument in arguments[1:]))
        else:
            read = tuple(self.type_of(argument) for argument in arguments)
        return self._wrap_errors(node, lambda: generic[read if isinstance(node.slice, ast.Tuple) else read[0]])

    def _bound(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Field":
            return self._call(node)
        return refuse(node)

    def _wrap_errors(self, node: ast.expr, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except (IsCode, WrongValue):
            raise
        # Our own classes and pydantic may raise anything over an author's values.
        except Exception as error:
            raise WrongValue(node.lineno, error) from None


def _signed_number(node: ast.UnaryOp) -> int | float:
    if isinstance(node.op, ast.USub | ast.UAdd) and isinstance(node.operand, ast.Constant):
        number = _constant(node.operand)
        if isinstance(number, int | float) and not isinstance(number, bool):
            return -number if isinstance(node.op, ast.USub) else number
    return refuse(node)


def _constant(node: ast.Constant) -> Any:
    value = node.value
    if isinstance(value, int) and value.bit_length() > _WIDEST_INTEGER:
        refuse(node)
    if value is None or value is ... or isinstance(value, bool | int | float | str):
        return value
    return refuse(node)


def _choice(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool | int | str)):
        return _constant(node)
    return refuse(node)


def _pairs(node: ast.Dict) -> Iterator[tuple[ast.expr, ast.expr]]:
    return ((key, value) for key, value in zip(node.keys, node.values, strict=True) if key is not None)


_NAMES: dict[type[ast.AST], str] = {
    ast.FunctionDef: "a method",
    ast.AsyncFunctionDef: "a method",
    ast.ClassDef: "another class",
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.Assign: "an assignment",
    ast.Call: "a call",
    ast.Name: "a name",
    ast.BinOp: "a calculation",
    ast.JoinedStr: "a text with values in it",
}


def refuse(node: Any, what: str | None = None) -> NoReturn:
    raise IsCode(getattr(node, "lineno", None), what or _NAMES.get(type(node), "an expression"))
