"""Private and undocumented parts of NiceGUI, and of FastAPI and uvicorn below it, used in no other file.

A minor version of NiceGUI may change them: `pyproject.toml` pins it, and `tests/gui/session/test_nicegui_internals.py`
checks each of them.
"""

from __future__ import annotations

import asyncio
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType, MethodType
from typing import Any

from fastapi.dependencies import models as fastapi_models
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from karenina_gui.text.tree_retry import retry_build

CLIENT_PACKAGES = ("aiohttp", "requests")
"""Packages of the client in engineio, the socket library of NiceGUI.

Only NiceGUI's tunnel, On Air, would use that client, and it can be imported without them.
"""


@contextmanager
def hide(packages: Sequence[str]) -> Iterator[None]:
    """Hide packages that are not loaded yet; afterwards they can be imported normally."""
    absent = [name for name in packages if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]  # None: as if it were not installed
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


with hide(CLIENT_PACKAGES):  # saves 0.1 s before the first page
    from nicegui import Client, helpers, ui
    from nicegui.dependencies import register_importmap_override
    from nicegui.elements.mixins.value_element import ValueElement
    from nicegui.events import GenericEventArguments
    from nicegui.page_arguments import RouteMatch
    from nicegui.props import Props
    from nicegui.sub_pages_router import SubPagesRouter


ROUTE_CACHES = tuple(
    cache
    for kind in ("gen", "async_gen", "coroutine")
    if (cache := getattr(fastapi_models, f"_is_{kind}_callable_cached", None)) is not None
)
"""Caches of FastAPI with the functions of routes as keys. Its version is not pinned, and older ones have none."""

_expects_arguments = helpers.expects_arguments


def expects_arguments(func: Callable[..., Any]) -> bool:
    """Check for parameters that must be given, with the answer of NiceGUI's own function but without `inspect`.

    NiceGUI asks three times for each element, which is a quarter of the time that a page takes on the server.
    """
    bound = isinstance(func, MethodType)
    function = func.__func__ if isinstance(func, MethodType) else func
    # Its attributes, such as `__wrapped__`, may give a function other parameters than its code has.
    if type(function) is not FunctionType or vars(function):
        return _expects_arguments(func)
    code = function.__code__
    needed = code.co_argcount - bound - len(function.__defaults__ or ())
    return needed > 0 or code.co_kwonlyargcount > len(function.__kwdefaults__ or ())


helpers.expects_arguments = expects_arguments

_parse_props = Props.parse


def parse_props(text: str | None) -> dict[str, Any]:
    """Parse props as NiceGUI does, also while another thread checks a template.

    NiceGUI builds a syntax tree of each quoted value.
    """
    return retry_build(lambda: _parse_props(text))


Props.parse = staticmethod(parse_props)  # type: ignore[method-assign]


class SubPages(ui.sub_pages):
    """Pages within a page, with methods that a subclass may override."""

    @abstractmethod
    def begin_page(self) -> None:
        """Prepare for a page that is about to be drawn."""

    @abstractmethod
    def is_found(self) -> bool:
        """Return False if the page that was just drawn does not exist."""

    @abstractmethod
    def is_same_page(self, before: RouteMatch, now: RouteMatch) -> bool:
        """Check if a page can stay as it is after a change of the query in its address."""

    @abstractmethod
    def draw_missing_page(self) -> None:
        """Draw what is shown in place of a page that does not exist."""

    def follow_address(self) -> None:
        """Take over the router's address for the open page without redrawing it."""
        match = self._find_matching_path()
        if match is not None and self._match is not None and match.path == self._match.path:
            self._set_match(match)

    def _render_page(self, match: RouteMatch) -> bool:
        self.begin_page()
        return super()._render_page(match) and self.is_found()

    def _required_query_params_changed(self, route_match: RouteMatch) -> bool:
        return self._match is None or not self.is_same_page(self._match, route_match)

    def _render_404(self) -> None:
        self.draw_missing_page()


def router_of(client: Client) -> SubPagesRouter:
    """Return the router of a window; its `current_path` is the address of the open page."""
    return client.sub_pages_router


class DisposeHook(ui.element):
    """Hidden element that runs a callback when the page part around it is removed."""

    def __init__(self, on_leave: Callable[[], Any]) -> None:
        super().__init__("span")
        self.props("hidden")
        self._on_leave = on_leave

    def _handle_delete(self) -> None:
        super()._handle_delete()
        self._on_leave()


class RemovableUpload(ui.upload):
    """Upload that keeps nothing of its window in memory once it is removed."""

    def _handle_delete(self) -> None:
        super()._handle_delete()
        # FastAPI remembers what kind of function each route has, up to 4,096 of them. That of an upload holds its
        # element, and with it the whole window: a megabyte and a half for each window that was ever opened.
        for cache in ROUTE_CACHES:
            cache.cache_clear()


class WordSelect(ui.select):
    """Select of several words that can be typed; `separate` makes words of a typed text."""

    separate: Callable[[str], list[str]]

    def _event_args_to_value(self, e: GenericEventArguments) -> Any:
        # Typed words come as texts, chosen ones as objects.
        e.args = [part for arg in e.args or () for part in (self.separate(arg) if isinstance(arg, str) else (arg,))]
        return super()._event_args_to_value(e)


class PatientProtocol(HttpToolsProtocol):
    """Connection that is closed if the head of a request does not arrive in time; uvicorn would wait for ever."""

    seconds = 5.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._head = self._close_later(transport)

    def _close_later(self, transport: asyncio.Transport) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(self.seconds, transport.close)

    def on_message_begin(self) -> None:
        # Also for the first request, which began with the connection, and for each that follows on it.
        self._head.cancel()
        self._head = self._close_later(self.transport)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head.cancel()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head.cancel()
        super().connection_lost(exc)


def throttle_value(control: ValueElement[Any], seconds: float) -> None:
    """Send a control's value at most this often while it is edited."""
    for listener in control._event_listeners.values():
        if listener.type.startswith("update:"):
            # NiceGUI has no public way to change the throttle of a value's own listener.
            listener.throttle = seconds


def set_unseen(control: ValueElement[Any], value: Any) -> None:
    """Set a control's value without sending it to the browser."""
    control._send_update_on_value_change = False
    control.set_value(value)
    control._send_update_on_value_change = True
    if isinstance(control, ui.codemirror):  # its character counts follow browser events only
        control._codepoints = control._encode_codepoints(value or "")


def handle_event(client_id: str, event: Callable[[], dict[str, Any]]) -> bool:
    """Handle an event of a window as if it came by websocket; return False if the window is not connected.

    Raises `ValueError` for what is not an event.
    """
    client = Client.instances.get(client_id)
    if client is None or not client.has_socket_connection:
        return False
    try:
        # Handlers of the application raise nothing: NiceGUI catches what they raise.
        client.handle_event(event())
    except (LookupError, TypeError, AttributeError, RecursionError) as fault:
        raise ValueError("not an event of a window") from fault
    return True


def map_import(name: str, address: str) -> None:
    """Let scripts import the module at an address by this name."""
    register_importmap_override(name, address)
