from __future__ import annotations

import pytest

from karenina_gui.gui.kit.diff import merge_texts, readable, side_by_side


def test_only_the_words_that_differ_are_marked() -> None:
    (row,) = side_by_side("give 4 mg daily", "give 5 mg daily")
    assert row.local == (("give ", False), ("4", True), (" mg daily", False))
    assert row.remote == (("give ", False), ("5", True), (" mg daily", False))


def test_a_line_that_only_one_has_stands_beside_nothing() -> None:
    rows = side_by_side("a\nb", "a\nb\nc")
    assert (rows[-1].local, rows[-1].remote) == (None, (("c", True),))


def test_long_stretches_of_equal_lines_are_counted_instead_of_shown() -> None:
    same = "\n".join(f"line {number}" for number in range(20))
    rows = side_by_side(f"{same}\nmine", f"{same}\ntheirs")
    assert rows[0].left_out == 18
    assert len(rows) == 4


def test_texts_of_many_lines_are_compared_quickly() -> None:
    mine = "\n".join(f"line {number}" for number in range(20_000))
    rows = side_by_side(mine + "\nmine", mine + "\ntheirs")
    assert next(row for row in rows if row.local and row.local[0][1]).remote == (("theirs", True),)


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "both"),
    [
        ("Give 4 mg daily.", "Give 5 mg daily.", "Give 4 mg twice daily.", "Give 5 mg twice daily."),
        ("dose 4", "dose 5", "dose 6", "dose 5 6"),
        ("", "mine", "theirs", "mine theirs"),
        ("same", "same", "new", "new"),
        ("a b c", "a c", "a b c", "a c"),
        ("a b c", "a x c", "a x c", "a x c"),
        ("a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\nd\n", "a\nB\nc\nd\n"),
        ("a\nb", "a\nmine", "a\ntheirs", "a\nmine\ntheirs"),
    ],
)
def test_two_edits_become_one_text(base: str, mine: str, theirs: str, both: str) -> None:
    assert merge_texts(base, mine, theirs) == both


def test_values_of_every_shape_are_read_as_text() -> None:
    assert readable(["dose", "kidney"]) == "dose\nkidney"
    assert (
        readable([{"name": "A book", "url": ""}, {"name": "B", "url": "https://b.org"}]) == "A book\nB · https://b.org"
    )
    assert readable(None) == ""
