"""Fuzzy matching of quotes."""

from __future__ import annotations

import random

import pytest

from karenina_gui.evidence.quotes import similarity

WORDS = ("the", "of", "a", "protein", "binds", "kinase", "dose", "cell", "drug", "in", "gene")
TRACE = " ".join(random.Random(7).choice(WORDS) for _ in range(5000))


def test_a_verbatim_quote_of_a_long_text_is_found_wherever_it_stands() -> None:
    for start in (0, 10_000, len(TRACE) - 300):
        assert similarity(TRACE[start : start + 300], TRACE) == 1


def test_whitespace_is_not_wording() -> None:
    assert similarity("binds  BCL2\n tightly", "It binds BCL2 tightly.") == 1


@pytest.mark.parametrize("place", [0, 10, 19])
def test_one_wrong_sign_costs_little_wherever_it_stands(place: int) -> None:
    quote = "abcdefghijklmnopqrst"
    wrong = quote[:place] + "X" + quote[place + 1 :]
    assert similarity(wrong, f"before {quote} after") == pytest.approx(0.95, abs=0.01)


def test_invented_words_are_not_found() -> None:
    assert similarity("Ibrutinib inhibits Bruton's tyrosine kinase irreversibly", TRACE) < 0.7


def test_what_was_added_to_the_text_costs() -> None:
    assert similarity("It binds BCL2, as shown in 2013 by Souers et al.", "It binds BCL2") < 0.6


def test_an_empty_quote_is_nowhere() -> None:
    assert similarity(" ", "text") == 0


def test_composed_and_decomposed_accents_are_verbatim() -> None:
    assert similarity("Me\u0301nie\u0300re", "the Ménière disease") == 1
