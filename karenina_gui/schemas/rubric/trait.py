"""Common base of all trait types: the name, and rules for literal classes and template schemas."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationInfo

from karenina_gui.schemas.problems import prescribed_error

ScalarKind = Literal["boolean", "score", "literal"]
_PRIMITIVES = ("integer", "number", "string", "boolean")


class RubricTrait(BaseModel):
    """Base of every trait. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())

    name: str = Field(min_length=1)
    """Unique over all types of one rubric, without dots (`trait.field` names the fields of template traits)."""
    description: str | None = None
    summary: str | None = None
    """Short form for lists and presence checks."""


def _checked_classes(classes: dict[str, str]) -> dict[str, str]:
    """Classes of a literal trait, in the order that gives their scores (0 to n-1). Raises `ValueError`."""
    if len(classes) < 2:
        raise prescribed_error("Literal trait must have at least 2 classes", "A class trait needs at least 2 classes.")
    if len(classes) > 20:
        raise prescribed_error(
            "Literal trait cannot have more than 20 classes",
            f"A class trait can have at most 20 classes; this one has {len(classes)}.",
        )
    seen: set[str] = set()
    for name, description in classes.items():
        if not name.strip():
            raise prescribed_error("Class name cannot be empty", "A class has no name.")
        # Judges do not keep to upper and lower case.
        if name.lower() in seen:
            raise prescribed_error(
                f"Duplicate class name (case-insensitive): {name!r}",
                f"Two classes are named “{name}” (capitals don’t count). Rename one of them.",
            )
        seen.add(name.lower())
        if not description.strip():
            raise prescribed_error(
                f"Description for class {name!r} cannot be empty", f"The class “{name}” needs a description."
            )
    return classes


def _checked_kind(kind: Any) -> Any:
    """A scalar kind unchanged; a template kind as `{"type": "template", "schema": <JSON Schema>}`.

    A pydantic class is accepted and kept as its schema. Raises `ValueError` if the fields are not flat.
    """
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        kind = {"type": "template", "schema": TypeAdapter(kind).json_schema()}
    if isinstance(kind, dict):
        _check_template_kind(kind)
    return kind


def _checked_direction(higher_is_better: bool | None, info: ValidationInfo) -> bool | None:
    """Check `higher_is_better`. Raises `ValueError` for a template kind, whose fields have no common direction."""
    if isinstance(info.data.get("kind"), dict) and higher_is_better is not None:
        raise prescribed_error(
            "higher_is_better must be None for template kind",
            "A structured score has no direction, so higher_is_better must be null.",
        )
    return higher_is_better


Kind = Annotated[ScalarKind | dict[str, Any], BeforeValidator(_checked_kind)]
"""A dict is a template kind: `{"type": "template", "schema": <JSON Schema>}`; a pydantic class becomes one."""

Classes = Annotated[dict[str, str], AfterValidator(_checked_classes)]
"""{class: description} of a literal trait, 2 to 20; the order gives the score."""

Direction = Annotated[bool | None, AfterValidator(_checked_direction)]
"""For analysis, never for scoring; None: neither (always for template kinds). Must follow `kind`."""


def literal_range(trait: BaseModel) -> None:
    """Set a literal trait's range to its class indices. Raises `ValueError` without classes."""
    # `__dict__`, since the models validate assignments and would call this validator again.
    fields = trait.__dict__
    if fields["kind"] != "literal":
        return
    if not fields["classes"]:
        raise prescribed_error("classes field is required when kind='literal'", "A class trait needs its classes.")
    fields["min_score"], fields["max_score"] = 0, len(fields["classes"]) - 1


def _check_template_kind(kind: dict[str, Any]) -> None:
    schema = kind.get("schema")
    if kind.get("type") != "template" or not isinstance(schema, dict):
        raise ValueError('A structured score is written {"type": "template", "schema": <JSON Schema of an object>}.')
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        raise ValueError("A structured score needs at least one field (under 'properties' of its schema).")
    for name, field in properties.items():
        if not isinstance(field, dict) or not _is_flat(field):
            raise ValueError(
                f"The field “{name}” of a structured score must be an int, float, str, or bool, or a list of one of "
                "these. It is optional only with a default."
            )


def _is_flat(field: dict[str, Any]) -> bool:
    options = field.get("anyOf")
    if options is not None:
        # pydantic writes optional fields as `anyOf` with null.
        alternatives = [o for o in options if isinstance(o, dict) and o.get("type") != "null"]
        return "default" in field and len(alternatives) == 1 and _is_flat(alternatives[0])
    if field.get("type") == "array":
        items = field.get("items")
        return isinstance(items, dict) and items.get("type") in _PRIMITIVES
    return field.get("type") in _PRIMITIVES
