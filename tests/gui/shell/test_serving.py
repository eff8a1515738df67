"""Garbage of the served application is collected whole only in moments in which nothing else is done."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from karenina_gui.gui.shell.serving import _collect_in_quiet


class Circle:
    """Refers to itself, so that only a collection frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.parametrize(("busy", "pauses"), [(0, 1), (2, 3), (99, 6)], ids=["quiet", "soon quiet", "never quiet"])
async def test_garbage_is_collected_in_a_quiet_moment_or_after_seconds(
    monkeypatch: pytest.MonkeyPatch, busy: int, pauses: int
) -> None:
    circle = Circle()
    gc.collect()  # it is among the oldest objects now, which smaller collections leave alone
    garbage = weakref.ref(circle)
    del circle
    waited: list[float] = []

    async def pass_time(seconds: float) -> None:
        """The moment passes at once; while the application is busy, it collects younger objects."""
        assert garbage() is not None
        waited.append(seconds)
        if len(waited) <= busy:
            gc.collect(1)

    monkeypatch.setattr(asyncio, "sleep", pass_time)
    await _collect_in_quiet()
    assert garbage() is None
    assert len(waited) == pauses
    assert sum(waited) <= 3
