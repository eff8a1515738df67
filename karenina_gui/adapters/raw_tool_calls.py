"""Tool calls, removed from a provider's reply before LangChain reads it.

LangChain repairs arguments: `[]` and `0` become `{}`, of two values with one name the last one counts, and a reply with
arguments of another form cannot be read at all. So it reads a reply without its calls, and this package reads those as
they were sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karenina_gui.adapters.json_parts import decode

if TYPE_CHECKING:
    import httpx2


@dataclass
class LastReply:
    """Body of the last reply; empty if there was none, or its format is unknown."""

    without_calls: bool
    """True: LangChain gets the reply without its tool calls."""
    body: str = ""


_HEARD: ContextVar[LastReply | None] = ContextVar("heard", default=None)


@contextmanager
def hear_replies(*, without_calls: bool) -> Iterator[LastReply]:
    """Keep the body of replies that clients of `with_listener` receive in this block."""
    heard = LastReply(without_calls)
    token = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(token)


def with_listener(client: httpx2.Client) -> httpx2.Client:
    """A client that sends through this one, and closes it."""
    import httpx2

    class Listening(httpx2.BaseTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            heard = _HEARD.get()
            if heard is None:
                return client.send(request, stream=True)
            response = client.send(request)
            # Only JSON of a known format is changed. Everything else, error pages included, passes through.
            try:
                body = decode(response.content)
                left = _without_calls(json.loads(body))
            except (ValueError, RecursionError):
                left = None
            if left is None:
                return response
            heard.body = body
            if not heard.without_calls:
                return response
            headers = [(name, value) for name, value in response.headers.items() if name not in _OF_THE_BODY]
            return httpx2.Response(response.status_code, headers=headers, content=json.dumps(left).encode())

        def close(self) -> None:
            client.close()

    return httpx2.Client(transport=Listening())


_OF_THE_BODY = ("content-encoding", "content-length", "transfer-encoding")
"""Headers that describe the encoding of a body."""


def _without_calls(reply: Any) -> dict[str, Any] | None:
    """The reply without its tool calls; None: not a format of OpenAI (both APIs) or Anthropic."""
    if not isinstance(reply, dict):
        return None
    if isinstance(choices := reply.get("choices"), list):
        for choice in choices:
            _drop_calls(choice)
        return reply
    if isinstance(text := reply.get("content"), str):
        return {**reply, "content": [{"type": "text", "text": text}]}
    for name in ("content", "output"):
        if isinstance(parts := reply.get(name), list):
            return {**reply, name: [part for part in parts if not _is_call(part)]}
    return None


def _drop_calls(choice: Any) -> None:
    message = choice.get("message") if isinstance(choice, dict) else None
    if isinstance(message, dict):
        message.pop("tool_calls", None)


def _is_call(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in ("tool_use", "function_call", "custom_tool_call")
