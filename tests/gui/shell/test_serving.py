"""Garbage of the served application is collected in small portions, and whole in moments in which nobody types."""

from __future__ import annotations

import asyncio
import gc
import time
import weakref
from collections.abc import Iterator

import pytest

from karenina_gui.gui.shell import serving
from karenina_gui.gui.shell.serving import _QuietCollector


class Circle:
    """Refers to itself, so that only a collection frees it."""

    def __init__(self) -> None:
        self.itself = self
        self.weight: list[list[int]] = []


@pytest.fixture(autouse=True)
def nothing_stays_frozen_or_uncollected() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.collect()


@pytest.mark.parametrize(
    ("busy", "garbage", "collected"),
    [
        *((False, 50_000, True), (False, 10, False)),
        *((True, 50_000, False), (True, 250_000, True), (True, 450_000, False), (True, 600_000, True)),
    ],
    ids=["quiet", "nothing to collect", "busy", "busy for long", "an import", "a large import"],
)
async def test_garbage_is_collected_in_portions_or_in_a_quiet_second(
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


@pytest.mark.parametrize("busy", [False, True])
async def test_what_outlived_a_collection_is_freed_when_nobody_types_for_seconds(
    monkeypatch: pytest.MonkeyPatch, busy: bool
) -> None:
    collector = _QuietCollector()
    circle = Circle()
    remains = weakref.ref(circle)
    gc.collect()
    gc.freeze()
    del circle

    async def pass_time(seconds: float) -> None:
        end = time.process_time() + (0.2 if busy else 0)
        while time.process_time() < end:
            pass

    monkeypatch.setattr(asyncio, "sleep", pass_time)
    await collector.collect()
    assert remains() is not None, "not searched again so soon"
    monkeypatch.setattr(serving, "BETWEEN_WHOLE_COLLECTIONS", 0.0)
    await collector.collect()
    assert (remains() is None) == (not busy)
