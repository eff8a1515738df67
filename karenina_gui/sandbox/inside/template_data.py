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
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pydantic

from karenina_gui.sandbox.inside.code_screen import MODULES, differs
from karenina_gui.sandbox.inside.code_separation import IsCode as IsCode, bound_by, code_alone, set_on_self
from karenina_gui.sandbox.inside.syntax_tree import tree_and_warnings
from karenina_gui.sandbox.inside.template_values import (
    FACTORIES,
    KNOWN_NAMES,
    ValueReader,
    WrongValue as WrongValue,
    refuse,
)
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.composition import StrategyNode
from karenina_gui.schemas.primitives import RegexMatch, TraceRegex
from karenina_gui.schemas.verified_field import Verification, verification_of

_LONGEST_SOURCE = 200_000
"""Characters; longer sources run where time and memory are limited."""
_DEEPEST = 40
"""Levels of nesting."""
STRATEGY = "VerificationStrategy"

_IMPORTED: dict[str, dict[str, Any]] = {
    "datetime": {"date": datetime.date, "datetime": datetime.datetime, "time": datetime.time},
    "decimal": {"Decimal": decimal.Decimal},
    "typing": {"Annotated": typing.Annotated},
}
"""Types that are available only after an import."""
_IMPORTABLE = {
    "__future__": {"annotations"},
    "typing": {"Annotated", "Any", "Dict", "List", "Literal", "Optional", "Union"},
    "pydantic": {"BaseModel", "Field"},
    "datetime": {"date", "datetime", "time"},
    "decimal": {"Decimal"},
}
_OURS = ("karenina", "karenina_gui")
_ABSENT: Any = object()


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

    @cached_property
    def verified(self) -> dict[str, Verification]:
        """Verified fields by name, in order."""
        verifications = {field.name: verification_of(field.value) for field in self.fields if _is_field(field.value)}
        return {name: verification for name, verification in verifications.items() if verification is not None}

    def constants_anew(self) -> dict[str, dict[str, Any]]:
        return deepcopy(self.constants)

    @property
    def has_patterns(self) -> bool:
        """True if a pattern of the author's is searched for, which can take any time."""
        # Those that methods set are not searched here.
        searches = "regex" in self.constants and not self.methods
        return searches or any(isinstance(rule.verify_with, RegexMatch | TraceRegex) for rule in self.verified.values())


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
        self._values = ValueReader()

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
                refuse(node)
        if not classes:
            raise IsCode(None, "a source without a class")
        data = self._template(classes[0])
        if self._methods or self._around:
            self._separate_methods(data, classes[0])
        return data

    def _keep(self, node: ast.Import | ast.Assign | ast.FunctionDef) -> None:
        if isinstance(node, ast.Import):
            if any(alias.name not in MODULES or alias.asname for alias in node.names):
                refuse(node)
            self._imported |= {alias.name for alias in node.names}
        self._around.append(node)

    def _separate_methods(self, data: TemplateData, node: ast.ClassDef) -> None:
        """Separate the code from the data."""
        self._check_code(data, node)
        data.methods = [method.name for method in self._methods]
        if len({*data.methods}) < len(data.methods) or ("ground_truth" in data.methods and data.constants):
            refuse(node)
        data.attributes = sorted({name for method in self._methods for name in set_on_self(method)})
        data.code = code_alone(self._source, self._tree, node, [*self._around, *self._methods])

    def _check_code(self, data: TemplateData, node: ast.ClassDef) -> None:
        """Refuse code whose names or calls would change the meaning of the data."""
        if any(KNOWN_NAMES & set(bound_by(node)) for node in self._around):
            refuse(node, "a known name that means something else")
        self._check_method_names({field.name for field in data.fields})
        code = [*self._around, *self._methods]
        doubtful = differs([node for node in code if not isinstance(node, ast.Import)], self._imported)
        if doubtful is not None:
            refuse(doubtful)
        if any(_names_in(part) & _TEMPORAL for part in node.body):
            refuse(node, "a field that is a date or a decimal number")

    def _check_method_names(self, fields: set[str]) -> None:
        taken = fields | {*dir(BaseAnswer)} - _OF_AUTHORS
        for method in self._methods:
            if method.name in taken or method.name.startswith(("_", "model_")):
                refuse(method, "a method of an unusual name")

    def _import(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        ours = module.partition(".")[0] in _OURS
        for alias in node.names:
            is_allowed = alias.name in KNOWN_NAMES if ours else alias.name in _IMPORTABLE.get(module, ())
            if node.level or not is_allowed or alias.asname not in (None, alias.name):
                refuse(node)
            types = _IMPORTED.get(module, {})
            if alias.name == "Annotated":
                self._values.generic["Annotated"] = typing.Annotated
            elif alias.name in types:
                self._values.types[alias.name] = types[alias.name]

    def _template(self, node: ast.ClassDef) -> TemplateData:
        base = node.bases[0] if len(node.bases) == 1 else None
        plain = not (node.keywords or node.decorator_list or getattr(node, "type_params", []))
        if not (plain and isinstance(base, ast.Name) and base.id == "BaseAnswer"):
            refuse(node, "a class that is no plain answer class")
        if node.name in KNOWN_NAMES or node.name.startswith("_"):
            refuse(node)
        data = TemplateData(node.name, node.lineno, self._tree, ast.get_docstring(node, clean=False))
        for part in _without_texts(node.body):
            self._read_part(part, data)
        return data

    def _read_part(self, part: ast.stmt, data: TemplateData) -> None:
        match part:
            case ast.AnnAssign():
                data.fields.append(self._field(part, {field.name for field in data.fields}))
            case ast.ClassDef() if part.name == STRATEGY and data.strategy is None:
                data.strategy = self._strategy(part)
            case ast.FunctionDef(name="ground_truth") if not data.constants:
                self._ground_truth(part, data)
            case ast.FunctionDef() if self._with_methods:
                self._methods.append(part)
            case ast.Pass():
                pass
            case _:
                refuse(part)

    def _field(self, node: ast.AnnAssign, taken: set[str]) -> FieldData:
        name = node.target.id if isinstance(node.target, ast.Name) and node.simple else ""
        # Names of the base class mean something; known ones would hide what later lines mean by them.
        if not name or name.startswith("_") or name in taken | KNOWN_NAMES or hasattr(BaseAnswer, name):
            refuse(node, "a field of an unusual name")
        taken_names = (self._values.types, self._values.generic, FACTORIES, BaseAnswer.model_fields)
        if any(name in names for names in taken_names):
            refuse(node, "a field of an unusual name")
        value = _ABSENT if node.value is None else self._values.value(node.value)
        return FieldData(name, self._values.type_of(node.annotation), value)

    def _strategy(self, node: ast.ClassDef) -> StrategyNode:
        parts = list(_without_texts(node.body))
        assigned = parts[0] if len(parts) == 1 else None
        if node.bases or node.keywords or node.decorator_list or not isinstance(assigned, ast.Assign):
            refuse(node)
        target = assigned.targets[0] if len(assigned.targets) == 1 else None
        if not (isinstance(target, ast.Name) and target.id == "verify_strategy"):
            refuse(node)
        strategy = self._values.value(assigned.value)
        if not isinstance(strategy, StrategyNode):
            refuse(node)
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
        if not _takes_self_alone(node):
            refuse(node, "a method")
        expected = ["correct", "regex"]
        for part in _without_texts(node.body):
            name, value = _assignment_to_self(part)
            if name not in expected or not isinstance(value, ast.Dict):
                refuse(node, "a method")
            expected.remove(name)
            yield name, self._values.literal(value)


def _assignment_to_self(node: ast.stmt) -> tuple[str, ast.expr | None]:
    """Name and value of an assignment to an attribute of `self`; `("", None)` for any other statement."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
            return target.attr, node.value
    return "", None


def _takes_self_alone(node: ast.FunctionDef) -> bool:
    """Check for a plain method without further arguments that returns nothing."""
    arguments = node.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    more = arguments.vararg or arguments.kwonlyargs or arguments.kwarg or arguments.defaults or node.decorator_list
    return names == ["self"] and _returns_nothing(node) and not (more or getattr(node, "type_params", []))


def _returns_nothing(node: ast.FunctionDef) -> bool:
    return node.returns is None or (isinstance(node.returns, ast.Constant) and node.returns.value is None)


def _without_texts(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Skip docstrings and other texts that stand alone."""
    for node in body:
        alone = node.value if isinstance(node, ast.Expr) else None
        if not (isinstance(alone, ast.Constant) and isinstance(alone.value, str)):
            yield node


def _names_in(tree: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(tree) if isinstance(part, ast.Name)}


_OF_AUTHORS = {"ground_truth", "verify", "verify_granular", "verify_regex"}
_TEMPORAL = {"date", "datetime", "time", "Decimal"}


def _is_field(value: Any) -> bool:
    return isinstance(value, pydantic.fields.FieldInfo)


def _parts(nodes: list[ast.AST]) -> list[Any]:
    """Values of all fields of the nodes. `ast.iter_child_nodes`, a generator of generators, takes twice as long."""
    parts: list[Any] = []
    for node in nodes:
        for name in node._fields:
            part = getattr(node, name, None)
            if type(part) is list:
                parts += part
            else:
                parts.append(part)
    return parts


def _depth(tree: ast.AST) -> int:
    # Level by level: recursion would itself fail on the trees that are too deep.
    depth, level = 0, [tree]
    while level and depth <= _DEEPEST:
        depth += 1
        level = [child for child in _parts(level) if isinstance(child, ast.AST)]
    return depth
