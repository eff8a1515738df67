"""Traits that are functions of one text."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from karenina_gui.sandbox.inside.author_errors import AuthorError, author_error, capture_output
from karenina_gui.sandbox.inside.json_values import as_json
from karenina_gui.sandbox.inside.namespace import new_module
from karenina_gui.sandbox.inside.provided_names import INJECTED
from karenina_gui.sandbox.inside.template_source import compile_source

MODULE_NAME = "callable_trait"


def trait(source: str, entry: str | None, text: str) -> dict[str, Any]:
    """Return `{"value": ...}` as the function returned it, or `{"error": kind, "message", "line"}`.

    The source is run from the start, so that no change that one text made survives to the next.
    """
    namespace, function = _load(source, entry)
    if isinstance(function, AuthorError):
        return _error_reply(function)
    with capture_output():
        try:
            value = check_outcome(function(text))
        except BaseException as error:
            return _error_reply(author_error(error, namespace))
    return {"value": as_json(value)}


def check_outcome(value: Any) -> Any:
    """Return the value unchanged. Raises `TypeError` if a trait cannot have such an outcome."""
    if not isinstance(value, bool | int | float | str | None):
        raise TypeError(f"the function must return true or false, a number or a text, not {as_json(value)!r:.80}")
    return value


def examine(source: str, entry: str | None) -> dict[str, Any]:
    """Return `{"function": name or None, "problems": [...]}`. The source is run, but its function is not called."""
    _, function = _load(source, entry)
    if isinstance(function, AuthorError):
        return {"function": None, "problems": [_problem(function.sentence, function.line, function.column)]}
    problems = []
    if not _takes_one_text(function):
        fault = f"The function {function.__name__} must take one text and nothing else: def {function.__name__}(text):"
        problems.append(_problem(fault, function.__code__.co_firstlineno))
    return {"function": function.__name__, "problems": problems}


def _takes_one_text(function: Any) -> bool:
    try:
        inspect.signature(function).bind("")
    except TypeError:
        return False
    return True


def _problem(message: str, line: int | None, column: int | None = None) -> dict[str, Any]:
    return {"message": message, "severity": "error", "line": line, "column": column}


def _load(source: str, entry: str | None) -> tuple[dict[str, Any], Any]:
    """Globals of the source, and its function or the error."""
    namespace = new_module(MODULE_NAME).__dict__
    with warnings.catch_warnings(), capture_output():
        warnings.simplefilter("ignore")
        try:
            exec(compile_source(source)[0], namespace)
            return namespace, _function(namespace, entry)
        except BaseException as error:
            return namespace, author_error(error, namespace)


def _function(namespace: dict[str, Any], entry: str | None) -> Any:
    """The function called `entry`; None: the last one that the source defines."""
    functions = {
        name: value
        for name, value in namespace.items()
        if name not in INJECTED and inspect.isfunction(value) and value.__globals__ is namespace
    }
    if entry is not None and entry not in functions:
        raise NameError(f"the trait has no function called {entry}")
    if not functions:
        raise NameError("the trait defines no function: write def evaluate(text): and return the outcome")
    return functions[entry] if entry is not None else list(functions.values())[-1]


def _error_reply(error: AuthorError) -> dict[str, Any]:
    return {"error": error.kind, "message": error.message, "line": error.line}
