"""Garbage of the served application is collected whole only in moments in which nothing else is done."""

from __future__ import annotations

import asyncio
import gc
import time
import weakref

import pytest

from karenina_gui.gui.shell import serving
from karenina_gui.gui.shell.serving import _QuietCollector


class Circle:
    """Refers to itself, so that only a collection frees it."""

    def __init__(self) -> None:
        self.itself = self
        self.weight: list[list[int]] = []


@pytest.mark.parametrize(
    ("busy", "garbage", "collected"),
    [(False, 50_000, True), (False, 10, False), (True, 50_000, False), (True, 600_000, True)],
    ids=["quiet", "nothing to collect", "busy", "busy for long"],
)
async def test_garbage_is_collected_in_a_quiet_second_or_when_it_is_much(
    monkeypatch: pytest.MonkeyPatch, busy: bool, garbage: int, collected: bool
) -> None:
    monkeypatch.setattr(serving, "MANY_BLOCKS", 500_000)
    collector = _QuietCollector()
    circle = Circle()
    circle.weight = [[] for _ in range(garbage)]
    gc.collect()  # it is among the oldest objects now, which smaller collections leave alone
    remains = weakref.ref(circle)

    async def pass_time(seconds: float) -> None:
        """The second passes at once, unless the application computes in it."""
        end = time.process_time() + (0.03 if busy else 0)
        while time.process_time() < end:
            pass

    monkeypatch.setattr(asyncio, "sleep", pass_time)
    del circle
    await collector.collect()
    assert (remains() is None) == collected
