"""Drafts in replies: described fields, code in JSON, code in prose, or no draft at all."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from pydantic import ValidationError

from karenina_gui.adapters.ports import LLMResponse
from karenina_gui.authoring.drafting.template_writer import read_description, write_template
from karenina_gui.errors import InputError
from karenina_gui.schemas.model_draft import DraftAttempt, DraftFault, SuggestedTrait
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.stop_reasons import early_end, has_no_tokens_left, refusal_sentence

MOST = 20_000
"""Characters of a reply that are kept."""
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_DECLINES = re.compile(
    r"\b(?:can(?:no|['’])t|can not|won['’]t|will not|unable to|not able to|must decline|have to decline)\b",
    re.IGNORECASE,
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
        traits = [SuggestedTrait.model_validate(each) for each in suggested]
    except ValidationError as error:
        fault = DraftFault(kind="invalid", message=f"A suggested trait is incomplete. {first_problem(error)}")
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
    fenced = [found for found in _FENCE.findall(text) if "BaseAnswer" in found]
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
        if "BaseAnswer" in (kept := "\n".join(lines[:end])) and _is_python(kept):
            return kept
    return code


def _is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _with_line_end(code: str) -> str:
    return code.strip("\n").rstrip() + "\n"


def _without_draft(response: LLMResponse, what: str) -> DraftFault:
    text = response.content.strip()
    if _DECLINES.search(text[:300]):
        return DraftFault(kind="refusal", message="The model declined to draft.")
    said = "The reply is empty." if not text and response.data is None else f"The reply has no {what}."
    return DraftFault(kind="no_code", message=said)


def reply_text(response: LLMResponse) -> str:
    """Reply as it is kept, and repeated to the model."""
    if response.content or response.data is None:
        return response.content
    return json.dumps(response.data, ensure_ascii=False)
