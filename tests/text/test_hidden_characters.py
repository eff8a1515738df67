"""Names of conditions: every spelling that people read, and nothing that only machines see."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from karenina_gui.schemas.condition import Condition
from karenina_gui.text.hidden_characters import hidden_sign, with_hidden_signs_as

ZWNJ, ZWJ, EMOJI_FORM, KEYCAP = "\u200c", "\u200d", "\ufe0f", "\u20e3"


@pytest.mark.parametrize(
    "name",
    [
        f"\u0645\u06cc{ZWNJ}\u062e\u0648\u0627\u0647\u0645",  # Persian: I want
        f"GPT{ZWNJ}\u0647\u0627",  # a Latin word with a Persian ending
        f"\u06f1\u06f0{ZWNJ}\u0633\u0627\u0644\u0647",  # Persian: of ten years
        f"\u0915\u094d{ZWJ}\u0937",  # Hindi: two letters that are not joined to one
        f"\U0001f469{ZWJ}\U0001f4bb with tools",  # a woman at a computer
        f"\U0001f469\U0001f3fd{ZWJ}\U0001f4bb",  # with a tone of skin
        f"\U0001f3f3{EMOJI_FORM}{ZWJ}\U0001f308",  # a flag of several signs
        f"\u2764{EMOJI_FORM}",
        f"\u2139{EMOJI_FORM} more",
        f"1{EMOJI_FORM}{KEYCAP}",
        "\u845b\U000e0100",  # a Japanese name in one of its forms
        "naïve \u05e9\u05dc\u05d5\u05dd \u0e44\u0e17\u0e22",
    ],
)
def test_a_condition_is_named_in_any_language_and_with_any_emoji(name: str) -> None:
    assert Condition(name=name).name == name


@pytest.mark.parametrize(
    ("name", "sign"),
    [
        (f"gra{ZWJ}ph", "U+200D"),
        (f"graph{ZWNJ}", "U+200C"),
        (f"{ZWJ}\U0001f4bb", "U+200D"),
        (f"\u0645{ZWNJ}{ZWNJ}\u062e", "U+200C"),
        (f"\u0645{ZWNJ} \u062e", "U+200C"),
        (f"\u6f22{ZWJ}\u5b57", "U+200D"),
        (f"graph{EMOJI_FORM}", "U+FE0F"),
        (f"caf\u00e9{EMOJI_FORM}", "U+FE0F"),
        (f"\u2764{EMOJI_FORM}{EMOJI_FORM}", "U+FE0F"),
        (f"gpt 1{EMOJI_FORM}", "U+FE0F"),
        ("gra\u200bph", "U+200B"),
        ("with\u202egraph", "U+202E"),
        ("with\u2066graph", "U+2066"),
        ("\ufeffgraph", "U+FEFF"),
        ("gra\u00adph", "U+00AD"),
        ("gra\u034fph", "U+034F"),
        ("a\u3164", "U+3164"),
        ("\U0001f3f4\U000e0067", "U+E0067"),
        ("a\x07", "U+0007"),
    ],
)
def test_a_sign_that_changes_nothing_that_is_seen_is_refused_by_its_number(name: str, sign: str) -> None:
    assert hidden_sign(name) == sign
    with pytest.raises(ValidationError, match=r"an invisible character \(" + sign.replace("+", r"\+")):
        Condition(name=name)


def test_only_hidden_signs_are_replaced_where_a_refused_name_is_shown() -> None:
    joined = f"\U0001f469{ZWJ}\U0001f4bb"
    assert with_hidden_signs_as("?", f"{joined} a\u202eb{ZWJ}") == f"{joined} a?b?"
