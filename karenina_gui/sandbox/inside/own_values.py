"""Trials of a template on its own expected values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
from karenina_gui.sandbox.inside.verdicts import validate, verify
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.primitives import (
    ContainsAll,
    ContainsAny,
    DateRange,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericRangeGraded,
    NumericThresholdGraded,
    RegexMatch,
    TracePrimitive,
    VerificationPrimitive,
)
from karenina_gui.schemas.template import AnswerToVerify, TemplateProblem

BOUNDS = (NumericMinimum, NumericMaximum, NumericThresholdGraded)
"""Comparisons whose expected value is a bound, which may itself lie outside of what passes."""
WITHOUT_EXPECTED = (ContainsAll, ContainsAny, DateRange, NumericRange, NumericRangeGraded, RegexMatch)
"""Comparisons in which the expected value plays no part."""


def decides(primitive: VerificationPrimitive) -> bool:
    """True if an answer is compared with the expected value itself."""
    return not isinstance(primitive, (*BOUNDS, *WITHOUT_EXPECTED, TracePrimitive))


def methods_that_fail_expected_values(
    loaded: LoadedTemplate, answer: type[BaseAnswer], truth: dict[str, Any]
) -> Iterator[TemplateProblem]:
    """Flag a `verify()` of the author's that raises an error on the expected values, or rejects them."""
    names = [name for name in loaded.fields if name not in loaded.traced]
    # The answer's text is not known here.
    if "verify" not in loaded.overridden or not names or "trace" in loaded.source.lower():
        return
    expected = _expected_values(loaded, names, truth)
    if expected.keys() == set(names) and validate(loaded, expected).ok:
        yield from _failed_trial(loaded, answer, expected)
    elif errors := _errors_of_trials(loaded, answer, names):
        yield TemplateProblem(message=f"verify() fails on every answer: {errors[0]}")


def _expected_values(loaded: LoadedTemplate, names: list[str], truth: dict[str, Any]) -> dict[str, Any]:
    return {name: truth[name] for name in names if truth.get(name) is not None and _is_own(loaded, name)}


def _failed_trial(
    loaded: LoadedTemplate, answer: type[BaseAnswer], expected: dict[str, Any]
) -> Iterator[TemplateProblem]:
    verdict = verify(loaded, AnswerToVerify(values=expected, brief=True))
    if verdict.error is not None:
        message = f"verify() fails on the template’s own expected values: {verdict.error}"
        yield TemplateProblem(message=message, line=verdict.error_line)
    elif verdict.field_verification_result is False and "regex" not in loaded.source:
        message = "verify() rejects the template’s own expected values."
        yield TemplateProblem(message=message, line=loaded.places.class_line(answer.__name__))


def _errors_of_trials(loaded: LoadedTemplate, answer: type[BaseAnswer], names: list[str]) -> list[str]:
    """Errors of `verify()` on two very different answers, where the expected values are unknown; empty: not on both."""
    kinds = [answer.model_fields[name].annotation for name in names]
    # A text may have a form that these two have not.
    certain = ERRORS_OF_ANY_TEXT if str in kinds else ("",)
    errors = [verify(loaded, AnswerToVerify(values=values, brief=True)).error for values in _trials(names, kinds)]
    raised = [error for error in errors if error and error.startswith(certain)]
    return raised if len(raised) == len(errors) else []


def _trials(names: list[str], kinds: list[Any]) -> list[dict[str, Any]]:
    pairs = [_VALUES[kind] for kind in kinds if isinstance(kind, type) and kind in _VALUES]
    if len(pairs) < len(kinds):
        return []
    return [dict(zip(names, values, strict=True)) for values in zip(*pairs, strict=True)]


_VALUES: dict[Any, tuple[Any, Any]] = {bool: (True, False), int: (1, 42), float: (1.0, 41.5), str: ("text", "42")}
ERRORS_OF_ANY_TEXT = ("NameError", "UnboundLocalError", "AttributeError", "TypeError", "NotImplementedError")


def _is_own(loaded: LoadedTemplate, name: str) -> bool:
    """True if the answer with this field's expected value should pass."""
    return name not in loaded.verified or decides(loaded.verified[name].verify_with)
