"""Tests of terminal output as text, for any input."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given, strategies as st

from karenina_gui.gui.pages.results.conversation import number_messages
from karenina_gui.gui.pages.results.evidence_markup import highlight_quotes
from karenina_gui.gui.pages.results.rendered_text import render_text
from karenina_gui.gui.pages.results.terminal import LONGEST, needs_terminal, render_terminal
from karenina_gui.schemas.messages import Message, ToolResultBlock, ToolUseBlock
from karenina_gui.text.truncation import shorten

CODES = [
    "\x1b",
    "\x1b[",
    "\x1b]",
    "\x9b",
    "\x1bP",
    "m",
    "A",
    "B",
    "C",
    "H",
    "J",
    "K",
    "f",
    "d",
    "G",
    "h",
    "L",
    "P",
    "@",
]
SIGNS = [
    "\r",
    "\n",
    "\b",
    "\t",
    "\x07",
    "\x0b",
    "\x0c",
    "0",
    "1",
    "9999",
    "38;5;",
    "48;2;",
    ";",
    ":",
    "?",
    ">",
    "(",
    "#",
]
TEXTS = ["a", "word", " ", "\u202e", "e\u0301", "\u6f22", "\U0001f44d\U0001f3fd", "\u200d", "<b>", "\\", "\0"]


@pytest.mark.parametrize(
    ("output", "seen"),
    [
        ("10%\r50%\r100%\ndone", "100%\ndone"),
        ("abc\rX\n", "Xbc\n"),
        ("abc\r\x1b[KX", "X"),
        ("one\ntwo\n\x1b[1A\x1b[2Kthree\nend", "one\nthree\nend"),
        ("abc\b\bX", "aXc"),
        ("a\tb\r\tc", "a       c"),
        ("lines\r\nof\r\nWindows", "lines\nof\nWindows"),
        ("\x1b]0;title\x07x \x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "x link"),
        ("\x1b[?25lhidden\x1b[?25h \x1b[>4;1mkeys\x1b(B", "hidden keys"),
        ("\u6f22\u5b57\rab", "ab\u5b57"),
        ("\x1b[31m\U0001f44d\U0001f3fd \u202eturned\u202c", "\U0001f44d\U0001f3fd \u202eturned\u202c"),
        ("half\x1b[3", "half"),
        ("gone\x1b[2J\x1b[Hhome", "home"),
    ],
)
def test_codes_of_terminals_are_obeyed_and_not_seen(output: str, seen: str) -> None:
    assert render_text(output, terminal=True).text == seen


@pytest.mark.parametrize(
    ("output", "look"),
    [
        ("\x1b[31mx", "ansi-1"),
        ("\x1b[1;4;92mx", "ansi-bold ansi-underscore ansi-10"),
        ("\x1b[38;5;196mx", "ansi-9"),
        ("\x1b[38:2:0:200:0mx", "ansi-2"),
        ("\x1b[41;97mx", "ansi-15 ansi-on-1"),
        ("\x1b[7mx", "ansi-back ansi-on-text"),
        ("\x1b[30;40mx", "ansi-0"),
        ("\x1b[105mx", ""),
    ],
)
def test_looks_are_classes(output: str, look: str) -> None:
    text, styles = render_terminal(output)
    assert text == "x"
    assert [each for _, _, each in styles] == ([look] if look else [])


@given(st.lists(st.sampled_from([*CODES, *SIGNS, *TEXTS]), max_size=60).map("".join))
def test_whatever_comes_is_shown_without_codes_and_with_ordered_looks(output: str) -> None:
    seen = render_text(output, terminal=True)
    places = [place for begin, end, _ in seen.styles for place in (begin, end)]
    assert places == sorted(places) and all(place <= len(seen.text) for place in places)
    if needs_terminal(output):
        assert not set(seen.text) & set("\x1b\b\r\x07\x9b")
        assert seen.raw == output
    data = seen.data
    units = len(seen.text.encode("utf-16-le", "surrogatepass")) // 2
    assert all(begin < end <= units for begin, end, _ in data.get("styles", []))


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b[9999C\x1b[9999Bx\t" * 2000,
        "x" * 16_000 + "\x1b[1K" * 4000,
        "\n" * 16_000 + "\x1b[2J\x1b[9999A" * 1500,
        "\x1b[" + "1;" * 15_000 + "m",
        "\x1b[9999;9999Hx" * 2500,
    ],
)
def test_an_output_takes_no_more_room_than_its_length_tells(hostile: str) -> None:
    assert len(render_terminal(hostile)[0]) <= len(hostile)


def test_longer_outputs_are_left_as_they_are() -> None:
    assert not needs_terminal("\x1b[31m" + "x" * LONGEST)


def test_a_cut_in_the_middle_of_a_code_leaves_the_mark_whole() -> None:
    output = "\x1b[31m" + "red " * 100 + "\x1b[38;5;" + "0" * 4000 + "\x1b[0m plain"
    for at_most in range(800, 840):
        seen = render_text(shorten(output, at_most), terminal=True)
        ((begin, end),) = [(begin, end) for begin, end, look in seen.styles if look == "trace-cut-mark"]
        assert seen.text[begin:end].startswith("[... cut here: ") and seen.text[begin:end].endswith("...]")


JUDGED = [
    "First no.\rThen yes.",
    "dose\tmg\rA\t42\rB\t7",
    "no\b\byes",
    "no\x1b[2Kyes",
    "\x1b[8mhidden\x1b[0m",
    "\x9b2K",
]


@pytest.mark.parametrize("judged", JUDGED)
def test_codes_of_terminals_hide_nothing_of_what_was_judged(judged: str) -> None:
    assert render_text(judged).data == {"text": judged}
    answer = re.sub("<.*?>", "", unescape(highlight_quotes(judged, [])))
    assert answer == judged


def test_a_lone_carriage_return_is_named() -> None:
    assert highlight_quotes("42\r\n\r7", []) == '42\n<span class="sign" data-sign="U+000D">\r</span>7'


@pytest.mark.parametrize(
    ("tool", "seen"),
    [
        ("run_command", "done"),
        ("Bash", "done"),
        ("execute_bash", "done"),
        ("run_in_terminal", "done"),
        ("read_file", "wait\rdone"),
        ("search", "wait\rdone"),
    ],
)
def test_codes_act_in_the_output_of_tools_that_run_commands(tool: str, seen: str) -> None:
    trace = [
        Message(role="assistant", content=(ToolUseBlock(id="1", name=tool),)),
        Message(role="tool", content=(ToolResultBlock(tool_use_id="1", content="wait\rdone"),)),
    ]
    (output,) = number_messages([], trace, user_title="User", final="")[1]["results"]
    assert output["text"] == seen


def test_markup_in_colors_stays_text() -> None:
    page = highlight_quotes("\x1b[31m<img src=x onerror=alert(1)>", [])
    assert page == '<span class="sign" data-sign="U+001B">\x1b</span>[31m&lt;img src=x onerror=alert(1)&gt;'
