"""Pairs of questions that repeat each other: same text, same wording, or a few other words.

Words count by how rare they are among the texts: *capital of France* and *capital of Spain* differ in the word that
makes the question, while two long questions about one rare disease may differ in several words and ask the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from karenina_gui.formats.tables.near_duplicates import plain_wording

Kind = Literal["exact", "wording", "similar"]
"""`wording`: only case, spaces, quotation marks, and the like differ. `similar`: a few words differ."""

ALIKE = 0.7
"""Share of two texts, by the weight of their words, from which they count as similar."""
_REACHED_BY = 0.35
"""Least share of weight in equal words; words that are only spelled alike make up the rest."""
SPELLED_ALIKE = 80
"""Similarity of two words in percent from which they count as one, such as *dose* and *doses*."""
_LIKE_ONE = 0.99
"""Share of their weight with which such words count as one."""
COMMON = 200
"""Texts with one word above which this word begins no comparison. It keeps the work linear in the number of texts."""
_ROWS = 256
"""Texts that are compared with all others at the same time, for the sake of memory."""
PARTNERS = 5
"""Pairs of kind `similar` for one text. More of them are a series of questions, not duplicates."""


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Places of two texts among those that were compared, the earlier one first."""

    first: int
    second: int
    kind: Kind
    similarity: float
    """Share of the texts that is the same, from 0 to 1."""


def similar_pairs(texts: Sequence[str], compared: int = 0) -> list[SimilarPair]:
    """Return the pairs of texts that repeat each other, the most similar first. Empty texts repeat nothing.

    Of several equal texts, each is paired with the first. `compared`: number of texts at the beginning that are not
    compared with one another.
    """
    plain, repeated = _repetitions(texts, compared)
    return _in_order([*repeated, *_Comparison(plain, compared).pairs()])


def repeated_pairs(texts: Sequence[str]) -> list[SimilarPair]:
    """Return the pairs with the same text or the same wording, which are found in a moment."""
    return _in_order(_repetitions(texts, 0)[1])


def _repetitions(texts: Sequence[str], compared: int) -> tuple[dict[str, int], list[SimilarPair]]:
    """Places of the first text of each wording, and pairs of the later ones with the first."""
    repeated: list[SimilarPair] = []
    exact: dict[str, int] = {}
    plain: dict[str, int] = {}
    for index, text in enumerate(texts):
        wording = plain_wording(text)
        if not wording:
            continue
        same, alike = exact.setdefault(text, index), plain.setdefault(wording, index)
        if index >= compared and alike != index:
            exactly = same != index
            repeated.append(SimilarPair(same if exactly else alike, index, "exact" if exactly else "wording", 1.0))
    return plain, repeated


def _in_order(pairs: Iterable[SimilarPair]) -> list[SimilarPair]:
    order = {"exact": 0, "wording": 1, "similar": 2}
    return sorted(pairs, key=lambda pair: (order[pair.kind], -pair.similarity, pair.first, pair.second))


class _Comparison:
    """Comparison of the texts of different wordings by their words."""

    def __init__(self, plain: dict[str, int], compared: int) -> None:
        self._places = list(plain.values())
        self._terms = [frozenset(_split_words(wording)) for wording in plain]
        self._counts = Counter(word for terms in self._terms for word in terms)
        self._weights = {word: math.log(1 + len(self._terms) / count) for word, count in self._counts.items()}
        self._totals = [self._weigh(terms) for terms in self._terms]
        self._begin = sum(index < compared for index in self._places)

    def pairs(self) -> Iterator[SimilarPair]:
        partners: Counter[int] = Counter()
        scored = ((self._similarity(one, other), one, other) for one, other in self._candidates())
        for similarity, one, other in sorted(scored_pair for scored_pair in scored if scored_pair[0] >= ALIKE)[::-1]:
            if max(partners[one], partners[other]) < PARTNERS:
                partners.update((one, other))
                yield SimilarPair(self._places[one], self._places[other], "similar", similarity)

    def _weigh(self, terms: Iterable[str]) -> float:
        # Exact, so that the same words weigh the same in any order, and equal texts are not 99.99…% similar.
        return math.fsum(self._weights[word] for word in terms)

    def _candidates(self) -> Iterator[tuple[int, int]]:
        """Pairs that may be similar, by the weight of the rarer words that they share."""
        import numpy as np  # imported late, as `rapidfuzz` below

        if len(self._terms) < 2:
            return
        rarer = self._rarer_words()
        totals = np.array(self._totals)
        common = np.array([self._weigh(word for word in terms if self._counts[word] > COMMON) for terms in self._terms])
        for start in range(self._begin, len(totals), _ROWS):
            end = start + _ROWS
            shared = (rarer[start:end] @ rarer[:end].T).tocoo()
            second, first = shared.row + start, shared.col
            # As much as there can be: both may have all their common words in common.
            most = shared.data + np.minimum(common[first], common[second])
            lighter, heavier = np.minimum(totals[first], totals[second]), np.maximum(totals[first], totals[second])
            enough = (most >= _REACHED_BY * (lighter + heavier - most)) & (lighter >= ALIKE * heavier)
            enough &= first < second
            yield from zip(first[enough].tolist(), second[enough].tolist(), strict=True)

    def _rarer_words(self) -> Any:
        """Matrix of texts and the words that begin a comparison; the product of two rows is the weight they share."""
        from scipy.sparse import csr_array

        columns: dict[str, int] = {}
        indices, values, starts = [], [], [0]
        for terms in self._terms:
            for word in terms:
                if 1 < self._counts[word] <= COMMON:
                    indices.append(columns.setdefault(word, len(columns)))
                    values.append(math.sqrt(self._weights[word]))
            starts.append(len(indices))
        return csr_array((values, indices, starts), shape=(len(self._terms), len(columns)))

    def _similarity(self, one: int, other: int) -> float:
        """Weight of what both texts have, as a share of the weight of all that either has."""
        a, b = self._terms[one], self._terms[other]
        weights = self._weights
        shared = self._weigh(a & b)
        every = self._totals[one] + self._totals[other] - shared
        if shared < _REACHED_BY * every:
            return 0.0
        for first, second in _spelled_alike(a - b, b - a):
            # Not in full, as they still differ.
            lighter = _LIKE_ONE * min(weights[first], weights[second])
            shared, every = shared + lighter, every - lighter
        return shared / every


def _spelled_alike(some: frozenset[str], others: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Pair words that differ in an ending or a typo; numbers, and short words, are another matter."""
    from rapidfuzz import fuzz, process  # imported late: most windows never compare questions

    rest = [word for word in others if _may_be_misspelled(word)]
    for word in sorted(some):
        best = process.extractOne(word, rest, scorer=fuzz.ratio, score_cutoff=SPELLED_ALIKE) if rest else None
        if best is not None and _may_be_misspelled(word):
            rest.remove(best[0])
            yield word, best[0]


def _may_be_misspelled(word: str) -> bool:
    return len(word) > 3 and word.isalpha()


_EAST_ASIAN = "\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_EAST_ASIAN}]|[^\W{_EAST_ASIAN}]+")


def _split_words(text: str) -> list[str]:
    """Words of a text; of scripts without spaces, single signs."""
    return _WORD.findall(text)
