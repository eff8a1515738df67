"""Files that belong to a benchmark and change outside: told, compared, and never overwritten."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.comparison import linked_files
from karenina_gui.authoring.comparison.linked_files import LinkedFileState
from karenina_gui.authoring.comparison.merging import everything, made_by
from karenina_gui.errors import InputError
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from tests.authoring.comparison.versions import document, entry
from tests.until import comes


@pytest.fixture
def linked(editor: BenchmarkEditor, tmp_path: Path) -> Iterator[tuple[int, Path]]:
    benchmark = editor.files.add_benchmark(document(entry("Why?", "a"), entry("How?", "a")))
    path = tmp_path / "doses.jsonld"
    editor.links.write(benchmark, str(path))
    yield benchmark, path
    editor.links.close()


def condition(editor: BenchmarkEditor, benchmark: int) -> str:
    state = editor.links.state(benchmark)
    return state.condition if state else "none"


def test_a_change_outside_is_told_with_its_counts_and_nothing_is_overwritten(
    editor: BenchmarkEditor, linked: tuple[int, Path]
) -> None:
    benchmark, path = linked
    news: list[int] = []
    editor.links.changed.subscribe(news.append)
    assert editor.links.state(benchmark) == LinkedFileState(path)
    save_checkpoint(document(entry("Why?", "theirs"), entry("When?", "a"), description="new"), path)
    assert comes(lambda: condition(editor, benchmark) == "changed")
    assert editor.links.state(benchmark) == LinkedFileState(path, "changed", changed=1, added=1, deleted=1, details=1)
    assert set(news) == {benchmark}
    assert [each.question.raw_answer for each in editor.library.benchmarks.document(benchmark).entries] == ["a", "a"]
    content = path.read_bytes()
    with pytest.raises(InputError, match="Compare it first"):
        editor.links.write(benchmark)
    assert path.read_bytes() == content


def test_edits_here_and_outside_are_told_apart_until_the_file_is_settled(
    editor: BenchmarkEditor, linked: tuple[int, Path]
) -> None:
    benchmark, path = linked
    (first, *_) = editor.library.questions.summaries(benchmark)
    editor.edit(benchmark, first.number, {"keywords": ["ours"]})
    save_checkpoint(document(entry("Why?", "theirs"), entry("How?", "a")), path)
    found = editor.comparisons.open(benchmark, "linked")
    assert {each.name: each.maker for each in found.differences.questions[0].fields} == {
        "raw_answer": "theirs",
        "keywords": "ours",
    }
    editor.comparisons.apply(found, made_by(found.differences, "theirs"))
    question = editor.library.questions.entry(benchmark, first.number).question
    assert (question.raw_answer, question.keywords) == ("theirs", ["ours"])
    editor.links.settle(benchmark)
    assert condition(editor, benchmark) == "same"
    editor.links.write(benchmark)
    assert not editor.comparisons.open(benchmark, "linked").differences.some
    assert (path.parent / "doses.jsonld.bak").exists()


def test_a_file_that_is_only_written_again_is_no_news(editor: BenchmarkEditor, linked: tuple[int, Path]) -> None:
    benchmark, path = linked
    path.write_text(json.dumps(json.loads(path.read_text()), indent=4))
    editor.links.look(benchmark)
    assert condition(editor, benchmark) == "same"


def test_a_deleted_and_a_half_written_file_are_told_and_tried_again(
    editor: BenchmarkEditor, linked: tuple[int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark, path = linked
    whole = path.read_bytes()
    path.unlink()
    assert comes(lambda: condition(editor, benchmark) == "missing")
    monkeypatch.setattr(linked_files, "RETRY", 0.05)
    path.write_bytes(whole[: len(whole) // 2])
    assert comes(lambda: condition(editor, benchmark) == "broken")
    state = editor.links.state(benchmark)
    assert state is not None
    assert "doses.jsonld is not valid JSON" in state.problem
    path.write_bytes(whole)
    assert comes(lambda: condition(editor, benchmark) == "same")
    path.write_text('{"something": "else"}')
    assert comes(lambda: condition(editor, benchmark) == "broken")


def test_a_broken_file_is_tried_again_without_news_of_the_folder(
    editor: BenchmarkEditor, linked: tuple[int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark, path = linked
    whole = path.read_bytes()
    monkeypatch.setattr(linked_files, "RETRY", 0.05)
    editor.links.close()
    path.write_bytes(whole[:-20])
    editor.links.look(benchmark)
    assert condition(editor, benchmark) == "broken"
    path.write_bytes(whole)
    assert comes(lambda: condition(editor, benchmark) == "same")


def test_links_are_watched_again_after_a_restart_and_until_they_are_removed(
    editor: BenchmarkEditor, linked: tuple[int, Path]
) -> None:
    benchmark, path = linked
    editor.links.close()
    again = linked_files.LinkedFiles(editor.library)
    again.start()
    save_checkpoint(document(entry("Why?", "theirs"), entry("How?", "a")), path)
    assert comes(lambda: (state := again.state(benchmark)) is not None and state.condition == "changed")
    again.unlink(benchmark)
    assert again.state(benchmark) is None
    again.close()
    assert load_checkpoint(path).entries[0].question.raw_answer == "theirs"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("doses.jsonld", "whole path"),
        ("/tmp/doses.txt", "ends in"),
        ("/no/such/folder/doses.jsonld", "folder /no/such/folder doesn’t exist"),
    ],
)
def test_paths_that_cannot_be_linked_are_refused(editor: BenchmarkEditor, text: str, message: str) -> None:
    benchmark = editor.create_benchmark("Doses")
    for act in (editor.links.link, editor.links.write):
        with pytest.raises(InputError, match=message):
            act(benchmark, text)


def test_a_file_that_exists_is_linked_and_never_written_over(editor: BenchmarkEditor, tmp_path: Path) -> None:
    benchmark = editor.files.add_benchmark(document(entry("Why?", "a")))
    path = save_checkpoint(document(entry("Why?", "b")), tmp_path / "theirs.jsonld")
    with pytest.raises(InputError, match="Compare it first"):
        editor.links.write(benchmark, str(path))
    with pytest.raises(InputError, match="doesn’t exist"):
        editor.links.link(benchmark, str(tmp_path / "missing.jsonld"))
    editor.links.link(benchmark, str(path))
    found = editor.comparisons.open(benchmark, "linked")
    editor.comparisons.apply(found, everything(found.differences))
    assert editor.library.benchmarks.document(benchmark).entries[0].question.raw_answer == "b"
    editor.links.close()


def test_a_file_is_read_only_when_it_changes_itself(
    editor: BenchmarkEditor, linked: tuple[int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark, path = linked
    editor.links.look(benchmark)
    read: list[Path] = []
    monkeypatch.setattr(linked_files, "parse_content", lambda *about: read.append(about[1]))
    (path.parent / "other.txt").write_text("beside it")
    editor.links.look(benchmark)
    assert read == []


def test_a_file_of_other_content_is_compared_before_it_is_written_over(editor: BenchmarkEditor, tmp_path: Path) -> None:
    benchmark = editor.files.add_benchmark(document(entry("Why?", "a"), entry("How?", "a")))
    path = save_checkpoint(document(entry("Why?", "of a colleague"), entry("How?", "a")), tmp_path / "other.jsonld")
    editor.links.link(benchmark, str(path))
    editor.links.look(benchmark)
    assert editor.links.state(benchmark) == LinkedFileState(path, "changed", changed=1, never_seen=True)
    with pytest.raises(InputError, match="Compare it first"):
        editor.links.write(benchmark)
    editor.comparisons.open(benchmark, "linked")
    editor.links.settle(benchmark)
    assert editor.links.state(benchmark) == LinkedFileState(path)
    editor.links.write(benchmark)
    assert load_checkpoint(path).entries[0].question.raw_answer == "a"
    editor.links.close()


def test_a_file_of_the_benchmark_itself_is_linked_without_comparison(editor: BenchmarkEditor, tmp_path: Path) -> None:
    path = save_checkpoint(document(entry("Why?", "a")), tmp_path / "own.jsonld")
    benchmark = editor.files.import_benchmark(path).benchmark_id
    (only,) = editor.library.questions.summaries(benchmark)
    editor.edit(benchmark, only.number, {"raw_answer": "edited here"})
    editor.links.link(benchmark, str(path))
    assert editor.links.state(benchmark) == LinkedFileState(path)
    editor.links.write(benchmark)
    editor.links.close()
