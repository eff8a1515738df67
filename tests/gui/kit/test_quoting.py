"""Texts that people write reach an element as they are, whatever they hold."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import example, given
from hypothesis.strategies import characters, text
from nicegui.props import Props

from karenina_gui.gui.kit.quoting import aria_label

WRITTEN = text(characters(exclude_categories=["Cs"]))
PAGES = Path(__file__).resolve().parents[3] / "karenina_gui" / "gui"


@given(WRITTEN)
@example("..\\..\\x")
@example('a" :title="alert(1)" b="')
@example("two\nlines\u2028and\x00 more 😀")
def test_a_text_is_one_prop_and_nothing_else(said: str) -> None:
    assert Props.parse(f"flat {aria_label(said)} dense") == {"flat": True, "aria-label": said, "dense": True}


def test_no_page_puts_a_text_between_quotes_by_itself() -> None:
    raw = re.compile(r"(aria-label|placeholder|title|label|alt)=[\"']?\{")
    assert [path.name for path in PAGES.rglob("*.py") if raw.search(path.read_text(encoding="utf-8"))] == []
