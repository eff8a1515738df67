"""A second import of one file updates the benchmark, or becomes a copy with a name of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.import_export import BenchmarkFile


@pytest.fixture
def benchmark(editor: BenchmarkEditor) -> int:
    made = editor.create_benchmark("Doses", "as it was")
    for text in ("Why?", "How?", "Who?"):
        editor.add_question(made, text, "a")
    return made


@pytest.fixture
def newer(editor: BenchmarkEditor, benchmark: int, tmp_path: Path) -> BenchmarkFile:
    """A file of the benchmark in which one question is changed, one is new, and one is missing."""
    editor.files.export_benchmark(benchmark, tmp_path / "doses.jsonld")
    file = editor.files.read_benchmark(tmp_path / "doses.jsonld")
    first, _, third = file.document.entries
    first.question.raw_answer = "b"
    new = third.model_copy(update={"question": third.question.model_copy(update={"id": "new", "question": "When?"})})
    document = file.document.model_copy(update={"entries": [first, third, new], "description": "newer"})
    return BenchmarkFile(document, [], file.same_name)


def test_a_file_of_a_known_name_tells_what_it_would_change(
    editor: BenchmarkEditor, benchmark: int, newer: BenchmarkFile
) -> None:
    assert newer.same_name == benchmark
    found = editor.files.updates.compare(benchmark, newer.document)
    assert [entry.id for entry in found.added] == ["new"]
    assert list(found.changed.values()) == [{"raw_answer": "b"}]
    assert (found.same, found.missing, found.details) == (1, 1, {"description": "newer"})


def test_an_update_takes_over_what_differs_and_is_undone(
    editor: BenchmarkEditor, benchmark: int, newer: BenchmarkFile
) -> None:
    before = state(editor, benchmark)
    updates = editor.files.updates
    updates.apply(updates.compare(benchmark, newer.document))
    assert state(editor, benchmark) == [
        ("newer", [("Why?", "b"), ("How?", "a"), ("Who?", "a"), ("When?", "a")]),
    ]
    assert not updates.compare(benchmark, newer.document).some
    (command, *_) = editor.library.commands.entries([f"benchmark/{benchmark}"], limit=1)
    editor.history.undo(command.id)
    assert state(editor, benchmark) == before


def test_a_second_copy_has_a_name_of_its_own(editor: BenchmarkEditor, newer: BenchmarkFile) -> None:
    names = [editor.files.add_file(newer, numbered=True).name for _ in range(2)]
    assert names == ["Doses (2)", "Doses (3)"]
    assert sorted(each.name for each in editor.library.benchmarks.summaries()) == ["Doses", *names]


def state(editor: BenchmarkEditor, benchmark: int) -> list[Any]:
    document = editor.library.benchmarks.document(benchmark)
    return [(document.description, [(each.question.question, each.question.raw_answer) for each in document.entries])]
