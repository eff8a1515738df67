"""Duplicates among the questions of a benchmark: found, resolved, or kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from karenina_gui.formats.tables.near_duplicates import difference
from karenina_gui.formats.tables.similar_questions import Kind, SimilarPair, repeated_pairs, similar_pairs
from karenina_gui.schemas.benchmark import BenchmarkEntry
from karenina_gui.schemas.edits import Conflict, Saved
from karenina_gui.schemas.question import PREVIOUS_IDS, Question
from karenina_gui.schemas.sample_answer import SampleAnswer, new_id, sample_answers, with_samples
from karenina_gui.schemas.template import TemplateOutline
from karenina_gui.store.actors import one_command
from karenina_gui.store.library import Library
from karenina_gui.store.question_ids import shorten
from karenina_gui.store.question_pairs import KeptPair

TakenField = Literal["raw_answer", "answer_template", "keywords", "samples"]
"""Part that the kept question can get from the deleted one. Keywords and sample answers are added to its own."""


@dataclass(frozen=True)
class DuplicatePair:
    """Two questions that repeat each other, by number; `left` comes first in the benchmark."""

    left: int
    right: int
    kind: Kind
    similarity: float
    """From 0 to 1, by the words that both have."""
    difference: str = ""
    """Difference of two texts of the same wording, such as `spaces`."""


class EditedQuestions(Protocol):
    """The editor of questions, as duplicates use it; see `BenchmarkEditor`."""

    library: Library

    def edit(
        self, benchmark_id: int, number: int, changes: dict[str, Any], *, expected_revision: int | None = None
    ) -> Saved | Conflict: ...
    def delete_questions(self, benchmark_id: int, numbers: Sequence[int]) -> list[int]: ...
    def check_question(self, benchmark_id: int, number: int) -> TemplateOutline | None: ...


class Duplicates:
    """Commands about duplicates; each is one command of the log."""

    def __init__(self, editor: EditedQuestions) -> None:
        self._editor = editor
        self._library = editor.library

    def pairs(self, benchmark_id: int) -> list[DuplicatePair]:
        """Pairs that nobody has decided to keep, the most similar first. It takes a second for 10,000 questions."""
        return self._find_undecided(benchmark_id, similar_pairs)

    def repeated_questions(self, benchmark_id: int) -> list[int]:
        """Numbers of questions in undecided pairs of one text or wording, which are found in a moment."""
        pairs = self._find_undecided(benchmark_id, repeated_pairs)
        return sorted({number for pair in pairs for number in (pair.left, pair.right)})

    def _find_undecided(self, benchmark_id: int, find: Callable[[list[str]], list[SimilarPair]]) -> list[DuplicatePair]:
        texts = self._library.question_pairs.texts(benchmark_id)
        decided = self._library.question_pairs.list_kept(benchmark_id)
        numbers = list(texts)
        pairs = []
        for pair in find(list(texts.values())):
            first, second = numbers[pair.first], numbers[pair.second]
            if _ordered_pair(texts, first, second) not in decided:
                differences = difference(texts[first], texts[second]) if pair.kind == "wording" else ""
                pairs.append(DuplicatePair(first, second, pair.kind, pair.similarity, differences))
        return pairs

    def keep_both(self, benchmark_id: int, first: int, second: int) -> None:
        """Report a pair no longer, until one of its texts changes. Raises `NotFoundError` for a deleted question."""
        texts = {number: self._entry(benchmark_id, number).question.question for number in (first, second)}
        with one_command("confirm"):
            self._library.question_pairs.keep(benchmark_id, _ordered_pair(texts, first, second), shorten(texts[first]))

    def keep_one(self, benchmark_id: int, number: int, dropped: int, taken: Collection[TakenField] = ()) -> None:
        """Delete one question of a pair; the other gets the parts `taken` from it.

        If results refer to the deleted one, the other names its ID among its `PREVIOUS_IDS`.
        """
        question, other = (self._entry(benchmark_id, one).question for one in (number, dropped))
        changes = _changes(question, other, taken)
        ids = [other.id, *other.previous_ids]
        if any(id_ and self._library.results.of_question(benchmark_id, id_).text is not None for id_ in ids):
            changes["custom_metadata"] = _link_results(changes.get("custom_metadata", question.custom_metadata), other)
        changes = {name: value for name, value in changes.items() if value != getattr(question, name)}
        with one_command("merge" if changes else None):
            if changes:
                self._editor.edit(benchmark_id, number, changes)
            self._editor.delete_questions(benchmark_id, [dropped])
        if {"answer_template", "samples"} & set(taken):
            self._editor.check_question(benchmark_id, number)

    def _entry(self, benchmark_id: int, number: int) -> BenchmarkEntry:
        return self._library.questions.entry(benchmark_id, number)


def takeable(one: Question, other: Question) -> list[TakenField]:
    """Parts in which two questions differ, so that either can get them from the other."""
    differs: dict[TakenField, bool] = {
        "raw_answer": one.raw_answer != other.raw_answer,
        "answer_template": one.answer_template != other.answer_template,
        "keywords": set(one.keywords) != set(other.keywords),
        "samples": _sample_texts(one) != _sample_texts(other),
    }
    return [name for name, differing in differs.items() if differing]


def _sample_texts(question: Question) -> set[str]:
    return {sample.text for sample in sample_answers(question)}


def _changes(question: Question, source: Question, taken: Collection[TakenField]) -> dict[str, Any]:
    """Changes by which a question gets parts of another."""
    changes: dict[str, Any] = {
        name: getattr(source, name) for name in ("raw_answer", "answer_template") if name in taken
    }
    if "keywords" in taken:
        changes["keywords"] = list(dict.fromkeys([*question.keywords, *source.keywords]))
    if "samples" in taken:
        own = sample_answers(question)
        if added := _new_samples(own, source):
            changes["custom_metadata"] = with_samples(question.custom_metadata, [*own, *added])
    return changes


def _new_samples(own: Sequence[SampleAnswer], source: Question) -> list[SampleAnswer]:
    """Samples of the source whose texts the question does not have."""
    texts, ids = {sample.text for sample in own}, {sample.id for sample in own}
    added = [sample for sample in sample_answers(source) if sample.text not in texts]
    # Copies of one question have samples of the same ids, by which judges address them.
    return [sample.model_copy(update={"id": new_id()}) if sample.id in ids else sample for sample in added]


def _link_results(metadata: dict[str, Any] | None, deleted: Question) -> dict[str, Any] | None:
    """Custom metadata with the IDs of a deleted question among the previous ones."""
    before = (metadata or {}).get(PREVIOUS_IDS, [])
    if not isinstance(before, list):
        return metadata  # the user's own metadata field of this name
    ids = [*before, *deleted.previous_ids, deleted.id]
    return {**(metadata or {}), PREVIOUS_IDS: list(dict.fromkeys(ids))}


def _ordered_pair(texts: dict[int, str], one: int, other: int) -> KeptPair:
    """The pair with the lower number first, as the order of a benchmark may change."""
    first, second = sorted((one, other))
    both = "\0".join((texts[first], texts[second]))
    return KeptPair(first, second, hashlib.sha256(both.encode("utf-8", "surrogatepass")).hexdigest())
