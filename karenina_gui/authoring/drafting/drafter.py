"""Drafting of one template or of traits: calls of the model, drafts in its replies, checks, and retries.

A reply has described fields, code in JSON, code in prose, or no draft at all. A problem is fed back to the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from karenina_gui.adapters.ports import LLMPort, LLMRequest, LLMResponse, Purpose
from karenina_gui.authoring.drafting.prompts import TEMPLATE_SCHEMA, TRAIT_SCHEMA, about_question, feedback
from karenina_gui.authoring.drafting.template_writer import read_description, write_template
from karenina_gui.authoring.expected_parts import expected_parts, missing_remarks
from karenina_gui.authoring.leaks import leak_sentence, leaks
from karenina_gui.authoring.mutation_sentences import mutation_sentence
from karenina_gui.authoring.mutations import AcceptsEverything, AcceptsWrongValues, MutationCase, mutation_cases
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.errors import InputError, PortError
from karenina_gui.sandbox.inside.syntax_tree import syntax_tree
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_draft import (
    INCOMPLETE_TRAITS,
    DraftAttempt,
    DraftFault,
    DraftFaultKind,
    ModelDraft,
    SuggestedTrait,
)
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.stop_reasons import early_end, has_no_tokens_left, refusal_sentence
from karenina_gui.schemas.template import TemplateOutline

RETRIES = 2
"""Number of times that a model may correct a draft."""
MOST = 20_000
"""Characters of a reply that are kept."""
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_DECLINES = re.compile(
    r"\b(?:can(?:no|['’])t|can not|won['’]t|will not|unable to|not able to|must decline|have to decline)\b",
    re.IGNORECASE,
)
SHORTEST_LEAK = 2
"""Characters of the shortest value that counts as a leak: rewording a draft costs its author nothing."""


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
    draft = Message.of("assistant", reply_text(response) or "(empty reply)")
    fix = Message.of("user", feedback(fault.message))
    first = task.first_request
    return LLMRequest(
        (*first.messages, draft, fix), task.purpose, task.schema, question_id=task.question_id, schema_in_words=True
    )


def template_attempt(response: LLMResponse) -> DraftAttempt:
    """Template in a reply, or the fault for which the reply has none."""
    attempt = _begin(response)
    if attempt.fault is not None:
        return attempt
    try:
        source = _source_in(response)
    except InputError as error:
        return attempt.model_copy(update={"fault": DraftFault(kind="invalid", message=str(error))})
    if source is None:
        return attempt.model_copy(update={"fault": _without_draft(response, "template")})
    return attempt.model_copy(update={"source": source})


def trait_attempt(response: LLMResponse) -> DraftAttempt:
    """Traits in a reply, or the fault for which the reply has none."""
    attempt = _begin(response)
    if attempt.fault is not None:
        return attempt
    suggested = _data_of(response).get("traits")
    if not isinstance(suggested, list) or not suggested:
        return attempt.model_copy(update={"fault": _without_draft(response, "traits")})
    try:
        traits = [SuggestedTrait.model_validate(trait) for trait in suggested]
    except ValidationError as error:
        fault = DraftFault(kind="invalid", message=f"{INCOMPLETE_TRAITS} {first_problem(error)}")
        return attempt.model_copy(update={"fault": fault})
    return attempt.model_copy(update={"traits": traits})


def _begin(response: LLMResponse) -> DraftAttempt:
    usage = response.usage
    return DraftAttempt(
        reply=reply_text(response)[:MOST],
        fault=_broken_off(response),
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
    )


def _broken_off(response: LLMResponse) -> DraftFault | None:
    if response.refusal is not None:
        return DraftFault(kind="refusal", message=f"The model declined to draft: {response.refusal}")
    if stopped := refusal_sentence(response.stop_reason):
        return DraftFault(kind="refusal", message=stopped)
    if (cause := early_end(response.stop_reason)) is not None:
        advice = " Increase the model’s maximum output tokens." if has_no_tokens_left(response.stop_reason) else ""
        return DraftFault(kind="cut_off", message=f"The reply was cut off: {cause}.{advice}")
    return None


def _source_in(response: LLMResponse) -> str | None:
    """Source of a template in a reply; None if it contains none. Raises `InputError` for unusable descriptions."""
    data = _data_of(response)
    if isinstance(code := data.get("code"), str) and "BaseAnswer" in code:
        return _code_in(code) or _with_line_end(code)
    # A description is safer than code: our own writer never leaves syntax errors.
    if data.get("fields"):
        return write_template(read_description(data))
    return _code_in(response.content)


def _data_of(response: LLMResponse) -> dict[str, Any]:
    """JSON object of a reply; empty if it contains no object. Recordings and plug-ins may leave it in the text."""
    if response.data is not None:
        return response.data
    fenced = _FENCE.search(response.content)
    try:
        data = json.loads(fenced[1] if fenced else response.content)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _code_in(text: str) -> str | None:
    """Python code with a template, in fences or between prose; None if it contains no such code."""
    fenced = [block for block in _FENCE.findall(text) if "BaseAnswer" in block]
    if fenced:
        return _with_line_end(fenced[-1])
    begin = re.search(r"^(?:from |import |class \w+\(\s*BaseAnswer)", text, re.MULTILINE)
    if begin is None or "BaseAnswer" not in text[begin.start() :]:
        return None
    return _with_line_end(_without_prose(text[begin.start() :]))


def _without_prose(code: str) -> str:
    """Code without the sentences after it: everything up to the last line with which it is valid."""
    lines = code.splitlines()
    for end in range(len(lines), 0, -1):
        if "BaseAnswer" in (part := "\n".join(lines[:end])) and _is_python(part):
            return part
    return code


def _is_python(code: str) -> bool:
    try:
        syntax_tree(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _with_line_end(code: str) -> str:
    return code.strip("\n").rstrip() + "\n"


def _without_draft(response: LLMResponse, what: str) -> DraftFault:
    text = response.content.strip()
    if _DECLINES.search(text[:300]):
        return DraftFault(kind="refusal", message="The model declined to draft.")
    message = "The reply is empty." if not text and response.data is None else f"The reply has no {what}."
    return DraftFault(kind="no_code", message=message)


def reply_text(response: LLMResponse) -> str:
    """Reply as it is kept, and repeated to the model."""
    if response.content or response.data is None:
        return response.content
    return json.dumps(response.data, ensure_ascii=False)


def check_draft(source: str, playground: TemplatePlayground, reference: str) -> tuple[DraftFault | None, list[str]]:
    """The fault of a template, or None, and remarks on what deserves a look."""
    outline = playground.check(source)
    if not outline.valid:
        return DraftFault(kind="invalid", message=_first_error(outline)), []
    cases = mutation_cases(source, outline, playground, reference)
    # Before leaks, because a template that accepts everything is useless whatever its words give away.
    doubted = [case for case in cases if not _is_remark(case)]
    if doubted:
        return DraftFault(kind=_kind(doubted[0]), message=" ".join(map(mutation_sentence, doubted))), []
    if leaked := leaks(outline, SHORTEST_LEAK):
        return DraftFault(kind="leak", message=" ".join(map(leak_sentence, leaked))), []
    remarks = [mutation_sentence(case) for case in cases]
    remarks += [problem.message for problem in outline.problems]
    return None, [*remarks, *missing_remarks(expected_parts(outline), reference)]


def _first_error(outline: TemplateOutline) -> str:
    problem = outline.first_error
    if problem is None:
        return "The template is invalid."
    # Syntax errors name their line themselves.
    named = problem.line is None or f"line {problem.line}" in problem.message
    return problem.message if named else f"{problem.message.rstrip('.')} (line {problem.line})."


def _is_remark(case: MutationCase) -> bool:
    return isinstance(case, AcceptsWrongValues) and case.remark


def _kind(case: MutationCase) -> DraftFaultKind:
    if isinstance(case, AcceptsEverything):
        return "accepts_everything"
    return "accepts_wrong" if isinstance(case, AcceptsWrongValues) else "refuses_expected"
