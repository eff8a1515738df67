"""Syntax trees of authors' code, built by any number of threads."""

from __future__ import annotations

import ast
import threading
import warnings

from karenina_gui.text.tree_retry import retry_build

ONE_AT_A_TIME = threading.RLock()
"""Hold this lock while a syntax tree is built (see `retry_build`). `catch_warnings` is shared by all threads, too."""


def syntax_tree(source: str) -> ast.Module:
    """Parse a source without warnings. Errors: those of `ast.parse`."""
    return tree_and_warnings(source)[0]


def tree_and_warnings(source: str) -> tuple[ast.Module, list[warnings.WarningMessage]]:
    """Parse a source, and return the warnings of the parser, too. Errors: those of `ast.parse`.

    Retries when a library builds a tree at the same moment, as `inspect.signature` does.
    """
    with ONE_AT_A_TIME:
        return retry_build(lambda: _parse(source))


def _parse(source: str) -> tuple[ast.Module, list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        return ast.parse(source, "<string>"), warned
