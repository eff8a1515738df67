"""Undo and redo of the commands of authors."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from sqlmodel import SQLModel

from karenina_gui.errors import CannotUndoError, NotFoundError
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.command import Actor, LoggedCommand, sentence
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store import command_log, command_recorder
from karenina_gui.store.actors import acting
from karenina_gui.store.capture import LOGGED
from karenina_gui.store.library import FILE_NAME, Library
from karenina_gui.store.row_mapping import NOT_CHANGED
from karenina_gui.store.runs import RunPlan
from tests.examples import examples
from tests.store.random_commands import RandomAuthor, contents, part

COMMANDS = 50
MODEL = ModelConfig(model_name="m", interface="openai_endpoint")
ME, YOU, PROGRAM = Actor("me", "Ada"), Actor("you", "Ben"), Actor()


OF_PROGRAMS = {
    *("run", "snapshot", "answer", "kept_reply", "job", "result", "result_change", "payload", "token_count"),
    *("preference", "run_choice", "draft", "proposal", "judgment_set", "command", "row_change"),
    *("published_version", "frozen_benchmark", "exchange", "linked_file"),
}
"""Tables that no command of an author is about: those of runs, of one user's window, of frozen versions, which nothing
takes back, and of the log itself."""


def test_every_table_of_authors_is_logged() -> None:
    assert set(SQLModel.metadata.tables) - OF_PROGRAMS == set(LOGGED)


def all_commands(library: Library) -> list[int]:
    scopes = ["benchmarks", "models", "presets", "prices", *(f"benchmark/{n}" for n in range(99))]
    return [each.id for each in library.commands.entries(scopes, limit=999) if each.state == "done"]


@settings(max_examples=examples(2, 300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
@example(seed=305283)  # rows of one command differ in the fields that changed
def test_any_commands_are_undone_and_redone_one_by_one(
    seed: int, sandbox: Sandbox, new_library: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    random, folder = Random(seed), tmp_path_factory.mktemp("any")
    (folder / FILE_NAME).write_bytes(new_library.read_bytes())
    before: dict[int, dict[str, list[dict[str, Any]]]] = {}
    library = Library.open(folder)
    author = RandomAuthor(library, sandbox, random)
    for _ in range(COMMANDS):
        state = contents(folder)
        author.act()
        if commands := all_commands(library):
            before.setdefault(commands[0], state)
        if random.random() < 0.1:
            library.close()
            library = Library.open(folder)
            author = RandomAuthor(library, sandbox, random)
    end, done = contents(folder), all_commands(library)
    for command in done:
        if random.random() < 0.1:
            library.close()
            library = Library.open(folder)
        library.commands.undo(command)
        scope = library.commands.get(command).scope
        assert part(contents(folder), scope) == part(before[command], scope)
    assert not any(contents(folder).values())
    for command in reversed(done):
        library.commands.redo(command)
    assert contents(folder) == end
    library.close()


@settings(max_examples=examples(2, 100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_a_refused_undo_among_two_people_changes_nothing(
    seed: int, sandbox: Sandbox, new_library: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    random, folder = Random(seed), tmp_path_factory.mktemp("two")
    (folder / FILE_NAME).write_bytes(new_library.read_bytes())
    with Library.open(folder) as library:
        author = RandomAuthor(library, sandbox, random)
        for _ in range(COMMANDS):
            with acting(random.choice([ME, YOU])):
                author.act()
        for command in random.sample(all_commands(library), len(all_commands(library))):
            before = contents(folder)
            with acting(ME):
                try:
                    library.commands.undo(command)
                except CannotUndoError as error:
                    assert "Can’t undo this" in str(error)
                    assert contents(folder) == before
                except NotFoundError:  # in a deleted benchmark
                    assert contents(folder) == before
                else:
                    library.commands.redo(command)
                    assert without_marks(contents(folder)) == without_marks(before)


def test_an_undo_restores_what_the_command_changed_and_leaves_later_edits_of_others(
    library: Library, benchmark: int
) -> None:
    with acting(ME):
        library.questions.update(benchmark, 1, {"raw_answer": "mine"})
    with acting(YOU):
        library.questions.update(benchmark, 1, {"answer_notes": "yours"})
    revision = library.questions.summary(benchmark, 1).revision
    undo(library, benchmark, ME)
    question = library.questions.entry(benchmark, 1).question
    assert (question.raw_answer, question.answer_notes) == ("?", "yours")
    assert library.questions.summary(benchmark, 1).revision == revision + 1


def test_a_new_question_with_a_comment_is_not_taken_back(library: Library, benchmark: int) -> None:
    with acting(ME):
        number = library.questions.add(benchmark, BenchmarkEntry(question=Question(question="New?", raw_answer="a")))
    with acting(YOU):
        comment = library.comments.add(number, "Grace", "Which unit?")
    with pytest.raises(CannotUndoError, match="changed again by"):
        undo(library, benchmark, ME)
    assert [each.id for each in library.comments.of(number)] == [comment]
    with acting(YOU):
        library.comments.delete(comment)
    undo(library, benchmark, ME)


def test_an_undo_is_refused_after_someone_else_edited_the_same_field(library: Library, benchmark: int) -> None:
    with acting(ME):
        library.questions.update(benchmark, 1, {"raw_answer": "mine"})
    with acting(YOU):
        library.questions.update(benchmark, 1, {"raw_answer": "yours"})
    with pytest.raises(CannotUndoError) as raised:
        undo(library, benchmark, ME)
    assert str(raised.value) == (
        "Can’t undo this: Edited the reference answer of “Why?”. "
        "It was changed again by Ben: Edited the reference answer of “Why?”."
    )
    assert library.questions.entry(benchmark, 1).question.raw_answer == "yours"
    undo(library, benchmark, YOU)
    undo(library, benchmark, ME)
    assert library.questions.entry(benchmark, 1).question.raw_answer == "?"


def test_everyone_undoes_and_redoes_their_own_commands(library: Library, benchmark: int) -> None:
    with acting(ME):
        library.questions.set_finished(benchmark, [1], True)
    with acting(YOU):
        library.questions.set_finished(benchmark, [2], True)
    undo(library, benchmark, ME)
    assert finished(library, benchmark) == [2]
    assert library.commands.next_redo(scope_of(benchmark), "you") is None
    with acting(YOU):
        library.questions.update(benchmark, 2, {"keywords": ["new"]})
    redo = library.commands.next_redo(scope_of(benchmark), "me")
    assert redo is not None and sentence(redo) == "Marked “Why?” as finished"
    library.commands.redo(redo.id)
    assert finished(library, benchmark) == [1, 2]


def test_a_new_command_ends_the_redo_of_its_author(library: Library, benchmark: int) -> None:
    library.questions.delete(benchmark, [1, 2])
    undone = undo(library, benchmark)
    library.questions.update(benchmark, 1, {"raw_answer": "new"})
    assert library.commands.next_redo(scope_of(benchmark), "") is None
    with pytest.raises(CannotUndoError, match="Can’t redo this any more: Deleted 2 questions"):
        library.commands.redo(undone.id)


def test_typing_is_one_command_until_a_pause(library: Library, benchmark: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("W", "Wh", "Who"):
        library.questions.update(benchmark, 1, {"raw_answer": text})
    monkeypatch.setattr(command_recorder, "PAUSE", -1.0)
    library.questions.update(benchmark, 1, {"raw_answer": "Whom"})
    undo(library, benchmark)
    assert library.questions.entry(benchmark, 1).question.raw_answer == "Who"
    undo(library, benchmark)
    assert library.questions.entry(benchmark, 1).question.raw_answer == "?"


def test_what_is_typed_back_leaves_no_command(library: Library, benchmark: int) -> None:
    before = library.commands.next_undo(scope_of(benchmark), "")
    for text in ("Who", "?"):
        library.questions.update(benchmark, 1, {"raw_answer": text})
    assert library.commands.next_undo(scope_of(benchmark), "") == before


def test_a_text_that_came_back_asks_a_finished_question_for_another_review(library: Library, benchmark: int) -> None:
    with acting(ME):
        library.questions.update(benchmark, 1, {"raw_answer": "mine"})
    with acting(YOU):
        library.questions.set_finished(benchmark, [1], True)
    undo(library, benchmark, ME)
    assert library.questions.summary(benchmark, 1).changed_since_review


def test_an_undone_edit_clears_the_mark_of_a_finished_question(library: Library, benchmark: int) -> None:
    rubric = {"llm_traits": [{"name": "clear", "kind": "boolean", "higher_is_better": True}]}
    library.questions.update(benchmark, 1, {"question_rubric": rubric})
    with acting(YOU):
        library.questions.set_finished(benchmark, [1], True)
    with acting(ME):
        library.questions.update(benchmark, 1, {"raw_answer": "mine"})
    with acting(YOU):
        library.questions.update(benchmark, 1, {"keywords": ["another"]})
    assert library.questions.summary(benchmark, 1).changed_since_review
    undo(library, benchmark, ME)
    assert not library.questions.summary(benchmark, 1).changed_since_review


def test_a_deletion_stays_if_another_question_has_the_id_by_now(library: Library, benchmark: int) -> None:
    library.questions.delete(benchmark, [1])
    deletion = all_commands(library)[0]
    library.questions.add(benchmark, entry("Why?"))
    with pytest.raises(CannotUndoError, match="Something else now has the same ID or name"):
        library.commands.undo(deletion)
    assert [row.number for row in library.questions.list_deleted(benchmark)] == [1]


def test_a_new_benchmark_with_edits_or_runs_is_not_undone(library: Library, benchmark: int) -> None:
    (creation,) = library.commands.entries(["benchmarks"])
    library.questions.update(benchmark, 1, {"raw_answer": "edited"})
    with pytest.raises(CannotUndoError, match="It was changed again by you: Edited the reference answer of “Why\\?”"):
        library.commands.undo(creation.id)
    undo(library, benchmark)
    library.runs.create(RunPlan(benchmark, "r", VerificationConfig(), [], "seccomp", "abc"))
    with pytest.raises(CannotUndoError, match="It has runs"):
        library.commands.undo(creation.id)


def test_an_import_with_an_edited_question_is_not_undone(library: Library, benchmark: int) -> None:
    (number, _) = library.questions.add_all(benchmark, [entry("How?"), entry("When?")])
    with acting(YOU):
        library.questions.update(benchmark, number, {"answer_notes": "mind the units"})
    with pytest.raises(CannotUndoError, match="Ben: Edited the notes of “How\\?”"):
        undo(library, benchmark)


def test_old_commands_are_pruned_apart_from_the_last_of_each_scope(
    library: Library, benchmark: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_log, "KEPT_COMMANDS", 2)
    for done in (True, False, True, False):
        library.questions.set_finished(benchmark, [1], done)
    assert library.commands.prune() == 0
    monkeypatch.setattr(command_log, "KEPT_DAYS", -1)
    assert library.commands.prune() == 2
    assert len(library.commands.entries([scope_of(benchmark)])) == 2
    assert len(library.commands.entries(["benchmarks"])) == 1
    monkeypatch.setattr(command_log, "KEPT_CHARACTERS", 0)
    library.commands.prune()
    assert library.commands.entries([scope_of(benchmark)]) == []


def test_versions_are_compared_and_restored_by_a_command_that_can_be_undone(library: Library, benchmark: int) -> None:
    library.questions.update(benchmark, 1, {"raw_answer": "first"})
    first = all_commands(library)[0]
    library.questions.delete(benchmark, [2])
    library.questions.update(benchmark, 1, {"raw_answer": "second", "answer_notes": "n"})
    added = library.questions.add(benchmark, entry("When?"))
    last = all_commands(library)[0]
    found = {row: (left, right) for row, left, right in library.versions.difference(benchmark, first, last)}
    assert found.keys() == {("question", "1"), ("question", "2"), ("question", str(added))}
    left, right = found["question", "1"]
    assert left and right and (left["raw_answer"], right["raw_answer"]) == ("first", "second")
    assert found["question", "2"][1] is None and found["question", str(added)][0] is None
    assert library.versions.difference(benchmark, first, last, ("question", "2"))[0][0] == ("question", "2")
    ((_, oldest, _),) = library.versions.difference(benchmark, 0, first)
    assert oldest and oldest["raw_answer"] == "?"
    library.versions.restore(benchmark, first)
    assert library.versions.difference(benchmark, first, 2**62) == []
    assert [row.number for row in library.questions.summaries(benchmark)] == [1, 2]
    undone = undo(library, benchmark)
    assert sentence(undone) == "Restored an earlier version of “b”"
    assert [row.number for row in library.questions.summaries(benchmark)] == [1, added]
    assert library.questions.entry(benchmark, 1).question.answer_notes == "n"


def test_programs_are_logged_without_a_name_and_nobody_undoes_them_by_shortcut(library: Library) -> None:
    with acting(ME):
        library.models.add("mine", MODEL)
    added = library.models.add("theirs", MODEL)
    library.models.rename(added.number, "other")
    mine = library.commands.next_undo("models", "me")
    assert mine is not None and sentence(mine) == "Added the model “mine”"
    assert [sentence(each) for each in library.commands.entries(["models"])] == [
        "Edited the name of the model “other”",
        "Added the model “theirs”",
        "Added the model “mine”",
    ]


def without_marks(found: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Contents without the marks of reviews, which an undo in another order adds where a text changed since."""
    return found | {"question": [row | NOT_CHANGED for row in found["question"]]}


def scope_of(benchmark: int) -> str:
    return f"benchmark/{benchmark}"


def undo(library: Library, benchmark: int, actor: Actor = PROGRAM) -> LoggedCommand:
    command = library.commands.next_undo(scope_of(benchmark), actor.person)
    assert command is not None
    with acting(actor):
        return library.commands.undo(command.id).command


def finished(library: Library, benchmark: int) -> list[int]:
    return [row.number for row in library.questions.summaries(benchmark) if row.finished]


def entry(text: str) -> BenchmarkEntry:
    return BenchmarkEntry(question=Question(question=text, raw_answer="?"), finished=False)


@pytest.fixture
def benchmark(library: Library) -> int:
    return library.benchmarks.create(BenchmarkDocument(name="b", entries=[entry("Why?"), entry("Where?")]))
