"""Editor of calibrations: draws answers, keeps labels, and puts another wording in place."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import ValidationError

from karenina_gui.authoring.calibration.targets import (
    Judgeable,
    OpenTarget,
    field_target,
    field_wording,
    read_rubric,
    reworded_template,
    reworded_trait,
    trait_changes,
    trait_target,
    trait_wording,
)
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.authoring.trait_playground import TraitPlayground
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.calibration import (
    AnswerLabel,
    AnswerPool,
    Calibration,
    CalibrationTarget,
    DrawnAnswer,
    JudgedValue,
    JudgmentSet,
    LabelScale,
    LabelValue,
    StoredAnswer,
    Wording,
    answer_key,
)
from karenina_gui.schemas.edits import BenchmarkConflict, Conflict, Saved
from karenina_gui.schemas.messages import final_answer_of_text
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import LLMRubricTrait, RegexRubricTrait, Rubric
from karenina_gui.schemas.sample_answer import sample_answers
from karenina_gui.store.library import Library
from karenina_gui.store.stored_answers import AnswerInResult

COUNTS = (10, 20)
"""Numbers of answers that can be drawn."""
UNKNOWN = ""
"""Hash of the wording of a run without a copy of its benchmark."""
PATTERN = "Pattern"
"""Judge of a pattern trait."""
JudgedBy = tuple[str, str]
"""Hash of the wording, and name of the judge."""


class BenchmarkDesk(Protocol):
    """The editor of benchmarks, as calibrations use it."""

    library: Library

    def templates(self, benchmark_id: int) -> TemplatePlayground: ...
    def traits(self, benchmark_id: int) -> TraitPlayground: ...
    def edit(
        self, benchmark_id: int, number: int, changes: dict[str, Any], *, expected_revision: int | None = None
    ) -> Saved | Conflict: ...
    def edit_benchmark(
        self, benchmark_id: int, changes: dict[str, Any], *, expected_revision: int | None = None
    ) -> Saved | BenchmarkConflict: ...


class CalibrationEditor:
    """Commands about calibrations; safe to use from any thread."""

    def __init__(self, editor: BenchmarkDesk) -> None:
        self._editor = editor
        self._library = editor.library
        self._store = editor.library.calibrations

    # Reading

    def open(self, target: CalibrationTarget) -> OpenTarget:
        """Read a trait or field as it is saved. Raises `InputError` if it cannot be calibrated."""
        if target.kind == "field":
            source = self._question(target).answer_template or ""
            return field_target(target, source, self._editor.templates(target.benchmark_id).check(source))
        return trait_target(target, self._rubric(target))

    def pool(self, opened: OpenTarget) -> AnswerPool:
        """Read all answers that can be drawn."""
        return stored_answers(self._library, opened, self._questions(opened.target))

    def texts(self, benchmark_id: int, number: int | None) -> list[DrawnAnswer]:
        """All stored answers of a question, or of the benchmark."""
        questions = self._questions(CalibrationTarget(benchmark_id, number, "trait", ""))
        return texts_of(self._library, questions, benchmark_id)

    def question(self, benchmark_id: int, number: int) -> Question:
        """Question of an answer. Raises `NotFoundError`."""
        return self._library.questions.entry(benchmark_id, number).question

    # Labels

    def draw(self, opened: OpenTarget, count: int, seed: int, by: str) -> int:
        """Draw answers and return the id of the calibration. Raises `InputError` if no answer is stored."""
        pool = self.pool(opened)
        if not pool.answers:
            raise InputError("No answers are stored yet. Run the benchmark, or add sample answers to its questions.")
        drawn = draw(pool.answers, count, seed, main_judge(pool, opened.wording.hash))
        values_by = judgment_values(drawn, pool)
        # The wording in use and the judge of most answers first: that is what the author sees first.
        order = sorted(values_by, key=lambda by: (by[0] != opened.wording.hash, -len(values_by[by][1]), by))
        sets = [
            JudgmentSet(wording=values_by[by][0], judge=by[1], source="results", values=values_by[by][1])
            for by in order
        ]
        return self._store.add(opened.target, seed, [stored.answer for stored in drawn], sets, by)

    def label(self, calibration: Calibration, key: str, value: LabelValue, wording: Wording, by: str) -> None:
        """Save the label of an answer. Raises `NotFoundError` if the calibration is gone."""
        self._store.set_label(calibration.id, self._label(calibration, key, wording, by, value=value))

    def skip(self, calibration: Calibration, key: str, wording: Wording, by: str) -> None:
        """Leave an answer without a label. Raises `NotFoundError` if the calibration is gone."""
        self._store.set_label(calibration.id, self._label(calibration, key, wording, by, skipped=True))

    # Judgments

    def to_judge(
        self, calibration: Calibration, opened: OpenTarget, wording: Wording
    ) -> list[tuple[DrawnAnswer, Question, Rubric | None]]:
        """Answers with their questions as a judge should see them under this wording.

        The rubric holds the trait alone; None: the template of the question has the wording. Raises `InputError`.
        """
        rubric = None
        if opened.trait is not None:
            rubric = Rubric()
            try:
                trait = reworded_trait(opened.trait, wording)
            except ValidationError as error:
                raise InputError(first_problem(error)) from error
            rubric.holding("regex" if isinstance(trait, RegexRubricTrait) else "llm").append(trait)
        tasks = []
        for answer in calibration.answers:
            try:
                question = self.question(calibration.target.benchmark_id, answer.number)
            except NotFoundError:
                continue  # the question was deleted; its label stays, without a new value
            changes: dict[str, Any] = {"question_rubric": None}
            if opened.trait is None:
                changes["answer_template"] = reworded_template(opened.source, opened.target.name, wording)
            tasks.append((answer, question.model_copy(update=changes), rubric))
        return tasks

    def match(self, calibration: Calibration, opened: OpenTarget, wording: Wording) -> int:
        """Search the drawn answers for another pattern, and save what it says. Raises `InputError`."""
        assert isinstance(opened.trait, RegexRubricTrait)
        trait, playground = opened.trait, self._editor.traits(calibration.target.benchmark_id)
        judged = JudgmentSet(wording=wording, judge=PATTERN, source="asked")
        texts = [answer.text for answer in calibration.answers]
        # Together, so that a pattern that never ends takes the time limit once: the answers after it have no value.
        outcomes = playground.search_all(wording.description, trait.case_sensitive, texts)
        for answer, outcome in zip(calibration.answers, outcomes, strict=False):
            if outcome.error:
                judged.problems[answer.key] = outcome.error
            elif (value := usable(outcome.found != trait.invert_result, opened.scale)) is not None:
                judged.values[answer.key] = value
        if not judged.values:
            raise InputError(next(iter(judged.problems.values()), "There are no answers to search."))
        return self._store.add_judgments(calibration.id, judged)

    def keep(self, calibration_id: int, judged: JudgmentSet) -> int:
        """Save the values of a judge and return their id. Raises `NotFoundError`."""
        return self._store.add_judgments(calibration_id, judged)

    # Wording

    def use_wording(self, target: CalibrationTarget, wording: Wording) -> None:
        """Give the trait or field another wording; what others change meanwhile is kept. Raises `InputError`."""
        saved: Saved | Conflict | BenchmarkConflict | None = None
        # Saving fails if somebody was faster; then the change is made to what they saved.
        while not isinstance(saved, Saved):
            saved = self._reword(target, wording)

    def _reword(self, target: CalibrationTarget, wording: Wording) -> Saved | Conflict | BenchmarkConflict:
        if target.kind == "field":
            return self._edit_question(
                target,
                lambda question: {
                    "answer_template": reworded_template(question.answer_template or "", target.name, wording)
                },
            )
        opened = trait_target(target, self._rubric(target))
        assert opened.trait is not None
        changes = trait_changes(opened.trait, wording)
        if target.number is not None:
            return self._edit_question(
                target,
                lambda question: {"question_rubric": _reword_rubric(question.question_rubric or {}, target, changes)},
            )
        frame, revision = self._library.benchmarks.frame_with_revision(target.benchmark_id)
        rubric = frame.rubric.model_dump(mode="json", exclude_defaults=True) if frame.rubric else {}
        changed = {"rubric": _reword_rubric(rubric, target, changes)}
        return self._editor.edit_benchmark(target.benchmark_id, changed, expected_revision=revision)

    def _edit_question(
        self, target: CalibrationTarget, change: Callable[[Question], dict[str, Any]]
    ) -> Saved | Conflict:
        assert target.number is not None
        entry, summary, _ = self._library.questions.load_details(target.benchmark_id, target.number)
        changes = change(entry.question)
        return self._editor.edit(target.benchmark_id, target.number, changes, expected_revision=summary.revision)

    # Helpers

    def _label(self, calibration: Calibration, key: str, wording: Wording, by: str, **label: Any) -> AnswerLabel:
        (answer,) = (answer for answer in calibration.answers if answer.key == key)
        return AnswerLabel(key=key, answer=answer.text, wording=wording, author=by, **label)

    def _question(self, target: CalibrationTarget) -> Question:
        if target.number is None:
            raise InputError("A template field belongs to a question.")
        return self.question(target.benchmark_id, target.number)

    def _rubric(self, target: CalibrationTarget) -> Rubric | None:
        if target.number is None:
            return self._frame(target).rubric
        return read_rubric(self._question(target).question_rubric)

    def _frame(self, target: CalibrationTarget) -> BenchmarkDocument:
        return self._library.benchmarks.frame(target.benchmark_id)

    def _questions(self, target: CalibrationTarget) -> dict[int, Question]:
        """Questions by number whose answers the trait or field is about."""
        if target.number is not None:
            return {target.number: self.question(target.benchmark_id, target.number)}
        # Numbers are in the list only, templates and samples in the document only.
        rows = self._library.questions.summaries(target.benchmark_id)
        document = self._library.benchmarks.document(target.benchmark_id)
        by_id = {entry.id: entry.question for entry in document.entries}
        return {row.number: by_id[row.id] for row in rows if row.id in by_id}


def _reword_rubric(rubric: dict[str, Any], target: CalibrationTarget, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the stored rubric with changes of one trait; the rest stays as it is written."""

    def change(trait: dict[str, Any]) -> dict[str, Any]:
        return {**trait, **changes} if trait.get("name") == target.name else trait

    lists = {key: [change(trait) for trait in rubric[key]] for key in ("llm_traits", "regex_traits") if rubric.get(key)}
    return {**rubric, **lists}


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
