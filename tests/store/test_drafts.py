from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.edits import WaitingEdit
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library


@pytest.mark.parametrize("typed", ["a text", "", None, ["dose"], [{"name": "A book", "year": 1999}]])
def test_what_was_typed_comes_back_as_it_was(library: Library, typed: Any) -> None:
    library.drafts.save("question/1/notes", "ada", typed, None)
    (found,) = library.drafts.of("ada")
    assert (found.address, found.typed, found.base) == ("question/1/notes", typed, None)


def test_a_draft_is_there_when_the_library_is_opened_again(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        library.drafts.save("question/1/notes", "ada", "mine", "old")
    with Library.open(tmp_path) as library:
        assert [edit.typed for edit in library.drafts.of("ada")] == ["mine"]


def test_the_last_one_of_a_place_counts(library: Library) -> None:
    library.drafts.save("question/1/notes", "ada", "mine", "old")
    library.drafts.save("question/1/notes", "ada", "mine, longer", "old")
    assert [edit.typed for edit in library.drafts.of("ada")] == ["mine, longer"]


def test_people_and_places_do_not_mix(library: Library) -> None:
    library.drafts.save("question/1/notes", "ada", "of ada", "old")
    library.drafts.save("question/1/notes", "bob", "of bob", "old")
    library.drafts.save("question/12/notes", "ada", "of twelve", "old")
    assert [edit.typed for edit in library.drafts.of("ada", "question/1")] == ["of ada"]
    library.drafts.discard("question/1/notes", "ada")
    assert [edit.typed for edit in library.drafts.of("ada")] == ["of twelve"]
    assert [edit.typed for edit in library.drafts.of("bob")] == ["of bob"]


def test_forgetting_what_is_not_there_does_nothing(library: Library) -> None:
    library.drafts.discard("question/1/notes", "ada")
    assert library.drafts.of("ada") == []


def test_an_edit_of_a_preset_waits_as_long_as_the_preset_is_there(library: Library) -> None:
    preset = library.presets.save(Preset(name="Quick", config=VerificationConfig()))
    library.drafts.save(f"preset/{preset.id}/name", "ada", "Quicker", "Quick")
    assert library.drafts.waiting("ada") == [WaitingEdit(None, None, "name", preset.id)]
    library.presets.delete(preset.id)
    assert library.drafts.waiting("ada") == []


def test_what_waits_is_found_by_benchmark_and_question_while_they_are_there(library: Library) -> None:
    benchmark = library.benchmarks.create(BenchmarkDocument(name="arithmetic"))
    entry = BenchmarkEntry(question=Question(question="What is 6 x 7?", raw_answer="42"), finished=False)
    library.questions.add(benchmark, entry)
    (row,) = library.questions.summaries(benchmark)
    library.drafts.save(f"benchmark/{benchmark}/description", "ada", "Sums", "")
    library.drafts.save(f"question/{row.number}/author.email", "ada", "no address", "")
    places = [
        WaitingEdit(benchmark, row.number, "author.email"),
        WaitingEdit(benchmark, None, "description"),
    ]
    assert sorted(library.drafts.waiting("ada"), key=str) == sorted(places, key=str)
    numbers = library.questions.delete(benchmark, [row.number])
    assert library.drafts.waiting("ada") == places[1:]
    library.questions.restore(benchmark, numbers)
    library.benchmarks.delete(benchmark)
    assert library.drafts.waiting("ada") == []
