"""Traits as checkpoints write them.

One `Rating` a trait, its type in `additionalType`, its settings as properties.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any, Literal

from pydantic import ValidationError

from karenina_gui.formats.checkpoints.json_patch import as_list, overlay
from karenina_gui.formats.checkpoints.properties import decode, property_value, values_of
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.rubric import TRAIT_TYPES, Trait

Level = Literal["Global", "QuestionSpecific"]
_IN_JSON = ("classes", "model_override", "metrics", "tp_instructions", "tn_instructions")
"""Settings whose values may be written as JSON texts."""

_TYPE = re.compile(
    r"(?:karenina:)?(Global|QuestionSpecific)"
    r"(RubricTrait|LLMRubricTrait|RegexTrait|CallableTrait|MetricRubricTrait|AgenticRubricTrait|DynamicRubricTrait)"
)
_TYPE_NAMES = {
    "RubricTrait": "llm",
    "LLMRubricTrait": "llm",
    "RegexTrait": "regex",
    "CallableTrait": "callable",
    "MetricRubricTrait": "metric",
    "AgenticRubricTrait": "agentic",
}

_WRITTEN = {
    "llm": """deep_judgment_enabled deep_judgment_excerpt_enabled deep_judgment_search_enabled
        deep_judgment_max_excerpts? deep_judgment_fuzzy_match_threshold? deep_judgment_excerpt_retry_attempts?
        higher_is_better summary? min_score max_score kind classes? include_ground_truth?""",
    "regex": "pattern case_sensitive invert_result higher_is_better summary?",
    "callable": "callable_code kind invert_result higher_is_better min_score? max_score? summary? classes?",
    "metric": """metrics repeated_extraction evaluation_mode higher_is_better tp_instructions? tn_instructions?
        summary?""",
    "agentic": """kind higher_is_better context_mode materialize_trace persist_trace max_turns timeout_seconds
        classes? model_override? summary? min_score max_score""",
}
"""Properties by trait type in upstream's order; `?`: left out when None, False or empty."""


class UnreadableRating(Exception):
    """A rating that gives no trait; the message says why."""


def read_rating(rating: Any, level: Level) -> tuple[str, Trait, bool]:
    """Short type name, trait, and true if it is dynamic; nothing is executed.

    Raises `UnreadableRating` if the rating gives no trait.
    """
    if not isinstance(rating, dict) or not isinstance(rating.get("name"), str):
        raise UnreadableRating("it has no name")
    match = _TYPE.fullmatch(str(rating.get("additionalType", "")))
    if match is None:
        raise UnreadableRating(f"its type {rating.get('additionalType')!r} is unknown")
    if match[1] != level:
        raise UnreadableRating(f"its type {rating['additionalType']!r} is not allowed here")
    properties = values_of(rating)
    dynamic = match[2] == "DynamicRubricTrait"
    type_name = str(properties.get("dynamic_trait_type")) if dynamic else _TYPE_NAMES[match[2]]
    if type_name not in TRAIT_TYPES:
        raise UnreadableRating(f"its type {type_name!r} is unknown")
    return type_name, _validate(type_name, _settings(type_name, rating, properties)), dynamic


def read_legacy(type_name: str, settings: Any) -> Trait:
    """A trait of the old form, one JSON object in a property's text.

    Raises `UnreadableRating` if it gives none.
    """
    if not isinstance(settings, dict):
        raise UnreadableRating("it is not an object")
    settings = dict(settings)
    if "invert" in settings:
        settings.setdefault("invert_result", settings.pop("invert"))
    fields = TRAIT_TYPES[type_name].model_fields
    return _validate(type_name, {k: v for k, v in settings.items() if k in fields})


def write_rating(type_name: str, trait: Trait, level: Level, *, dynamic: bool = False) -> dict[str, Any]:
    """A rating that upstream reads back: prefixed type, best and worst besides the range, unusual kinds named."""
    values = trait.model_dump(mode="json")
    best, worst = _range(values)
    rating = {"@type": "Rating", "name": trait.name}
    if trait.description is not None:
        rating["description"] = trait.description
    properties = [property_value(name, values[name]) for name in _to_write(type_name, values)]
    if dynamic:
        properties.append(property_value("dynamic_trait_type", type_name))
    return rating | {
        "bestRating": float(best),
        "worstRating": float(worst),
        "additionalType": f"karenina:{level}{'DynamicRubricTrait' if dynamic else _suffix(type_name, values)}",
        "additionalProperty": properties,
    }


def overlay_rating(rating: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The file's rating with a change written into it; a score's range is then written in full.

    Upstream ignores best and worst when it reads a range, so a change must not leave half of it to them.
    """
    result: dict[str, Any] = overlay(rating, old, new)
    stated = values_of(result)
    missing = [
        p for p in new["additionalProperty"] if p["name"] in ("min_score", "max_score") and p["name"] not in stated
    ]
    if missing and old != new:
        result = {**result, "additionalProperty": [*as_list(result.get("additionalProperty")), *missing]}
    return result


def _settings(type_name: str, rating: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    fields = TRAIT_TYPES[type_name].model_fields
    settings = _stored_settings(rating, properties, fields)
    if "kind" in fields:
        settings["kind"] = _kind(rating, settings)
        if "min_score" in fields and settings["kind"] == "score":
            _add_range(settings, rating)
    settings.setdefault("higher_is_better", _usual_direction(type_name, settings))
    return {k: v for k, v in settings.items() if v is not None or k not in ("kind", "metrics")}


def _stored_settings(rating: dict[str, Any], properties: dict[str, Any], names: Container[str]) -> dict[str, Any]:
    # The older application wrote settings on the rating itself; properties go first.
    beside = {name: value for name, value in rating.items() if name != "summary"}
    stored = {name: value for name, value in (beside | properties).items() if name in names}
    return {name: decode(value) if name in _IN_JSON else value for name, value in stored.items()}


def _usual_direction(type_name: str, settings: dict[str, Any]) -> bool | None:
    """True if a higher score is better, as for most traits; figures and forms say nothing of it by themselves."""
    return None if type_name == "metric" or _is_template(settings) else True


def _kind(rating: dict[str, Any], settings: dict[str, Any]) -> Any:
    kind = settings.get("kind")
    if kind is not None:
        return decode(kind) if isinstance(kind, str) and kind.lstrip().startswith("{") else kind
    if settings.get("classes"):
        return "literal"
    as_boolean = _number(rating.get("bestRating")) == 1 and _number(rating.get("worstRating")) == 0
    # A boolean is written with the default range, so an explicit 0..1 can only be a score's.
    explicit = (settings.get("min_score"), settings.get("max_score")) == (0, 1)
    return "boolean" if as_boolean and not explicit else "score"


def _add_range(settings: dict[str, Any], rating: dict[str, Any]) -> None:
    for name, key in (("min_score", "worstRating"), ("max_score", "bestRating")):
        if settings.get(name) is None and (number := _number(rating.get(key))) is not None:
            settings[name] = number


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value


def _is_template(settings: dict[str, Any]) -> bool:
    return isinstance(settings.get("kind"), dict)


def _validate(type_name: str, settings: dict[str, Any]) -> Trait:
    try:
        return TRAIT_TYPES[type_name].model_validate(settings)
    except ValidationError as fault:
        raise UnreadableRating(first_problem(fault)) from fault


def _to_write(type_name: str, values: dict[str, Any]) -> list[str]:
    names = []
    for name in _WRITTEN[type_name].split():
        plain = name.removesuffix("?")
        if name != plain and _is_unset(values[plain]):
            continue
        if plain == "kind" and type_name == "llm" and not _kind_must_be_named(values):
            continue
        if type_name == "callable" and plain in ("min_score", "max_score") and values["kind"] == "literal":
            continue
        names.append(plain)
    return names


def _is_unset(value: Any) -> bool:
    return value is None or value is False or value == [] or value == {}


def _kind_must_be_named(values: dict[str, Any]) -> bool:
    """Check if a reader would guess another kind.

    Readers take an unnamed kind for a boolean when best and worst are 1 and 0, for a score otherwise.
    """
    return values["kind"] not in ("boolean", "score") or (values["kind"] == "score" and _range(values) == (1, 0))


def _range(values: dict[str, Any]) -> tuple[int, int]:
    """Best and worst rating."""
    kind = values.get("kind", "boolean")
    if isinstance(kind, dict):
        return 0, 0
    if kind == "literal":
        return len(values["classes"]) - 1, 0
    if kind == "boolean":
        return 1, 0
    best, worst = values["max_score"], values["min_score"]
    return 1 if best is None else best, 0 if worst is None else worst


def _suffix(type_name: str, values: dict[str, Any]) -> str:
    if type_name == "llm":
        return "RubricTrait" if values["kind"] in ("boolean", "score") else "LLMRubricTrait"
    return {v: k for k, v in _TYPE_NAMES.items() if v != "llm"}[type_name]
