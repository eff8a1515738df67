"""Support for a value: passages by name, occurrences of the value, files with line numbers."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.evidence.justification import FileMention, Justification, Kind, Piece, Subject, file_mentions, justify

REPORT = """\
I looked at everything.

## dose_mg
Value: 400
Evidence: `results/summary.csv`, line 12.

### How I know
The script printed it.

## Unit
mg, from notes.txt:3-5

**patient count** — 1,204 (see line 2 of the file data/patients.csv)
- counted twice

The end.
"""
FIELDS = ("dose_mg", "unit", "patient_count", "responded")
FILES = ("results/summary.csv", "notes.txt", "plot.png")


def piece(text: str, kind: Kind = "report", message: int = 9) -> Piece:
    return Piece("investigation", message, "text0", kind, text)


def why(name: str, value: Any, *pieces: Piece, **more: Any) -> Justification:
    return justify(Subject(name, others=FIELDS, **more), value, pieces or (piece(REPORT),), files=FILES)


def passages(found: Justification) -> list[str]:
    return [place.text for place in found.places if place.ground == "name"]


def test_a_section_under_a_field_s_name_reaches_to_the_next_of_its_rank() -> None:
    (passage,) = passages(why("dose_mg", 400))
    assert passage.startswith("## dose_mg\nValue: 400")
    assert passage.endswith("The script printed it.")


def test_names_count_whatever_stands_between_their_words_and_in_capitals() -> None:
    assert passages(why("patient_count", 1204)) == [
        "**patient count** — 1,204 (see line 2 of the file data/patients.csv)\n- counted twice"
    ]
    assert passages(why("unit", "mg")) == ["## Unit\nmg, from notes.txt:3-5"]


@pytest.mark.parametrize(
    "report",
    [
        "dose_mg: 400\nunit: mg",
        "- `dose_mg` = 400\n- unit = mg",
        "1. **dose_mg** (number): 400\n2. **unit**: mg",
        "| dose_mg | 400 |\n| unit | mg |",
        '"dose_mg": 400\n"unit": "mg"',
        "Field dose_mg:\n400\n\nField unit:\nmg",
        "- dose_mg: 400\n- something else",
        "**dose_mg**\n\n400\n\nSomething else.",
    ],
)
def test_a_passage_ends_where_another_field_is_spoken_of(report: str) -> None:
    (passage,) = passages(why("dose_mg", 400, piece(report)))
    assert "400" in passage
    assert "unit" not in passage.lower()
    assert "else" not in passage


def test_all_between_two_names_that_stand_as_headings_belongs_to_the_first() -> None:
    report = "dose_mg\nI looked twice.\n\nValue: 400\n\nEvidence: notes.txt:3\n\nunit\nValue: mg\n\nThe end."
    found = why("dose_mg", 400, piece(report))
    assert passages(found) == ["dose_mg\nI looked twice.\n\nValue: 400\n\nEvidence: notes.txt:3"]
    assert found.files == (FileMention("notes.txt", 3, 3, True),)
    assert passages(why("unit", "mg", piece(report))) == ["unit\nValue: mg"]


def test_without_a_passage_of_its_own_the_lines_that_name_a_field_count() -> None:
    found = why("dose_mg", 400, piece("I think that dose_mg is 400.\nThe overdose_mg is not.\nYes, dose mg."))
    assert passages(found) == ["I think that dose_mg is 400.", "Yes, dose mg."]
    assert found.note is None


def test_a_value_is_found_in_words_and_numbers_however_they_are_written() -> None:
    tool = piece("name,count\nTotal,1204\nTOTAL  SUM 1,204.0 and 12041", "result", 4)
    assert [place.text for place in why("n", 1204, tool).places] == ["1204", "1,204.0"]
    assert [place.text for place in why("label", "Total sum", tool).places] == ["TOTAL  SUM"]
    assert why("label", "tal", tool).places == ()
    assert [place.text for place in why("all", {"a": [1204], "b": True}, tool).places] == ["1204", "1,204.0"]


@pytest.mark.parametrize("value", [True, False, 7, 12, 0.05, -1, "mg", "", None, 100.0e-9 * 0])
def test_a_yes_or_no_and_tiny_values_do_not_count_by_themselves(value: Any) -> None:
    found = why("responded", value, piece("True False 7 12 0.05 -1 mg 0"), piece("true 7 12 mg", "result"))
    assert found.places == ()
    assert found.note is not None
    assert found.note.startswith("The report doesn’t mention this field by name.")


def test_the_report_stands_before_other_messages_and_names_before_values() -> None:
    tool = piece("dose 4000.5 and 400.25", "result", 4)
    said = piece("Reading 400.25 now", "said", 3)
    report = piece("dose_mg: 400.25\n\nAgain 400.25.")
    found = why("dose_mg", 400.25, said, tool, report)
    assert [(place.ground, place.piece.message) for place in found.places] == [
        ("name", 9), ("value", 9), ("value", 3), ("value", 4),
    ]  # fmt: skip


def test_what_is_not_found_is_said() -> None:
    assert why("weight", "heavy as lead").note == (
        "The report doesn’t mention this field by name. The traces don’t contain its value."
    )
    assert why("weight", 4711, piece("4711", "result")).note == (
        "There is no report that could mention this field. The passages below contain its value."
    )
    assert (why("dose_mg", 400).note, why("dose_mg", None).note) == (None, None)


def test_a_report_about_one_trait_alone_is_its_justification_as_a_whole() -> None:
    found = justify(Subject("Runs cleanly", "trait", alone=True), True, [piece(REPORT)], files=FILES)
    assert [(place.ground, place.begin, place.end) for place in found.places] == [("whole", 0, len(REPORT))]
    assert FileMention("notes.txt", 3, 5, True) in found.files
    assert found.note is None


def test_files_of_a_passage_come_with_their_lines() -> None:
    assert why("dose_mg", 400).files == (FileMention("results/summary.csv", 12, 12, True),)
    assert why("patient_count", 1).files == (FileMention("data/patients.csv", 2, 2, False),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see summary.csv:7", ("results/summary.csv", 7, 7, True)),
        ("/workspace/results/summary.csv (lines 3 to 9)", ("results/summary.csv", 3, 9, True)),
        ("`./notes.txt` at line 4", ("notes.txt", 4, 4, True)),
        ("lines 4–6 in `notes.txt`", ("notes.txt", 4, 6, True)),
        ("notes.txt#L5-L8", ("notes.txt", 5, 8, True)),
        ("in plot.png.", ("plot.png", None, None, True)),
        ("/workspace/raw.bin holds it", ("raw.bin", None, None, False)),
        ("script.py:88 fails", ("script.py", 88, 88, False)),
        ("notes.txt, row 4", ("notes.txt", None, None, True)),
    ],
)
def test_a_file_is_known_by_the_ways_in_which_people_write_it(text: str, expected: tuple[Any, ...]) -> None:
    assert list(file_mentions(text, FILES)) == [FileMention(*expected)]


def test_what_only_looks_like_a_file_is_none() -> None:
    assert list(file_mentions("e.g. 0.05 at example.com/page.html, as Smith et.al say, v1.2", FILES)) == []


def test_known_files_are_found_whole_also_with_spaces_or_without_an_ending() -> None:
    found = file_mentions("See my notes.txt:2 and Makefile.", ("my notes.txt", "notes.txt", "Makefile"))
    assert list(found) == [FileMention("my notes.txt", 2, 2, True), FileMention("Makefile", None, None, True)]


def test_a_file_named_with_and_without_lines_is_listed_with_them() -> None:
    found = why("a", 1, piece("a: from notes.txt, that is notes.txt:3 and notes.txt:3"))
    assert found.files == (FileMention("notes.txt", 3, 3, True),)


@pytest.mark.parametrize(
    "text", ["#" * 50_000, "dose_mg" * 9_000, "a/" * 30_000, "a." * 30_000, "line 1 " * 9_000, "9," * 40_000]
)
def test_hostile_texts_take_no_time(text: str) -> None:
    why("dose_mg", 400.25, piece(text), piece(text, "result"), alone=True)
