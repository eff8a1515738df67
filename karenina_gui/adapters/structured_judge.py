"""A judge from any model: structured data from free text, checked, with one feedback round."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from karenina_gui.adapters.json_text import all_objects, last_object
from karenina_gui.adapters.ports import LLMPort, LLMRequest, LLMResponse, ParsedReply, ParsePortResult, ParseTarget
from karenina_gui.errors import ParseError, PortError, RefusalError
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.stop_reasons import early_end, is_cut_off
from karenina_gui.text.strict_json import is_finite
from karenina_gui.text.truncation import shorten

_LONGEST_QUOTE = 100
"""Bytes of each of two contradicting objects that are quoted: the reason of a failure has room for both."""


class StructuredParser:
    """A `ParserPort` over an `LLMPort`."""

    def __init__(self, llm: LLMPort) -> None:
        self._llm = llm

    def parse_to_pydantic(self, request: LLMRequest, target: ParseTarget) -> ParsePortResult:
        """Return the reply that fits `target`, after one feedback round if the first does not.

        Fields that are missing, or null without need, are asked for once more and then accepted. An error carries the
        token counts of the replies before it.
        """
        responses: list[LLMResponse] = []
        try:
            reply = self._parse(replace(request, json_schema=target.json_schema), target, responses)
        except PortError as error:
            error.usages = tuple(response.usage for response in responses)
            error.retries = _retries(error.retries, *(response.retries for response in responses))
            error.model = responses[-1].model if responses else None
            raise
        return ParsePortResult(
            reply=reply,
            usages=tuple(response.usage for response in responses),
            raw_response=_text(responses[-1]),
            model=responses[-1].model,
            retries=_retries(*(response.retries for response in responses)),
        )

    def _parse(self, request: LLMRequest, target: ParseTarget, responses: list[LLMResponse]) -> ParsedReply:
        """Parse, appending every response to `responses` as it arrives."""
        first = self._ask(request, responses)
        reply = _check_reply(first, target)
        complaints = _complaints(reply, target.json_schema)
        if not complaints:
            return reply
        second = self._ask(_with_feedback(request, first, complaints), responses)
        better = _check_reply(second, target)
        if not better.errors and (reply.errors or len(_complaints(better, target.json_schema)) <= len(complaints)):
            return better
        if not reply.errors:
            return reply
        raise ParseError(
            f"The judge’s reply doesn’t fit the response schema, even after a retry. {' '.join(better.errors)}",
            raw_response=_text(second) or _text(first),
        )

    def _ask(self, request: LLMRequest, responses: list[LLMResponse]) -> LLMResponse:
        response = self._llm.invoke(request)
        responses.append(response)
        if response.refusal is not None:
            raise RefusalError(f"The judge declined to reply: {response.refusal}", explanation=response.refusal)
        return response


def _check_reply(response: LLMResponse, target: ParseTarget) -> ParsedReply:
    fields = target.json_schema.get("properties", {})
    stopped = is_cut_off(response.stop_reason)
    data = response.data if response.data is not None else last_object(response.content, fields, stopped=stopped)
    if data is not None and is_finite(data):
        reply = target.check(_unwrap(data, target.json_schema))
        return _conflict(response.content, data, reply, target) or reply
    if data is not None:
        return ParsedReply(errors=("The reply has NaN or Infinity where JSON has numbers only.",))
    if (cause := early_end(response.stop_reason)) is not None:
        return ParsedReply(errors=(f"The reply was cut off before a JSON object was complete: {cause}.",))
    if response.thinking and not response.content:
        return ParsedReply(errors=("The reply holds a thought, but no JSON object.",))
    return ParsedReply(errors=("The reply holds no JSON object.",))


def _conflict(content: str, data: dict[str, Any], reply: ParsedReply, target: ParseTarget) -> ParsedReply | None:
    """Error about two objects of one reply that both fit, but differ; None: there are no such two.

    One may be a quotation of the answer or a first attempt, and the order does not say which.
    """
    schema = target.json_schema
    objects = all_objects(content, schema.get("properties", {}))
    # A call's arguments are the reply itself, whatever the text beside it quotes.
    if len(objects) < 2 or data not in objects or reply.errors or not _has_required(data, schema):
        return None
    other = next((other for other in objects if other != data and _fits_otherwise(other, reply, target)), None)
    if other is None:
        return None
    both = " and ".join(shorten(json.dumps(fields, ensure_ascii=False), _LONGEST_QUOTE) for fields in (other, data))
    return ParsedReply(errors=(f"The reply holds two different objects that fit the schema: {both}.",))


def _fits_otherwise(other: dict[str, Any], reply: ParsedReply, target: ParseTarget) -> bool:
    """True if the object fits the schema with other values than the reply."""
    schema = target.json_schema
    if not _has_required(other, schema) or not is_finite(other):
        return False
    parsed = target.check(_unwrap(other, schema))
    return not parsed.errors and (parsed.values, parsed.nulls) != (reply.values, reply.nulls)


def _has_required(data: dict[str, Any], schema: dict[str, Any]) -> bool:
    return set(schema.get("required", ())) <= _unwrap(data, schema).keys()


def _unwrap(data: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Contents of `{"answer": {...}}` if the schema has the inner fields but no `answer`.

    Small models often add this level.
    """
    fields = schema.get("properties", {}).keys()
    if len(data) != 1 or data.keys() & fields:
        return data
    inner = next(iter(data.values()))
    return inner if isinstance(inner, dict) and inner.keys() & fields else data


def _complaints(reply: ParsedReply, schema: dict[str, Any]) -> list[str]:
    nulls = [name for name in reply.nulls if name in schema.get("required", ()) and not _may_be_null(schema, name)]
    return [
        *reply.errors,
        *(f"'{name}' is missing." for name in reply.missing),
        *(f"'{name}' is null, but a value is required." for name in nulls),
    ]


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
    rejected = Message.of("assistant", _text(reply) or "(empty reply)")
    # Also in words: a server that ignores the schema sent a reply that does not fit.
    return replace(request, messages=(*request.messages, rejected, feedback), schema_in_words=True)


def _retries(*counts: Mapping[str, int]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return dict(total)


def _text(response: LLMResponse) -> str:
    if response.content or response.data is None:
        return response.content
    return json.dumps(response.data, ensure_ascii=False)
