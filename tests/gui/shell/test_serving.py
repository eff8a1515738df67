"""Garbage of the served application is collected in small portions, and whole in moments in which nobody types."""

from __future__ import annotations

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
def garbage_is_collected_as_in_the_application() -> Iterator[None]:
    thresholds = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(serving.ALLOCATIONS, serving.PORTION, 1_000_000)
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()
    gc.collect()


@pytest.mark.parametrize(
    ("busy", "garbage", "collected"),
    [
        *((False, 80_000, True), (False, 10, False)),
        *((True, 80_000, False), (True, 250_000, True), (True, 450_000, False), (True, 700_000, True)),
    ],
    ids=["quiet", "nothing to collect", "busy", "busy for long", "an import", "a large import"],
)
def test_garbage_is_collected_in_portions_or_in_a_quiet_second(
    monkeypatch: pytest.MonkeyPatch, busy: bool, garbage: int, collected: bool
) -> None:
    monkeypatch.setattr(serving, "MANY_PORTIONS", 10)
    circle = Circle()
    circle.weight = [[] for _ in range(garbage)]
    remains = weakref.ref(circle)
    del circle
    look_for(1, _QuietCollector(), busy)
    assert (remains() is None) == collected


@pytest.mark.parametrize("busy", [False, True])
def test_what_outlived_a_collection_is_freed_when_nobody_types_for_seconds(
    monkeypatch: pytest.MonkeyPatch, busy: bool
) -> None:
    collector, remains = with_frozen_garbage()
    look_for(5, collector, busy)
    assert remains() is not None, "not searched again so soon"
    monkeypatch.setattr(serving, "BETWEEN_WHOLE_COLLECTIONS", 0.0)
    look_for(5, collector, busy)
    assert (remains() is None) == (not busy)


def test_what_outlived_collections_is_freed_in_an_application_that_is_never_quiet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collector, remains = with_frozen_garbage()
    monkeypatch.setattr(serving, "BETWEEN_WHOLE_COLLECTIONS", 0.0)
    monkeypatch.setattr(serving, "MANY_BLOCKS", 500_000)
    several = []
    for _ in range(3):
        assert remains() is not None
        several.append([[] for _ in range(210_000)])
        look_for(0.5, collector, busy=True)
    assert remains() is None


def with_frozen_garbage() -> tuple[_QuietCollector, weakref.ref[Circle]]:
    collector = _QuietCollector()
    circle = Circle()
    remains = weakref.ref(circle)
    gc.collect()
    gc.freeze()
    return collector, remains


def look_for(seconds: float, collector: _QuietCollector, busy: bool) -> None:
    """Let the collector look as often as in these seconds, without waiting for them."""
    for _ in range(int(seconds / serving.BETWEEN_LOOKS)):
        end = time.process_time() + (serving.QUIET if busy else 0)
        while time.process_time() < end:
            pass
        collector.look()
