"""Messages in LangChain's form, and replies read from it.

Tool calls are read from the provider's reply if its package is built on the SDK of OpenAI or Anthropic. Other packages
pass on what they have parsed: unless they keep the text of the arguments, `[]` looks like `{}`, and repeated names are
lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karenina_gui.adapters import claude_wire
from karenina_gui.adapters.json_parts import members
from karenina_gui.adapters.openai_wire import call_of, calls_of, calls_of_output
from karenina_gui.adapters.ports import CallUsage, LLMResponse
from karenina_gui.adapters.tool_calls import convert_call, safe_name
from karenina_gui.schemas.messages import Block, Message, TextBlock, ThinkingBlock
from karenina_gui.schemas.stop_reasons import refusal_sentence

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

_ROLES = {"system": "system", "user": "human", "assistant": "ai"}


def wire_messages(messages: Sequence[Message]) -> list[Any]:
    return [wire for message in messages for wire in _wire_one(message)]


def _wire_one(message: Message) -> Iterator[Any]:
    if message.tool_results:
        from langchain_core.messages import ToolMessage

        for result in message.tool_results:
            status = "error" if result.is_error else "success"
            yield ToolMessage(content=result.content, tool_call_id=result.tool_use_id, status=status)
    elif message.tool_uses:
        from langchain_core.messages import AIMessage

        calls = [{"id": use.id, "name": safe_name(use.name), "args": use.input} for use in message.tool_uses]
        yield AIMessage(content=_content(message), tool_calls=calls)
    else:
        yield _ROLES.get(message.role, "human"), message.text


def _content(message: Message) -> Any:
    """Text of a message, after its thoughts if the provider has signed them and requires them back."""
    signed = [thought.model_dump() for thought in message.thinking if thought.signature]
    if not signed:
        return message.text
    return [*signed, *([{"type": "text", "text": message.text}] if message.text else [])]


def blocks_of(message: AIMessage, body: str, response: LLMResponse) -> Iterator[Block]:
    """Blocks of a reply. Calls are read from the body if there is one."""
    sent = members(body)
    if "content" in sent:
        yield from claude_wire.blocks_of(body)
        return
    yield from _thinking_blocks(message, response)
    if response.content:
        yield TextBlock(text=response.content)
    if "choices" in sent:
        yield from calls_of(body)
    elif "output" in sent:
        yield from calls_of_output(body)
    else:
        yield from _calls(message)


def _thinking_blocks(message: AIMessage, response: LLMResponse) -> Iterator[Block]:
    """Signed blocks if there are any, which the provider wants back as they are; else the text of all thinking."""
    parts = message.content if isinstance(message.content, list) else []
    signed = [part for part in parts if isinstance(part, dict) and part.get("signature") and part.get("thinking")]
    for part in signed:
        yield ThinkingBlock(thinking=str(part["thinking"]), signature=str(part["signature"]))
    if response.thinking and not signed:
        yield ThinkingBlock(thinking=response.thinking)


def _calls(message: AIMessage) -> Iterator[Block]:
    """Calls from a package with an SDK of its own: raw if it keeps them, else as LangChain parsed them.

    Calls that LangChain could not parse come last.
    """
    sent = message.additional_kwargs.get("tool_calls")
    if isinstance(sent, list) and all(isinstance(call, dict) and "function" in call for call in sent):
        yield from (call_of(json.dumps(call, default=str)) for call in sent)
        return
    for call in (*message.tool_calls, *message.invalid_tool_calls):
        yield convert_call(call["id"], call["name"], call["args"])


def reply_of(message: AIMessage, data: dict[str, Any] | None) -> LLMResponse:
    about: dict[str, Any] = message.response_metadata
    stop = _stop_reason(about)
    refusal = message.additional_kwargs.get("refusal") or _refusal_text(message)
    # With text there is the beginning of an answer, which counts as cut off rather than refused.
    if not refusal and (stop == "refusal" or not message.text):
        refusal = refusal_sentence(stop)
    return LLMResponse(
        content=message.text,
        data=data,
        usage=_usage(message.usage_metadata, about.get("token_usage")),
        model=about.get("model_name") or about.get("model"),
        stop_reason=stop,
        refusal=str(refusal) if refusal else None,
        thinking=_reasoning_text(message) or None,
    )


def _reasoning_text(message: AIMessage) -> str:
    blocks = [block for block in message.content_blocks if block["type"] == "reasoning"]
    return "\n\n".join(filter(None, (str(block.get("reasoning") or "") for block in blocks)))


def _stop_reason(about: Mapping[str, Any]) -> str | None:
    """Stop reason, for which every provider uses another name."""
    incomplete = about.get("incomplete_details") or {}
    names = ("finish_reason", "stop_reason", "done_reason", "stopReason")
    reasons = [*(about.get(name) for name in names), incomplete.get("reason")]
    return next((str(reason) for reason in reasons if reason), None)


def _refusal_text(message: AIMessage) -> str:
    """The model's refusal, if the provider separates it from the answer."""
    parts = message.content if isinstance(message.content, list) else []
    return "".join(str(part.get("refusal") or "") for part in parts if isinstance(part, dict))


def _usage(usage: Any, sent: Any) -> CallUsage:
    """Token counts from LangChain's account, and those that only the provider's own (`sent`) has."""
    if not usage:
        return CallUsage()
    input_details = dict(usage.get("input_token_details") or {})
    of_input = sent.get("prompt_tokens_details") if isinstance(sent, dict) else None
    if isinstance(of_input, dict):
        input_details["cache_write_tokens"] = of_input.get("cache_write_tokens")
    return CallUsage(
        usage.get("input_tokens"),
        usage.get("output_tokens"),
        _positive_counts(input_details),
        _positive_counts(usage.get("output_token_details") or {}),
    )


def _positive_counts(details: Mapping[str, Any]) -> dict[str, int]:
    return {name: count for name, count in details.items() if isinstance(count, int) and count}
