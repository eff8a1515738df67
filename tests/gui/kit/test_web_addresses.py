"""Addresses that a reader can follow."""

from __future__ import annotations

import pytest

from karenina_gui.gui.pages.questions.form import doubt_about_mail, doubt_about_source, doubts_about_sources


@pytest.mark.parametrize(
    "address", ["", "https://example.org/a?b=c", "http://localhost:8000", "10.1038/nature12373", "doi: 10.1000/182"]
)
def test_addresses_of_the_web_and_dois_are_not_doubted(address: str) -> None:
    assert doubt_about_source(address) is None


@pytest.mark.parametrize("address", ["javascript:alert(1)", "example", "https://", "ftp://example.org", "page 12"])
def test_anything_else_is_kept_with_a_doubt(address: str) -> None:
    assert "isn’t a valid URL" in (doubt_about_source(address) or "")


def test_doubts_stand_at_their_lines() -> None:
    assert list(doubts_about_sources([{"url": "https://a.org"}, {"name": "Book"}, {"url": "x"}])) == [2]


@pytest.mark.parametrize(
    ("address", "fine"), [("", True), ("ada@example.org", True), ("ada", False), ("a b@c.de", False), ("a@b", False)]
)
def test_an_address_of_mail_is_plausible_or_doubted(address: str, fine: bool) -> None:
    assert (doubt_about_mail(address) is None) == fine
