"""Edits of a template's form. Each returns a new source in which only the edited part differs."""

from __future__ import annotations

import ast
import keyword
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from karenina_gui.authoring.template_form.form import (
    GROUPS,
    STRATEGY,
    CodeField,
    FormComposition,
    TemplateForm,
    argument,
    read_form,
)
from karenina_gui.authoring.template_form.source_text import FormError, Span
from karenina_gui.authoring.template_form.values import Call, CodeValue, write_value
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.primitives import PRIMITIVES

_TAKEN = frozenset(
    [
        *("bool", "int", "float", "str", "list", "dict", "set", "tuple", "datetime", "Literal", "Optional", "Any"),
        *("Field", "VerifiedField", "BaseAnswer", STRATEGY, *GROUPS, "FieldCheck", "SynonymMap", *PRIMITIVES),
    ]
)
"""Names of types and functions that templates use: a field of such a name would hide them."""


class FormEdits:
    """Edits of one form. Raises `FormError` with a reason where an edit would touch custom code."""

    def __init__(self, form: TemplateForm) -> None:
        self._form = form
        self._source = form.source

    @property
    def text(self) -> str:
        """Source without an edit."""
        return self._source.text

    def set_description(self, name: str, text: str) -> str:
        """Describe to the judge what to extract."""
        field = self._form.field(name)
        if field.kind == "plain" and field.call is None:
            return self._describe_plain(field, text)
        return self._set(field, "description", text, field.description)

    def set_expected(self, name: str, value: Any) -> str:
        field = self._require_verified(name)
        return self._set(field, "ground_truth", value, field.expected)

    def set_comparison(self, name: str, comparison: Call) -> str:
        """Change the primitive, or its settings only where it stays the same."""
        field = self._require_verified(name)
        node = argument(_call_of(field), "verify_with")
        old = field.comparison
        if isinstance(old, Call) and old.name == comparison.name and node is not None:
            return self._change_settings(name, comparison)
        return self._set(field, "verify_with", comparison, old)

    def set_weight(self, name: str, weight: float) -> str:
        """Weight of the field in the partial credit; 1 is the default and need not be written."""
        if weight < 0:
            raise FormError("A weight must be 0 or more.")
        field = self._require_verified(name)
        if weight == 1 and argument(_call_of(field), "weight") is None:
            return self._source.text
        return self._set(field, "weight", weight, field.weight)

    def set_hint(self, name: str, hint: str) -> str:
        """Hint for the judge; an empty one is removed."""
        field = self._require_verified(name)
        node = argument(_call_of(field), "extraction_hint")
        if hint.strip():
            return self._set(field, "extraction_hint", hint, field.hint)
        return self._source.text if node is None else self._without_argument(_call_of(field), node)

    def set_type(self, name: str, annotation: str) -> str:
        """Change the annotation, such as `float` or `Literal["yes", "no"]`."""
        return self._source.replace_span(self._source.span(self._form.field(name).node.annotation), annotation)

    def rename(self, name: str, new: str) -> str:
        """Rename a field, in a composition that names it, too."""
        new = self._checked_name(new)
        used = [block.title for block in self._form.blocks if re.search(rf"\b{re.escape(name)}\b", block.source)]
        if used:
            raise FormError(f"“{name}” is used in custom code ({used[0]}). Rename it in the code.")
        # By place and not by text: Python reads some letters, such as the micro sign, as others.
        places = {self._source.span(self._form.field(name).node.target): new}
        places |= dict.fromkeys(self._uses_in_composition(name), write_value(new))
        text = self._source.text
        for span, written in sorted(places.items(), key=lambda replacement: replacement[0].start, reverse=True):
            text = text[: span.start] + written + text[span.end :]
        return text

    def add_field(self, name: str, annotation: str, description: str, expected: Any, comparison: Call) -> str:
        """Add a verified field below the others."""
        name = self._checked_name(name)
        indent = self._indent()
        parts = (
            f"{name}: {annotation} = VerifiedField(",
            f"    description={write_value(description)},",
            f"    ground_truth={write_value(expected)},",
            f"    verify_with={write_value(comparison)},",
            ")",
        )
        return self._insert(self._end_of_fields(), [indent + part for part in parts])

    def remove_field(self, name: str) -> str:
        """Remove a field with its lines. Raises `FormError` if code or a composition uses it."""
        field = self._form.field(name)
        used = [block.title for block in self._form.blocks if re.search(rf"\b{re.escape(name)}\b", block.source)]
        if used:
            raise FormError(f"“{name}” is used in custom code ({used[0]}). Remove it in the code.")
        if self._uses_in_composition(name):
            raise FormError(f"“The answer passes if” uses “{name}”. Remove it there first.")
        lines = self._with_comment_above(self._own_lines(field.node))
        if len(self._form.node.body) == 1:
            return self._source.replace_span(lines, f"{self._indent()}pass{self._source.line_end}")
        return self._source.replace_span(lines, "")

    def move_field(self, name: str, step: int) -> str:
        """Swap a field with the one above (-1) or below (1); at an end, nothing changes."""
        names = [field.name for field in self._form.fields]
        target = names.index(name) + step
        if not 0 <= target < len(names):
            return self._source.text
        first, second = sorted(
            (
                self._with_comment_above(self._own_lines(self._form.field(field).node))
                for field in (name, names[target])
            ),
            key=lambda span: span.start,
        )
        text = self._source.text
        above, below = text[first.start : first.end], text[second.start : second.end]
        if not below.endswith(("\n", "\r")):
            # The last line of the file has no line end.
            above, below = above.removesuffix(self._source.line_end), below + self._source.line_end
        between = text[first.end : second.start]
        return text[: first.start] + below + between + above + text[second.end :]

    def set_composition(self, composition: FormComposition) -> str:
        """Change how fields become a verdict. Raises `FormError` over a custom one."""
        old, node = self._form.composition, self._form.strategy
        if old.kind == "custom":
            raise FormError("Custom code decides when the answer passes. Change it in the code.")
        if composition.kind == "all" and composition.fields is None:
            return self._source.text if node is None else self._without_strategy(node)
        written = write_value(self._strategy(composition))
        if node is None:
            indent = self._indent()
            lines = ["", f"{indent}class {STRATEGY}:", f"{indent}    verify_strategy = {written}"]
            return self._insert(self._end_of_fields(), lines)
        (assigned,) = [statement for statement in node.body if isinstance(statement, ast.Assign)]
        return self._source.replace_span(self._source.span(assigned.value), written)

    def _strategy(self, composition: FormComposition) -> Call:
        verified = [field.name for field in self._form.fields if field.kind == "verified"]
        names = verified if composition.fields is None else list(composition.fields)
        unknown = [name for name in names if name not in verified]
        if unknown:
            raise FormError(f"The template has no field “{unknown[0]}” with an expected value.")
        group = next(strategy for strategy, kind in GROUPS.items() if kind == composition.kind)
        checks = [Call("FieldCheck", {"field": name}) for name in names]
        return Call(group, ({"n": composition.n} if group == "AtLeastN" else {}) | {"conditions": checks})

    def _without_strategy(self, node: ast.ClassDef) -> str:
        """Remove the nested class, with one blank line above it."""
        lines, text = self._own_lines(node), self._source.text
        blank = re.search(r"(?<=[\r\n])[ \t]*(?:\r\n|\r|\n)\Z", text[: lines.start])
        return text[: blank.start() if blank else lines.start] + text[lines.end :]

    def _require_verified(self, name: str) -> CodeField:
        field = self._form.field(name)
        if field.kind != "verified":
            raise FormError(f"“{name}” is compared by custom code. Change it in the code.")
        return field

    def _set(self, field: CodeField, name: str, value: Any, old: Any) -> str:
        """Set an argument of the field's call; does nothing if the value stays the same."""
        call = _call_of(field)
        if isinstance(old, CodeValue):
            raise FormError(f"This value of “{field.name}” is custom code. Change it in the code.")
        node: ast.keyword | ast.expr | None = argument(call, name)
        if node is None and name == "description" and call.args:
            node = call.args[0] if field.kind == "verified" else None
        if node is None:
            return self._with_argument(call, name, write_value(value))
        if type(old) is type(value) and old == value:
            return self._source.text
        expression = node.value if isinstance(node, ast.keyword) else node
        return self._source.replace_span(self._source.span(expression), write_value(value))

    def _change_settings(self, name: str, comparison: Call) -> str:
        """Change one setting after the other, so that those that stay keep their layout."""
        edits = self
        for setting in self._changed_settings(name, comparison):
            form = read_form(edits._change_setting(name, setting, comparison))
            assert isinstance(form, TemplateForm)
            edits = FormEdits(form)
        return edits._source.text

    def _changed_settings(self, name: str, comparison: Call) -> list[str]:
        old = self._form.field(name).comparison
        assert isinstance(old, Call)
        names = [*old.settings, *(setting for setting in comparison.settings if setting not in old.settings)]
        return [
            name
            for name in names
            if name not in comparison.settings
            or name not in old.settings
            or write_value(old.settings[name]) != write_value(comparison.settings[name])
        ]

    def _change_setting(self, name: str, setting: str, comparison: Call) -> str:
        node = argument(_call_of(self._form.field(name)), "verify_with")
        assert node is not None and isinstance(node.value, ast.Call)
        old = argument(node.value, setting)
        if setting not in comparison.settings:
            return self._source.text if old is None else self._without_argument(node.value, old)
        written = write_value(comparison.settings[setting])
        if old is None:
            return self._with_argument(node.value, setting, written)
        return self._source.replace_span(self._source.span(old.value), written)

    def _describe_plain(self, field: CodeField, text: str) -> str:
        """Give a field without a description `Field(description=...)`, with its default if it has one."""
        node = field.node
        if node.value is None:
            end = self._source.span(node.annotation).end
            return self._source.replace_span(Span(end, end), f" = Field(description={write_value(text)})")
        span = self._source.span(node.value)
        default = self._source.text[span.start : span.end]
        return self._source.replace_span(span, f"Field(default={default}, description={write_value(text)})")

    def _with_argument(self, call: ast.Call, name: str, value: str) -> str:
        """Add a named argument after the last one that comes before it in the usual order."""
        nodes: Sequence[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        span = self._source.span(call)
        closing = span.end - 1
        if not nodes:
            return self._source.replace_span(Span(closing, closing), f"{name}={value}")
        last = nodes[-1]
        end, comma = self._end_of_argument(last, closing)
        several_lines = (
            self._source.lines_of(Span(end, end)).start != self._source.lines_of(Span(closing, closing)).start
        )
        if not several_lines:
            return self._source.replace_span(Span(end, end), f", {name}={value}")
        indent = self._source.indent_at(self._source.span(last).start)
        line = f"{self._source.line_end}{indent}{name}={value},"
        after = comma + 1 if comma is not None else end
        # A comment behind the last argument stays behind it.
        line_end = self._end_of_line(after)
        text = self._source.text
        return text[:end] + ("" if comma is not None else ",") + text[end:line_end] + line + text[line_end:]

    def _end_of_argument(self, node: ast.expr | ast.keyword, closing: int) -> tuple[int, int | None]:
        """Place after an argument, with the brackets around its value, and that of the comma behind it (None: none)."""
        span = self._source.span(node)
        depth, end = 0, span.end
        for token, token_span in self._source.tokens(Span(span.start, closing)):
            if token_span.start >= span.end and depth == 0 and token == ",":
                return end, token_span.start
            depth += (token in "([{") - (token in ")]}") if len(token) == 1 else 0
            if not token.startswith("#"):
                end = max(end, token_span.end)
        return end, None

    def _without_argument(self, call: ast.Call, node: ast.keyword) -> str:
        nodes: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        closing = self._source.span(call).end - 1
        start = self._source.span(node).start
        end, comma = self._end_of_argument(node, closing)
        after = end if comma is None else comma + 1
        whole = Span(start, after)
        if self._source.is_alone(whole):
            return self._source.replace_span(self._source.lines_of(whole), "")
        index = nodes.index(node)
        if index + 1 < len(nodes):
            return self._source.replace_span(Span(start, self._source.span(nodes[index + 1]).start), "")
        if index:
            before, _ = self._end_of_argument(nodes[index - 1], closing)
            return self._source.replace_span(Span(before, end), "")
        return self._source.replace_span(whole, "")

    def _end_of_line(self, index: int) -> int:
        match = re.compile(r"[^\r\n]*").match(self._source.text, index)
        return match.end() if match else index

    def _own_lines(self, node: ast.stmt) -> Span:
        span = self._source.span(node)
        if not self._source.is_alone(span):
            raise FormError("This line holds other code, too. Change it in the code.")
        return self._source.lines_of(span)

    def _with_comment_above(self, lines: Span) -> Span:
        """Lines of a field with the comment right above them, which is about it."""
        start = lines.start
        while start:
            before = self._source.lines_of(Span(start - 1, start))
            if not self._source.text[before.start : before.end].lstrip().startswith("#"):
                break
            start = before.start
        return Span(start, lines.end)

    def _indent(self) -> str:
        first = self._form.node.body[0]
        span = self._source.span(first)
        if first.lineno == self._form.node.lineno or not self._source.is_alone(span):
            raise FormError("The class is on one line. Change it in the code.")
        return self._source.indent_at(span.start)

    def _end_of_fields(self) -> Span:
        """Lines after which a field is added: the last field, else a docstring, else the head of the class."""
        body = self._form.node.body
        fields = [field.node for field in self._form.fields]
        if fields:
            return self._own_lines(fields[-1])
        texts = [statement for statement in body[:1] if isinstance(statement, ast.Expr)]
        if texts:
            return self._own_lines(texts[0])
        start = self._source.span(body[0]).start
        lines = self._source.lines_of(Span(start, start))
        return Span(lines.start, lines.start)

    def _insert(self, after: Span, lines: Sequence[str]) -> str:
        text, end = self._source.text, self._source.line_end
        before = text[: after.end]
        if before and not before.endswith(("\n", "\r")):
            before += end
        return before + "".join(line + end for line in lines) + text[after.end :]

    def _uses_in_composition(self, name: str) -> list[Span]:
        node = self._form.strategy
        if node is None:
            return []
        texts = (part for part in ast.walk(node) if isinstance(part, ast.Constant) and part.value == name)
        return [self._source.span(text) for text in texts]

    def _checked_name(self, name: str) -> str:
        """The name as Python reads it. Raises `FormError` if a field cannot have it."""
        name = unicodedata.normalize("NFKC", name)
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            raise FormError("A field name is one word of letters, digits, and underscores, such as gene_name.")
        if any(field.name == name for field in self._form.fields):
            raise FormError(f"There is already a field “{name}”.")
        if hasattr(BaseAnswer, name) or name in _TAKEN or any(block.title == name for block in self._form.blocks):
            raise FormError(f"“{name}” has a meaning of its own. Choose another name.")
        return name


def _call_of(field: CodeField) -> ast.Call:
    if field.call is None:
        raise FormError(f"“{field.name}” is custom code. Change it in the code.")
    return field.call
