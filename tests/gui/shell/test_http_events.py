"""Long texts reach the server by HTTP, since its websocket takes a megabyte at most."""

from __future__ import annotations

import json

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.gui.shell import http_events


def event(client_id: str, control: ui.element, text: str) -> bytes:
    """As the browser writes it."""
    listener = next(each for each in control._event_listeners.values() if each.type.startswith("update:"))
    news = {"id": control.id, "client_id": client_id, "listener_id": listener.id, "args": [json.dumps(text)]}
    return json.dumps(news).encode()


@pytest.fixture
async def control(user: User) -> ui.textarea:
    http_events.register()
    made: list[ui.textarea] = []

    @ui.page("/")
    def page() -> None:
        made.append(ui.textarea(value="short"))

    await user.open("/")
    return made[0]


async def test_a_long_text_arrives_whole(user: User, control: ui.textarea) -> None:
    text = "word\n" * 300_000
    address = f"/api/windows/{control.client.id}/events"
    answer = await user.http_client.post(address, content=event(control.client.id, control, text))
    assert (answer.status_code, control.value == text) == (204, True)


async def test_a_text_beyond_all_measure_is_refused(
    user: User, control: ui.textarea, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_events, "LARGEST", 1000)
    address = f"/api/windows/{control.client.id}/events"
    answer = await user.http_client.post(address, content=event(control.client.id, control, "w" * 1000))
    assert (answer.status_code, control.value) == (413, "short")


async def test_what_comes_from_no_open_window_is_not_taken(user: User, control: ui.textarea) -> None:
    answer = await user.http_client.post("/api/windows/nobody/events", content=event("nobody", control, "long"))
    assert (answer.status_code, control.value) == (404, "short")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"7",
        b"{}",
        b'{"id": []}',
        b'{"id": ID}',
        b'{"id": ID, "args": 1}',
        b'{"id": ID, "args": ["{"]}',
    ],
)
async def test_a_malformed_event_is_refused(user: User, control: ui.textarea, content: bytes) -> None:
    address = f"/api/windows/{control.client.id}/events"
    answer = await user.http_client.post(address, content=content.replace(b"ID", str(control.id).encode()))
    assert (answer.status_code, control.value) == (400, "short")
