"""Colored Python: nothing of the text is lost, and its parts are recognized."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given, strategies as st

from karenina_gui.gui.kit.diff_view import colored_python, diff_table, tokens_by_line

SOURCE = '''class Answer(BaseAnswer):  # one
    """Two
    lines"""
    dose: float = 0.5
    name: str = 'it''s'
    classes = 3'''


def parts(source: str) -> list[tuple[str, str]]:
    lines = source.split("\n")
    return [(kind, lines[n][a:b]) for n, tokens in enumerate(tokens_by_line(source)) for a, b, kind in tokens]


def test_parts_are_recognized_also_over_several_lines() -> None:
    assert parts(SOURCE) == [
        ("keyword", "class"),
        ("comment", "# one"),
        ("string", '"""Two'),
        ("string", '    lines"""'),
        ("number", "0.5"),
        ("string", "'it'"),
        ("string", "'s'"),
        ("number", "3"),
    ]


def test_text_that_is_no_python_yet_is_shown_as_it_is() -> None:
    assert parts("x = \"open\ny = 'open") == []


@given(st.text(alphabet="ab'\"#\\\n 1.classif", max_size=60))
def test_colors_change_nothing_of_the_text(source: str) -> None:
    shown = unescape(re.sub(r"<[^>]+>", "", colored_python(source)))
    assert shown == f"{source}\n"


@given(st.lists(st.sampled_from(["class A:", '"""', "x = 1  # a", "", "'''b", "y"]), max_size=9), st.integers(0, 8))
def test_a_colored_comparison_holds_the_lines_that_differ(lines: list[str], place: int) -> None:
    other = [*lines[:place], "changed = True", *lines[place:]]
    shown = diff_table("\n".join(lines), "\n".join(other), ("a", "b"), code=True)
    assert "changed = True" in unescape(re.sub(r"<[^>]+>", "", shown))
