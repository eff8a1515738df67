"""Lines of classes and fields in a template's source, and annotations as written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from karenina_gui.sandbox.inside.syntax_tree import syntax_tree


class SourceMap:
    """Classes and fields of one source, by name."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._classes = {node.name: node for node in _statements(tree) if isinstance(node, ast.ClassDef)}

    @classmethod
    def of(cls, source: str) -> SourceMap:
        """Map a source. The map is empty if the source is not valid Python."""
        try:
            return cls(syntax_tree(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return cls(ast.Module(body=[], type_ignores=[]))

    def class_line(self, name: str) -> int | None:
        found = self._classes.get(name)
        return found.lineno if found else None

    def field_line(self, model: type, name: str) -> int | None:
        found = self._field(model, name)
        return found.lineno if found else None

    def field_type(self, model: type, name: str) -> str | None:
        """The annotation as the author wrote it."""
        found = self._field(model, name)
        if found is None:
            return None
        return found.annotation.id if isinstance(found.annotation, ast.Name) else ast.unparse(found.annotation)

    def key_line(self, name: str) -> int | None:
        """Line on which a dict has this text as a key."""
        keys = (key for node in ast.walk(self._tree) if isinstance(node, ast.Dict) for key in node.keys)
        return next((key.lineno for key in keys if isinstance(key, ast.Constant) and key.value == name), None)

    def outer_lines(self) -> dict[str, int]:
        """Names that the source binds outside of classes and functions, each with its line."""
        found: dict[str, int] = {}
        for node in self._tree.body:
            for name in _bound_names(node):
                found.setdefault(name, node.lineno)
        return found

    def _field(self, model: type, name: str) -> ast.AnnAssign | None:
        for ancestor in model.__mro__:
            found = self._classes.get(ancestor.__name__)
            for node in found.body if found else ():
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
                    return node
        return None


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, outer ones first. Expressions, most of a tree, are not entered: they contain no statement."""
    level: list[ast.AST] = [tree]
    while level:
        level = [inner for node in level for name in _BLOCKS for inner in getattr(node, name, ())]
        yield from level


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
