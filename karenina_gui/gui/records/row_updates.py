"""Edits of the questions in a table, told once for all that were edited at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from nicegui import ui

from karenina_gui.authoring.changes import Change
from karenina_gui.errors import NotFoundError
from karenina_gui.gui.session.window import Window


class RowUpdates:
    """Calls back while the current element is on the page.

    `show_rows` receives the numbers of edited questions; `reload` is called if questions were added, removed, or
    replaced. `NotFoundError` of a deleted benchmark is ignored: the page tells of it.
    """

    def __init__(
        self,
        window: Window,
        benchmark_id: int,
        show_rows: Callable[[tuple[int, ...]], None],
        reload: Callable[[Change], None],
    ) -> None:
        self._benchmark_id, self._show_rows, self._reload = benchmark_id, show_rows, reload
        self._element = ui.context.slot.parent
        self._numbers: set[int] = set()
        window.listen(window.services.benchmark_changed, self._on_change)

    def _on_change(self, change: Change) -> None:
        if change.benchmark_id != self._benchmark_id:
            return
        if change.kind == "edited" and change.number is not None:
            if not self._numbers:
                asyncio.get_running_loop().call_soon(self._show)
            self._numbers.add(change.number)
        elif change.number is not None or change.kind == "replaced":
            with suppress(NotFoundError):
                self._reload(change)

    def _show(self) -> None:
        numbers, self._numbers = tuple(sorted(self._numbers)), set()
        if not self._element.is_deleted:
            with suppress(NotFoundError):
                self._show_rows(numbers)
