"""Differences that are taken over: singly, by kind, by maker, and all of them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.comparison.differences import compare
from karenina_gui.authoring.comparison.merging import Choice, everything, made_by, of_kind
from karenina_gui.errors import InputError
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.command import sentence
from karenina_gui.store.library import FILE_NAME, Library
from tests.authoring.comparison.versions import any_document, document, edited, entry
from tests.examples import examples


@settings(max_examples=examples(8, 400), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_taking_everything_over_makes_both_versions_equal_and_is_undone_in_one_step(
    seed: int, sandbox: Sandbox, new_library: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    random, folder = Random(seed), tmp_path_factory.mktemp("merge")
    (folder / FILE_NAME).write_bytes(new_library.read_bytes())
    before = any_document(random)
    with Library.open(folder) as library:
        editor = BenchmarkEditor(library, sandbox)
        number = editor.files.add_benchmark(before)
        path = save_checkpoint(edited(before, random), folder / "other.jsonld")
        comparisons = editor.comparisons
        found = comparisons.open(number, comparisons.add_file(path))
        comparisons.apply(found, everything(found.differences))
        after = comparisons.again(found)
        assert not after.differences.some
        written = editor.files.export_benchmark(number, folder / "written.jsonld")
        assert not compare(load_checkpoint(written), load_checkpoint(path)).some
        if found.differences.some:
            assert editor.history.undo_last(f"benchmark/{number}", "") is not None
        assert not compare(before, library.benchmarks.document(number)).some


@settings(max_examples=examples(8, 400), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_choice_by_maker_leaves_what_this_side_made(seed: int) -> None:
    random = Random(seed)
    base = any_document(random)
    here, there = edited(base, random), edited(base, random)
    found = compare(here, there, base)
    taken, kept = made_by(found, "theirs"), made_by(found, "ours")
    for key, names in taken.questions.items():
        assert names is None or not names & (kept.questions.get(key) or frozenset())
    assert not taken.details & kept.details


@pytest.fixture
def benchmark(editor: BenchmarkEditor) -> int:
    return editor.files.add_benchmark(document(entry("Why?", "a"), entry("How?", "a"), entry("Who?", "a")))


def taken(editor: BenchmarkEditor, benchmark: int, other: BenchmarkDocument, choice: Choice, folder: Path) -> list[str]:
    path = save_checkpoint(other, folder / "other.jsonld")
    found = editor.comparisons.open(benchmark, editor.comparisons.add_file(path))
    editor.comparisons.apply(found, choice)
    return [
        f"{each.question.question} {each.question.raw_answer}"
        for each in editor.library.benchmarks.document(benchmark).entries
    ]


def test_single_fields_and_questions_are_taken_over(editor: BenchmarkEditor, benchmark: int, tmp_path: Path) -> None:
    why, how = entry("Why?", "b", keywords=["new"]), entry("How?", "b")
    when = entry("When?", "a")
    choice = Choice({why.id: frozenset({"keywords"}), when.id: None, entry("Who?").id: None})
    assert taken(editor, benchmark, document(why, how, when), choice, tmp_path) == ["Why? a", "How? a", "When? a"]
    assert editor.library.benchmarks.document(benchmark).entries[0].question.keywords == ["new"]
    (command,) = editor.library.commands.entries([f"benchmark/{benchmark}"], limit=1)
    assert sentence(command) == "Applied changes to 3 questions from other.jsonld"


def test_all_of_a_kind_are_taken_over(editor: BenchmarkEditor, benchmark: int, tmp_path: Path) -> None:
    other = document(entry("Why?", "b"), entry("When?", "a"), description="new")
    found = compare(editor.library.benchmarks.document(benchmark), other)
    assert taken(editor, benchmark, other, of_kind(found, "there"), tmp_path)[-1] == "When? a"
    assert taken(editor, benchmark, other, of_kind(found, "here"), tmp_path) == ["Why? a", "When? a"]
    assert taken(editor, benchmark, other, of_kind(found, "changed"), tmp_path) == ["Why? b", "When? a"]
    assert editor.library.benchmarks.frame(benchmark).description == ""
    taken(editor, benchmark, other, Choice(details=frozenset({"description"})), tmp_path)
    assert editor.library.benchmarks.frame(benchmark).description == "new"


def test_a_finished_question_that_is_changed_asks_for_a_new_review(
    editor: BenchmarkEditor, benchmark: int, tmp_path: Path
) -> None:
    other = document(entry("Why?", "b"), entry("How?", "a", keywords=["k"]), entry("Who?", "a"))
    found = compare(editor.library.benchmarks.document(benchmark), other)
    taken(editor, benchmark, other, everything(found), tmp_path)
    marks = [each.changed_since_review for each in editor.library.questions.summaries(benchmark)]
    assert marks == [True, False, False]


def test_two_texts_that_change_places_are_taken_over(editor: BenchmarkEditor, benchmark: int, tmp_path: Path) -> None:
    why, how = entry("How?", "a", id=entry("Why?").id), entry("Why?", "a", id=entry("How?").id)
    choice = Choice({why.id: None, how.id: None})
    assert taken(editor, benchmark, document(why, how, entry("Who?", "a")), choice, tmp_path) == [
        "How? a",
        "Why? a",
        "Who? a",
    ]


def test_a_text_is_taken_over_without_the_id_that_results_refer_to(
    editor: BenchmarkEditor, benchmark: int, tmp_path: Path
) -> None:
    corrected, key = entry("Why ?", "a"), entry("Why?").id
    assert (
        taken(editor, benchmark, document(corrected), Choice({key: frozenset({"question"})}), tmp_path)[0] == "Why ? a"
    )
    assert editor.library.benchmarks.document(benchmark).entries[0].id == key
    taken(editor, benchmark, document(corrected), Choice({key: frozenset({"id"})}), tmp_path)
    assert editor.library.benchmarks.document(benchmark).entries[0].id == corrected.id


def test_unknown_content_of_both_files_survives(editor: BenchmarkEditor, benchmark: int, tmp_path: Path) -> None:
    own, theirs = entry("Why?", "a"), entry("When?", "a")
    own.source = {"@type": "DataFeedItem", "x-own": {"deep": [1]}}
    theirs.source = {"@type": "DataFeedItem", "x-theirs": 2}
    mine = editor.files.import_benchmark(save_checkpoint(document(own, source={"x-root": 3}), tmp_path / "mine.jsonld"))
    other = document(entry("Why?", "b"), theirs)
    found = compare(document(own), other)
    taken(editor, mine.benchmark_id, other, everything(found), tmp_path)
    text = editor.files.export_benchmark(mine.benchmark_id, tmp_path / "out.jsonld").read_text("utf-8")
    assert all(part in text for part in ('"x-own"', '"x-theirs"', '"x-root"', '"deep"'))


def test_edits_of_others_meanwhile_are_not_overwritten(editor: BenchmarkEditor, benchmark: int, tmp_path: Path) -> None:
    path = save_checkpoint(document(entry("Why?", "b"), entry("How?", "a")), tmp_path / "other.jsonld")
    found = editor.comparisons.open(benchmark, editor.comparisons.add_file(path))
    numbers = [row.number for row in editor.library.questions.summaries(benchmark)]
    editor.edit(benchmark, numbers[0], {"raw_answer": "of another author"})
    with pytest.raises(InputError, match="edited in the meantime"):
        editor.comparisons.apply(found, everything(found.differences))
    assert editor.library.questions.entry(benchmark, numbers[0]).question.raw_answer == "of another author"
    # Another question: the choice is still about the same differences.
    found = editor.comparisons.again(found)
    editor.edit(benchmark, numbers[1], {"raw_answer": "another"})
    editor.comparisons.apply(found, Choice({found.differences.questions[0].key: None}))
    assert editor.library.questions.entry(benchmark, numbers[0]).question.raw_answer == "b"


def test_an_earlier_state_and_a_version_are_compared(editor: BenchmarkEditor, benchmark: int) -> None:
    (first, *_) = editor.library.questions.summaries(benchmark)
    version = editor.publishing.publish(benchmark)
    editor.edit(benchmark, first.number, {"raw_answer": "b", "keywords": ["k"], "author": {"name": "Ada"}})
    (command, *_) = editor.library.commands.entries([f"benchmark/{benchmark}"], limit=1)
    editor.delete_questions(benchmark, [first.number])
    for address in (f"command:{command.id}", f"version:{version.id}"):
        found = editor.comparisons.open(benchmark, address)
        assert [each.kind for each in found.differences.differing] == ["there"]
    found = editor.comparisons.open(benchmark, f"command:{command.id}")
    assert found.differences.differing[0].there is not None
    assert found.differences.differing[0].there.question.author == {"name": "Ada"}


def test_an_edited_export_of_a_version_is_compared_by_that_version(
    editor: BenchmarkEditor, benchmark: int, tmp_path: Path
) -> None:
    first = editor.publishing.publish(benchmark)
    file = json.loads(editor.publishing.export(first.id, tmp_path / "v1.jsonld").read_text("utf-8"))
    why, *others = editor.library.questions.summaries(benchmark)
    editor.edit(benchmark, why.number, {"raw_answer": "ours"})
    editor.delete_questions(benchmark, [each.number for each in others])
    editor.publishing.publish(benchmark)
    # The returned file resembles the second version more, but was edited from the first.
    file["dataFeedElement"] = [each for each in file["dataFeedElement"] if "Why" in each["item"]["text"]]
    file["dataFeedElement"][0]["item"]["acceptedAnswer"]["text"] = "theirs"
    returned = tmp_path / "returned.jsonld"
    returned.write_text(json.dumps(file), "utf-8")
    found = editor.comparisons.open(benchmark, editor.comparisons.add_file(returned)).differences
    assert {each.name: each.maker for each in found.questions[0].fields}["raw_answer"] == "both"


def test_a_copy_and_its_original_have_a_common_ancestor(editor: BenchmarkEditor, benchmark: int) -> None:
    copy = editor.duplicate_benchmark(benchmark)
    (ours, *_), (theirs, *_) = (editor.library.questions.summaries(each) for each in (benchmark, copy))
    editor.edit(benchmark, ours.number, {"keywords": ["ours"]})
    editor.edit(copy, theirs.number, {"answer_notes": "theirs"})
    for here, there, makers in ((benchmark, copy, ("ours", "theirs")), (copy, benchmark, ("theirs", "ours"))):
        found = editor.comparisons.open(here, f"benchmark:{there}").differences
        assert {each.name: each.maker for each in found.questions[0].fields} == dict(
            zip(("keywords", "answer_notes"), makers, strict=True)
        )
    other = editor.files.add_benchmark(document(entry("Unrelated?", "x")))
    assert not editor.comparisons.open(benchmark, f"benchmark:{other}").differences.by_ancestor


def test_everything_of_published_checkpoints_is_taken_over(editor: BenchmarkEditor, shared: Path) -> None:
    for path in sorted((shared / "checkpoints").glob("*.jsonld")):
        benchmark = editor.create_benchmark("Empty")
        found = editor.comparisons.open(benchmark, editor.comparisons.add_file(path))
        editor.comparisons.apply(found, everything(found.differences))
        left = editor.comparisons.again(found).differences
        assert (path.name, left.differing, left.details) == (path.name, (), ())
