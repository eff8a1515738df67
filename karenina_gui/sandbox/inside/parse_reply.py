"""Construction of an answer from a judge's values: those that fit, those that do not, and those left open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from pydantic_core.core_schema import ErrorType

from karenina_gui.sandbox.inside.json_values import as_json
from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.text.canonical import canonical

_TELLING_NOTHING = frozenset(get_args(ErrorType)) - {"value_error", "assertion_error"}
"""Types of errors whose message is pydantic's own. They reveal no more than the schema, which the judge knows."""


def values_for(loaded: LoadedTemplate, values: dict[str, Any]) -> dict[str, Any]:
    """Drop values that only the template or the trace may set."""
    reserved = loaded.reserved
    named = {canonical(name): value for name, value in values.items()}
    return {name: value for name, value in named.items() if name not in reserved and not name.startswith("_")}


def fill(loaded: LoadedTemplate, values: dict[str, Any], nulls: list[str]) -> BaseAnswer:
    """Create the answer; the fields of `nulls` are None. Raises what validation and the author's code raise."""
    return loaded.with_open(nulls).model_validate({name: value for name, value in values.items() if name not in nulls})


def check(loaded: LoadedTemplate, values: dict[str, Any], nulls: list[str]) -> list[str]:
    """Return one sentence for the judge per field that does not fit.

    Raises what the author's code raises about the answer as a whole.
    """
    try:
        loaded.with_open(()).model_validate({name: value for name, value in values.items() if name not in nulls})
    except ValidationError as error:
        fault = authors_exception(error)
        if fault is not None:
            raise fault from None
        if sentences := [_sentence(detail, values) for detail in _details(error) if not _is_open(detail, nulls)]:
            return sentences
    return [*_unreadable(loaded, values, nulls)]


def _unreadable(loaded: LoadedTemplate, values: dict[str, Any], nulls: list[str]) -> Iterator[str]:
    """Sentences about texts that the comparison of their field cannot read in one way."""
    noted = {name: rule.verify_with for name, rule in loaded.verified.items() if rule.verify_with.notation}
    if not noted:
        return
    answer = fill(loaded, values, nulls)
    for name, comparison in noted.items():
        if name not in nulls and not comparison.is_readable(getattr(answer, name)):
            text = f"{as_json(values.get(name))!r:.80}"
            advice = f"Write it as {comparison.notation}, or use null if it is not stated."
            yield f"{name}: This cannot be read, or in more than one way (given: {text}). {advice}"


def authors_exception(error: BaseException) -> BaseException | None:
    """Exception of the author's code about the answer as a whole; None if single values do not fit."""
    if not isinstance(error, ValidationError):
        return error
    for detail in _details(error):
        if not detail["loc"] and detail["type"] not in _TELLING_NOTHING:
            cause: BaseException = detail.get("ctx", {}).get("error", error)
            return cause
    return None


def sentences(error: ValidationError, values: dict[str, Any]) -> list[str]:
    """One sentence per field that does not fit."""
    return [_sentence(detail, values) for detail in _details(error)]


def open_fields(loaded: LoadedTemplate, values: dict[str, Any]) -> list[str]:
    """Verified fields that the judge left null, which is an outcome, not an error."""
    return [name for name in loaded.verified if name in values and values[name] is None]


def unanswered_fields(loaded: LoadedTemplate, values: dict[str, Any]) -> list[str]:
    """Plain fields that the judge left null although their type does not allow it."""
    assert loaded.answer is not None
    plain = [name for name in loaded.fields if name not in loaded.verified and name in values and values[name] is None]
    return [name for name in plain if not _takes_null(loaded.answer.model_fields[name].annotation)]


def _takes_null(annotation: Any) -> bool:
    try:
        TypeAdapter(annotation).validate_python(None)
    except BaseException:
        return False
    return True


def _details(error: ValidationError) -> list[ErrorDetails]:
    return error.errors(include_url=False)


def _is_open(detail: ErrorDetails, nulls: list[str]) -> bool:
    return detail["type"] == "missing" and len(detail["loc"]) == 1 and detail["loc"][0] in nulls


def _sentence(detail: ErrorDetails, values: dict[str, Any]) -> str:
    path = ".".join(str(part) for part in detail["loc"]) or "the reply"
    if detail["type"] == "missing":
        return f"{path}: {detail['msg']}."
    # A message of the author's could tell the judge the expected answer.
    reason = (
        detail["msg"] if detail["type"] in _TELLING_NOTHING else "The template's own check does not accept this value"
    )
    return f"{path}: {reason} (given: {as_json(_at(detail['loc'], values))!r:.80})."


def _at(path: tuple[int | str, ...], value: Any) -> Any:
    """The judge's value at this place, or the nearest one around it.

    Taken from the reply, since validators may have turned it into an object of the author's.
    """
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            break
    return value
