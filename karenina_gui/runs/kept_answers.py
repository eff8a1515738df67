"""The answers of a run outside its memory: kept before anybody judges them, found again when the run goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from karenina_gui.pipeline.generated_answer import GeneratedAnswer
from karenina_gui.runs.expansion import Job
from karenina_gui.schemas.config import ModelConfig

if TYPE_CHECKING:
    from karenina_gui.store.answers import Answers


class KeptAnswers:
    """Those of one run. Thread-safe.

    Between the last byte of a provider's reply and the end of `keep` there is nothing but the work of a few
    milliseconds: a process that is killed loses at most the replies that were on their way to it at that moment, one
    for each call under way. Everything that `keep` has returned for is on disk and is never asked for again.
    """

    def __init__(self, answers: Answers, run_id: int) -> None:
        self._answers = answers
        self._run_id = run_id
        self._from_before = answers.keys(run_id)

    def find(self, job: Job) -> GeneratedAnswer | None:
        """What an earlier process was answered; None: this answer has to be asked for."""
        if job.answer_key not in self._from_before:
            return None
        payload = self._answers.get(self._run_id, job.answer_key)
        return None if payload is None else from_data(payload)

    def keep(self, job: Job, model: ModelConfig, answer: GeneratedAnswer) -> None:
        """Three kinds are not kept.

        Recorded answers, which stand in the run's configuration already; what an agent said until its time was over:
        its job ends as a timeout, and such jobs are done anew, with a new answer; and an answer that goes with more
        changed files than are kept, which nobody could judge later.
        """
        if model.interface == "manual" or answer.timeout_reached or (answer.left and not answer.left.complete):
            return
        self._answers.keep(self._run_id, job.answer_key, as_data(answer))


_STORED = TypeAdapter(GeneratedAnswer)


def as_data(answer: GeneratedAnswer) -> dict[str, Any]:
    """All of it as JSON values; the messages keep their blocks."""
    data: dict[str, Any] = _STORED.dump_python(answer, mode="json")
    return data


def from_data(data: dict[str, Any]) -> GeneratedAnswer:
    """The inverse of `as_data`."""
    return _STORED.validate_python(data)
