"""Published versions: frozen, recognized, exported, and restored as copies."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.errors import InputError
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.canonical import benchmark_hash
from karenina_gui.schemas.command import Actor
from karenina_gui.schemas.question import Question
from karenina_gui.store.actors import acting
from karenina_gui.store.library import FILE_NAME


@pytest.fixture
def benchmark(editor: BenchmarkEditor) -> int:
    entries = [
        BenchmarkEntry(question=Question(question=text, raw_answer="a"), finished=text == "Why?", source={"x": [1]})
        for text in ("Why?", "How?")
    ]
    return editor.files.add_benchmark(BenchmarkDocument(name="Doses", entries=entries))


def test_versions_are_numbered_named_and_say_who_made_them(editor: BenchmarkEditor, benchmark: int) -> None:
    with acting(Actor("me", "Ada")):
        first = editor.publishing.publish(benchmark, " pilot ", "For the paper.")
    editor.edit(benchmark, 1, {"raw_answer": "b"})
    second = editor.publishing.publish(benchmark)
    assert [each.label for each in editor.library.published.all(benchmark)] == ["v2", "v1 (pilot)"]
    assert (first.note, first.published_by, first.questions, first.finished) == ("For the paper.", "Ada", 2, 1)
    assert first.sha256 != second.sha256 == benchmark_hash(editor.library.benchmarks.document(benchmark))


def test_an_empty_an_unchanged_or_a_namesake_version_is_refused(editor: BenchmarkEditor, benchmark: int) -> None:
    with pytest.raises(InputError, match="no questions yet"):
        editor.publishing.publish(editor.create_benchmark("Empty"))
    editor.publishing.publish(benchmark, "pilot")
    with pytest.raises(InputError, match=r"Nothing has changed since v1 \(pilot\)"):
        editor.publishing.publish(benchmark, "again")
    editor.edit(benchmark, 1, {"raw_answer": "b"})
    with pytest.raises(InputError, match="is called “pilot”"):
        editor.publishing.publish(benchmark, "pilot")


def test_the_present_state_is_recognized(editor: BenchmarkEditor, benchmark: int) -> None:
    publishing = editor.publishing
    assert publishing.present(benchmark).text == ""
    publishing.publish(benchmark, "pilot")
    assert publishing.present(benchmark).text == "v1 (pilot)"
    editor.edit(benchmark, 1, {"raw_answer": "b"})
    assert publishing.present(benchmark).text == "unpublished changes since v1"
    editor.history.undo_last(f"benchmark/{benchmark}", "")
    assert publishing.present(benchmark).text == "v1 (pilot)"


def test_nothing_changes_a_published_version(editor: BenchmarkEditor, benchmark: int) -> None:
    version = editor.publishing.publish(benchmark, "pilot", "note")
    before = editor.library.published.document(version.id)
    editor.edit(benchmark, 1, {"question": "Why now?", "raw_answer": "b", "finished": False})
    editor.edit_benchmark(benchmark, {"name": "Other", "description": "new"})
    editor.delete_questions(benchmark, [2])
    editor.history.restore(benchmark, 0)
    editor.history.undo_last(f"benchmark/{benchmark}", "")
    editor.delete_benchmark(benchmark)
    editor.restore_benchmark(benchmark)
    copy = editor.publishing.restore_copy(version.id)
    editor.edit_benchmark(copy, {"description": "newer"})
    assert editor.library.published.all(benchmark) == [version]
    assert editor.library.published.document(version.id) == before
    assert benchmark_hash(before) == version.sha256


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE published_version SET note = 'other'",
        "UPDATE frozen_benchmark SET document = x'00'",
        "DELETE FROM published_version",
        "DELETE FROM frozen_benchmark",
    ],
)
def test_the_library_file_itself_refuses_changes_of_a_version(
    editor: BenchmarkEditor, benchmark: int, statement: str
) -> None:
    editor.publishing.publish(benchmark)
    with closing(sqlite3.connect(editor.library.folder / FILE_NAME)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)


def test_an_exported_version_names_itself_and_its_edited_copy_does_not(
    editor: BenchmarkEditor, benchmark: int, tmp_path: Path
) -> None:
    version = editor.publishing.publish(benchmark, "pilot")
    editor.edit(benchmark, 1, {"raw_answer": "b"})
    path = editor.publishing.export(version.id, tmp_path / "pilot.jsonld")
    text = path.read_text("utf-8")
    assert version.sha256 in text
    assert '"karenina_gui_published_version"' in text
    again = load_checkpoint(path)
    assert benchmark_hash(again) == version.sha256
    assert again.custom_properties == {}
    assert [entry.source["x"] for entry in again.entries] == [[1], [1]]
    # Of the edited benchmark; once the edit is undone, it is the version again.
    assert version.sha256 not in editor.files.export_benchmark(benchmark, tmp_path / "own.jsonld").read_text("utf-8")
    editor.history.undo_last(f"benchmark/{benchmark}", "")
    assert version.sha256 in editor.files.export_benchmark(benchmark, tmp_path / "own.jsonld").read_text("utf-8")
    copy = editor.files.import_benchmark(path).benchmark_id
    assert version.sha256 not in editor.files.export_benchmark(copy, tmp_path / "copy.jsonld").read_text("utf-8")


def test_a_version_comes_back_as_a_copy(editor: BenchmarkEditor, benchmark: int, tmp_path: Path) -> None:
    version = editor.publishing.publish(benchmark, "pilot")
    editor.workspaces.set_root(benchmark, str(tmp_path / "tasks"), make=True)
    editor.edit(benchmark, 1, {"raw_answer": "b"})
    copies = [editor.publishing.restore_copy(version.id) for _ in range(2)]
    names = [editor.library.benchmarks.summary(each).name for each in copies]
    assert names == ["Doses v1 (pilot)", "Doses v1 (pilot) (2)"]
    (entry, _) = editor.library.benchmarks.document(copies[0]).entries
    assert (entry.question.raw_answer, entry.finished) == ("a", True)
    assert editor.library.benchmarks.on_this_computer(copies[0]).workspace_root == tmp_path / "tasks"


def test_other_finished_marks_make_another_version(editor: BenchmarkEditor, benchmark: int) -> None:
    one, two = (row.number for row in editor.library.questions.summaries(benchmark))
    editor.publishing.publish(benchmark)
    editor.set_finished(benchmark, [one], False)
    editor.set_finished(benchmark, [two], True)
    # As many as before, but a run would ask another question.
    assert editor.publishing.publish(benchmark).label == "v2"


def test_a_new_benchmark_with_a_version_is_not_undone(editor: BenchmarkEditor, benchmark: int) -> None:
    (creation,) = editor.library.commands.entries(["benchmarks"])
    editor.publishing.publish(benchmark)
    with pytest.raises(InputError, match="It has published versions"):
        editor.history.undo(creation.id)
    assert len(editor.library.published.all(benchmark)) == 1
