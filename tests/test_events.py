"""Thread-safe callbacks."""

from __future__ import annotations

import logging

import pytest

from karenina_gui.events import Signal


def test_everybody_hears_until_they_end_it() -> None:
    listeners: Signal[[int]] = Signal()
    heard: list[int] = []
    first, second = listeners.subscribe(heard.append), listeners.subscribe(heard.append)
    listeners.emit(1)
    first()
    first()
    listeners.emit(2)
    second()
    listeners.emit(3)
    assert heard == [1, 1, 2]


def test_one_that_fails_keeps_nothing_from_the_others(caplog: pytest.LogCaptureFixture) -> None:
    listeners: Signal[[str]] = Signal()
    heard: list[str] = []

    def broken(news: str) -> None:
        raise RuntimeError(news)

    listeners.subscribe(broken)
    listeners.subscribe(heard.append)
    with caplog.at_level(logging.CRITICAL):
        listeners.emit("edited")
    assert heard == ["edited"]


def test_one_may_leave_while_the_news_are_told() -> None:
    listeners: Signal[[]] = Signal()
    heard: list[str] = []
    ends = [listeners.subscribe(lambda: ends[0]()), listeners.subscribe(lambda: heard.append("second"))]
    listeners.emit()
    listeners.clear()
    ends[1]()
    listeners.emit()
    assert heard == ["second"]
