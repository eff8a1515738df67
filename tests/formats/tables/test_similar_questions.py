"""Questions that repeat each other, and those that only look alike."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from karenina_gui.formats.tables.near_duplicates import plain_wording
from karenina_gui.formats.tables.similar_questions import PARTNERS, SimilarPair, similar_pairs

OTHERS = [
    "Which gene is mutated in cystic fibrosis?",
    "How long is the half-life of caffeine in adults?",
    "Who described the structure of DNA in 1953?",
    "Which enzyme does aspirin inhibit irreversibly?",
    "What is the capital of France?",
    "In which organelle does glycolysis take place?",
]


def pairs(*texts: str) -> list[tuple[str, int, int]]:
    """Pairs among these texts and a few others, by place."""
    found = similar_pairs([*texts, *OTHERS])
    return [(pair.kind, pair.first, pair.second) for pair in found if pair.first < len(texts) > pair.second]


def test_equal_texts_come_before_equal_wordings_and_similar_ones() -> None:
    texts = ("Why is the sky blue?", "Why is the sky so blue?", "Why is the sky blue?", "why is the  sky blue")
    assert pairs(*texts) == [("exact", 0, 2), ("wording", 0, 3), ("similar", 0, 1)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Which dose of ibuprofen is the maximum per day?", "Which dose of ibuprofin is the maximum a day?"),
        ("Which gene is mutated in cystic fibrosis of mice?", "Which genes are mutated in cystic fibrosis of mice?"),
        ("Who first isolated insulin from a pancreas?", "Who isolated insulin from a pancreas first?"),
        ("胰岛素是由哪个器官分泌的？", "胰岛素由哪个器官分泌？"),
    ],
)
def test_a_few_other_words_make_a_similar_question(one: str, other: str) -> None:
    assert pairs(one, other) == [("similar", 0, 1)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is the capital of Spain?", "What is the capital of Peru?"),
        ("Which vitamin prevents scurvy?", "Which vitamin prevents rickets?"),
        ("What is 12 times 13?", "What is 15 times 19?"),
        ("Why?", "How?"),
        ("", "   "),
    ],
)
def test_the_word_that_makes_the_question_keeps_it_apart(one: str, other: str) -> None:
    assert pairs(one, other) == []


def test_only_the_same_words_are_wholly_similar() -> None:
    other_order = ("Does CYP2D6 inhibit CYP3A4?", "Does CYP3A4 inhibit CYP2D6?")
    other_ending = ("Which dose is given to adults?", "Which doses is given to adults?")
    (first,), (second,) = similar_pairs(other_order), similar_pairs(other_ending)
    assert (first.similarity, second.similarity < 1) == (1, True)


def test_unrelated_questions_make_no_pair() -> None:
    assert similar_pairs(OTHERS) == []


def test_a_series_of_questions_is_no_list_of_duplicates() -> None:
    long = "A patient takes {} mg of a drug whose clearance is known and whose distribution is even; how much is left?"
    found = similar_pairs([long.format(number) for number in range(40)])
    assert len(found) <= 40 * PARTNERS


def test_texts_that_are_known_are_not_compared_with_one_another() -> None:
    texts = ["Why is the sky blue?", "Why is the sky blue?", "Why is the sky blue", *OTHERS, "Why is the sky blue?"]
    assert similar_pairs(texts, compared=3 + len(OTHERS)) == [SimilarPair(0, len(texts) - 1, "exact", 1.0)]


TEXTS = st.lists(st.text(st.sampled_from("abc  AB?\n’'")), max_size=12)


@given(TEXTS)
def test_each_repetition_is_paired_with_the_first_of_its_kind(texts: list[str]) -> None:
    found = similar_pairs(texts)
    for place, text in enumerate(texts):
        before = [other for other, earlier in enumerate(texts[:place]) if plain_wording(earlier) == plain_wording(text)]
        mine = [pair for pair in found if pair.second == place and pair.kind != "similar"]
        assert len(mine) == bool(before and plain_wording(text))
        if mine:
            assert mine[0].kind == ("exact" if text in texts[:place] else "wording")
    assert all(pair.first < pair.second and 0 < pair.similarity <= 1 for pair in found)
    assert len({(pair.first, pair.second) for pair in found}) == len(found)
