"""Calibrations: the draw, labels with undo, and other wordings."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.calibration.calibration_editor import CalibrationEditor, draw, main_judge
from karenina_gui.authoring.calibration.targets import OpenTarget, field_scale
from karenina_gui.errors import CannotUndoError, InputError
from karenina_gui.schemas.calibration import (
    AnswerPool,
    Calibration,
    CalibrationTarget,
    DrawnAnswer,
    JudgedValue,
    LabelScale,
    StoredAnswer,
    Wording,
    answer_key,
)
from karenina_gui.schemas.command import Actor, sentence
from karenina_gui.schemas.sample_answer import sample_answers
from karenina_gui.store.actors import acting
from karenina_gui.store.library import Library
from tests.calibrated import DEPTH, RUBRIC, TEMPLATE, depth, judged_benchmark

ADA = Actor("ada", "Ada")


@pytest.fixture
def benchmark(library: Library) -> int:
    return judged_benchmark(library)


@pytest.fixture
def desk(editor: BenchmarkEditor) -> CalibrationEditor:
    return editor.calibrations


def begun(desk: CalibrationEditor, library: Library, target: CalibrationTarget, count: int = 10) -> Calibration:
    with acting(ADA):
        return library.calibrations.get(desk.draw(desk.open(target), count, 7, "Ada"))


def field(library: Library, benchmark: int, place: int = 0) -> CalibrationTarget:
    number = library.questions.summaries(benchmark)[place].number
    return CalibrationTarget(benchmark, number, "field", "organ")


def test_answers_of_results_and_samples_are_found_once(desk: CalibrationEditor, benchmark: int) -> None:
    pool = desk.pool(desk.open(depth(benchmark)))
    assert (pool.results, pool.samples, len(pool.answers)) == (36, 1, 19)
    judged = [each for each in pool.answers if each.judged]
    assert all({judge for _, judge in each.judged} == {"mild", "strict"} for each in judged)
    assert len(judged) == 18, "no judge has rated the sample"


def test_the_draw_is_spread_over_values_and_questions(
    desk: CalibrationEditor, library: Library, benchmark: int
) -> None:
    calibration = begun(desk, library, depth(benchmark))
    sets = {each.judge: each for each in library.calibrations.judgments(calibration.id)}
    mild = Counter(value.value for value in sets["mild"].values.values())
    assert set(mild) == {1, 2, 3, 4, 5}
    assert max(mild.values()) <= 2
    assert max(Counter(each.number for each in calibration.answers).values()) <= 3
    assert len({each.text for each in calibration.answers}) == 10
    values = sets["mild"].values
    shown = [values[each.key].value for each in calibration.answers if each.key in values]
    assert shown != sorted(shown, key=str), "the order gives nothing away"


def test_a_seed_gives_the_same_answers_whatever_their_order() -> None:
    answers = [
        StoredAnswer(
            DrawnAnswer(key=answer_key("q", str(n)), number=n % 4, question="?", text=str(n)),
            {("w", "j"): JudgedValue(value=n % 3 == 0)},
        )
        for n in range(40)
    ]
    first = [each.answer.key for each in draw(answers, 10, 3, ("w", "j"))]
    assert first == [each.answer.key for each in draw(answers[::-1], 10, 3, ("w", "j"))]
    assert first != [each.answer.key for each in draw(answers, 10, 4, ("w", "j"))]
    assert len(draw(answers[:6], 10, 3, None)) == 6


def test_the_draw_is_spread_by_the_judge_of_the_present_wording() -> None:
    def stored(number: int, *by: tuple[str, str]) -> StoredAnswer:
        answer = DrawnAnswer(key=str(number), number=number, question="?", text=str(number))
        return StoredAnswer(answer, {each: JudgedValue(value=True) for each in by})

    pool = AnswerPool((stored(1, ("old", "a"), ("new", "b")), stored(2, ("old", "a"))))
    assert main_judge(pool, "new") == ("new", "b")
    assert main_judge(pool, "other") == ("old", "a")
    assert main_judge(AnswerPool((stored(3),)), "new") is None


def test_labels_are_kept_with_their_wording_and_resumed(
    desk: CalibrationEditor, library: Library, benchmark: int
) -> None:
    calibration = begun(desk, library, depth(benchmark))
    wording = desk.open(depth(benchmark)).wording
    first, second = calibration.answers[:2]
    desk.label(calibration, first.key, 4, wording, "Ada")
    desk.skip(calibration, second.key, wording, "Ada")
    resumed = library.calibrations.get(calibration.id)
    assert resumed.next == 2
    assert resumed.values == {first.key: 4}
    label = resumed.labels[first.key]
    assert (label.answer, label.author, label.wording.hash) == (first.text, "Ada", wording.hash)
    assert library.calibrations.ids(depth(benchmark)) == [calibration.id]


def test_labels_are_undone_one_by_one_and_protect_their_draw(
    desk: CalibrationEditor, editor: BenchmarkEditor, library: Library, benchmark: int
) -> None:
    calibration = begun(desk, library, depth(benchmark))
    drawn = library.commands.next_undo(f"benchmark/{benchmark}", ADA.person)
    assert drawn is not None
    assert sentence(drawn) == "Added the calibration of “depth”"
    key = calibration.answers[0].key
    with acting(ADA):
        desk.label(calibration, key, 4, Wording(), "Ada")
    with pytest.raises(CannotUndoError):
        editor.history.undo(drawn.id)
    reversal = editor.history.undo_last(f"benchmark/{benchmark}", ADA.person)
    assert reversal is not None
    assert sentence(reversal.command).startswith("Added the label of the answer “Answer")
    assert library.calibrations.get(calibration.id).labels == {}
    editor.history.undo(drawn.id)
    assert library.calibrations.ids(depth(benchmark)) == []
    editor.history.redo(drawn.id)
    assert len(library.calibrations.judgments(calibration.id)) == 2, "values that were paid for come back"


def test_labels_survive_the_restoring_of_an_earlier_version(
    desk: CalibrationEditor, editor: BenchmarkEditor, library: Library, benchmark: int
) -> None:
    editor.edit_benchmark(benchmark, {"name": "Before"})
    before = library.commands.entries([f"benchmark/{benchmark}"], limit=1)[0].id
    calibration = begun(desk, library, depth(benchmark))
    desk.label(calibration, calibration.answers[0].key, 4, Wording(), "Ada")
    editor.edit_benchmark(benchmark, {"name": "After"})
    editor.history.restore(benchmark, before)
    assert library.benchmarks.frame(benchmark).name == "Before"
    assert len(library.calibrations.get(calibration.id).labels) == 1


def test_values_of_older_wordings_are_told_apart(
    desk: CalibrationEditor, editor: BenchmarkEditor, library: Library, benchmark: int
) -> None:
    desk.use_wording(depth(benchmark), Wording(description="How deep is it?"))
    opened = desk.open(depth(benchmark))
    assert opened.wording.description == "How deep is it?"
    calibration = begun(desk, library, depth(benchmark))
    sets = library.calibrations.judgments(calibration.id)
    assert {each.wording.description for each in sets if each.wording} == {"How much is explained?"}
    rubric = library.benchmarks.frame(benchmark).rubric
    assert rubric is not None
    assert rubric.regex_traits == RUBRIC.regex_traits, "the other traits stay"


def test_a_field_gets_another_description_and_nothing_else_changes(
    desk: CalibrationEditor, library: Library, benchmark: int
) -> None:
    target = field(library, benchmark)
    opened = desk.open(target)
    assert opened.scale == LabelScale("class", classes=("kidneys", "liver"), can_be_missing=True)
    assert opened.wording == Wording(description="The organ that the answer names.")
    pool = desk.pool(opened)
    sample = next(each for each in pool.answers if each.answer.origin == "Sample answer")
    assert sample.judged == {(opened.wording.hash, "mild"): JudgedValue(value="liver")}
    calibration = begun(desk, library, target)
    (_, question, rubric), *_ = desk.to_judge(calibration, opened, Wording(description="Which organ?"))
    assert rubric is None
    expected = TEMPLATE.replace("The organ that the answer names.", "Which organ?")
    assert question.answer_template == expected
    desk.use_wording(target, Wording(description="Which organ?"))
    assert target.number is not None
    assert library.questions.entry(benchmark, target.number).question.answer_template == expected


def test_a_trait_is_judged_alone_under_the_draft(desk: CalibrationEditor, library: Library, benchmark: int) -> None:
    target = depth(benchmark)
    calibration, opened = begun(desk, library, target), desk.open(target)
    items = desk.to_judge(calibration, opened, Wording(description="Only the draft."))
    assert len(items) == 10
    rubrics = [rubric for _, _, rubric in items if rubric is not None]
    assert all([trait.description for trait in rubric.traits] == ["Only the draft."] for rubric in rubrics)
    assert all(question.question_rubric is None for _, question, _ in items)
    assert desk.open(target).wording == opened.wording, "a draft is not saved over the trait"


def test_answers_to_deleted_questions_are_not_judged_again(
    desk: CalibrationEditor, editor: BenchmarkEditor, library: Library, benchmark: int
) -> None:
    target = depth(benchmark)
    calibration, opened = begun(desk, library, target), desk.open(target)
    gone = calibration.answers[0].number
    library.questions.delete(benchmark, [gone])
    judged = [answer.number for answer, _, _ in desk.to_judge(calibration, opened, opened.wording)]
    assert judged == [each.number for each in calibration.answers if each.number != gone]
    with pytest.raises(InputError):
        desk.open(CalibrationTarget(benchmark, gone, "field", "organ"))


def test_another_pattern_is_tried_without_a_model(desk: CalibrationEditor, library: Library, benchmark: int) -> None:
    target = CalibrationTarget(benchmark, None, "trait", "dose")
    calibration, opened = begun(desk, library, target), desk.open(target)
    assert opened.is_pattern
    desk.match(calibration, opened, Wording(description="liver"))
    tried = library.calibrations.judgments(calibration.id)[-1]
    by_key = {each.key: "liver" in each.text for each in calibration.answers}
    assert {key: each.value for key, each in tried.values.items()} == by_key
    with pytest.raises(InputError, match="cannot be used"):
        desk.match(calibration, opened, Wording(description="("))
    assert library.calibrations.judgments(calibration.id)[-1] == tried


@pytest.mark.parametrize(
    ("annotation", "scale"),
    [
        ("bool", LabelScale("boolean", can_be_missing=True)),
        ("float | None", LabelScale("number", can_be_missing=True)),
        ("Optional[str]", LabelScale("text", can_be_missing=True)),
        ("Literal['a', 'b']", LabelScale("class", classes=("a", "b"), can_be_missing=True)),
        ("list[str]", None),
        ("Literal[1, 2]", None),
    ],
)
def test_fields_with_labels(annotation: str, scale: LabelScale | None) -> None:
    assert field_scale(annotation) == scale


def test_what_cannot_be_calibrated_says_why(desk: CalibrationEditor, library: Library, benchmark: int) -> None:
    with pytest.raises(InputError, match="no longer exists"):
        desk.open(CalibrationTarget(benchmark, None, "trait", "gone"))
    empty = library.benchmarks.create(library.benchmarks.frame(benchmark))
    with pytest.raises(InputError, match="No answers are stored yet"):
        desk.draw(OpenTarget(depth(empty), LabelScale("score"), Wording(), None), 10, 1, "")


def test_labels_follow_a_field_and_a_trait_with_another_name(
    desk: CalibrationEditor, editor: BenchmarkEditor, library: Library, benchmark: int
) -> None:
    target, trait = field(library, benchmark), depth(benchmark)
    calibrations = [begun(desk, library, each).id for each in (target, trait)]
    assert target.number is not None
    with acting(ADA):
        template = TEMPLATE.replace("organ", "tissue")
        editor.edit(benchmark, target.number, {"answer_template": template})
        editor.edit_benchmark(benchmark, {"rubric": json.loads(RUBRIC.model_dump_json().replace(DEPTH, "detail"))})
    entry = library.questions.entry(benchmark, target.number)
    assert [sample.values for sample in sample_answers(entry.question)] == [{"tissue": "liver"}]
    renamed = [replace(target, name="tissue"), replace(trait, name="detail")]
    assert [library.calibrations.ids(each) for each in renamed] == [[number] for number in calibrations]
    undone = editor.history.undo_last(f"benchmark/{benchmark}", ADA.person)
    assert undone is not None
    assert sentence(undone.command) == "Edited the traits of “Organs”"
    assert library.calibrations.ids(trait) == [calibrations[1]], "they follow back"
    with acting(ADA):
        for other in (template.replace("tissue", "x").replace("liver", "lungs"), template.replace(":", "", 1), None):
            editor.edit(benchmark, target.number, {"answer_template": other})
    assert library.calibrations.ids(renamed[0]) == [calibrations[0]], "nothing to follow"
