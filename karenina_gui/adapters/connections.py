"""Connections to providers: one shared client per address and key, and what each server understands."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import count
from threading import Lock, RLock, local
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from weakref import WeakSet

from pydantic import SecretStr

from karenina_gui.adapters.server_capabilities import ServerCapabilities
from karenina_gui.errors import AuthenticationError, ConfigurationError, RunCancelled
from karenina_gui.schemas.sendable import HIDDEN_SIGN
from karenina_gui.text.header_values import is_sendable
from karenina_gui.text.secrets import may_be_word, without_secrets
from karenina_gui.text.urls import is_local

if TYPE_CHECKING:
    import ssl

    import httpx2

T = TypeVar("T")

POOLS = 16
"""Number of clients for one server in a run with many concurrent calls."""
KEY_SIGN = "[key]"
NO_KEY = "not-needed"
"""Placeholder key for a server on this machine without a configured key; the SDKs require some text."""
_OPENED = ("connect_tcp.complete", "start_tls.complete")
_BEGINS = ("connect_tcp.started", "send_request_headers.started")


class OpenSockets:
    """Open sockets of all clients of one run. Thread-safe."""

    def __init__(self) -> None:
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._shut = False
        self._lock = Lock()

    def watch(self, request: httpx2.Request) -> None:
        """Request hook of a client. Raises `RunCancelled` once the sockets are shut."""
        self._refuse()
        request.extensions["trace"] = self._follow

    def shut(self) -> None:
        """End calls in progress; nothing more is sent."""
        with self._lock:
            self._shut = True
            for socket in self._sockets:
                _end(socket)

    def _follow(self, event: str, info: dict[str, Any]) -> None:
        """Callback of httpx2's `trace` extension, which reports a request's connections."""
        if event.endswith(_OPENED):
            opened: socket.socket = info["return_value"].get_extra_info("socket")
            with self._lock:
                self._sockets.add(opened)
                # The connection was opened while the others were shut: nobody else knows of it yet.
                if self._shut:
                    _end(opened)
                    opened.close()
        if event.endswith((*_OPENED, *_BEGINS)):
            self._refuse()

    def _refuse(self) -> None:
        if self._shut:
            raise RunCancelled("The run was stopped. No more models are called.")


def _end(opened: socket.socket) -> None:
    with suppress(OSError):  # it is closed already
        # Not `opened.shutdown()`: on a TLS socket it drops the encryption before it shuts down, and what another thread
        # sends in between would go out in plain text.
        socket.socket.shutdown(opened, socket.SHUT_RDWR)


@dataclass(frozen=True)
class Endpoint:
    """An address and its key. Raises `AuthenticationError` for a key that no header can carry."""

    base_url: str
    key: str = field(repr=False)
    key_variable: str
    """Environment variable that holds the key, for messages."""
    others: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """Other secrets that the provider's client may send."""

    def __post_init__(self) -> None:
        header_value(self.key, f"The key in {self.key_variable}")

    @property
    def host(self) -> str:
        return host_of(self.base_url)

    @property
    def secrets(self) -> dict[str, str]:
        """{secret: sign in its place} of all that is hidden in messages."""
        return {secret: KEY_SIGN for secret in (self.key, *self.others) if secret and secret != NO_KEY}

    @property
    def reply_secrets(self) -> dict[str, str]:
        """Part of `secrets` that is hidden in replies, too, which short ones would garble."""
        return {key: sign for key, sign in self.secrets.items() if not may_be_word(key)}

    def without_key(self, reply: T) -> T:
        """The provider's reply, a nested value, without the key, which some providers repeat."""
        return without_secrets(reply, self.reply_secrets)


class Connections:
    """Shared clients. Thread-safe. Keys come from `environment`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.capabilities: dict[tuple[str, str], ServerCapabilities] = {}
        """Learned capabilities of each (address, model), so that each is rejected only once."""
        self._clients: dict[tuple[str, Endpoint, int], Any] = {}
        self._threads = local()
        self._numbers = count()
        self._sockets = OpenSockets()
        self._lock = RLock()

    def client(self, endpoint: Endpoint, build: Callable[[Endpoint, httpx2.Client], Any], *, pools: int = 1) -> Any:
        """Return the client for the endpoint, built at first use; the same builder always gets the same client.

        `pools`: number of clients among which the threads are distributed; a thread always gets the same one. With a
        lock held, a client scans all of its connections twice per call, which is slow if there are many.
        """
        key = (f"{build.__module__}.{build.__qualname__}", endpoint, self._thread_number() % pools)
        with self._lock:
            if key not in self._clients:
                self._clients[key] = build(endpoint, self._transport())
            return self._clients[key]

    def endpoint(self, base_url: str, entered: SecretStr | None, named: str | None, usual: str) -> Endpoint:
        """Return the address with its key: the `given` one, else from the variable `named`, else from `usual`.

        A server on this machine needs no key and is not sent the usual one, which belongs to the provider. Raises
        `AuthenticationError`, which names the variable to set, or `ConfigurationError` for an invalid URL.
        """
        host = host_of(base_url)
        variable = named or usual
        local = is_local(base_url)
        key = entered.get_secret_value() if entered else None
        if key is None and (named or not local):
            key = self.variable(variable)
        if key is None and not (local and named is None):
            raise missing_key(host, variable)
        return Endpoint(base_url.rstrip("/"), key or NO_KEY, variable)

    def variable(self, name: str) -> str | None:
        """Value of a variable of the environment; None if it is not set or blank."""
        return self.environment.get(name, "").strip() or None

    def end_calls(self) -> None:
        """End calls in progress with an error; no further one is sent."""
        self._sockets.shut()

    def close(self) -> None:
        with self._lock:
            for client in self._clients.values():
                client.close()
            self._clients.clear()

    def _thread_number(self) -> int:
        """Number of the thread, in order of first use."""
        if not hasattr(self._threads, "number"):
            self._threads.number = next(self._numbers)
        number: int = self._threads.number
        return number

    def _transport(self) -> httpx2.Client:
        import httpx2

        return httpx2.Client(
            verify=certificates(),
            # The run limits the number of calls; a smaller pool would only hide their queue.
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=256),
            # A redirect could carry the key to another host.
            follow_redirects=False,
            event_hooks={"request": [self._sockets.watch, _start_clock], "response": [_watch_clock]},
        )


@cache
def certificates() -> ssl.SSLContext:
    """One context for all clients: reading the certificates takes longer than this package's work on a call."""
    import httpx2

    return httpx2.create_ssl_context()


def missing_key(owner: str, variable: str) -> AuthenticationError:
    """Return the error for a server or provider (`owner`) without a key in this variable."""
    return AuthenticationError(
        f"No API key for {owner}. Set the environment variable {variable} and restart, or enter the key on the API "
        "keys page of the application."
    )


def header_value(value: str, name: str) -> str:
    """Return a value that a header can carry. Raises `AuthenticationError`, which names it but never quotes it."""
    if is_sendable(value):
        return value
    raise AuthenticationError(
        f"{name} contains a line break or an unsupported character. Copy the key again and enter it on the API keys "
        "page, or set the environment variable and restart."
    )


@lru_cache
def host_of(address: str) -> str:
    """Host and port for messages, since a URL may contain a name and a password.

    Raises `ConfigurationError` for an invalid URL.
    """
    if not address.isprintable():
        without_user = ascii(address.rpartition("@")[2])
        raise ConfigurationError(f"The URL {without_user} {HIDDEN_SIGN}")
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018  (raises when it is no number)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        without_user = address.rpartition("@")[2]
        raise ConfigurationError(f"“{without_user}” is not a server URL. Enter one such as http://127.0.0.1:8000/v1.")
    return parts.netloc.rpartition("@")[2]


def _start_clock(request: httpx2.Request) -> None:
    seconds = request.extensions.get("timeout", {}).get("read")
    if seconds is not None:
        request.extensions["deadline"] = time.monotonic() + seconds


def _watch_clock(response: httpx2.Response) -> None:
    """Enforce the time limit on the whole reply.

    A read timeout starts again with every byte: a server that sends blanks while it works would never time out.
    """
    deadline = response.request.extensions.get("deadline")
    if deadline is not None:
        response.stream = _timed_stream(response.stream, deadline)


def _timed_stream(stream: Any, deadline: float) -> Any:
    import httpx2

    class TimedStream(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for chunk in stream:
                if time.monotonic() > deadline:
                    raise httpx2.ReadTimeout("The reply took too long to arrive.")
                yield chunk

        def close(self) -> None:
            stream.close()

    return TimedStream()
