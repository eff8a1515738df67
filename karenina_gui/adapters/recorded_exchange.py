"""One recorded exchange with a model.

Its entries: `key`, `model`, `config`, `purpose`, `replicate`, `request` (messages, json_schema) and `response` (a
reply, or `{"error": ...}`).

`key` is the same for equal requests to equally configured models. `config` is the id of the model's configuration if it
differs from the model's name: two configurations of one model may reply differently to the same request.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from pydantic import TypeAdapter

from karenina_gui.adapters.ports import CallUsage, LLMRequest, LLMResponse
from karenina_gui.errors import AuthenticationError, ProviderError
from karenina_gui.schemas.messages import Block, Message
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.text.surrogates import without_surrogates

_BLOCKS: TypeAdapter[tuple[Block, ...]] = TypeAdapter(tuple[Block, ...])
_NOT_SAMPLING = ("endpoint_base_url_mode",)
"""Entries of `extra_kwargs` that change where a request goes, not what it asks."""
_OUR_NOTES: dict[str, Any] = {"usage_metadata": True, "timestamp": True, "content": {"__all__": {"server"}}}
_NO_JUDGING = ("answer_generation", "connection_check")
"""Purposes that judges do not have."""
_NOT_EVERYWHERE = {"run_command"}
"""Tools that only computers that can confine them offer."""


def exchange_of(model: ModelConfig, request: LLMRequest, outcome: LLMResponse | ProviderError) -> dict[str, Any]:
    exchange = {
        "key": exchange_key(model, request),
        "model": model.model_name,
        **({"config": model.id} if model.id != model.model_name else {}),
        "purpose": request.purpose,
        "replicate": request.replicate,
        **_judge_replicate(request),
        "request": {"messages": _plain(request.messages), "json_schema": request.json_schema, **_tools(request)},
        "response": _reply(outcome) if isinstance(outcome, LLMResponse) else {"error": _plain_error(outcome)},
    }
    return without_surrogates(exchange)


def _judge_replicate(request: LLMRequest) -> dict[str, int]:
    """Empty for an answer that is judged once: recordings that are older than repeated judging stay valid."""
    return {} if request.judge_replicate is None else {"judge_replicate": request.judge_replicate}


def exchange_key(model: ModelConfig, request: LLMRequest) -> str:
    """Hash of a request: the model, its messages and its sampling settings, but not its address.

    The tools offered do not count: their results are in the messages, and a computer that cannot confine commands
    offers one less.
    """
    identity = {
        "model": model.model_name,
        "purpose": request.purpose,
        "replicate": request.replicate,
        "messages": _plain(request.messages),
        "json_schema": request.json_schema,
        "temperature": model.temperature,
        "max_tokens": model.max_tokens,
        **_judge_replicate(request),
        "extra": {k: v for k, v in model.extra_kwargs.items() if k not in _NOT_SAMPLING},
    }
    return _digest(identity)


def judging_key(model: str | None, request: LLMRequest) -> str | None:
    """Hash of a request to a judge of this name, whatever its sampling settings; None: the purpose is not judging.

    The run sets the judges' temperature (`VerificationConfig.fixed_judges`), so a recording serves runs with another
    one. Answers differ: their sampling settings may be what is compared.
    """
    plain = {"messages": _plain(request.messages), "json_schema": request.json_schema}
    return _judging_key(model, request.purpose, request.replicate, request.judge_replicate, plain)


def judging_key_of(exchange: dict[str, Any]) -> str | None:
    """`judging_key` of a recorded exchange."""
    again = exchange.get("judge_replicate")
    return _judging_key(
        exchange.get("model"), exchange.get("purpose"), exchange.get("replicate"), again, exchange["request"]
    )


def _judging_key(model: Any, purpose: Any, replicate: Any, again: Any, request: dict[str, Any]) -> str | None:
    if purpose in _NO_JUDGING:
        return None
    identity = [model, purpose, replicate, again, request.get("messages"), request.get("json_schema")]
    return _digest(identity)


def schema_key(schema: Any) -> str:
    """Hash of a response schema."""
    return _digest(schema)


def _digest(data: Any) -> str:
    # Any change of this form would orphan every recording that exists.
    canonical = json.dumps(
        without_surrogates(data), sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str
    )
    return hashlib.sha256(canonical.encode()).hexdigest()


def offered_as_much(exchange: dict[str, Any], request: LLMRequest) -> bool:
    """True if the recorded request offered the same tools as this one, by name."""
    offered = {tool["name"] for tool in exchange["request"].get("tools", ())}
    return offered - _NOT_EVERYWHERE == {tool.name for tool in request.tools} - _NOT_EVERYWHERE


def config_of(exchange: dict[str, Any]) -> str:
    """Id of the model's configuration."""
    return str(exchange.get("config", exchange.get("model")))


def is_error(exchange: dict[str, Any]) -> bool:
    return "error" in exchange["response"]


def replay_exchange(exchange: dict[str, Any]) -> LLMResponse:
    """Return the recorded reply. Raises the recorded `ProviderError`, with its category and retries."""
    response = exchange["response"]
    if is_error(exchange):
        raise _played_error(response["error"])
    usage = CallUsage(**response.get("usage") or {})
    blocks = _BLOCKS.validate_python(response.get("blocks") or ())
    return LLMResponse(**{**response, "usage": usage, "blocks": blocks})


def _reply(response: LLMResponse) -> dict[str, Any]:
    plain = asdict(replace(response, blocks=()))
    # A single reply is one request.
    del plain["usage"]["requests"]
    if plain["usage"]["method"] is None:
        # Recordings from before the method was saved have none.
        del plain["usage"]["method"]
    blocks = [block.model_dump(mode="json") for block in response.blocks]
    return {**plain, "blocks": blocks} if blocks else {k: v for k, v in plain.items() if k != "blocks"}


def _tools(request: LLMRequest) -> dict[str, Any]:
    """Empty without tools, so that recordings from before there were any stay valid."""
    return {"tools": [asdict(tool) for tool in request.tools]} if request.tools else {}


def _plain(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Messages as sent to a model, without our notes (such as the server of a call), which no model sees."""
    return [message.model_dump(mode="json", exclude=_OUR_NOTES) for message in messages]


def _plain_error(error: ProviderError) -> dict[str, Any]:
    return {"message": str(error), "category": error.category, "status": error.status, "retries": error.retries}


def _played_error(error: dict[str, Any]) -> ProviderError:
    if error["category"] == "authentication":
        return AuthenticationError(error["message"], status=error.get("status"))
    fault = ProviderError(error["message"], category=error["category"], status=error.get("status"))
    fault.retries = dict(error.get("retries") or {})
    return fault
