"""Whatever an author does, in any order: ids stay unique and follow the texts, and every refusal has its reason."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor, OpenQuestion
from karenina_gui.errors import DuplicateQuestionError, InputError
from karenina_gui.formats.tables.question_import import ImportPlan
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.question import PREVIOUS_IDS, question_fingerprint
from karenina_gui.store.library import Library
from tests.answered import answer, plan_of
from tests.examples import examples

TEXTS = st.sampled_from(["Why?", "How?", "When?", " Why?", "Why?\nReally?"])
IDS = st.sampled_from(["own", "task 1", *(question_fingerprint(text) for text in ("Why?", "How?"))])
WHICH = st.integers(min_value=0, max_value=7)


class Authoring(RuleBasedStateMachine):
    """An author in one library. The questions of the benchmark that was imported last are worked on."""

    def __init__(self, sandbox: Sandbox, new_library: Path) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="karenina-authoring-"))
        shutil.copy(new_library, self.folder)
        self.library = Library.open(self.folder)
        self.editor = BenchmarkEditor(self.library, sandbox)
        self.benchmark = self.editor.create_benchmark("first")
        self.gone: set[str] = set()
        """Ids, and previous ids, of questions that were deleted."""

    def teardown(self) -> None:
        self.library.close()
        shutil.rmtree(self.folder)

    @rule(text=st.one_of(st.just(""), TEXTS))
    def new(self, text: str) -> None:
        same = self._with_text(text)
        try:
            self.editor.add_question(self.benchmark, text)
        except DuplicateQuestionError as error:
            assert self._names_one(error, same + self._with_id(question_fingerprint(text)))
        else:
            assert not (text and self._with_id(question_fingerprint(text))[1:])

    @precondition(lambda self: self._questions())
    @rule(which=WHICH, text=st.one_of(st.just(""), TEXTS))
    def edit(self, which: int, text: str) -> None:
        before = self._chosen(which)
        same = [each for each in self._with_text(text) if each.summary.number != before.summary.number]
        if self._change(before, {"question": text}, same + self._with_id(question_fingerprint(text))):
            assert not (text and same and text != before.entry.question.question)

    @precondition(lambda self: self._questions())
    @rule(which=WHICH, wanted=st.one_of(st.none(), IDS))
    def choose_id(self, which: int, wanted: str | None) -> None:
        before = self._chosen(which)
        meant = wanted or question_fingerprint(before.entry.question.question)
        if self._change(before, {"id": wanted}, self._with_id(meant)):
            assert self._open(before.summary.number).entry.id == meant

    @precondition(lambda self: any(each.undecided for each in self._questions()))
    @rule(keep=st.booleans())
    def decide(self, keep: bool) -> None:
        before = next(each for each in self._questions() if each.undecided)
        own = question_fingerprint(before.entry.question.question)
        wanted = before.entry.id if keep else None
        if self._change(before, {"id": wanted}, self._with_id(wanted or own)):
            after = self._open(before.summary.number)
            assert not after.undecided
            assert after.entry.id == (before.entry.id if keep else own)
            assert keep or not before.results or before.entry.id in _previous(after)

    @precondition(lambda self: self._questions())
    @rule(which=WHICH)
    def duplicate(self, which: int) -> None:
        original = self._chosen(which)
        copy = self.editor.duplicate_question(self.benchmark, original.summary.number)
        assert (copy.entry.id, copy.entry.question.question) == ("", original.entry.question.question)

    @precondition(lambda self: self._questions())
    @rule(which=WHICH)
    def finish(self, which: int) -> None:
        question = self._chosen(which)
        changed = self.editor.set_finished(self.benchmark, [question.summary.number], True)
        assert changed or question.entry.finished or self.editor.obstacles(self.benchmark, question.summary.number)

    @precondition(lambda self: any(each.entry.id for each in self._questions()))
    @rule(which=WHICH)
    def run(self, which: int) -> None:
        asked = [each.entry.id for each in self._questions() if each.entry.id]
        answer(self.library, self.benchmark, asked[which % len(asked)])

    @precondition(lambda self: self._questions())
    @rule(which=WHICH)
    def delete(self, which: int) -> None:
        question = self._chosen(which)
        self.gone |= {question.entry.id, *_previous(question)}
        self.editor.delete_questions(self.benchmark, [question.summary.number])

    @precondition(lambda self: self.editor.library.questions.list_deleted(self.benchmark))
    @rule(which=WHICH, everything=st.booleans())
    def restore(self, which: int, everything: bool) -> None:
        deleted = self.editor.library.questions.list_deleted(self.benchmark)
        wanted = deleted if everything else [deleted[which % len(deleted)]]
        restored = self.editor.restore_questions(self.benchmark, [each.number for each in wanted])
        assert len(restored.numbers) + len(restored.refused) == len(wanted)
        left = [each for each in wanted if each.number not in restored.numbers]
        assert all(self._with_id(each.id) for each in left)
        assert all("has the same ID" in reason for reason in restored.refused)

    @rule()
    def export_and_import(self) -> None:
        path = self.editor.files.export_benchmark(self.benchmark, self.folder / "out.jsonld")
        before = [each for each in self._questions() if each.entry.id]
        assert self.editor.files.left_out(self.benchmark) == len(self._questions()) - len(before)
        imported = self.editor.files.import_benchmark(path)
        assert imported.notes == []
        self.benchmark, self.gone = imported.benchmark_id, set()
        assert [_content(each) for each in self._questions()] == [_content(each) for each in before]

    @rule(texts=st.lists(TEXTS, min_size=1, max_size=3))
    def import_table(self, texts: list[str]) -> None:
        table = self.folder / "table.json"
        table.write_text(str([{"q": text, "a": "1"} for text in texts]).replace("'", '"'))
        done = self.editor.files.import_questions(self.benchmark, table, ImportPlan(question="q", raw_answer="a"))
        report = done.report
        assert len(done.added) + len(done.existing) + len(report.duplicates) + len(report.refused) == len(texts)

    @invariant()
    def ids_are_unique(self) -> None:
        for benchmark in self.editor.library.benchmarks.numbers():
            ids = [row.id for row in self.editor.library.questions.summaries(benchmark) if row.id]
            assert len(ids) == len(set(ids))

    @invariant()
    def an_id_follows_the_text_unless_it_was_kept_or_set_on_purpose(self) -> None:
        for each in self._questions():
            own = question_fingerprint(each.entry.question.question)
            if each.summary.id_set or each.undecided:
                assert each.entry.id != own
                assert each.summary.id_set or each.results
            else:
                assert each.entry.id in ("", own)

    @invariant()
    def a_question_without_an_id_is_unfinished_and_says_what_it_lacks(self) -> None:
        for each in self._questions():
            if not each.entry.id:
                assert not each.entry.finished
                assert self.editor.obstacles(self.benchmark, each.summary.number)

    @invariant()
    def every_result_belongs_to_a_question(self) -> None:
        known = {each.entry.id for each in self._questions()} | self.gone
        known |= {previous for each in self._questions() for previous in _previous(each)}
        for run in self.library.runs.all(self.benchmark):
            assert {row.question_id for row in self.library.results.page(run.id).rows} <= known

    def _change(self, before: OpenQuestion, changes: dict[str, Any], others: list[OpenQuestion]) -> bool:
        """Whether it was saved; if not, there is a reason, and nothing has changed."""
        number = before.summary.number
        try:
            self.editor.edit(self.benchmark, number, changes)
        except DuplicateQuestionError as error:
            assert self._names_one(error, [each for each in others if each.summary.number != number])
        except InputError as error:
            text = changes.get("question", before.entry.question.question)
            assert not text.strip()
            assert "text" in str(error)
        else:
            return True
        assert self._open(number) == before
        return False

    def _names_one(self, error: Exception, others: list[OpenQuestion]) -> bool:
        """Whether the message names one of these questions by its place and the beginning of its text."""
        places = [row.number for row in self.editor.library.questions.summaries(self.benchmark)]
        named = [
            f"Question {places.index(each.summary.number) + 1} (“{' '.join(each.entry.question.question.split())}”)"
            for each in others
        ]
        return any(name in str(error) for name in named)

    def _questions(self) -> list[OpenQuestion]:
        return [self._open(row.number) for row in self.editor.library.questions.summaries(self.benchmark)]

    def _open(self, number: int) -> OpenQuestion:
        return self.editor.question(self.benchmark, number)

    def _chosen(self, which: int) -> OpenQuestion:
        questions = self._questions()
        return questions[which % len(questions)]

    def _with_text(self, text: str) -> list[OpenQuestion]:
        return [each for each in self._questions() if each.entry.question.question == text]

    def _with_id(self, question_id: str) -> list[OpenQuestion]:
        return [each for each in self._questions() if each.entry.id == question_id]


def _previous(question: OpenQuestion) -> list[str]:
    found: list[str] = (question.entry.question.custom_metadata or {}).get(PREVIOUS_IDS, [])
    return found


def _content(question: OpenQuestion) -> dict[str, Any]:
    return question.entry.question.model_dump(exclude={"date_modified"}) | {"finished": question.entry.finished}


def test_ids_stay_unique_and_follow_the_texts_whatever_an_author_does(sandbox: Sandbox, new_library: Path) -> None:
    chosen = settings(
        max_examples=examples(2, 8), stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    run_state_machine_as_test(lambda: Authoring(sandbox, new_library), settings=chosen)


# One by one


@pytest.fixture
def benchmark(editor: BenchmarkEditor) -> int:
    return editor.create_benchmark("first")


def test_several_questions_wait_for_their_texts_side_by_side(editor: BenchmarkEditor, benchmark: int) -> None:
    numbers = [editor.add_question(benchmark).summary.number for _ in range(3)]
    assert [row.id for row in editor.library.questions.summaries(benchmark)] == ["", "", ""]
    editor.edit(benchmark, numbers[1], {"question": "Why?"})
    assert [row.id for row in editor.library.questions.summaries(benchmark)] == ["", question_fingerprint("Why?"), ""]
    assert editor.obstacles(benchmark, numbers[0])[0] == "No question text."
    assert editor.set_finished(benchmark, numbers, True) == 1
    with pytest.raises(InputError, match="Write its text first"):
        editor.edit(benchmark, numbers[0], {"finished": True})


def test_an_edit_after_results_keeps_the_id_until_it_is_decided(
    editor: BenchmarkEditor, library: Library, benchmark: int
) -> None:
    number = editor.add_question(benchmark, "Wy?").summary.number
    old = question_fingerprint("Wy?")
    answer(library, benchmark, old)
    editor.edit(benchmark, number, {"question": "Why?"})
    opened = editor.question(benchmark, number)
    assert (opened.entry.id, opened.results, opened.undecided) == (old, 1, True)
    editor.edit(benchmark, number, {"id": old})
    editor.edit(benchmark, number, {"question": "Why, then?"})
    opened = editor.question(benchmark, number)
    assert (opened.entry.id, opened.summary.id_set, opened.undecided) == (old, True, False)
    editor.edit(benchmark, number, {"id": None})
    opened = editor.question(benchmark, number)
    assert (opened.entry.id, opened.results) == (question_fingerprint("Why, then?"), 0)
    assert _previous(opened) == [old]


def test_the_link_to_the_old_question_goes_through_a_checkpoint(
    editor: BenchmarkEditor, library: Library, benchmark: int, tmp_path: Path
) -> None:
    number = editor.add_question(benchmark, "Why?").summary.number
    answer(library, benchmark, question_fingerprint("Why?"))
    editor.edit(benchmark, number, {"question": "How?"})
    editor.edit(benchmark, number, {"id": None})
    imported = editor.files.import_benchmark(
        editor.files.export_benchmark(benchmark, tmp_path / "b.jsonld")
    ).benchmark_id
    (row,) = editor.library.questions.summaries(imported)
    assert row.id == question_fingerprint("How?")
    assert _previous(editor.question(imported, row.number)) == [question_fingerprint("Why?")]


def test_an_edit_that_returns_to_the_old_text_has_nothing_to_decide(
    editor: BenchmarkEditor, library: Library, benchmark: int
) -> None:
    number = editor.add_question(benchmark, "Why?").summary.number
    answer(library, benchmark, question_fingerprint("Why?"))
    editor.edit(benchmark, number, {"question": "How?"})
    editor.edit(benchmark, number, {"question": "Why?"})
    assert not editor.question(benchmark, number).undecided


def test_an_unfinished_run_also_holds_the_id(editor: BenchmarkEditor, library: Library, benchmark: int) -> None:
    number = editor.add_question(benchmark, "Why?").summary.number
    old = question_fingerprint("Why?")
    library.runs.create(plan_of(library.benchmarks.document(benchmark), benchmark, old))
    editor.edit(benchmark, number, {"question": "How?"})
    opened = editor.question(benchmark, number)
    assert (opened.entry.id, opened.results, opened.undecided) == (old, 0, True)


def test_a_copy_gets_its_id_once_its_text_differs_or_by_hand(editor: BenchmarkEditor, benchmark: int) -> None:
    number = editor.add_question(benchmark, "Why?").summary.number
    first, second = (editor.duplicate_question(benchmark, number).summary.number for _ in range(2))
    with pytest.raises(DuplicateQuestionError, match="has the same text"):
        editor.edit(benchmark, first, {"id": None})
    editor.edit(benchmark, first, {"question": "How?"})
    editor.edit(benchmark, second, {"id": "why-2"})
    rows = [(row.text, row.id) for row in editor.library.questions.summaries(benchmark)]
    ids = [question_fingerprint("Why?"), "why-2", question_fingerprint("How?")]
    assert rows == list(zip(["Why?", "Why?", "How?"], ids, strict=True))


@pytest.mark.parametrize(("wanted", "message"), [("", "Enter an ID"), ("a\nb", "unsupported character")])
def test_an_id_that_cannot_be_used_is_refused(
    editor: BenchmarkEditor, benchmark: int, wanted: str, message: str
) -> None:
    number = editor.add_question(benchmark, "Why?").summary.number
    with pytest.raises(InputError, match=message):
        editor.edit(benchmark, number, {"id": wanted})
