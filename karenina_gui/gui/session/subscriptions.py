"""Delivery of events to a window: immediately while it is connected, else once after it reconnects."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from copy import copy
from typing import Any

from nicegui import Client, Event, ui

AFTER_LEAVING = 5.0
"""Seconds."""
Callback = Callable[..., Any]
Subscription = tuple[Event[Any], Callback, ui.element]
Missed = dict[tuple[Callback, tuple[Hashable, ...]], ui.element]


class ClientSubscriptions:
    """Subscriptions of one window.

    Windows stay on the server for a minute in case the connection only broke, and for some seconds after they were
    closed or reloaded. Redrawing them after each edit would cost as much as redrawing visible windows. A window that
    has not connected yet receives events immediately: it is still being built.
    """

    def __init__(self, client: Client) -> None:
        self._away = False
        self._missed: Missed = {}
        """Pending calls with their elements, ordered by their last event; equal events are delivered once."""
        self._subscriptions: list[Subscription] = []
        client.on_connect(self._on_connection_changed)
        client.on_disconnect(self._on_connection_changed)
        client.on_delete(self._unsubscribe_all)
        ui.on("leave", lambda: _expect_no_return(client))

    def listen(self, event: Event[Any], callback: Callback, element: ui.element) -> None:
        """Call `callback` while `element` is on the page; event arguments must be hashable."""

        def relay(*news: Hashable) -> Any:
            if element.is_deleted:
                return None
            if self._away:
                self._missed.pop((callback, news), None)
                self._missed[callback, news] = element
                return None
            return callback(*news)

        # NiceGUI would keep the callback, and every form that was ever opened, until the window is closed.
        event.subscribe(relay, expect_args=True, unsubscribe_on_delete=False)
        self._unsubscribe(gone=True)
        self._subscriptions.append((event, relay, element))

    def _unsubscribe_all(self) -> None:
        self._unsubscribe(gone=False)

    def _unsubscribe(self, *, gone: bool) -> None:
        """Unsubscribe callbacks whose element is deleted (`gone`), or all."""
        remaining = []
        for subscription in self._subscriptions:
            event, relay, element = subscription
            if gone and not element.is_deleted:
                remaining.append(subscription)
            else:
                event.unsubscribe(relay)
        self._subscriptions = remaining

    def _on_connection_changed(self, client: Client) -> None:
        self._away = not client.has_socket_connection
        if not self._away:
            missed, self._missed = self._missed, {}
            for (callback, news), element in missed.items():
                _deliver(callback, news, element)


def _deliver(callback: Callback, news: tuple[Hashable, ...], element: ui.element) -> None:
    """Call back as NiceGUI's events do: in the element's slot, awaiting coroutines, with errors isolated."""
    if element.is_deleted or element.parent_slot is None:
        return
    event: Event[Any] = Event()
    with element.parent_slot:
        event.subscribe(callback, expect_args=True, unsubscribe_on_delete=False)
    event.emit(*news)


def _expect_no_return(client: Client) -> None:
    """Keep a window that its browser has left for some seconds only: it is 14,000 objects or more."""
    client.page = copy(client.page)  # all windows of an address share it
    client.page.reconnect_timeout = AFTER_LEAVING
