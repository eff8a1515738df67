"""A window that nobody can look at draws nothing, and misses nothing either."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from nicegui import Client, ui
from nicegui.testing import User, UserInteraction

from karenina_gui.events import Signal
from karenina_gui.gui.session import subscriptions
from karenina_gui.gui.session.subscriptions import ClientSubscriptions
from tests.until import until


@dataclass
class Desk:
    """A page with two places, each of which notes what it hears."""

    edited: Signal[[str]] = field(default_factory=Signal)
    settled: Signal[[]] = field(default_factory=Signal)
    heard: list[str] = field(default_factory=list)
    places: list[ui.element] = field(default_factory=list)

    def draw(self) -> None:
        self.news = ClientSubscriptions(ui.context.client)
        self.edited.emit("before anything listens")
        for name in ("list", "form"):
            with ui.column():
                self.places.append(ui.element())
                self.news.listen(self.edited, self._noting(name), self.places[-1])
        self.edited.emit("while it is drawn")

    def _noting(self, name: str) -> Callable[[str], None]:
        def note(news: str) -> None:
            self.heard.append(f"{name}: {news}")
            ui.label(f"{name} shows {news}")

        return note

    def since(self) -> list[str]:
        heard, self.heard = self.heard, []
        return heard


@pytest.fixture
def editor() -> Desk:
    editor = Desk()
    ui.page("/", reconnect_timeout=60)(editor.draw)
    return editor


async def test_a_window_hears_while_it_is_drawn_and_while_it_is_connected(user: User, editor: Desk) -> None:
    await user.http_client.get("/")
    editor.edited.emit("before it is connected")
    assert editor.since() == [
        "list: while it is drawn", "form: while it is drawn",
        "list: before it is connected", "form: before it is connected",
    ]  # fmt: skip
    editor.edited.clear()
    await user.open("/")
    editor.since()
    editor.edited.emit("now")
    assert editor.since() == ["list: now", "form: now"]


async def test_what_a_window_missed_is_told_once_when_it_is_back_and_in_order(user: User, editor: Desk) -> None:
    client = await user.open("/")
    editor.since()
    document = leave(client)
    for news in ("one", "two", "one"):
        editor.edited.emit(news)
    assert editor.since() == []
    await come_back(user, document)
    assert editor.since() == ["list: two", "form: two", "list: one", "form: one"]
    await user.should_see("form shows one")
    editor.edited.emit("three")
    assert editor.since() == ["list: three", "form: three"]


async def test_a_window_that_lost_one_of_two_connections_is_still_there(user: User, editor: Desk) -> None:
    client = await user.open("/")
    editor.since()
    (document,) = client._socket_to_document_id.values()
    await come_back(user, document)
    leave(client)
    editor.edited.emit("now")
    assert editor.since() == ["list: now", "form: now"]


async def test_a_hidden_window_is_told_when_it_is_looked_at(user: User, editor: Desk) -> None:
    client = await user.open("/")
    editor.since()
    UserInteraction(user, {client.layout}, None).trigger("hidden", True)
    for news in ("one", "two", "one"):
        editor.edited.emit(news)
    assert editor.since() == []
    UserInteraction(user, {client.layout}, None).trigger("hidden", False)
    assert editor.since() == ["list: two", "form: two", "list: one", "form: one"]


async def test_places_that_went_meanwhile_are_told_nothing(user: User, editor: Desk) -> None:
    client = await user.open("/")
    editor.since()
    document = leave(client)
    editor.edited.emit("one")
    editor.places[0].delete()
    await come_back(user, document)
    assert editor.since() == ["form: one"]


async def test_what_one_place_does_on_return_may_take_away_another(user: User, editor: Desk) -> None:
    client = await user.open("/")
    with client:
        editor.news.listen(editor.settled, editor.places[0].delete, ui.element())
    document = leave(client)
    editor.settled.emit()
    editor.edited.emit("one")
    editor.since()
    await come_back(user, document)
    assert editor.since() == ["form: one"]


async def test_a_callback_that_waits_is_waited_for_where_it_draws(user: User, editor: Desk) -> None:
    client = await user.open("/")

    async def draw_later() -> None:
        await asyncio.sleep(0)
        ui.label("drawn later")

    with client:
        editor.news.listen(editor.settled, draw_later, ui.element())
    document = leave(client)
    editor.settled.emit()
    await user.should_not_see("drawn later")
    await come_back(user, document)
    await user.should_see("drawn later")


async def test_a_window_that_its_browser_has_left_goes_soon_and_one_that_lost_its_connection_stays(
    user: User, editor: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert subscriptions.AFTER_LEAVING <= 5
    monkeypatch.setattr(subscriptions, "AFTER_LEAVING", 0.05)
    closed, other = await user.open("/"), await user.open("/")
    UserInteraction(user, {closed.layout}, None).trigger("leave")
    for client in (closed, other):
        leave(client)
    await until(lambda: closed.is_deleted)
    assert other.page.resolve_reconnect_timeout() == 60
    assert not other.is_deleted


def leave(client: Client) -> str:
    """Break one connection of the window; gives the document that may come back."""
    socket, document = next(iter(client._socket_to_document_id.items()))
    client.handle_disconnect(socket)
    return document


async def come_back(user: User, document: str) -> None:
    await user.client.handle_handshake("again", user.tab_id, None, document, None)
