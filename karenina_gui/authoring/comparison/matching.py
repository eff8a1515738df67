"""Pairs of questions in two versions of a benchmark.

Two questions are the same one if they have one id, or one lists the id of the other among its earlier ids, or their
texts differ in nothing but spaces, quotation marks, and the like. A corrected text may have changed the id, too: of the
rest, those with the same reference answer or template and nearly the same text are the same question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence

from karenina_gui.formats.tables.near_duplicates import plain_wording
from karenina_gui.schemas.benchmark import BenchmarkEntry
from karenina_gui.schemas.default_template import is_default_template

ALIKE = 80.0
"""Similarity of two texts, in percent, from which one is taken for a correction of the other."""
MOST_ALIKE = 50
"""Questions with one reference answer or template above which their texts are not compared with each other."""

Pair = tuple[BenchmarkEntry | None, BenchmarkEntry | None]
_Keys = Callable[[BenchmarkEntry], Sequence[Hashable]]


def pairs(here: Sequence[BenchmarkEntry], there: Sequence[BenchmarkEntry]) -> list[Pair]:
    """Every question of both versions once: those of `here` in order, then the others of `there`."""
    partners: dict[str, BenchmarkEntry] = {}
    rest_here, rest_there = list(here), list(there)
    for ours, theirs in (
        (_own_id, _own_id),
        (_own_id, _earlier_ids),
        (_earlier_ids, _own_id),
        (_wording, _wording),
    ):
        partners |= _partners(rest_here, rest_there, ours, theirs)
        rest_here, rest_there = _rest(rest_here, rest_there, partners)
    # Last, since it is a guess: everything that is certain has its partner by now.
    partners |= _corrections(rest_here, rest_there)
    _, rest_there = _rest(rest_here, rest_there, partners)
    return [*((entry, partners.get(entry.id)) for entry in here), *((None, entry) for entry in rest_there)]


def _partners(
    here: Sequence[BenchmarkEntry], there: Sequence[BenchmarkEntry], ours: _Keys, theirs: _Keys
) -> dict[str, BenchmarkEntry]:
    """Partners by id of the question here: those that share a key; each question has at most one."""
    by_key: dict[Hashable, BenchmarkEntry] = {}
    for entry in there:
        for key in theirs(entry):
            by_key.setdefault(key, entry)
    partners: dict[str, BenchmarkEntry] = {}
    taken: set[str] = set()
    for entry in here:
        partner = next((by_key[key] for key in ours(entry) if key in by_key), None)
        if partner is not None and partner.id not in taken:
            partners[entry.id] = partner
            taken.add(partner.id)
    return partners


def _rest(
    here: Sequence[BenchmarkEntry], there: Sequence[BenchmarkEntry], partners: dict[str, BenchmarkEntry]
) -> tuple[list[BenchmarkEntry], list[BenchmarkEntry]]:
    """Questions of both sides without a partner."""
    taken = {entry.id for entry in partners.values()}
    return [entry for entry in here if entry.id not in partners], [entry for entry in there if entry.id not in taken]


def _own_id(entry: BenchmarkEntry) -> Sequence[Hashable]:
    return (entry.id,)


def _earlier_ids(entry: BenchmarkEntry) -> Sequence[Hashable]:
    return entry.question.previous_ids


def _wording(entry: BenchmarkEntry) -> Sequence[Hashable]:
    return (plain_wording(entry.question.question),)


def _corrections(here: Sequence[BenchmarkEntry], there: Sequence[BenchmarkEntry]) -> dict[str, BenchmarkEntry]:
    """Partners by id of the question here among those whose text was corrected, the most similar first."""
    by_id = {entry.id: entry for entry in there}
    partners: dict[str, BenchmarkEntry] = {}
    taken: set[str] = set()
    for _, ours, theirs in sorted(_candidates(here, there), reverse=True):
        if ours not in partners and theirs not in taken:
            partners[ours] = by_id[theirs]
            taken.add(theirs)
    return partners


def _candidates(here: Sequence[BenchmarkEntry], there: Sequence[BenchmarkEntry]) -> set[tuple[float, str, str]]:
    """(similarity, id here, id there) of questions with one check and nearly one text."""
    from rapidfuzz import fuzz  # imported late: most comparisons need it for no question

    candidates: set[tuple[float, str, str]] = set()
    ours, theirs = _by_check(here), _by_check(there)
    for key, ours_alike in ours.items():
        theirs_alike = theirs.get(key, [])
        # All pairs are compared, and an answer such as “yes” may be that of thousands of questions.
        if len(ours_alike) > MOST_ALIKE or len(theirs_alike) > MOST_ALIKE:
            continue
        for one in ours_alike:
            for other in theirs_alike:
                similarity = fuzz.ratio(one.question.question, other.question.question, score_cutoff=ALIKE)
                if similarity:
                    candidates.add((similarity, one.id, other.id))
    return candidates


def _by_check(entries: Sequence[BenchmarkEntry]) -> dict[Hashable, list[BenchmarkEntry]]:
    groups: dict[Hashable, list[BenchmarkEntry]] = defaultdict(list)
    for entry in entries:
        for key in _checks(entry):
            groups[key].append(entry)
    return groups


def _checks(entry: BenchmarkEntry) -> Iterator[Hashable]:
    question = entry.question
    if answer := plain_wording(question.raw_answer):
        yield "answer", answer
    if not is_default_template(question.answer_template):
        yield "template", question.answer_template
