"""Thread-safe callbacks."""

from __future__ import annotations

import logging

import pytest

from karenina_gui.listeners import Listeners


def test_everybody_hears_until_they_end_it() -> None:
    listeners: Listeners[[int]] = Listeners()
    heard: list[int] = []
    first, second = listeners.add(heard.append), listeners.add(heard.append)
    listeners.tell(1)
    first()
    first()
    listeners.tell(2)
    second()
    listeners.tell(3)
    assert heard == [1, 1, 2]


def test_one_that_fails_keeps_nothing_from_the_others(caplog: pytest.LogCaptureFixture) -> None:
    listeners: Listeners[[str]] = Listeners()
    heard: list[str] = []

    def broken(news: str) -> None:
        raise RuntimeError(news)

    listeners.add(broken)
    listeners.add(heard.append)
    with caplog.at_level(logging.CRITICAL):
        listeners.tell("edited")
    assert heard == ["edited"]


def test_one_may_leave_while_the_news_are_told() -> None:
    listeners: Listeners[[]] = Listeners()
    heard: list[str] = []
    ends = [listeners.add(lambda: ends[0]()), listeners.add(lambda: heard.append("second"))]
    listeners.tell()
    listeners.clear()
    ends[1]()
    listeners.tell()
    assert heard == ["second"]
