"""Stored answers that can be labeled, from results of runs and from sample answers, and the draw of some of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from karenina_gui.authoring.calibration.targets import Judgeable, OpenTarget, field_wording, read_rubric, trait_wording
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.calibration import (
    AnswerPool,
    DrawnAnswer,
    JudgedValue,
    LabelScale,
    StoredAnswer,
    Wording,
    answer_key,
)
from karenina_gui.schemas.messages import final_answer_of_text
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import LLMRubricTrait, RegexRubricTrait, Rubric
from karenina_gui.schemas.sample_answer import sample_answers
from karenina_gui.store.library import Library
from karenina_gui.store.stored_answers import AnswerInResult

UNKNOWN = ""
"""Hash of the wording of a run without a copy of its benchmark."""
PATTERN = "Pattern"
"""Judge of a pattern trait."""
JudgedBy = tuple[str, str]
"""Hash of the wording, and name of the judge."""


@dataclass
class _Gathering:
    answers: dict[str, StoredAnswer] = field(default_factory=dict)
    results: int = 0
    samples: int = 0

    def add(self, question: Question, number: int, text: str, origin: str) -> StoredAnswer:
        """Return the stored answer of this text, which is added if it is new."""
        key = answer_key(question.id, text)
        drawn = DrawnAnswer(key=key, number=number, question=question.question, text=text, origin=origin)
        return self.answers.setdefault(key, StoredAnswer(drawn))


def stored_answers(library: Library, opened: OpenTarget, questions: Mapping[int, Question]) -> AnswerPool:
    """All answers to these questions (by number), each text once, with the values of all judges."""
    gathering = _Gathering()
    wordings = _Wordings(library, opened)
    _add_samples(gathering, opened, questions)
    numbers = {question.id: number for number, question in questions.items() if question.id}
    for result in library.answers_in_results.latest(opened.target.benchmark_id, list(numbers)):
        text = final_answer_of_text(result.text)[0]
        if not text:
            continue
        gathering.results += 1
        number = numbers[result.question_id]
        stored = gathering.add(questions[number], number, text, f"{result.run}: {result.model}")
        judge = PATTERN if opened.is_pattern else result.judge
        value = _value_in(result, opened)
        if judge and value is not None:
            # The latest result counts if a judge has read one answer several times.
            stored.judged.setdefault((wordings.hash_of(result), judge), value)
    answers = tuple(gathering.answers.values())
    return AnswerPool(answers, wordings.by_hash, gathering.results, gathering.samples)


def texts_of(library: Library, questions: Mapping[int, Question], benchmark_id: int) -> list[DrawnAnswer]:
    """All stored answers to these questions, each text once."""
    gathering = _Gathering()
    for number, question in questions.items():
        for sample in sample_answers(question):
            if sample.text.strip():
                gathering.add(question, number, sample.text, "Sample answer")
    numbers = {question.id: number for number, question in questions.items() if question.id}
    for result in library.answers_in_results.latest(benchmark_id, list(numbers)):
        if text := final_answer_of_text(result.text)[0]:
            number = numbers[result.question_id]
            gathering.add(questions[number], number, text, f"{result.run}: {result.model}")
    return [answer.answer for answer in gathering.answers.values()]


def _add_samples(gathering: _Gathering, opened: OpenTarget, questions: Mapping[int, Question]) -> None:
    for number, question in questions.items():
        for sample in sample_answers(question):
            if not sample.text.strip():
                continue
            gathering.samples += 1
            stored = gathering.add(question, number, sample.text, "Sample answer")
            values = sample.values or {}
            # Values that were entered by hand are no judge's.
            if opened.trait is None and sample.judge and opened.target.name in values:
                value = usable(values[opened.target.name], opened.scale)
                if value is not None:
                    stored.judged[opened.wording.hash, sample.judge] = value


def _value_in(result: AnswerInResult, opened: OpenTarget) -> JudgedValue | None:
    name = opened.target.name
    if opened.trait is None:
        if name not in result.values:
            return None
        return usable(result.values[name], opened.scale, result.field_reasons.get(name))
    value = result.labels.get(name) if opened.scale.kind == "class" else result.scores.get(name)
    return usable(value, opened.scale, result.reasons.get(name))


def usable(value: Any, scale: LabelScale, reasoning: str | None = None) -> JudgedValue | None:
    """Value of a judge; None: the scale has no such label, for instance because it was changed since."""
    if scale.kind == "score" and isinstance(value, float) and value.is_integer():
        value = int(value)
    return JudgedValue(value=value, reasoning=reasoning) if scale.accepts(value) else None


class _Wordings:
    """Wordings under which runs were judged, read from their copies of the benchmark, each once."""

    def __init__(self, library: Library, opened: OpenTarget) -> None:
        self._library, self._opened = library, opened
        self._documents: dict[str, BenchmarkDocument | None] = {}
        self._entries: dict[str, dict[str, BenchmarkEntry]] = {}
        """Questions by id, by snapshot."""
        self._hashes: dict[tuple[str, str], str] = {}
        self.by_hash: dict[str, Wording | None] = {opened.wording.hash: opened.wording}

    def hash_of(self, result: AnswerInResult) -> str:
        key = (result.benchmark_hash, result.question_id)
        if key not in self._hashes:
            wording = self._read(*key)
            self._hashes[key] = UNKNOWN if wording is None else wording.hash
            self.by_hash.setdefault(self._hashes[key], wording)
        return self._hashes[key]

    def _read(self, snapshot: str, question_id: str) -> Wording | None:
        document = self._document(snapshot)
        if document is None:
            return None
        entry = self._entries[snapshot].get(question_id)
        name = self._opened.target.name
        if self._opened.trait is None:
            return field_wording(entry.question.answer_template or "", name) if entry else None
        # A run puts both rubrics together, and names differ between them.
        trait = _find_trait(document.rubric, name) or _find_trait(_own_rubric(entry), name)
        return trait_wording(trait) if trait else None

    def _document(self, snapshot: str) -> BenchmarkDocument | None:
        if snapshot not in self._documents:
            try:
                document = self._library.snapshots.document(snapshot)
                self._documents[snapshot] = document
                self._entries[snapshot] = {entry.id: entry for entry in document.entries}
            except NotFoundError:  # an imported run
                self._documents[snapshot] = None
        return self._documents[snapshot]


def _own_rubric(entry: BenchmarkEntry | None) -> Rubric | None:
    try:
        return read_rubric(entry.question.question_rubric) if entry else None
    except InputError:  # the run could not use it either
        return None


def _find_trait(rubric: Rubric | None, name: str) -> Judgeable | None:
    trait = rubric.get(name) if rubric else None
    return trait if isinstance(trait, LLMRubricTrait | RegexRubricTrait) else None


def judgment_values(
    drawn: Sequence[StoredAnswer], pool: AnswerPool
) -> dict[tuple[str, str], tuple[Wording | None, dict[str, JudgedValue]]]:
    """Values by wording and judge for the drawn answers."""
    values: dict[tuple[str, str], tuple[Wording | None, dict[str, JudgedValue]]] = {}
    for stored in drawn:
        for by, value in stored.judged.items():
            values.setdefault(by, (pool.wordings.get(by[0]), {}))[1][stored.answer.key] = value
    return values


def main_judge(pool: AnswerPool, current: str) -> JudgedBy | None:
    """Judge and wording by which the draw is spread; None: no judge has read any of these answers.

    The one that read most of them with today's wording (`current`: its hash), else with any wording.
    """
    read = Counter(by for answer in pool.answers for by in answer.judged)
    order = sorted(read, key=lambda by: (by[0] != current, -read[by], by))
    return order[0] if order else None


def draw(answers: Sequence[StoredAnswer], count: int, seed: int, by: JudgedBy | None) -> list[StoredAnswer]:
    """Draw answers. The same seed gives the same answers in the same order.

    In turn one of each value that the judge gave, so that rare values are among them; of each value first answers to
    questions without a drawn answer.
    """
    random_order = random.Random(seed)
    groups: dict[str, list[StoredAnswer]] = {}
    # Sorted first: the order of the library changes with every run, the draw of a seed should not.
    shuffled = sorted(answers, key=lambda stored: stored.answer.key)
    random_order.shuffle(shuffled)
    for stored in shuffled:
        value = stored.judged.get(by) if by else None
        groups.setdefault(repr(value.value) if value else "", []).append(stored)
    order = sorted(groups)
    random_order.shuffle(order)
    drawn: list[StoredAnswer] = []
    while len(drawn) < count and any(groups.values()):
        for name in order:
            if groups[name] and len(drawn) < count:
                drawn.append(_take(groups[name], drawn))
    # Shuffled again: otherwise the values would follow each other in turn, which a labeler would notice.
    random_order.shuffle(drawn)
    return drawn


def _take(group: list[StoredAnswer], drawn: Sequence[StoredAnswer]) -> StoredAnswer:
    """Remove and return the first answer to the question with the fewest drawn answers."""
    times = Counter(stored.answer.number for stored in drawn)
    best = min(group, key=lambda stored: times[stored.answer.number])
    group.remove(best)
    return best
