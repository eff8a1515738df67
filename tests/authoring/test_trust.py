"""Trust in the code of a benchmark: declared once for it, on this computer, where nothing locks code up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.changes import Change
from karenina_gui.errors import NotFoundError
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark_summaries import QuestionFilter
from karenina_gui.store.library import Library
from tests.test_trust import NEEDS_PYTHON

FUNCTION = "import statistics\ndef short(text):\n    return statistics.mean([len(text)]) < 9\n"


@pytest.fixture
def unlocked() -> Iterator[Sandbox]:
    with Sandbox(slots=1, rung=5) as sandbox:
        yield sandbox


@pytest.fixture
def editor(library: Library, unlocked: Sandbox) -> BenchmarkEditor:
    return BenchmarkEditor(library, unlocked)


def written(editor: BenchmarkEditor) -> tuple[int, int]:
    """A benchmark with a question whose template needs all of Python; gives both numbers."""
    benchmark = editor.create_benchmark("Means")
    number = editor.add_question(benchmark, "What is the mean of 40 and 44?", "42").summary.number
    editor.edit(benchmark, number, {"answer_template": NEEDS_PYTHON})
    return benchmark, number


def test_a_trusted_benchmark_alone_runs_code_without_a_lock(editor: BenchmarkEditor) -> None:
    benchmark, number = written(editor)
    other = editor.create_benchmark("Another")
    refused = editor.check_question(benchmark, number)
    assert refused is not None and refused.fault == "refused"
    editor.set_trusted(benchmark, True)
    trusted = editor.check_question(benchmark, number)
    assert trusted is not None and trusted.valid and trusted.execution == "unlocked"
    assert editor.templates(benchmark).try_answer(NEEDS_PYTHON, "It is 42.").regex.success
    assert editor.traits(benchmark).check_function(FUNCTION) == []
    assert editor.traits(benchmark).try_function({"kind": "boolean", "source": FUNCTION}, "short").value is True
    assert editor.templates(other).check(NEEDS_PYTHON).fault == "refused"
    assert "needs full Python" in editor.traits(other).check_function(FUNCTION)[0].message


def test_trust_is_withdrawn(editor: BenchmarkEditor) -> None:
    benchmark, number = written(editor)
    editor.set_trusted(benchmark, True)
    assert editor.library.benchmarks.trusted_at(benchmark) is not None
    assert editor.check_question(benchmark, number)
    editor.set_trusted(benchmark, False)
    assert editor.library.benchmarks.trusted_at(benchmark) is None
    assert not editor.library.benchmarks.trusts(benchmark)
    refused = editor.check_question(benchmark, number)
    assert refused is not None and refused.fault == "refused"


def test_templates_are_checked_again_with_other_trust(editor: BenchmarkEditor) -> None:
    benchmark, number = written(editor)
    assert editor.check_all(benchmark) == 1
    heard: list[Change] = []
    editor.changed.subscribe(heard.append)
    editor.set_trusted(benchmark, True)
    assert heard == [Change(benchmark, "replaced")]
    assert [each.number for each in editor.library.questions.summaries(benchmark, QuestionFilter(unchecked=True))] == [
        number
    ]
    assert editor.check_all(benchmark) == 0


def test_trust_neither_leaves_with_a_file_nor_counts_as_an_edit(editor: BenchmarkEditor, tmp_path: Path) -> None:
    benchmark, _ = written(editor)
    before = editor.library.benchmarks.summary(benchmark)
    editor.set_trusted(benchmark, True)
    assert editor.library.benchmarks.summary(benchmark) == before
    file = tmp_path / "means.jsonld"
    editor.files.export_benchmark(benchmark, file)
    assert "trust" not in file.read_text()
    assert not editor.library.benchmarks.trusts(editor.files.import_benchmark(file).benchmark_id)


def test_a_deleted_benchmark_is_not_trusted(editor: BenchmarkEditor) -> None:
    benchmark, _ = written(editor)
    editor.set_trusted(benchmark, True)
    editor.delete_benchmark(benchmark)
    assert not editor.library.benchmarks.trusts(benchmark)
    with pytest.raises(NotFoundError):
        editor.set_trusted(benchmark, True)
