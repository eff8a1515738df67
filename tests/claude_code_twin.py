"""Anthropic's API as Claude Code asks it: streamed replies, a count of tokens, tool calls, on loopback from a script.

    with ClaudeCodeTwin(lambda asked: Turn("Done.") if asked.results else Turn(calls=[Call("list_files", {})])) as twin:
        ModelConfig(model_name="m", interface="claude_agent_sdk", anthropic_base_url=twin.address)

Only requests that come with the task are the script's: Claude Code also sends some of its own accord.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from threading import Lock
from typing import Any

from tests.twin import OnLoopback

USAGE = {"input_tokens": 11, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3}


@dataclass(frozen=True)
class AskedTurn:
    """One request for a turn."""

    headers: dict[str, str]
    """Header names in lower case."""
    body: dict[str, Any]
    number: int
    """1 for the first request of this twin, 2 for the second, ..."""

    @property
    def system(self) -> str:
        system = self.body.get("system", "")
        return system if isinstance(system, str) else "\n".join(part["text"] for part in system)

    @property
    def tools(self) -> list[str]:
        return [tool["name"] for tool in self.body.get("tools", ())]

    @property
    def results(self) -> list[dict[str, Any]]:
        """Tool results in the request, over all turns."""
        turns = [turn["content"] for turn in self.body["messages"] if isinstance(turn["content"], list)]
        return [block for content in turns for block in content if block["type"] == "tool_result"]

    @property
    def key(self) -> str | None:
        return self.headers.get("x-api-key")


@dataclass(frozen=True)
class Call:
    """A tool call of the model."""

    name: str
    input: dict[str, Any] | str
    """A string is sent unchanged as the arguments."""


@dataclass(frozen=True)
class Turn:
    """One turn of the model: thinking, text, tool calls; or an error status of the provider."""

    text: str = ""
    calls: Sequence[Call] = ()
    thinking: str | None = None
    stop: str | None = None
    """None: `tool_use` with tool calls, else `end_turn`."""
    status: int = 200
    message: str = ""
    """Error message, if `status` is an error."""
    delay: float = 0.0
    """Delay in seconds."""
    output_tokens: int = 7
    hangs_up: bool = False
    """True: the connection breaks in the middle of the reply."""


class ClaudeCodeTwin(OnLoopback):
    """API twin, for use in `with`. `requests`: all requests in the order of arrival."""

    def __init__(self, script: Callable[[AskedTurn], Turn]) -> None:
        self.script = script
        self.requests: list[AskedTurn] = []
        self._lock = Lock()
        super().__init__(_handler(self))

    def take(self, headers: dict[str, str], body: dict[str, Any]) -> AskedTurn:
        with self._lock:
            asked = AskedTurn(headers, body, len(self.requests) + 1)
            self.requests.append(asked)
            return asked


def _handler(twin: ClaudeCodeTwin) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_HEAD(self) -> None:
            self._send(200, b"", "text/plain")

        def do_GET(self) -> None:
            self._send(404, b"{}")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
            path = self.path.partition("?")[0]
            if path.endswith("/count_tokens"):
                self._send(200, b'{"input_tokens": 11}')
                return
            if not path.endswith("/messages"):
                self._send(404, b"{}")
                return
            asked = twin.take({name.lower(): value for name, value in self.headers.items()}, body)
            turn = twin.script(asked)
            time.sleep(turn.delay)
            if turn.status != 200:
                kind = {401: "authentication_error", 429: "rate_limit_error"}.get(turn.status, "api_error")
                error = {"type": "error", "error": {"type": kind, "message": turn.message}}
                self._send(turn.status, json.dumps(error).encode())
            else:
                self._send(200, b"".join(_events(asked, turn)), "text/event-stream", hangs_up=turn.hangs_up)

        def _send(self, status: int, body: bytes, kind: str = "application/json", *, hangs_up: bool = False) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if hangs_up else body)
            self.close_connection = self.close_connection or hangs_up

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def _events(asked: AskedTurn, turn: Turn) -> Iterator[bytes]:
    start = {
        "id": f"msg_{asked.number}", "type": "message", "role": "assistant", "model": asked.body["model"],
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": {**USAGE, "output_tokens": 1},
    }  # fmt: skip
    yield _event("message_start", message=start)
    for index, (block, deltas) in enumerate(_blocks(asked, turn)):
        yield _event("content_block_start", index=index, content_block=block)
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    stop = turn.stop or ("tool_use" if turn.calls else "end_turn")
    yield _event(
        "message_delta",
        delta={"stop_reason": stop, "stop_sequence": None},
        usage={**USAGE, "output_tokens": turn.output_tokens},
    )
    yield _event("message_stop")


def _blocks(asked: AskedTurn, turn: Turn) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    if turn.thinking is not None:
        thought = [{"type": "thinking_delta", "thinking": turn.thinking}]
        signed = [{"type": "signature_delta", "signature": "signed"}]
        yield {"type": "thinking", "thinking": "", "signature": ""}, thought + signed
    if turn.text:
        yield {"type": "text", "text": ""}, [{"type": "text_delta", "text": turn.text}]
    for number, call in enumerate(turn.calls):
        block = {"type": "tool_use", "id": f"toolu_{asked.number}_{number}", "name": call.name, "input": {}}
        text = call.input if isinstance(call.input, str) else json.dumps(call.input)
        halves = (text[: len(text) // 2], text[len(text) // 2 :])
        yield block, [{"type": "input_json_delta", "partial_json": half} for half in halves]


def _event(kind: str, **data: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()
