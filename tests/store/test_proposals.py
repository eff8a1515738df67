"""Drafts of models in the library."""

from __future__ import annotations

import pytest

from karenina_gui.errors import NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.model_draft import DraftAttempt, ModelDraft
from karenina_gui.schemas.question import Question
from karenina_gui.store.library import Library
from karenina_gui.store.proposals import DraftOrigin


def benchmark(library: Library) -> tuple[int, list[int]]:
    entries = [BenchmarkEntry(question=Question(question=text, raw_answer="1"), finished=False) for text in "abc"]
    benchmark_id = library.benchmarks.create(BenchmarkDocument(name="Drafted", entries=entries))
    return benchmark_id, [row.number for row in library.questions.summaries(benchmark_id)]


def draft(source: str = "x") -> ModelDraft:
    return ModelDraft(attempts=[DraftAttempt(reply="r", source=source, input_tokens=3, output_tokens=2)])


def test_open_drafts_are_in_the_order_of_their_questions_without_deleted_ones(library: Library) -> None:
    benchmark_id, numbers = benchmark(library)
    for number in (numbers[2], numbers[0], numbers[1]):
        library.proposals.add(DraftOrigin(benchmark_id, number, "template", "a:m", "Draft.", "Which?"), draft())
    library.proposals.add(DraftOrigin(benchmark_id, None, "traits", "a:m", "Suggest.", "Which?"), draft())
    library.questions.delete(benchmark_id, [numbers[1]])
    assert [each.number for each in library.proposals.open(benchmark_id, "template")] == [numbers[0], numbers[2]]
    shown = [each.id for each in library.proposals.open(benchmark_id, "template")]
    assert library.proposals.open_ids(benchmark_id, "template") == shown
    assert library.proposals.count_open(benchmark_id, "template") == 2
    assert library.proposals.count_open(benchmark_id, "traits") == 1
    assert [each.number for each in library.proposals.open(benchmark_id, "traits")] == [None]
    assert library.proposals.open_of(benchmark_id, None, "template") is None


def test_a_draft_is_saved_whole_and_replaces_the_open_one(library: Library) -> None:
    benchmark_id, (number, *_) = benchmark(library)
    origin = DraftOrigin(benchmark_id, number, "template", "a:m", "Draft.", "Which?", "sample recording")
    first = library.proposals.add(origin, draft("first"))
    second = library.proposals.add(origin, draft("second"))
    found = library.proposals.open_of(benchmark_id, number, "template")
    assert found is not None
    assert (found.id, found.draft, found.recording, found.state) == (second, draft("second"), origin.recording, "open")
    with pytest.raises(NotFoundError, match="no longer exists"):
        library.proposals.get(first)


def test_settled_drafts_stay_for_estimates(library: Library) -> None:
    benchmark_id, (number, *_) = benchmark(library)
    origin = DraftOrigin(benchmark_id, number, "template", "a:m", "Draft.", "Which?")
    first = library.proposals.add(origin, draft("first"))
    assert library.proposals.set_state(first, "refused").state == "refused"
    library.proposals.add(origin, draft("second"))
    assert library.proposals.count_open(benchmark_id, "template") == 1
    assert [each.last.source for each in library.proposals.recent("a:m", "template")] == ["second", "first"]
    assert library.proposals.recent("a:other", "template") == []
