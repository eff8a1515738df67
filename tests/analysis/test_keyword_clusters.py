"""Tests of clusters by shared keywords."""

from __future__ import annotations

from karenina_gui.analysis.keyword_clusters import clusters_of


def together(keywords: dict[str, tuple[str, ...]]) -> set[frozenset[str]]:
    head = clusters_of(keywords)
    return {frozenset(question for question in head if head[question] == each) for each in head.values()}


def test_questions_that_share_a_keyword_are_one_cluster_also_through_others() -> None:
    chain = {"a": ("dose",), "b": ("kidney",), "c": ("history",), "d": ("kidney", "dose"), "e": ("history", "dose")}
    assert together(chain) == {frozenset("abcde")}
    assert together({"a": ("dose",), "b": ("liver",), "c": ("dose", "age")}) == {frozenset("ac"), frozenset("b")}


def test_a_question_without_keywords_stands_for_itself() -> None:
    assert together({"a": (), "b": (), "c": ("dose",)}) == {frozenset("a"), frozenset("b"), frozenset("c")}
    assert clusters_of({}) == {}


def test_a_long_chain_is_one_cluster() -> None:
    assert len(set(clusters_of({f"q{at}": (f"k{at}", f"k{at + 1}") for at in range(5000)}).values())) == 1
