"""Parser for templates that are data: a source is read without running any of it.

Most templates are data: one class with fields, a strategy and docstrings, made of known names and literal values. Such
a source is parsed, checked against an allow-list, and built from our own classes; nothing of it is ever executed. If
its only code is plain methods, with what they need around the class, that code is separated from the data. Anything
else makes the whole source code.
"""

from __future__ import annotations

import ast
import datetime
import decimal
import typing
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NoReturn

import pydantic

from karenina_gui.sandbox.inside.code_apart import IsCode as IsCode, bound_by, code_alone, set_on_self
from karenina_gui.sandbox.inside.code_screen import MODULES, differs
from karenina_gui.sandbox.inside.syntax_tree import tree_and_warnings
from karenina_gui.schemas import composition, primitives, verified_field
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.composition import StrategyNode
from karenina_gui.schemas.primitives import RegexMatch, TraceRegex

_LONGEST_SOURCE = 200_000
"""Characters; longer sources run where time and memory are limited."""
_DEEPEST = 40
"""Levels of nesting."""
_WIDEST_INTEGER = 4096
"""Bits."""
STRATEGY = "VerificationStrategy"

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
    "default", "default_factory", "description", "title", "examples", "ge", "gt", "le", "lt", "multiple_of",
    "min_length", "max_length",
}  # fmt: skip
_FACTORIES: dict[str, Any] = {kind.__name__: kind for kind in (dict, list, set)}
_IMPORTED: dict[str, dict[str, Any]] = {
    "datetime": {"date": datetime.date, "datetime": datetime.datetime, "time": datetime.time},
    "decimal": {"Decimal": decimal.Decimal},
    "typing": {"Annotated": typing.Annotated},
}
"""Types that are available only after an import."""
_KNOWN = {*_PLAIN_TYPES, *_GENERIC, *_CALLABLE, "Field", "BaseAnswer", "BaseModel"}
_IMPORTABLE = {
    "__future__": {"annotations"},
    "typing": {"Annotated", "Any", "Dict", "List", "Literal", "Optional", "Union"},
    "pydantic": {"BaseModel", "Field"},
    "datetime": {"date", "datetime", "time"},
    "decimal": {"Decimal"},
}
_OURS = ("karenina", "karenina_gui")
_ABSENT: Any = object()


class WrongValue(Exception):
    """A value that one of our own classes rejects."""

    def __init__(self, line: int, error: Exception) -> None:
        super().__init__(str(error))
        self.line = line
        self.error = error
        self.tree = ast.Module(body=[], type_ignores=[])
        self.doubts: list[warnings.WarningMessage] = []
        """Warnings of the parser."""


@dataclass(frozen=True)
class FieldData:
    name: str
    annotation: Any
    value: Any = _ABSENT
    """A `FieldInfo`, or a default."""

    @property
    def has_value(self) -> bool:
        return self.value is not _ABSENT


@dataclass
class TemplateData:
    """A template's class, as data."""

    name: str
    line: int
    tree: ast.Module = field(repr=False)
    docstring: str | None = None
    fields: list[FieldData] = field(default_factory=list)
    strategy: StrategyNode | None = None
    constants: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Attributes that a `ground_truth()` of assignments sets: `correct`, `regex`."""
    doubts: list[warnings.WarningMessage] = field(default_factory=list)
    """Warnings of the parser."""
    methods: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    """Attributes that the methods set on `self`."""
    code: str = ""
    """A class of the same name with the methods and what they need, on their own lines; empty if there are none."""

    def constants_anew(self) -> dict[str, dict[str, Any]]:
        return deepcopy(self.constants)

    @property
    def has_patterns(self) -> bool:
        """True if a pattern of the author's is searched for, which can take any time."""
        verified = (verified_field.verification_of(each.value) for each in self.fields if _is_field(each.value))
        found = [each.verify_with for each in verified if each is not None]
        # Those that methods set are not searched here.
        searches = "regex" in self.constants and not self.methods
        return searches or any(isinstance(each, RegexMatch | TraceRegex) for each in found)


def read_template(source: str, *, with_methods: bool = False) -> TemplateData:
    """Read the template. Raises `IsCode`, `WrongValue`, or `SyntaxError` if it is not valid Python."""
    if len(source) > _LONGEST_SOURCE:
        raise IsCode(None, "a long source")
    try:
        tree, doubts = tree_and_warnings(source)
    except (ValueError, RecursionError, MemoryError):
        raise IsCode(None, "a source that cannot be read") from None
    if _depth(tree) > _DEEPEST:
        raise IsCode(None, "deep nesting")
    try:
        data = _Reader(tree, source, with_methods=with_methods).read()
    except WrongValue as wrong:
        wrong.tree, wrong.doubts = tree, doubts
        raise
    data.doubts = doubts
    return data


class _Reader:
    def __init__(self, tree: ast.Module, source: str, *, with_methods: bool) -> None:
        self._tree = tree
        self._source = source
        self._with_methods = with_methods
        self._around: list[ast.stmt] = []
        """Statements around the class that its methods need."""
        self._methods: list[ast.FunctionDef] = []
        self._imported: set[str] = set()
        self._types = dict(_PLAIN_TYPES)
        self._generic = dict(_GENERIC)

    def read(self) -> TemplateData:
        classes: list[ast.ClassDef] = []
        for node in _without_texts(self._tree.body):
            if isinstance(node, ast.ImportFrom):
                self._import(node)
            elif isinstance(node, ast.ClassDef) and not classes:
                classes.append(node)
            elif self._with_methods and isinstance(node, ast.Import | ast.Assign | ast.FunctionDef):
                self._keep(node)
            else:
                _refuse(node)
        if not classes:
            raise IsCode(None, "a source without a class")
        data = self._template(classes[0])
        if self._methods or self._around:
            self._separate_methods(data, classes[0])
        return data

    def _keep(self, node: ast.Import | ast.Assign | ast.FunctionDef) -> None:
        if isinstance(node, ast.Import):
            if any(alias.name not in MODULES or alias.asname for alias in node.names):
                _refuse(node)
            self._imported |= {alias.name for alias in node.names}
        self._around.append(node)

    def _separate_methods(self, data: TemplateData, node: ast.ClassDef) -> None:
        """Separate the code from the data."""
        kept = [*self._around, *self._methods]
        if any(_KNOWN & set(bound_by(each)) for each in self._around):
            _refuse(node, "a known name that means something else")
        taken = {each.name for each in data.fields} | {*dir(BaseAnswer)} - _OF_AUTHORS
        for method in self._methods:
            if method.name in taken or method.name.startswith(("_", "model_")):
                _refuse(method, "a method of an unusual name")
        doubtful = differs([each for each in kept if not isinstance(each, ast.Import)], self._imported)
        if doubtful is not None:
            _refuse(doubtful)
        if any(_TEMPORAL & {part.id for part in ast.walk(each) if isinstance(part, ast.Name)} for each in node.body):
            _refuse(node, "a field that is a date or a decimal number")
        data.methods = [method.name for method in self._methods]
        if len({*data.methods}) < len(data.methods) or ("ground_truth" in data.methods and data.constants):
            _refuse(node)
        data.attributes = sorted({name for each in self._methods for name in set_on_self(each)})
        data.code = code_alone(self._source, self._tree, node, kept)

    def _import(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        ours = module.partition(".")[0] in _OURS
        for alias in node.names:
            known = alias.name in _KNOWN if ours else alias.name in _IMPORTABLE.get(module, ())
            if node.level or not known or alias.asname not in (None, alias.name):
                _refuse(node)
            found = _IMPORTED.get(module, {})
            if alias.name == "Annotated":
                self._generic["Annotated"] = typing.Annotated
            elif alias.name in found:
                self._types[alias.name] = found[alias.name]

    def _template(self, node: ast.ClassDef) -> TemplateData:
        base = node.bases[0] if len(node.bases) == 1 else None
        plain = not (node.keywords or node.decorator_list or getattr(node, "type_params", []))
        if not (plain and isinstance(base, ast.Name) and base.id == "BaseAnswer"):
            _refuse(node, "a class that is no plain answer class")
        if node.name in _KNOWN or node.name.startswith("_"):
            _refuse(node)
        data = TemplateData(node.name, node.lineno, self._tree, ast.get_docstring(node, clean=False))
        for part in _without_texts(node.body):
            if isinstance(part, ast.AnnAssign):
                data.fields.append(self._field(part, {each.name for each in data.fields}))
            elif isinstance(part, ast.ClassDef) and part.name == STRATEGY and data.strategy is None:
                data.strategy = self._strategy(part)
            elif isinstance(part, ast.FunctionDef) and part.name == "ground_truth" and not data.constants:
                self._ground_truth(part, data)
            elif isinstance(part, ast.FunctionDef) and self._with_methods:
                self._methods.append(part)
            elif not isinstance(part, ast.Pass):
                _refuse(part)
        return data

    def _field(self, node: ast.AnnAssign, taken: set[str]) -> FieldData:
        name = node.target.id if isinstance(node.target, ast.Name) and node.simple else ""
        # Names of the base class mean something; known ones would hide what later lines mean by them.
        if not name or name.startswith("_") or name in taken | _KNOWN or hasattr(BaseAnswer, name):
            _refuse(node, "a field of an unusual name")
        if name in self._types or name in self._generic or name in _FACTORIES or name in BaseAnswer.model_fields:
            _refuse(node, "a field of an unusual name")
        value = _ABSENT if node.value is None else self._value(node.value)
        return FieldData(name, self._type(node.annotation), value)

    def _strategy(self, node: ast.ClassDef) -> StrategyNode:
        parts = list(_without_texts(node.body))
        assigned = parts[0] if len(parts) == 1 else None
        if node.bases or node.keywords or node.decorator_list or not isinstance(assigned, ast.Assign):
            _refuse(node)
        target = assigned.targets[0] if len(assigned.targets) == 1 else None
        if not (isinstance(target, ast.Name) and target.id == "verify_strategy"):
            _refuse(node)
        strategy = self._value(assigned.value)
        if not isinstance(strategy, StrategyNode):
            _refuse(node)
        return strategy

    def _ground_truth(self, node: ast.FunctionDef, data: TemplateData) -> None:
        try:
            data.constants = dict(self._constants(node))
        except IsCode:
            if not self._with_methods:
                raise
            self._methods.append(node)

    def _constants(self, node: ast.FunctionDef) -> Iterator[tuple[str, dict[str, Any]]]:
        """Values of a method that only sets `self.correct` and `self.regex` to literal dicts, each once."""
        arguments = node.args
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
        more = arguments.vararg or arguments.kwonlyargs or arguments.kwarg or arguments.defaults or node.decorator_list
        returns = node.returns is None or (isinstance(node.returns, ast.Constant) and node.returns.value is None)
        if names != ["self"] or more or not returns or getattr(node, "type_params", []):
            _refuse(node, "a method")
        wanted = ["correct", "regex"]
        for part in _without_texts(node.body):
            target = part.targets[0] if isinstance(part, ast.Assign) and len(part.targets) == 1 else None
            on_self = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
            if not (isinstance(part, ast.Assign) and isinstance(target, ast.Attribute) and on_self):
                _refuse(node, "a method")
            assert isinstance(target.value, ast.Name)
            if target.value.id != "self" or target.attr not in wanted or not isinstance(part.value, ast.Dict):
                _refuse(node, "a method")
            wanted.remove(target.attr)
            yield target.attr, self._literal(part.value)

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.List):
            return [self._value(each) for each in node.elts]
        if isinstance(node, ast.Dict):
            return self._dict(node, self._value)
        return self._literal(node)

    def _literal(self, node: ast.expr | None) -> Any:
        if isinstance(node, ast.Constant):
            return _constant(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            number = _constant(node.operand) if isinstance(node.operand, ast.Constant) else None
            if isinstance(number, int | float) and not isinstance(number, bool):
                return -number if isinstance(node.op, ast.USub) else number
        if isinstance(node, ast.List):
            return [self._literal(each) for each in node.elts]
        if isinstance(node, ast.Tuple):
            return tuple(self._literal(each) for each in node.elts)
        if isinstance(node, ast.Set):
            return self._wrap_errors(node, lambda: {self._literal(each) for each in node.elts})
        if isinstance(node, ast.Dict):
            return self._dict(node, self._literal)
        return _refuse(node)

    def _dict(self, node: ast.Dict, read: Callable[[ast.expr], Any]) -> dict[Any, Any]:
        if None in node.keys:
            _refuse(node)
        made: dict[Any, Any] = self._wrap_errors(
            node, lambda: {self._literal(key): read(each) for key, each in _pairs(node)}
        )
        return made

    def _call(self, node: ast.Call) -> Any:
        """Call one of our own classes, or `Field`, with literal arguments."""
        name = node.func.id if isinstance(node.func, ast.Name) else None
        settings = {each.arg: each.value for each in node.keywords}
        if None in settings or len(settings) != len(node.keywords):
            _refuse(node)
        if name == "Field":
            return self._plain_field(node, settings)
        if name not in _CALLABLE:
            _refuse(node)
        positional = [self._value(each) for each in node.args]
        named = {str(each): self._value(value) for each, value in settings.items()}
        return self._wrap_errors(node, lambda: _CALLABLE[name](*positional, **named))

    def _plain_field(self, node: ast.Call, settings: dict[str | None, ast.expr]) -> Any:
        if settings.keys() - _FIELD_SETTINGS or len(node.args) > 1:
            _refuse(node)
        positional = [self._literal(each) for each in node.args]
        named = {str(each): self._setting(str(each), value) for each, value in settings.items()}
        return self._wrap_errors(node, lambda: pydantic.Field(*positional, **named))

    def _setting(self, name: str, node: ast.expr) -> Any:
        if name != "default_factory":
            return self._literal(node)
        if isinstance(node, ast.Name) and node.id in _FACTORIES:
            return _FACTORIES[node.id]
        return _refuse(node)

    def _type(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        if isinstance(node, ast.Name) and node.id in self._types:
            return self._types[node.id]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            left, right = self._type(node.left), self._type(node.right)
            return self._wrap_errors(node, lambda: left | right)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in self._generic:
            generic = self._generic[node.value.id]
            arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if generic is typing.Literal:
                read: tuple[Any, ...] = tuple(_choice(each) for each in arguments)
            elif generic is typing.Annotated:
                read = (self._type(arguments[0]), *(self._bound(each) for each in arguments[1:]))
            else:
                read = tuple(self._type(each) for each in arguments)
            return self._wrap_errors(node, lambda: generic[read if isinstance(node.slice, ast.Tuple) else read[0]])
        return _refuse(node)

    def _bound(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Field":
            return self._call(node)
        return _refuse(node)

    def _wrap_errors(self, node: ast.expr, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except (IsCode, WrongValue):
            raise
        # Our own classes and pydantic may raise anything over an author's values.
        except Exception as error:
            raise WrongValue(node.lineno, error) from None


def _constant(node: ast.Constant) -> Any:
    value = node.value
    if isinstance(value, int) and value.bit_length() > _WIDEST_INTEGER:
        _refuse(node)
    if value is None or value is ... or isinstance(value, bool | int | float | str):
        return value
    return _refuse(node)


def _choice(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool | int | str)):
        return _constant(node)
    return _refuse(node)


def _pairs(node: ast.Dict) -> Iterator[tuple[ast.expr, ast.expr]]:
    return ((key, value) for key, value in zip(node.keys, node.values, strict=True) if key is not None)


def _without_texts(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Skip docstrings and other texts that stand alone."""
    for node in body:
        alone = node.value if isinstance(node, ast.Expr) else None
        if not (isinstance(alone, ast.Constant) and isinstance(alone.value, str)):
            yield node


_OF_AUTHORS = {"ground_truth", "verify", "verify_granular", "verify_regex"}
_TEMPORAL = {"date", "datetime", "time", "Decimal"}


def _is_field(value: Any) -> bool:
    return isinstance(value, pydantic.fields.FieldInfo)


def _depth(tree: ast.AST) -> int:
    # Level by level: recursion would itself fail on the trees that are too deep.
    depth, level = 0, [tree]
    while level and depth <= _DEEPEST:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


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


def _refuse(node: Any, what: str | None = None) -> NoReturn:
    raise IsCode(getattr(node, "lineno", None), what or _NAMES.get(type(node), "an expression"))
