"""Saved answers of a run: written before they are judged, reused when the run is resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from karenina_gui.pipeline.generated_answer import GeneratedAnswer
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig

if TYPE_CHECKING:
    from karenina_gui.store.answers import Answers


class AnswerCache:
    """Saved answers of one run. Thread-safe.

    Only a few milliseconds pass between the last byte of a provider's reply and the end of `keep`. A process that is
    killed therefore loses at most the replies in flight, one for each active call.
    """

    def __init__(self, answers: Answers, run_id: int) -> None:
        self._answers = answers
        self._run_id = run_id
        self._from_before = answers.keys(run_id)

    def find(self, job: Job) -> GeneratedAnswer | None:
        """Answer saved by an earlier process; None: it must be generated."""
        if job.answer_key not in self._from_before:
            return None
        payload = self._answers.get(self._run_id, job.answer_key)
        return None if payload is None else from_data(payload)

    def save(self, job: Job, model: ModelConfig, answer: GeneratedAnswer) -> None:
        """Save an answer, with three exceptions.

        Recorded answers are part of the run's configuration. An agent's answer at its time limit is not saved, because
        its job ends as a timeout and is retried with a new answer. An answer with more changed files than are saved
        cannot be judged later.
        """
        if model.interface == "manual" or answer.timeout_reached or (answer.left and not answer.left.complete):
            return
        self._answers.save(self._run_id, job.answer_key, as_data(answer))


_STORED = TypeAdapter(GeneratedAnswer)


def as_data(answer: GeneratedAnswer) -> dict[str, Any]:
    """JSON values of an answer; messages keep their blocks."""
    data: dict[str, Any] = _STORED.dump_python(answer, mode="json")
    return data


def from_data(data: dict[str, Any]) -> GeneratedAnswer:
    """The inverse of `as_data`."""
    return _STORED.validate_python(data)
