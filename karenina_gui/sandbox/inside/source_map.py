"""Lines of classes and fields in a template's source, and annotations as written."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from karenina_gui.sandbox.inside.syntax_tree import syntax_tree


class SourceMap:
    """Classes and fields of one source, by name.

    Keeps no syntax tree: a template has a few hundred nodes, which each search for garbage would visit.
    """

    def __init__(self, tree: ast.Module) -> None:
        classes = [node for node in _statements(tree) if isinstance(node, ast.ClassDef)]
        self._classes = {node.name: _ClassPlace(node) for node in classes}
        self._outer_lines: dict[str, int] = {}
        for node in tree.body:
            for name in _bound_names(node):
                self._outer_lines.setdefault(name, node.lineno)
        self._key_lines: dict[str, int] = {}
        for name, line in _text_keys(tree, classes):
            self._key_lines.setdefault(name, line)

    @classmethod
    def of(cls, source: str) -> SourceMap:
        """Map a source. The map is empty if the source is not valid Python."""
        try:
            return cls(syntax_tree(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return cls(ast.Module(body=[], type_ignores=[]))

    def class_line(self, name: str) -> int | None:
        node = self._classes.get(name)
        return node.line if node else None

    def field_line(self, model: type, name: str) -> int | None:
        node = self._field(model, name)
        return node.line if node else None

    def field_type(self, model: type, name: str) -> str | None:
        """The annotation as the author wrote it."""
        node = self._field(model, name)
        if node is None:
            return None
        return node.annotation.id if isinstance(node.annotation, ast.Name) else ast.unparse(node.annotation)

    def key_line(self, name: str) -> int | None:
        """Line on which a dict has this text as a key."""
        return self._key_lines.get(name)

    def outer_lines(self) -> dict[str, int]:
        """Names that the source binds outside of classes and functions, each with its line."""
        return self._outer_lines

    def _field(self, model: type, name: str) -> _FieldPlace | None:
        declared = (self._classes.get(ancestor.__name__) for ancestor in model.__mro__)
        return next((node.fields[name] for node in declared if node and name in node.fields), None)


@dataclass(frozen=True)
class _FieldPlace:
    line: int
    annotation: ast.expr


class _ClassPlace:
    def __init__(self, node: ast.ClassDef) -> None:
        self.line = node.lineno
        self.fields: dict[str, _FieldPlace] = {}
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                self.fields.setdefault(part.target.id, _FieldPlace(part.lineno, part.annotation))


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, outer ones first. Expressions, most of a tree, are not entered: they contain no statement."""
    level: list[ast.AST] = [tree]
    while level:
        level = [inner for node in level for name in _BLOCKS for inner in getattr(node, name, ())]
        yield from level


def _text_keys(tree: ast.Module, classes: Sequence[ast.ClassDef]) -> Iterator[tuple[str, int]]:
    """Texts that are keys of dicts, with their lines, except those in fields of a class, which hold no ground truth."""
    around = [node for node in tree.body if not isinstance(node, ast.ClassDef)]
    inside = [part for node in classes for part in node.body if not isinstance(part, ast.AnnAssign | ast.ClassDef)]
    for node in (*around, *inside):
        yield from _text_keys_in(node)


def _text_keys_in(node: ast.stmt) -> Iterator[tuple[str, int]]:
    for part in ast.walk(node):
        for key in part.keys if isinstance(part, ast.Dict) else ():
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, key.lineno


_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


def _bound_names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
    return []
