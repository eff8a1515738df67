"""JSON Schema for a judge: what each field is and means, and nothing that reveals the right answer."""

from __future__ import annotations

from typing import Any

from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
from karenina_gui.schemas.answer import BaseAnswer

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
