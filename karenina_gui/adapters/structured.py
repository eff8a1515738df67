"""A judge out of any model: structured data from free text, checked, with one round of feedback."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from karenina_gui.adapters.json_text import extract_json
from karenina_gui.adapters.ports import LLMPort, LLMRequest, LLMResponse, ParsedReply, ParsePortResult, ParseTarget
from karenina_gui.errors import ParseError, RefusalError
from karenina_gui.schemas.messages import Message

_CUT_OFF = ("length", "max_tokens")


class StructuredParser:
    """A `ParserPort` over an `LLMPort`."""

    def __init__(self, llm: LLMPort) -> None:
        self._llm = llm

    def parse_to_pydantic(self, request: LLMRequest, target: ParseTarget) -> ParsePortResult:
        """The reply that fits `target`, after one round of feedback if the first does not.

        Fields left null without need are asked for once more and then taken as they are.
        """
        request = replace(request, json_schema=target.json_schema)
        first = self._ask(request)
        reply = _read(first, target)
        complaints = _complaints(reply, target.json_schema)
        if not complaints:
            return _result(reply, first)
        second = self._ask(_with_feedback(request, first, complaints))
        better = _read(second, target)
        if not better.errors:
            return _result(better, first, second)
        if not reply.errors:
            return _result(reply, first, second)
        raise ParseError(
            f"The judge's reply does not fit the template, not even after feedback: {' '.join(better.errors)}",
            raw_response=_text(second) or _text(first),
        )

    def _ask(self, request: LLMRequest) -> LLMResponse:
        response = self._llm.invoke(request)
        if response.refusal is not None:
            raise RefusalError(f"The judge declined to reply: {response.refusal}", explanation=response.refusal)
        return response


def _read(response: LLMResponse, target: ParseTarget) -> ParsedReply:
    data = response.data if response.data is not None else extract_json(response.content)
    if data is not None:
        return target.check(data)
    if response.stop_reason in _CUT_OFF:
        return ParsedReply(errors=("The reply was cut off at the token limit before a JSON object was complete.",))
    return ParsedReply(errors=("The reply holds no JSON object.",))


def _complaints(reply: ParsedReply, schema: dict[str, Any]) -> list[str]:
    nulls = [name for name in reply.nulls if name in schema.get("required", ()) and not _may_be_null(schema, name)]
    return [*reply.errors, *(f"'{name}' is null, but a value is required." for name in nulls)]


def _may_be_null(schema: dict[str, Any], name: str) -> bool:
    field = schema.get("properties", {}).get(name, {})
    kinds = [field.get("type"), *(option.get("type") for option in field.get("anyOf", ()))]
    return any(kind == "null" or (isinstance(kind, list) and "null" in kind) for kind in kinds)


def _with_feedback(request: LLMRequest, reply: LLMResponse, complaints: Sequence[str]) -> LLMRequest:
    listed = "\n".join(f"- {complaint}" for complaint in complaints)
    feedback = Message.of(
        "user",
        f"Your reply cannot be used as it is:\n{listed}\n\n"
        "Read the answer again and reply with one complete JSON object that fits the schema. "
        "Where the answer does not say what a field asks for, leave it null.",
    )
    said = Message.of("assistant", _text(reply) or "(empty reply)")
    return replace(request, messages=(*request.messages, said, feedback))


def _result(reply: ParsedReply, *responses: LLMResponse) -> ParsePortResult:
    retries: Counter[str] = Counter()
    for response in responses:
        retries.update(response.retries)
    return ParsePortResult(
        reply=reply,
        usages=tuple(response.usage for response in responses),
        raw_response=_text(responses[-1]),
        model=responses[-1].model,
        retries=dict(retries),
    )


def _text(response: LLMResponse) -> str:
    if response.content or response.data is None:
        return response.content
    return json.dumps(response.data, ensure_ascii=False)
