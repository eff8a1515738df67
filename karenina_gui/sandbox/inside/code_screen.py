"""Screen for template code that runs the same in Monty, a small Python, as in Python itself.

Constructs that Monty does not know raise an error there, and Python is used instead. This module screens out code that
Monty would silently run differently, and code that would swallow such an error. Remaining differences: the order of a
set, and letters that a case-insensitive pattern equates with another one (İ, ı, ſ, and the kelvin sign).
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator

from karenina_gui.sandbox.inside.provided_names import INJECTED

MODULES = {"collections", "itertools", "json", "math", "re", "unicodedata"}
"""Modules that may be imported."""
# Names by which code could find out which interpreter runs it, or reach what Monty lacks.
_ASKS_WHAT_IS_THERE = {
    "__import__",
    "callable",
    "delattr",
    "dir",
    "eval",
    "exec",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "id",
    "locals",
    "setattr",
    "super",
    "type",
    "vars",
}
_CAUGHT = {"IndexError", "KeyError", "OverflowError", "ValueError", "ZeroDivisionError"}
"""Exceptions that mean the same in both."""
_SEARCHES = {"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub"}
_FLAGS = {"I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL"}
_WITH_FLAGS_LAST = {"compile": 2, "findall": 3, "finditer": 3, "fullmatch": 3, "match": 3, "search": 3}
"""Number of positional arguments of a call that has its flags last."""


def differs(nodes: Iterable[ast.stmt], imported: set[str]) -> ast.AST | None:
    """First node that Monty may run differently; None if there is none. `imported`: names that imports bind."""
    names = {*vars(builtins), *INJECTED, *imported}
    return next((doubtful for node in nodes for doubtful in _doubtful_nodes(node, names)), None)


def is_plain_module(tree: ast.Module) -> bool:
    """True if Monty runs a module of functions as Python does."""
    imports = [node for node in tree.body if isinstance(node, ast.Import)]
    others = [node for node in tree.body if not isinstance(node, ast.Import)]
    names = [alias for node in imports for alias in node.names]
    if not all(map(_is_plain_import, names)):
        return False
    return all(map(_is_plain_part, others)) and differs(others, {alias.name for alias in names}) is None


def _is_plain_import(alias: ast.alias) -> bool:
    return alias.name in MODULES and not alias.asname


def _is_plain_part(node: ast.stmt) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.FunctionDef | ast.Assign)


def _doubtful_nodes(root: ast.stmt, names: set[str]) -> Iterator[ast.AST]:
    for node in ast.walk(root):
        if _is_doubtful(node):
            yield node
        elif isinstance(node, ast.FunctionDef):
            if node.decorator_list or getattr(node, "type_params", []):
                yield node
            yield from _unknown_annotations(node, names)
    yield from _patterns(root)


def _is_doubtful(node: ast.AST) -> bool:
    return (
        _asks_what_is_there(node)
        or _has_lone_surrogate(node)
        or isinstance(node, _UNKNOWN)
        or (isinstance(node, ast.ExceptHandler) and not _catches_the_same(node))
        or (isinstance(node, ast.Call) and _rounds_to_digits(node))
    )


_UNKNOWN = (ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.With, ast.Match, ast.Import, ast.ImportFrom)


def _asks_what_is_there(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id in _ASKS_WHAT_IS_THERE or node.id.startswith("__")
    return isinstance(node, ast.Attribute) and node.attr.startswith("_")


def _has_lone_surrogate(node: ast.AST) -> bool:
    """True for a string with half of a surrogate pair, which Monty replaces."""
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return any("\ud800" <= character <= "\udfff" for character in text)


def _rounds_to_digits(call: ast.Call) -> bool:
    """True for `round` with digits: the two round halves differently."""
    named = isinstance(call.func, ast.Name) and call.func.id == "round"
    return named and (len(call.args) != 1 or bool(call.keywords))


def _catches_the_same(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return all(isinstance(kind, ast.Name) and kind.id in _CAUGHT for kind in kinds)


def _unknown_annotations(node: ast.FunctionDef, names: set[str]) -> Iterator[ast.AST]:
    """Annotations that Python may fail to evaluate when it defines the function; Monty ignores them."""
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg)
    written = [argument.annotation for argument in arguments if argument is not None]
    for annotation in filter(None, (*written, node.returns)):
        for part in ast.walk(annotation):
            allowed = (ast.Name, ast.Subscript, ast.Tuple, ast.Constant, ast.BinOp, ast.BitOr, ast.expr_context)
            if not isinstance(part, allowed) or (isinstance(part, ast.Name) and part.id not in names):
                yield part


def _patterns(root: ast.stmt) -> Iterator[ast.AST]:
    """Uses of `re` other than searches for a literal pattern that means the same in both."""
    fine: set[int] = set()
    for node in ast.walk(root):
        if isinstance(node, ast.Call) and _is_fine(node):
            fine |= {id(name) for name in _names_of_re(node)}
    yield from (name for name in _names_of_re(root) if id(name) not in fine)


def _names_of_re(root: ast.AST) -> Iterator[ast.Name]:
    return (part for part in ast.walk(root) if isinstance(part, ast.Name) and part.id == "re")


def _is_fine(call: ast.Call) -> bool:
    function = call.func
    if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re"):
        return False
    if function.attr == "escape":
        return len(call.args) == 1 and not call.keywords and not _uses_re(call.args[0])
    return function.attr in _SEARCHES and _is_fine_search(call, function.attr)


def _is_fine_search(call: ast.Call, name: str) -> bool:
    pattern = call.args[0] if call.args else None
    if not (isinstance(pattern, ast.Constant) and isinstance(pattern.value, str)):
        return False
    # Flags, lookarounds, named groups and the like are not the same in Monty's engine, which never backtracks.
    if "(?" in pattern.value.replace("(?:", "") or ("$" in pattern.value and not _ends_alike(call, pattern)):
        return False
    # A replacement with group references, or computed by a function, is left to Python.
    if name == "sub" and not (len(call.args) == 3 and _is_plain_text(call.args[1])):
        return False
    return _has_plain_arguments(call, name)


def _has_plain_arguments(call: ast.Call, name: str) -> bool:
    flags = [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    if len(flags) != len(call.keywords):
        return False
    if len(call.args) == _WITH_FLAGS_LAST.get(name, 9):
        flags.append(call.args[-1])
    others = [argument for argument in call.args if argument not in flags]
    return all(map(_is_flag, flags)) and not any(map(_uses_re, others))


def at_end(tree: ast.AST) -> Iterator[tuple[ast.Constant, str]]:
    """Literal patterns of `re` with a `$`, each with its equivalent for Monty.

    In Python `$` also matches before a line break at the end of the text.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (pattern := _literal_pattern(node)) is not None:
            text = pattern.value
            if isinstance(text, str) and "$" in text:
                yield pattern, _END.sub(lambda match: match[0] if match[0] != "$" else r"(?=\n?\Z)", text)


def _literal_pattern(call: ast.Call) -> ast.Constant | None:
    """First argument of a call in `re`; None if it is no literal."""
    if not (isinstance(call.func, ast.Attribute) and call.args):
        return None
    pattern, of = call.args[0], call.func.value
    is_of_re = isinstance(of, ast.Name) and of.id == "re"
    return pattern if is_of_re and isinstance(pattern, ast.Constant) else None


_END = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
"""Matches an escape, a character set, or `$`."""


def _ends_alike(call: ast.Call, pattern: ast.Constant) -> bool:
    """True if `at_end` can translate the pattern's `$`: a literal on one line, and a search that is not multi-line."""
    several = any(isinstance(part, ast.Attribute) and part.attr in ("M", "MULTILINE") for part in ast.walk(call))
    return not several and pattern.lineno == pattern.end_lineno


def _is_plain_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and "\\" not in node.value


def _is_flag(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _is_flag(node.left) and _is_flag(node.right)
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _FLAGS


def _uses_re(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "re" for part in ast.walk(node))
