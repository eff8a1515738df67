"""Hidden element that runs a callback when the page part around it is removed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui


class DisposeHook(ui.element):
    def __init__(self, on_leave: Callable[[], Any]) -> None:
        super().__init__("span")
        self.props("hidden")
        self._on_leave = on_leave

    def _handle_delete(self) -> None:
        super()._handle_delete()
        self._on_leave()
