"""The outline of a template: its fields, its ground truth, what a judge is asked, and its problems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from karenina_gui.sandbox.inside.author_errors import author_error
from karenina_gui.sandbox.inside.json_values import as_json
from karenina_gui.sandbox.inside.lint import lint
from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
from karenina_gui.sandbox.inside.verdicts import ground_truth_of
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.composition import strategy_of
from karenina_gui.schemas.primitives import (
    ContainsAll,
    ContainsAny,
    DateRange,
    RegexMatch,
    TraceContains,
    TraceRegex,
    VerificationPrimitive,
)
from karenina_gui.schemas.primitives.acceptance import acceptance_words
from karenina_gui.schemas.template import TemplateField, TemplateMode, TemplateOutline, TemplateProblem
from karenina_gui.schemas.template_placeholders import OPEN, OPTIONS, is_unfilled

_FLAGS = re.compile(r"\(\?[a-zA-Z]+\)")
_OF_A_CLASS = {"type", "title", "properties", "required", "additionalProperties", "enum", "const"}
"""Keywords to keep of a class.

Its docstring and extra keywords are the author's notes, and may name the expected answer.
"""
_OF_A_FIELD = _OF_A_CLASS | {
    *("description", "default", "examples", "format", "pattern", "minLength", "maxLength"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"),
    *("patternProperties", "propertyNames", "minProperties", "maxProperties"),
    *("anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref"),
}
_SCHEMAS = {
    *("additionalProperties", "items", "contains", "propertyNames", "not", "if", "then", "else"),
    *("prefixItems", "anyOf", "oneOf", "allOf"),
}
_SCHEMAS_BY_NAME = {"properties", "patternProperties"}


def outline(loaded: LoadedTemplate) -> TemplateOutline:
    """Outline of the template, or what is wrong with it."""
    answer = loaded.answer
    if answer is None:
        return TemplateOutline(valid=False, problems=loaded.problems)
    try:
        result = _outline(loaded, answer)
        open_places = find_placeholders(loaded, answer, result.ground_truth)
        doubts = [] if any(gap.severity == "error" for gap in open_places) else lint(loaded, answer, result)
        result.problems = [*loaded.problems, *_errors(loaded, answer, result), *open_places, *doubts]
    except BaseException as error:
        fault = author_error(error, loaded.namespace)
        problem = TemplateProblem(message=fault.sentence, line=fault.line or loaded.places.class_line(answer.__name__))
        return TemplateOutline(valid=False, problems=[*loaded.problems, problem], class_name=answer.__name__)
    result.valid = result.first_error is None
    return result


def _outline(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> TemplateOutline:
    sample = _sample(answer)
    fields = [_field(loaded, answer, name) for name in loaded.fields]
    regex = as_json(sample.search_patterns())
    searches = bool(regex) or "verify_regex" in loaded.overridden
    return TemplateOutline(
        valid=True,
        class_name=answer.__name__,
        mode=_mode(fields),
        regex_only=not fields and searches,
        trace_only=all(field.is_trace for field in fields),
        fields=fields,
        ground_truth=ground_truth_of(loaded, sample),
        regex=regex,
        judge_schema=as_json(judge_schema(loaded, answer)),
        composition_strategy=strategy_of(answer).label if loaded.verified else None,
        has_granular=bool(loaded.verified) or "verify_granular" in loaded.overridden,
    )


def _errors(loaded: LoadedTemplate, answer: type[BaseAnswer], outline: TemplateOutline) -> list[TemplateProblem]:
    if loaded.verified or outline.regex_only or "verify" in loaded.overridden:
        return []
    message = (
        f"{answer.__name__} does not have a 'verify' method: write def verify(self) -> bool, or declare its fields "
        "with VerifiedField(...), which are compared automatically."
    )
    return [TemplateProblem(message=message, line=loaded.places.class_line(answer.__name__))]


def _mode(fields: list[TemplateField]) -> TemplateMode:
    verified = [field for field in fields if field.primitive]
    if not verified:
        return "classic"
    return "verified" if len(verified) == len(fields) else "mixed"


def _field(loaded: LoadedTemplate, answer: type[BaseAnswer], name: str) -> TemplateField:
    info = answer.model_fields[name]
    plain = TemplateField(
        name=name,
        type=loaded.places.field_type(answer, name) or getattr(info.annotation, "__name__", str(info.annotation)),
        description=info.description or "",
    )
    verification = loaded.verified.get(name)
    if verification is None:
        return plain
    settings = as_json(verification.verify_with.model_dump())
    return plain.model_copy(
        update={
            "primitive": settings.pop("type"),
            "settings": settings,
            "ground_truth": as_json(verification.ground_truth),
            "accepts": acceptance_words(verification.verify_with, verification.ground_truth),
            "notation": verification.verify_with.notation,
            "weight": float(verification.weight),
            "extraction_hint": verification.extraction_hint,
            "is_trace": verification.is_trace,
        }
    )


def _sample(answer: type[BaseAnswer]) -> BaseAnswer:
    """An instance with placeholder values, so that `ground_truth()` runs once before the first real answer."""
    return answer.model_construct(**{name: _made_up(info) for name, info in answer.model_fields.items()})


def _made_up(info: FieldInfo) -> Any:
    if not info.is_required():
        return info.get_default(call_default_factory=True, validated_data={})
    origin, arguments = get_origin(info.annotation), get_args(info.annotation)
    if origin is Literal:
        return arguments[0]
    return _MADE_UP.get(origin or info.annotation)


_MADE_UP: dict[Any, Any] = {bool: True, int: 1, float: 1.0, str: "text", list: [], set: set(), tuple: (), dict: {}}


def find_placeholders(
    loaded: LoadedTemplate, answer: type[BaseAnswer], truth: dict[str, Any] | None
) -> list[TemplateProblem]:
    """List open placeholders.

    Those in expected values, settings, options and unfinished sentences are errors: they would be graded.
    `truth`: the template's ground truth as JSON; None if it has none.
    """
    return [
        *_values(loaded, answer, truth or {}),
        *_settings(loaded, answer),
        *_options(loaded, answer),
        *_descriptions(loaded, answer),
    ]


def _values(loaded: LoadedTemplate, answer: type[BaseAnswer], truth: dict[str, Any]) -> Iterator[TemplateProblem]:
    for name, value in truth.items():
        if _is_open(value):
            message = f"The expected value of {name} is not entered yet: write it in the place of “{OPEN}”."
            line = loaded.places.field_line(answer, name) if name in loaded.verified else loaded.places.key_line(name)
            yield _open_place(message, line)


def _settings(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    """Open settings of comparisons; those of numbers are refused by their type."""
    for name, verification in loaded.verified.items():
        if subject := _open_setting(verification.verify_with):
            message = f"The {subject} of {name} is not entered yet: write it in the place of “{OPEN}”."
            yield _open_place(message, loaded.places.field_line(answer, name))


def _open_setting(comparison: VerificationPrimitive) -> str | None:
    """Name of the comparison's setting that is a placeholder; None: none is."""
    match comparison:
        case DateRange() if OPEN in (comparison.min, comparison.max):
            return "period"
        case ContainsAny() | ContainsAll() if OPEN in comparison.substrings:
            return "text to find"
        case TraceContains() if comparison.substring == OPEN:
            return "text to find"
        case RegexMatch() | TraceRegex() if _FLAGS.sub("", comparison.pattern).strip() == OPEN:
            return "pattern"
    return None


def _options(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    for name in loaded.fields:
        if any(option in (*OPTIONS, OPEN) for option in get_args(answer.model_fields[name].annotation)):
            message = f"The choices of {name} are not entered yet: write yours in place of those with “{OPEN}”."
            yield _open_place(message, loaded.places.field_line(answer, name))


def _descriptions(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    for name in loaded.fields:
        description, line = answer.model_fields[name].description or "", loaded.places.field_line(answer, name)
        # As in the form, where no judge reads the description of a trace field.
        title, looked_for = (
            ("Description", "a note for readers")
            if name in loaded.traced
            else ("What to extract", "what the judge should look for")
        )
        if is_unfilled(description):
            message = f"“{title}” of {name} is not finished: write {looked_for} instead of each “…”."
            yield _open_place(message, line)
        elif OPEN in description:
            message = f"“{title}” of {name} contains “{OPEN}”: write {looked_for} there."
            yield TemplateProblem(message=message, severity="warning", line=line)


def _open_place(message: str, line: int | None) -> TemplateProblem:
    return TemplateProblem(message=message, line=line, unfinished=True)


def _is_open(value: Any) -> bool:
    return value in (OPEN, "Ellipsis") or (isinstance(value, list) and OPEN in value)


def judge_schema(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> dict[str, Any]:
    """Reduce pydantic's schema to standard keywords and the author's own fields, without those that the trace fills."""
    written = answer.model_json_schema()
    extracted = [name for name in loaded.fields if name not in loaded.traced]
    schema: dict[str, Any] = _filter(written, _OF_A_CLASS)
    schema["properties"] = {name: part for name, part in schema.get("properties", {}).items() if name in extracted}
    required = [name for name in schema.pop("required", ()) if name in extracted]
    if required:
        schema["required"] = required
    if "$defs" in written:
        schema["$defs"] = {name: _filter(part, _OF_A_CLASS) for name, part in written["$defs"].items()}
    return schema


def _filter(schema: Any, keywords: set[str]) -> Any:
    if not isinstance(schema, dict):
        return schema
    return {keyword: _filter_part(keyword, part) for keyword, part in schema.items() if keyword in keywords}


def _filter_part(keyword: str, part: Any) -> Any:
    if keyword in _SCHEMAS_BY_NAME and isinstance(part, dict):
        return {name: _filter(schema, _OF_A_FIELD) for name, schema in part.items()}
    if keyword in _SCHEMAS:
        return (
            [_filter(schema, _OF_A_FIELD) for schema in part] if isinstance(part, list) else _filter(part, _OF_A_FIELD)
        )
    return part
