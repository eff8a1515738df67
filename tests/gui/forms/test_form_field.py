"""Fields of a form: kind, limits, default, and the meaning of nothing are those of the record's model."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, Field

from karenina_gui.gui.records.form_field import FormField, Kind


class Recipe(BaseModel):
    title: str = "untitled"
    notes: str | None = None
    portions: int = Field(default=4, ge=1)
    salt: float | None = Field(default=None, ge=0, le=2)
    vegan: bool = False
    steps: list[dict[str, Any]] | None = None


def field(name: str, kind: Kind, refusal: str = "") -> FormField[Recipe]:
    return FormField(name, name, kind=kind, model=Recipe, refusal=refusal)


@pytest.mark.parametrize(
    ("name", "kind", "entered", "stored"),
    [
        ("title", "text", "Soup ", "Soup "),
        ("title", "text", None, ""),
        ("notes", "area", " ", None),
        ("portions", "number", 2.0, 2),
        ("portions", "number", None, 4),
        ("salt", "number", 1, 1.0),
        ("salt", "number", None, None),
        ("vegan", "switch", True, True),
        ("steps", "rows", [], None),
    ],
)
def test_an_entered_value_is_stored_as_the_model_has_it(name: str, kind: Kind, entered: Any, stored: Any) -> None:
    value = field(name, kind).changes(Recipe(), entered)[name]
    assert (value, type(value)) == (stored, type(stored))


@pytest.mark.parametrize("value", [0, 1.5, float("inf")])
def test_a_number_out_of_range_is_refused_with_the_range_or_a_message(value: float) -> None:
    with pytest.raises(ValueError, match=r"^A whole number, 1 or more\.$"):
        field("portions", "number").changes(Recipe(), value)
    with pytest.raises(ValueError, match=r"^Cook for somebody\.$"):
        field("portions", "number", "Cook for somebody.").changes(Recipe(), value)


def test_nothing_is_an_empty_control() -> None:
    kinds: list[tuple[str, Kind, Any]] = [("notes", "text", ""), ("salt", "number", None), ("steps", "rows", [])]
    assert all(field(name, kind).value_of(Recipe()) == empty for name, kind, empty in kinds)
