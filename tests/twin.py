"""The providers' twin: a real HTTP server on loopback that speaks OpenAI's and Anthropic's protocols from a script.

    with Twin(lambda asked: Reply(text="42")) as twin:
        ModelConfig(model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
        ModelConfig(model_name="m", interface="claude_tool", anthropic_base_url=twin.address)

The script sees what was asked and says how to reply: text, JSON that fits the schema, or any of the faults that real
providers show. It runs in the server's threads.
"""

from __future__ import annotations

import json
import ssl
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from threading import Event, Lock, Thread
from typing import Any, Literal, Self


@dataclass(frozen=True)
class Asked:
    """One request."""

    protocol: Literal["openai", "anthropic"]
    path: str
    headers: dict[str, str]
    """Header names in lower case."""
    body: dict[str, Any]
    number: int
    """1 for the model's first request, 2 for its second, ..."""

    @property
    def model(self) -> str:
        return str(self.body["model"])

    @property
    def system(self) -> str:
        if self.protocol == "anthropic":
            return str(self.body.get("system", ""))
        return "\n".join(m["content"] for m in self.body["messages"] if m["role"] == "system")

    @property
    def text(self) -> str:
        """The last message."""
        content = self.body["messages"][-1]["content"]
        return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        """JSON Schema of the arguments by tool."""
        if self.protocol == "openai":
            given = [tool["function"] for tool in self.body.get("tools", ())]
            return {tool["name"]: tool["parameters"] for tool in given}
        return {tool["name"]: tool["input_schema"] for tool in self.body.get("tools", ())}

    @property
    def results(self) -> list[tuple[str, str]]:
        """(call id, result) of each tool result in the conversation."""
        if self.protocol == "openai":
            answers = [m for m in self.body["messages"] if m["role"] == "tool"]
            return [(m["tool_call_id"], m["content"]) for m in answers]
        turns = [m["content"] for m in self.body["messages"] if isinstance(m["content"], list)]
        parts = [part for turn in turns for part in turn if part["type"] == "tool_result"]
        return [(part["tool_use_id"], part["content"]) for part in parts]

    @property
    def schema(self) -> dict[str, Any] | None:
        """JSON Schema of the reply, whatever the extraction method; None: free text."""
        if self.protocol == "openai":
            return self.body.get("response_format", {}).get("json_schema", {}).get("schema")
        asked = self.body.get("output_config", {}).get("format", {}).get("schema")
        return asked or next((tool["input_schema"] for tool in self.body.get("tools", ())), None)

    @property
    def key(self) -> str | None:
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ") or None


@dataclass(frozen=True)
class Call:
    """A tool call of the model."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    """A string is sent unchanged as the arguments, which only OpenAI's protocol can do."""
    id: str | None = None
    """None: a unique id."""


@dataclass(frozen=True)
class Reply:
    """A reply. The first one set of `raw`, `status` other than 200, `refusal`, `data`, `text` decides."""

    text: str = ""
    data: dict[str, Any] | None = None
    """JSON object, sent by the extraction method of the request."""
    refusal: str | None = None
    thinking: str | None = None
    calls: Sequence[Call] = ()
    """Tool calls after `text`."""
    status: int = 200
    message: str = ""
    """Error message, if `status` is an error."""
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    """The complete body."""
    delay: float = 0.0
    """Delay in seconds."""
    drip: float = 0.0
    """Seconds during which blanks are sent before the body, as some servers do to keep a connection alive."""
    hangs: bool = False
    """True: nothing is ever sent."""
    cut: bool = False
    """True: the connection breaks after half of the body."""
    stop: str | None = None
    """Stop reason in the protocol's own words; None: the default one."""


Script = Callable[[Asked], Reply]


def in_turn(*replies: Reply) -> Script:
    """The replies one after the other for each model; the last one is repeated."""
    return lambda asked: replies[min(asked.number, len(replies)) - 1]


def fitting(schema: dict[str, Any]) -> Any:
    """The simplest value that fits the schema."""
    return _fitting(schema, schema)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_: Any) -> None:
        """Ignore clients that disconnect early, which tests do intentionally."""


class OnLoopback:
    """Server on this computer for the duration of its `with` block."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = _serving(self._server)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def encrypt(self, context: ssl.SSLContext) -> None:
        """Use TLS. Call before serving."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    def leave(self) -> None:
        """Refuse connections from now on."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def come_back(self) -> None:
        """Serve at the same URL as before."""
        self._server = _Server(self._server.server_address[:2], self._server.RequestHandlerClass)
        self._thread = _serving(self._server)
        self._thread.start()


def _serving(server: _Server) -> Thread:
    return Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)


class Twin(OnLoopback):
    """Provider twin, for use in `with`. `requests`: all requests in the order of arrival."""

    def __init__(self, script: Script, models: Sequence[str] | None = None) -> None:
        """`models`: names in the list of models; None: the list is unavailable."""
        self.script = script
        self.models = models
        self.requests: list[Asked] = []
        self.connections = 0
        self._numbers: Counter[str] = Counter()
        self._lock = Lock()
        self._over = Event()
        self._open: set[socket] = set()
        super().__init__(_handler(self))

    def __exit__(self, *what: object) -> None:
        self._over.set()
        super().__exit__(*what)

    def leave(self) -> None:
        """Break all connections, and refuse new ones."""
        super().leave()
        with self._lock:
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(SHUT_RDWR)

    def connected(self, connection: socket) -> None:
        self.connections += 1
        with self._lock:
            self._open.add(connection)

    def disconnected(self, connection: socket) -> None:
        with self._lock:
            self._open.discard(connection)

    def hang(self) -> None:
        """Wait until the server closes."""
        self._over.wait()

    def take(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Asked:
        with self._lock:
            self._numbers[body["model"]] += 1
            protocol: Literal["openai", "anthropic"] = "anthropic" if path.endswith("/messages") else "openai"
            asked = Asked(protocol, path, headers, body, self._numbers[body["model"]])
            self.requests.append(asked)
            return asked


def _handler(twin: Twin) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            twin.connected(self.connection)

        def finish(self) -> None:
            twin.disconnected(self.connection)
            super().finish()

        def do_GET(self) -> None:
            if twin.models is None or not self.path.partition("?")[0].endswith("/models"):
                self._send(Reply(status=404), b"<html>There is nothing here.</html>")
                return
            entries = [{"id": name, "object": "model", "type": "model"} for name in twin.models]
            self._send(Reply(), json.dumps({"object": "list", "data": entries, "has_more": False}).encode())

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = json.loads(self.rfile.read(length))
            asked = twin.take(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            reply = twin.script(asked)
            if reply.hangs:
                twin.hang()
                self.close_connection = True
                return
            time.sleep(reply.delay)
            self._send(reply, _body(asked, reply))

        def _send(self, reply: Reply, body: bytes) -> None:
            blanks = round(reply.drip / 0.05)
            self.send_response(reply.status)
            for name, value in {"content-type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body) + blanks))
            self.end_headers()
            for _ in range(blanks):
                self.wfile.write(b" ")
                time.sleep(0.05)
            self.wfile.write(body[: len(body) // 2] if reply.cut else body)
            if reply.cut:
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def _body(asked: Asked, reply: Reply) -> bytes:
    if reply.raw is not None:
        return reply.raw
    if reply.status != 200:
        error = {"message": reply.message, "type": "error"}
        return json.dumps({"type": "error", "error": error}).encode()
    return json.dumps(_openai(asked, reply) if asked.protocol == "openai" else _anthropic(asked, reply)).encode()


def _openai(asked: Asked, reply: Reply) -> dict[str, Any]:
    text = json.dumps(reply.data) if reply.data is not None else reply.text
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if reply.refusal else text,
        "refusal": reply.refusal,
    }
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": _id(asked, number, call),
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments),
                },
            }
            for number, call in enumerate(reply.calls)
        ]
    stop = reply.stop or ("tool_calls" if reply.calls else "stop")
    return {
        "id": f"chatcmpl-{asked.number}",
        "object": "chat.completion",
        "created": 0,
        "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": stop, "logprobs": None}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def _anthropic(asked: Asked, reply: Reply) -> dict[str, Any]:
    stop, details = reply.stop or ("tool_use" if reply.calls else "end_turn"), None
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    if reply.thinking:
        content.insert(0, {"type": "thinking", "thinking": reply.thinking, "signature": "signed"})
    content += [
        {"type": "tool_use", "id": _id(asked, number, call), "name": call.name, "input": call.arguments}
        for number, call in enumerate(reply.calls)
    ]
    if reply.refusal is not None:
        stop, content = "refusal", []
        details = {"type": "refusal", "category": None, "explanation": reply.refusal}
    elif reply.data is not None and asked.body.get("tools"):
        content = [{"type": "tool_use", "id": "toolu_1", "name": asked.body["tools"][0]["name"], "input": reply.data}]
        stop = "tool_use"
    elif reply.data is not None:
        content = [{"type": "text", "text": json.dumps(reply.data)}]
    return {
        "id": f"msg_{asked.number}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": content,
        "stop_reason": stop,
        "stop_details": details,
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }


def _id(asked: Asked, number: int, call: Call) -> str:
    return f"call_{asked.number}_{number}" if call.id is None else call.id


def _fitting(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _fitting(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root)
    if "const" in schema:
        return schema["const"]
    if options := schema.get("enum"):
        return options[0]
    if options := schema.get("anyOf"):
        return _fitting(options[0], root)
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: _fitting(field, root) for name, field in schema.get("properties", {}).items()}
    plain: dict[str, Any] = {"string": "", "integer": 0, "number": 0.0, "boolean": False, "array": [], "null": None}
    return plain[kind if isinstance(kind, str) else _first(kind)]


def _first(kinds: Sequence[str]) -> str:
    return kinds[0]
