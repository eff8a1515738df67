"""From a rubric into a form and back nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.gui.pages.rubric.form_values import is_same_trait, to_form_values, to_record
from karenina_gui.schemas.rubric import TRAIT_TYPES

TYPES = {kind.__name__: name for name, kind in TRAIT_TYPES.items()}


def test_traits_of_every_kind_come_back_as_they_were(shared: Path) -> None:
    read = 0
    for record in json.loads((shared / "checkpoints" / "04_traits_as_constructed.json").read_text()):
        type_name = TYPES.get(record.pop("type").replace("RegexTrait", "RegexRubricTrait"))
        assert type_name
        assert is_same_trait(type_name, to_record(type_name, to_form_values(record)), record), record["name"]
        read += 1
    assert read > 15


def test_the_order_of_classes_and_fields_is_part_of_a_trait() -> None:
    record = {"name": "tone", "kind": "literal", "classes": {"a": "x", "b": "y"}}
    values = to_form_values(record)
    values["classes"].reverse()
    assert list(to_record("llm", values)["classes"]) == ["b", "a"]
    assert not is_same_trait("llm", to_record("llm", values), record)


def test_another_kind_leaves_nothing_behind_that_would_be_read_as_the_old_one() -> None:
    values = to_form_values({"name": "tone", "kind": "literal", "classes": {"a": "x", "b": "y"}, "min_score": 0})
    values["kind"] = "boolean"
    assert "classes" not in to_record("llm", values)
    values["kind"] = "literal"
    assert to_record("llm", values)["classes"] == {"a": "x", "b": "y"}


@pytest.mark.parametrize(
    ("row", "schema"),
    [
        ({"type": "integer"}, {"type": "integer"}),
        ({"type": "list:string"}, {"type": "array", "items": {"type": "string"}}),
        (
            {"type": "number", "optional": True, "default": "0.5"},
            {"anyOf": [{"type": "number"}, {"type": "null"}], "default": 0.5},
        ),
        (
            {"type": "boolean", "optional": True, "default": ""},
            {"anyOf": [{"type": "boolean"}, {"type": "null"}], "default": None},
        ),
        (
            {"type": "string", "description": "What was found"},
            {"type": "string", "description": "What was found"},
        ),
    ],
)
def test_rows_of_fields_make_a_schema_that_a_trait_takes(row: dict[str, Any], schema: dict[str, Any]) -> None:
    values = {"name": "facts", "kind": "template", "fields": [{"name": "field", **row}, {"name": ""}]}
    record = to_record("llm", values)
    assert record["kind"]["schema"]["properties"] == {"field": schema}
    assert ("required" in record["kind"]["schema"]) == (not row.get("optional"))
    TRAIT_TYPES["llm"].model_validate(record)


def test_what_a_field_of_a_schema_holds_besides_the_table_is_carried_along() -> None:
    field = {"type": "integer", "title": "Count", "minimum": 0, "description": "How many"}
    schema = {"type": "object", "title": "Facts", "properties": {"count": field}, "required": ["count"]}
    values = to_form_values({"name": "facts", "kind": {"type": "template", "schema": schema}})
    assert to_record("llm", values)["kind"]["schema"] == schema
    values["fields"][0] |= {"description": "How many sources", "type": "number"}
    changed = to_record("llm", values)["kind"]["schema"]
    assert changed["title"] == "Facts"
    assert changed["properties"]["count"] == {
        "title": "Count", "minimum": 0, "description": "How many sources", "type": "number",
    }  # fmt: skip


def test_deep_judgment_settings_pass_through_a_form_that_never_shows_them() -> None:
    record = {"name": "deep", "kind": "boolean", "deep_judgment_enabled": True, "deep_judgment_max_excerpts": 4}
    values = to_form_values(record)
    values["description"] = "Evidence"
    assert to_record("llm", values) == {**record, "description": "Evidence"}


def test_source_replaces_a_pickled_function_only_once_it_is_there() -> None:
    record = {"name": "old", "kind": "boolean", "callable_code": "gASVAAA="}
    assert to_record("callable", to_form_values(record)) == record
    assert "callable_code" not in to_record(
        "callable", to_form_values({**record, "source": "def f(text): return True"})
    )
