"""Edits of a question's sample answers, each saved at once and never over an edit of another window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karenina_gui.gui.records.optimistic_edit import RemoteValue
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.gui.records.record import RecordField
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.sample_answer import SAMPLE_ANSWERS, SampleAnswer, sample_answers, with_samples

Samples = list[SampleAnswer]


class SampleEdits:
    """Edits of the sample answers of one question."""

    def __init__(self, draft: QuestionDraft) -> None:
        self._draft = draft
        self._field = draft.field(SAMPLE_ANSWERS, _records, _changes)

    @property
    def samples(self) -> Samples:
        return sample_answers(self._draft.question)

    async def add(self, *samples: SampleAnswer) -> bool:
        """Append samples; returns True if they were saved."""
        return await self._change(lambda before: [*before, *samples])

    async def update(self, sample_id: str, **changes: Any) -> bool:
        """Change fields of a sample; returns True if it was saved, or is gone."""
        return await self._change(
            lambda before: [
                sample.model_copy(update=changes) if sample.id == sample_id else sample for sample in before
            ]
        )

    async def remove(self, sample_id: str) -> bool:
        return await self._change(lambda before: [sample for sample in before if sample.id != sample_id])

    async def insert(self, index: int, sample: SampleAnswer) -> bool:
        """Bring a removed sample back to its place (from 0)."""
        return await self._change(lambda before: [*before[:index], sample, *before[index:]])

    def text(self, sample_id: str) -> RecordField[Question]:
        """Text of a sample, for a control that is bound to it."""

        def read(question: Question) -> str:
            return next((sample.text for sample in sample_answers(question) if sample.id == sample_id), "")

        def changes(question: Question, text: Any) -> dict[str, Any]:
            after = [
                _with_text(sample, str(text or "")) if sample.id == sample_id else sample
                for sample in sample_answers(question)
            ]
            return {"custom_metadata": with_samples(question.custom_metadata, after)}

        return self._draft.field(f"{SAMPLE_ANSWERS}.{sample_id}", read, changes)

    async def _change(self, edit: Callable[[Samples], Samples]) -> bool:
        # Until it is saved over what is stored now, because samples are edited from several windows and by judges.
        while True:
            base = self._field.read()
            outcome = await self._draft.save_field(self._field, _as_records(edit(self.samples)), base)
            if isinstance(outcome, RemoteValue):
                continue  # another window changed the samples: do the same to those
            if outcome is not None:
                self._draft.window.notify(outcome, "bad")
            return outcome is None


def _with_text(sample: SampleAnswer, text: str) -> SampleAnswer:
    # What a judge extracted belongs to the text that it has read.
    outdated = {"values": None, "judge": None} if sample.judge else {}
    return sample.model_copy(update={"text": text, **outdated})


def _records(question: Question) -> list[dict[str, Any]]:
    return _as_records(sample_answers(question))


def _as_records(samples: Samples) -> list[dict[str, Any]]:
    return [sample.model_dump(mode="json") for sample in samples]


def _changes(question: Question, records: list[dict[str, Any]]) -> dict[str, Any]:
    return {"custom_metadata": with_samples(question.custom_metadata, map(SampleAnswer.model_validate, records))}
