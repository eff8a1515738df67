"""Syntax trees of authors' code, for any number of threads."""

from __future__ import annotations

import ast
import threading
import warnings

ONE_AT_A_TIME = threading.RLock()
"""Held while a syntax tree is built. Python 3.11 counts how deep it is in one place for all threads, and raises
SystemError ("AST constructor recursion depth mismatch") when two are built at once. Warnings are caught for all
threads alike, too."""

_TRIES = 20


def syntax_tree(source: str) -> ast.Module:
    """As `ast.parse` builds it, without warnings. Errors: those of `ast.parse`."""
    return tree_and_warnings(source)[0]


def tree_and_warnings(source: str) -> tuple[ast.Module, list[warnings.WarningMessage]]:
    """The syntax tree, and what the parser warns of. Errors: those of `ast.parse`.

    Tried again where a library built a tree at the same moment, as `inspect.signature` does.
    """
    with ONE_AT_A_TIME:
        for _ in range(_TRIES):
            try:
                return _built(source)
            except SystemError:
                continue
        return _built(source)


def _built(source: str) -> tuple[ast.Module, list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        return ast.parse(source, "<string>"), warned
