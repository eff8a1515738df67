"""Questions that belong together, because they share a keyword: what makes one of them hard may make all so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def clusters_of(keywords: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """{question: the first question of its cluster}, from {question: its keywords}.

    Questions that share a keyword are in one cluster, also those that do so through others: of (dose), (dose, kidney)
    and (kidney) all three. Only then are clusters independent of one another, as the clustered standard error takes
    them to be, whichever of several keywords it is that makes questions alike. One without keywords is its own cluster.
    """
    head = {question: question for question in keywords}

    def first(question: str) -> str:
        while head[question] != question:
            head[question] = question = head[head[question]]
        return question

    holder: dict[str, str] = {}
    for question, words in keywords.items():
        for word in words:
            head[first(question)] = first(holder.setdefault(word, question))
    return {question: first(question) for question in keywords}
