"""Signs that nobody would see, in markup and in attributes."""

from __future__ import annotations

import pytest

from karenina_gui.gui.kit.html import join_html, tag, with_named_characters
from tests.played_traces import FAMILY, FLAG, PERSIAN


@pytest.mark.parametrize(
    "sign", [*"\0\x1b\x7f\x85\x9b\u061c\u200b\u200e\u200f\u2028\u202e\u2060\u2066\ufeff\U000e0041"]
)
def test_a_sign_that_nobody_would_see_is_marked_and_named(sign: str) -> None:
    name = f"U+{ord(sign):04X}"
    assert join_html([f"a{sign}b"]) == f'a<span class="sign" data-sign="{name}">{sign}</span>b'
    assert with_named_characters(f"a{sign}b") == f"a{name}b"
    assert tag("i", title=f"a{sign}") == f'<i title="a{name}"></i>'


@pytest.mark.parametrize(
    "text", [FLAG, FAMILY, PERSIAN, "soft\u00adly", "a\tb\r\n", "\u2764\ufe0f", "\u05e9\u05dc\u05d5\u05dd"]
)
def test_what_has_a_part_in_how_its_neighbours_look_stays(text: str) -> None:
    assert join_html([text]) == with_named_characters(text) == text


def test_only_the_tags_of_a_flag_stay() -> None:
    assert with_named_characters(f"{FLAG}\U000e0041") == f"{FLAG}U+E0041"
