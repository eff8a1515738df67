"""The outline of a template: its fields, its ground truth, what a judge is asked, and its problems."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from karenina_gui.sandbox.inside.author_errors import author_error
from karenina_gui.sandbox.inside.json_values import as_json
from karenina_gui.sandbox.inside.judge_schema import judge_schema
from karenina_gui.sandbox.inside.lint import lint
from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
from karenina_gui.sandbox.inside.placeholders import find_placeholders
from karenina_gui.sandbox.inside.verdicts import ground_truth_of
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.composition import strategy_of
from karenina_gui.schemas.primitives.acceptance import acceptance_words
from karenina_gui.schemas.template import TemplateField, TemplateMode, TemplateOutline, TemplateProblem


def outline(loaded: LoadedTemplate) -> TemplateOutline:
    """Outline of the template, or what is wrong with it."""
    answer = loaded.answer
    if answer is None:
        return TemplateOutline(valid=False, problems=loaded.problems)
    try:
        found = _outline(loaded, answer)
        open_places = find_placeholders(loaded, answer, found.ground_truth)
        doubts = [] if any(gap.severity == "error" for gap in open_places) else lint(loaded, answer, found)
        found.problems = [*loaded.problems, *_errors(loaded, answer, found), *open_places, *doubts]
    except BaseException as error:
        fault = author_error(error, loaded.namespace)
        problem = TemplateProblem(message=fault.sentence, line=fault.line or loaded.places.class_line(answer.__name__))
        return TemplateOutline(valid=False, problems=[*loaded.problems, problem], class_name=answer.__name__)
    found.valid = found.first_error is None
    return found


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


def _errors(loaded: LoadedTemplate, answer: type[BaseAnswer], found: TemplateOutline) -> list[TemplateProblem]:
    if loaded.verified or found.regex_only or "verify" in loaded.overridden:
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
