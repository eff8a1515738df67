"""Reading of a template as a form: fields, composition, and the custom code that only its source shows."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from karenina_gui.authoring.template_form.source_text import SourceText
from karenina_gui.authoring.template_form.values import Call, CodeValue, read_value
from karenina_gui.sandbox.inside.syntax_tree import syntax_tree
from karenina_gui.schemas.primitives import PRIMITIVES

STRATEGY = "VerificationStrategy"
GROUPS = {"AllOf": "all", "AnyOf": "any", "AtLeastN": "at_least"}
"""Classes of compositions, and their kinds in the form."""

FieldKind = Literal["verified", "plain", "custom"]
"""verified: `VerifiedField(...)`; plain: `Field(...)`, a default, or nothing, so code compares it; custom: the rest."""


@dataclass(frozen=True)
class CodeField:
    """One field. Parts that are `CodeValue` can be seen, but not edited in the form."""

    name: str
    type: str
    """Annotation as written."""
    kind: FieldKind
    description: str | CodeValue | None
    """What the judge extracts; None: not given."""
    expected: Any = None
    comparison: Call | CodeValue | None = None
    """A primitive with its settings; None: code compares the field."""
    weight: float | CodeValue = 1.0
    hint: str | CodeValue | None = None
    choices: tuple[str, ...] | None = None
    """Texts of a `Literal[...]` type; None: another type."""
    node: ast.AnnAssign = field(repr=False, compare=False, kw_only=True)
    call: ast.Call | None = field(repr=False, compare=False, default=None)
    """`VerifiedField(...)` or `Field(...)` of the field; None: neither."""


@dataclass(frozen=True)
class CustomBlock:
    """Statement that the form shows without editing it."""

    title: str
    """Name of a method or constant; the kind of statement for others."""
    source: str
    line: int
    """From 1."""


@dataclass(frozen=True)
class FormComposition:
    """How the outcomes of the fields become one verdict."""

    kind: Literal["all", "any", "at_least", "custom"] = "all"
    fields: tuple[str, ...] | None = None
    """Fields that it names; None: all of them."""
    n: int = 1
    """Fields that must pass, for `at_least`."""
    source: str = ""
    """Source of a custom one."""


@dataclass(frozen=True)
class TemplateForm:
    """A template as its form shows it."""

    source: SourceText
    class_name: str
    fields: tuple[CodeField, ...]
    blocks: tuple[CustomBlock, ...]
    composition: FormComposition
    tree: ast.Module = field(repr=False, compare=False)
    node: ast.ClassDef = field(repr=False, compare=False)
    strategy: ast.ClassDef | None = field(repr=False, compare=False, default=None)
    """Nested class of the composition; None: all fields must pass."""

    def field(self, name: str) -> CodeField:
        """Field of this name. Raises `KeyError`."""
        for form_field in self.fields:
            if form_field.name == name:
                return form_field
        raise KeyError(name)


def read_form(text: str) -> TemplateForm | str:
    """Form of a template, or a sentence that says why its source can only be edited as code."""
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "The code has a syntax error. Correct it in the code first."
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and _is_answer(node)]
    if len(classes) != 1:
        number = "no class" if not classes else f"{len(classes)} classes"
        return f"The form needs one class derived from BaseAnswer; this code has {number}."
    return _Reader(SourceText(text), tree, classes[0]).read()


def _is_answer(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "BaseAnswer" for base in node.bases)


class _Reader:
    def __init__(self, source: SourceText, tree: ast.Module, node: ast.ClassDef) -> None:
        self._source = source
        self._tree = tree
        self._node = node

    def read(self) -> TemplateForm:
        fields = tuple(self._field(field) for field in _fields_of(self._node))
        strategy = next((node for node in self._node.body if _is_strategy(node)), None)
        assert strategy is None or isinstance(strategy, ast.ClassDef)
        return TemplateForm(
            self._source,
            self._node.name,
            fields,
            tuple(self._blocks()),
            self._composition(strategy),
            self._tree,
            self._node,
            strategy,
        )

    def _field(self, node: ast.AnnAssign) -> CodeField:
        assert isinstance(node.target, ast.Name)
        name, kind = node.target.id, self._source.of(node.annotation)
        choices = _choices(node.annotation)
        call = node.value if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name) else None
        called = call.func.id if call is not None and isinstance(call.func, ast.Name) else ""
        if call is not None and called == "VerifiedField" and _is_plain_call(call, positional=1):
            return self._read_verified(node, call, name, kind, choices)
        if node.value is None or (call is None and not isinstance(node.value, ast.Call)):
            return CodeField(name, kind, "plain", None, choices=choices, node=node)
        if call is not None and called == "Field" and _is_plain_call(call, positional=1):
            description = self._argument(call, "description")
            return CodeField(name, kind, "plain", _text(description), choices=choices, node=node, call=call)
        return CodeField(name, kind, "custom", CodeValue(self._source.of(node.value)), choices=choices, node=node)

    def _read_verified(
        self, node: ast.AnnAssign, call: ast.Call, name: str, kind: str, choices: tuple[str, ...] | None
    ) -> CodeField:
        description = self._argument(call, "description")
        if call.args:
            description = self._value(call.args[0])
        weight = self._argument(call, "weight", 1.0)
        number = isinstance(weight, int | float) and not isinstance(weight, bool)
        return CodeField(
            name,
            kind,
            "verified",
            _text(description),
            self._read_expected(call),
            _comparison(self._argument(call, "verify_with"), call, self._source),
            weight if number else self._code(call, "weight"),
            _text(self._argument(call, "extraction_hint")),
            choices,
            node=node,
            call=call,
        )

    def _read_expected(self, call: ast.Call) -> Any:
        """Expected value; one that depends on a scenario is code."""
        value = self._argument(call, "ground_truth")
        return self._code(call, "ground_truth") if isinstance(value, Call) else value

    def _argument(self, call: ast.Call, name: str, absent: Any = None) -> Any:
        node = argument(call, name)
        return absent if node is None else self._value(node.value)

    def _code(self, call: ast.Call, name: str) -> CodeValue:
        node = argument(call, name)
        return CodeValue("" if node is None else self._source.of(node.value))

    def _value(self, node: ast.expr) -> Any:
        return read_value(node, self._source.of(node))

    def _composition(self, node: ast.ClassDef | None) -> FormComposition:
        if node is None:
            return FormComposition()
        custom = FormComposition("custom", None, 1, self._source.of(node))
        assigned = [statement for statement in node.body if not _is_text(statement)]
        value = assigned[0].value if len(assigned) == 1 and isinstance(assigned[0], ast.Assign) else None
        strategy = None if value is None else self._value(value)
        if not isinstance(strategy, Call) or strategy.name not in GROUPS:
            return custom
        names = [_checked_field(check) for check in strategy.settings.get("conditions", ())]
        n = strategy.settings.get("n", 1)
        if not all(names) or not isinstance(n, int) or strategy.settings.keys() - {"conditions", "n"}:
            return custom
        kind: Any = GROUPS[strategy.name]
        return FormComposition(kind, tuple(filter(None, names)), n)

    def _blocks(self) -> Iterator[CustomBlock]:
        field_ids = {id(field) for field in _fields_of(self._node)}
        bodies = [statement for statement in self._tree.body if statement is not self._node], self._node.body
        for body in bodies:
            for node in body:
                hidden = id(node) in field_ids or _is_strategy(node) or _is_text(node)
                if not hidden and not isinstance(node, ast.Pass | ast.ImportFrom | ast.Import):
                    yield CustomBlock(_title(node), self._source.of(node), node.lineno)


def argument(call: ast.Call, name: str) -> ast.keyword | None:
    """Keyword argument of a call; None: not given."""
    return next((keyword for keyword in call.keywords if keyword.arg == name), None)


def _fields_of(node: ast.ClassDef) -> list[ast.AnnAssign]:
    return [part for part in node.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)]


def _is_strategy(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef) and node.name == STRATEGY


def _is_text(node: ast.stmt) -> bool:
    alone = node.value if isinstance(node, ast.Expr) else None
    return isinstance(alone, ast.Constant) and isinstance(alone.value, str)


def _is_plain_call(call: ast.Call, positional: int) -> bool:
    """True if every argument is named, except for the first `positional` ones."""
    stars = any(isinstance(arg, ast.Starred) for arg in call.args)
    return len(call.args) <= positional and not stars and all(keyword.arg for keyword in call.keywords)


def _text(value: Any) -> str | CodeValue | None:
    return value if value is None or isinstance(value, str | CodeValue) else CodeValue(repr(value))


def _comparison(value: Any, call: ast.Call, source: SourceText) -> Call | CodeValue | None:
    if isinstance(value, Call) and value.name in PRIMITIVES:
        return value
    node = argument(call, "verify_with")
    return None if node is None else CodeValue(source.of(node.value))


def _choices(node: ast.expr) -> tuple[str, ...] | None:
    if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"):
        return None
    parts: Sequence[ast.expr] = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return tuple(texts) if len(texts) == len(parts) else None


def _checked_field(value: Any) -> str | None:
    """Field of a `FieldCheck`; None: another condition."""
    if isinstance(value, Call) and value.name == "FieldCheck" and value.settings.keys() == {"field"}:
        name = value.settings["field"]
        return name if isinstance(name, str) else None
    return None


def _title(node: ast.stmt) -> str:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.name
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return type(node).__name__
