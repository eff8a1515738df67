"""Separation of a template's code from its data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from karenina_gui.sandbox.inside.code_screen import at_end


class IsCode(Exception):
    """The source is more than data, or than data with plain methods."""

    def __init__(self, line: int | None, what: str) -> None:
        """`what`: a noun with its article, as in `a method`."""
        super().__init__(what)
        self.line = line
        self.what = what


def bound_by(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name))


def set_on_self(method: ast.FunctionDef) -> Iterator[str]:
    set_here = (
        node for node in ast.walk(method) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    )
    yield from (node.attr for node in set_here if isinstance(node.value, ast.Name) and node.value.id == "self")


def code_alone(source: str, tree: ast.Module, owner: ast.ClassDef, statements: list[ast.stmt]) -> str:
    """Reduce the source to these statements, each on its own lines. Raises `IsCode` where statements share a line."""
    # The parser and `str.split` disagree about these line breaks, so that lines could not be matched.
    if _share_lines(tree, owner) or any(character in source for character in "\r\f\v"):
        raise IsCode(owner.lineno, "a line with several statements")
    lines = source.split("\n")
    _rewrite_patterns(lines, statements)
    result = [""] * len(lines)
    for node in statements:
        where = slice(node.lineno - 1, node.end_lineno)
        result[where] = lines[where]
    has_methods = any(node in owner.body for node in statements)
    result[owner.lineno - 1] = f"class {owner.name}:" if has_methods else f"class {owner.name}: pass"
    return "\n".join(result) + "\n"


def _share_lines(tree: ast.Module, owner: ast.ClassDef) -> bool:
    statements = [*(node for node in tree.body if node is not owner), *owner.body]
    spans = sorted(
        [(owner.lineno, owner.lineno), *((node.lineno, node.end_lineno or node.lineno) for node in statements)]
    )
    return any(following[0] <= span[1] for span, following in pairwise(spans))


def _rewrite_patterns(lines: list[str], statements: list[ast.stmt]) -> None:
    for pattern, rewritten in sorted(
        # From right to left, so that the remaining columns stay valid.
        (pattern for node in statements for pattern in at_end(node)),
        key=lambda pattern: -pattern[0].col_offset,
    ):
        # Columns of a syntax tree count bytes of UTF-8.
        line = lines[pattern.lineno - 1].encode()
        line = line[: pattern.col_offset] + repr(rewritten).encode() + line[pattern.end_col_offset :]
        lines[pattern.lineno - 1] = line.decode()
