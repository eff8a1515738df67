"""Clusters of related questions for clustered standard errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def clusters_of(keywords: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return {question: first question of its cluster} for {question: keywords}.

    Clusters are the connected components of shared keywords: (dose), (dose, kidney) and (kidney) are one cluster.
    Questions without keywords are clusters of their own.
    """
    parent = {question: question for question in keywords}

    def root(question: str) -> str:
        while parent[question] != question:
            # Path halving keeps the search nearly constant for chains of keywords.
            parent[question] = question = parent[parent[question]]
        return question

    # The clustered standard error assumes independent clusters. Splitting questions that share only one of several
    # keywords would violate that.
    first_with_name: dict[str, str] = {}
    for question, names in keywords.items():
        for name in names:
            parent[root(question)] = root(first_with_name.setdefault(name, question))
    return {question: root(question) for question in keywords}
