"""Editor of sample answers, for everything that is not typed into them: judges, results, and whole benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from karenina_gui.authoring.bench import needs_judge
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.benchmark_summaries import QuestionFilter
from karenina_gui.schemas.edits import Conflict, Saved
from karenina_gui.schemas.sample_answer import SampleAnswer, SampleToRead, sample_answers, with_samples
from karenina_gui.schemas.template import TemplateOutline
from karenina_gui.store.library import Library


class QuestionEditor(Protocol):
    """Edits and checks questions, see `BenchmarkEditor`."""

    library: Library

    def edit(
        self, benchmark_id: int, number: int, changes: dict[str, Any], *, expected_revision: int | None = None
    ) -> Saved | Conflict: ...
    def check_template(self, benchmark_id: int, number: int, source: str) -> TemplateOutline: ...
    def check_question(self, benchmark_id: int, number: int) -> TemplateOutline | None: ...


class SampleEditor:
    """Changes sample answers as they are at that moment, and tests the template on them; thread-safe."""

    def __init__(self, editor: QuestionEditor) -> None:
        self._editor = editor
        self._questions = editor.library.questions

    def to_read(self, benchmark_id: int, numbers: Sequence[int] | None = None) -> list[SampleToRead]:
        """Sample answers that a judge must read before valid templates can be tested on them.

        `numbers`: questions to look at; None: all of the benchmark.
        """
        question_filter = QuestionFilter(numbers=None if numbers is None else tuple(numbers), has_template=True)
        rows = [row for row in self._questions.summaries(benchmark_id, question_filter) if row.samples]
        unread_samples = []
        for row in rows:
            # One by one: few questions have samples, and each outline is needed only once.
            question = self._questions.entry(benchmark_id, row.number).question
            outline = self._editor.check_template(benchmark_id, row.number, question.answer_template or "")
            if outline.valid:
                unread = [sample for sample in sample_answers(question) if needs_judge(sample, outline)]
                unread_samples += [SampleToRead(row.number, question, sample) for sample in unread]
        return unread_samples

    def add(self, benchmark_id: int, number: int, sample: SampleAnswer) -> None:
        """Append a sample answer to a question. Raises `InputError` if it has one with this text."""

        def add(samples: list[SampleAnswer]) -> list[SampleAnswer]:
            if any(existing.text == sample.text for existing in samples):
                raise InputError("This answer is among the samples of its question already.")
            return [*samples, sample]

        self._change(benchmark_id, number, add)

    def remove(self, benchmark_id: int, number: int, sample_id: str) -> None:
        """Remove a sample answer of a question, if it is there."""
        self._change(benchmark_id, number, lambda samples: [sample for sample in samples if sample.id != sample_id])

    def keep_extraction(self, benchmark_id: int, read: SampleToRead, values: dict[str, Any], judge: str) -> bool:
        """Keep the values that a judge extracted from a sample; False: its text was edited since, or it is gone."""
        was = read.sample

        def fill(samples: list[SampleAnswer]) -> list[SampleAnswer]:
            return [
                sample.model_copy(update={"values": values, "judge": judge})
                if (sample.id, sample.text) == (was.id, was.text)
                else sample
                for sample in samples
            ]

        try:
            return self._change(benchmark_id, read.number, fill)
        except NotFoundError:
            return False

    def _change(
        self, benchmark_id: int, number: int, change: Callable[[list[SampleAnswer]], list[SampleAnswer]]
    ) -> bool:
        """Edit the samples as they are now, and test the template on them; False: nothing changed."""
        saved: Saved | Conflict | None = None
        while not isinstance(saved, Saved):
            entry, summary, _ = self._questions.load_details(benchmark_id, number)
            before = sample_answers(entry.question)
            # Nothing to save: the sample was deleted, or its text edited, while a judge read it.
            if (after := change(before)) == before:
                return False
            changes = {"custom_metadata": with_samples(entry.question.custom_metadata, after)}
            saved = self._editor.edit(benchmark_id, number, changes, expected_revision=summary.revision)
        self._editor.check_question(benchmark_id, number)
        return True
