"""Drafting of one template or of traits: calls of the model, checks, and retries with the problem fed back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from karenina_gui.adapters.ports import LLMPort, LLMRequest, LLMResponse, Purpose
from karenina_gui.authoring.drafting.checks import check_draft
from karenina_gui.authoring.drafting.prompts import TEMPLATE_SCHEMA, TRAIT_SCHEMA, about_question, feedback
from karenina_gui.authoring.drafting.replies import reply_text, template_attempt, trait_attempt
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.errors import InputError, PortError
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_draft import DraftAttempt, DraftFault, ModelDraft
from karenina_gui.schemas.question import Question

RETRIES = 2
"""Number of times that a model may correct a draft."""


@dataclass(frozen=True)
class DraftTask:
    """A request to a model, and the reading of its reply."""

    purpose: Purpose
    schema: dict[str, Any]
    instructions: str
    subject: str
    """User message."""
    read: Callable[[LLMResponse], tuple[DraftAttempt, list[str]]]
    """Returns the checked attempt, and remarks."""
    question_id: str | None = None

    @property
    def first_request(self) -> LLMRequest:
        messages = (Message.of("system", self.instructions), Message.of("user", self.subject))
        return LLMRequest(messages, self.purpose, self.schema, question_id=self.question_id)


def draft(task: DraftTask, llm: LLMPort) -> ModelDraft:
    """Ask the model until a draft has no fault, at most `RETRIES` times again. Raises `RunCancelled`."""
    attempts: list[DraftAttempt] = []
    request = task.first_request
    remarks: list[str] = []
    while len(attempts) <= RETRIES:
        try:
            response = llm.invoke(request)
        except (PortError, InputError) as error:
            if attempts:  # what it drafted before says more than the failed call
                remarks = [f"The model couldn’t correct its draft. {error}"]
            else:
                attempts.append(DraftAttempt(fault=DraftFault(kind="call", message=str(error))))
            break
        attempt, remarks = task.read(response)
        attempts.append(attempt)
        if attempt.fault is None:
            break
        request = _again(task, response, attempt.fault)
    return ModelDraft(attempts=attempts, remarks=remarks)


def template_task(question: Question, instructions: str, playground: TemplatePlayground) -> DraftTask:
    """Task of drafting the template of a question."""

    def read(response: LLMResponse) -> tuple[DraftAttempt, list[str]]:
        attempt = template_attempt(response)
        if attempt.fault is not None:
            return attempt, []
        fault, remarks = check_draft(attempt.source, playground, question.raw_answer)
        return attempt.model_copy(update={"fault": fault}), remarks

    subject = about_question(question)
    return DraftTask("template_draft", TEMPLATE_SCHEMA, instructions, subject, read, question.id or None)


def trait_task(subject: str, instructions: str, taken: set[str]) -> DraftTask:
    """Task of suggesting traits. `taken`: names of existing ones in lower case."""

    def read(response: LLMResponse) -> tuple[DraftAttempt, list[str]]:
        attempt = trait_attempt(response)
        return attempt.model_copy(update={"fault": attempt.fault or _trait_fault(attempt, taken)}), []

    return DraftTask("trait_draft", TRAIT_SCHEMA, instructions, subject, read)


def _trait_fault(attempt: DraftAttempt, taken: set[str]) -> DraftFault | None:
    names = set(taken)
    for trait in attempt.traits:
        name = trait.name.strip().lower()
        problem = None
        if not name or not trait.description.strip():
            problem = "A suggested trait has no name or no description."
        elif name in names:
            problem = f"The trait “{trait.name}” exists already."
        elif trait.kind == "score" and trait.min_score >= trait.max_score:
            problem = f"The lowest score of “{trait.name}” is not below its highest."
        if problem:
            return DraftFault(kind="invalid", message=problem)
        names.add(name)
    return None


def _again(task: DraftTask, response: LLMResponse, fault: DraftFault) -> LLMRequest:
    """The request with the reply and its problem; the model sees only its latest draft."""
    said = Message.of("assistant", reply_text(response) or "(empty reply)")
    asked = Message.of("user", feedback(fault.message))
    first = task.first_request
    return LLMRequest(
        (*first.messages, said, asked), task.purpose, task.schema, question_id=task.question_id, schema_in_words=True
    )
