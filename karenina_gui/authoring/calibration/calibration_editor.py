"""Editor of calibrations: draws answers, keeps labels, and puts another wording in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from pydantic import ValidationError

from karenina_gui.authoring.calibration.pool import (
    PATTERN,
    draw,
    judgment_values,
    main_judge,
    stored_answers,
    texts_of,
    usable,
)
from karenina_gui.authoring.calibration.targets import (
    OpenTarget,
    field_target,
    read_rubric,
    reworded_template,
    reworded_trait,
    trait_changes,
    trait_target,
)
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.authoring.trait_playground import TraitPlayground
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.calibration import (
    AnswerLabel,
    AnswerPool,
    Calibration,
    CalibrationTarget,
    DrawnAnswer,
    JudgmentSet,
    LabelValue,
    Wording,
)
from karenina_gui.schemas.edits import BenchmarkConflict, Conflict, Saved
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import RegexRubricTrait, Rubric
from karenina_gui.store.library import Library

COUNTS = (10, 20)
"""Numbers of answers that can be drawn."""


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
