from __future__ import annotations

import pytest

from karenina_gui.authoring.expected_parts import expected_parts, missing_remarks
from karenina_gui.schemas.template import TemplateField, TemplateOutline


def outline(*fields: TemplateField) -> TemplateOutline:
    return TemplateOutline(valid=True, fields=list(fields))


def field(primitive: str | None, expected: object, type_name: str = "str") -> TemplateField:
    return TemplateField(name="f", type=type_name, primitive=primitive, ground_truth=expected)


@pytest.mark.parametrize(
    ("expected", "reference", "missing"),
    [
        (7.4, "The pH is 7.4.", None),
        (7.4, "Der pH-Wert ist 7,4.", None),
        (1900, "1,900 mg", None),
        (1900, "It was in 1 900 papers.", None),
        (42, "42.5", "42"),
        ("Goethe", "goethe", None),
        ("Goethe", "Schiller", "Goethe"),
        (["isoniazid", "rifampicin"], "Isoniazid and ethambutol", "rifampicin"),
        (True, "no", None),
    ],
)
def test_what_a_reference_answer_lacks_is_named_once(expected: object, reference: str, missing: str | None) -> None:
    parts = expected_parts(outline(field("ExactMatch", expected)))
    sentence = f"The reference answer doesn’t contain the expected value “{missing}” of f."
    assert [*missing_remarks(parts, reference)] == ([sentence] if missing else [])


@pytest.mark.parametrize(
    "other",
    [field("DateMatch", "1900-01-01"), field("NumericMinimum", 5), field("ExactMatch", "a", "Literal['a', 'b']")],
)
def test_values_that_answers_word_otherwise_are_left_out(other: TemplateField) -> None:
    assert expected_parts(outline(other)) == ()


def test_a_template_with_methods_is_read_by_its_ground_truth() -> None:
    classic = outline(field(None, None))
    classic.ground_truth = {"f": "Bonn"}
    assert expected_parts(classic) == (("f", "Bonn"),)
