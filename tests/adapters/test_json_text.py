"""JSON out of what a model wrote."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from karenina_gui.adapters.json_text import extract_json


def test_it_reads_what_the_vectors_say(shared):
    cases = json.loads((shared / "vectors" / "json_extraction.json").read_text())
    assert cases
    for case in cases:
        expected = json.loads(case["extract_json_from_response"])
        assert extract_json(case["in"]) == (expected if isinstance(expected, dict) else None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": {"b": 1}, "c": tru', {"a": {"b": 1}}),
        ('the set {1, 2} gives {"a": 1}', {"a": 1}),
        ('{"a": "brace } in text"} end', {"a": "brace } in text"}),
        ("{'a': True, 'b': None}", {"a": True, "b": None}),
        ('<think>{"a": 0}</think>{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```\nas asked {see above}', {"a": 1}),
        ('The answer says ```json\n{"a": 0}\n```, so: {"a": 1}', {"a": 1}),
        ('{"a": 0} or rather ```json\n[{"a": 1}]\n```', {"a": 1}),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}),
        ('[{"a": 1}]', {"a": 1}),
        ('```json\n[{"a": 1}]\n```', {"a": 1}),
        ('{"a": "\\ud83d"}', {"a": "\ufffd"}),
    ],
)
def test_it_repairs_and_takes_the_last_object(text, expected):
    found = extract_json(text)
    assert found is not None
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize(
    "text",
    ["", "42", '"text"', "null", "no braces here", "{}{", "a set {1, 2}", "[" * 5000, "{" * 5000, '{"a":' * 5000],
    ids=range(10),
)
def test_it_finds_nothing_where_there_is_nothing(text):
    assert not extract_json(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": NaN}',
        '{"a": [{"b": -Infinity}]}',
        '{"a": 1e999}',
        'so: {"a": Infinity}.',
        "{'a': NaN, 'b': None}",
        '{"a": 1} or rather {"a": NaN}',
    ],
)
def test_what_is_no_number_is_refused_and_nothing_earlier_takes_its_place(text):
    found = extract_json(text)
    assert found is None or found["a"] == "NaN"


def test_a_list_of_several_objects_is_no_object():
    assert extract_json('[{"a": 1}, {"a": 2}]') is None


@given(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text()), st.text(alphabet="abc \n.,"))
def test_any_object_survives_prose_around_it(data, prose):
    assert extract_json(f"{prose}{json.dumps(data)}{prose}") == data


@given(st.text(alphabet='{}[]":,\\ab1`\n'))
def test_no_text_breaks_it(text):
    found = extract_json(text)
    assert found is None or isinstance(found, dict)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('An example: {"dose": 1}. My reading: {"dose": 2,}', {"dose": 2}),
        ("{\"dose\": 1} is what it says first; {'dose': 2, 'unit': 'mg'} in the end.", {"dose": 2, "unit": "mg"}),
        ('```json\n{"dose": 1}\n```\nCorrected:\n```json\n{"dose": 2, // milligrams\n}\n```', {"dose": 2}),
        ('{"dose": 1} and {note: nothing else}', {"dose": 1}),
        ('{"dose": 1} and then {"dose": 2', {"dose": 1}),
        ('{"dose": 1}, as in {the "dose" that it names}', {"dose": 1}),
    ],
)
def test_a_later_object_that_is_slightly_broken_counts_where_it_has_what_was_asked_for(
    text: str, found: dict[str, object]
) -> None:
    assert extract_json(text, ("dose",)) == found


def test_without_knowing_what_was_asked_for_a_whole_object_goes_before_a_broken_one() -> None:
    assert extract_json('{"dose": 1} and {"dose": 2,}') == {"dose": 1}


@pytest.mark.parametrize("text", ['{"name": "HMG', 'So: {"dose": 2, "name": "HM', '```json\n{"name": "HMG'])
def test_an_object_that_ends_within_a_text_is_none(text: str) -> None:
    assert extract_json(text, ("name",)) is None


def test_a_quotation_mark_that_lacks_its_pair_does_not_halve_a_closed_object() -> None:
    assert extract_json('{"size": "5" tall"}') is not None


@pytest.mark.parametrize("text", ['{"vitamins": ["a", "d"', '{"dose": 4', '{"dose": 1} or rather {"dose": 2'])
def test_an_object_whose_writer_was_stopped_before_its_end_is_none(text: str) -> None:
    assert extract_json(text, stopped=True) is None
    assert extract_json(text) is not None


def test_a_writer_that_was_stopped_after_the_object_has_said_it() -> None:
    assert extract_json('{"dose": 2} which is what', stopped=True) == {"dose": 2}
