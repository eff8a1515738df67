"""Delivery of events to a window: immediately while it is looked at, else once after it is looked at again."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable
from copy import copy
from functools import partial
from typing import Any

from nicegui import Client, background_tasks, ui

from karenina_gui.events import Signal

AFTER_LEAVING = 5.0
"""Seconds."""
Callback = Callable[..., Any]
Missed = dict[tuple[Callback, tuple[Hashable, ...]], ui.element]


class ClientSubscriptions:
    """Subscriptions of one window.

    Windows stay on the server for a minute in case the connection only broke, and for some seconds after they were
    closed or reloaded; others are hidden by another tab for hours. Redrawing them after each edit would cost as much as
    redrawing visible windows. A window that has not connected yet receives events immediately: it is still being built.
    """

    def __init__(self, client: Client) -> None:
        self._away = False
        self._hidden = False
        self._missed: Missed = {}
        """Pending calls with their elements, ordered by their last event; equal events are delivered once."""
        self._subscriptions: list[tuple[Callable[[], None], ui.element]] = []
        """Functions that end the subscriptions, with the elements of these."""
        client.on_connect(self._on_connection_changed)
        client.on_disconnect(self._on_connection_changed)
        client.on_delete(self._unsubscribe_all)
        ui.on("leave", lambda: _expect_no_return(client))
        ui.on("hidden", lambda event: self._set_hidden(client, bool(event.args)))

    def listen(self, signal: Signal[Any], callback: Callback, element: ui.element) -> None:
        """Call `callback` while `element` is on the page; arguments of the signal must be hashable."""

        def relay(*news: Hashable) -> None:
            if self._away and not element.is_deleted:
                self._missed.pop((callback, news), None)
                self._missed[callback, news] = element
            else:
                _deliver(callback, news, element)

        # Otherwise, every form that was ever opened would stay in memory until the window is closed.
        self._unsubscribe(gone=True)
        self._subscriptions.append((signal.subscribe(relay), element))

    def _unsubscribe_all(self) -> None:
        self._unsubscribe(gone=False)

    def _unsubscribe(self, *, gone: bool) -> None:
        """Unsubscribe callbacks whose element is deleted (`gone`), or all."""
        remaining = []
        for end, element in self._subscriptions:
            if gone and not element.is_deleted:
                remaining.append((end, element))
            else:
                end()
        self._subscriptions = remaining

    def _set_hidden(self, client: Client, hidden: bool) -> None:
        self._hidden = hidden
        self._on_connection_changed(client)

    def _on_connection_changed(self, client: Client) -> None:
        self._away = self._hidden or not client.has_socket_connection
        if not self._away:
            missed, self._missed = self._missed, {}
            returned: Signal[[]] = Signal()
            for (callback, news), element in missed.items():
                returned.subscribe(partial(_deliver, callback, news, element))
            returned.emit()


def _deliver(callback: Callback, news: tuple[Hashable, ...], element: ui.element) -> None:
    """Call back in the slot of the element, as NiceGUI does; coroutines run in the background."""
    if element.is_deleted or element.parent_slot is None:
        return
    with element.parent_slot as slot:
        if inspect.iscoroutine(result := callback(*news)):
            background_tasks.create(result, name="show news", context=slot)


def _expect_no_return(client: Client) -> None:
    """Keep a window that its browser has left for some seconds only: it is 14,000 objects or more."""
    client.page = copy(client.page)  # all windows of an address share it
    client.page.reconnect_timeout = AFTER_LEAVING
