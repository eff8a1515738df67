"""Short messages at the lower right; one that undoes something has a button and stays longer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal

from nicegui import ui

ToastKind = Literal["info", "good", "bad"]
_ICONS = {"info": "info", "good": "check_circle", "bad": "error"}
_SECONDS = {"info": 5.0, "good": 4.0, "bad": 12.0}
_UNDO_SECONDS = 12.0
_MOST = 4


class Toasts(ui.element):
    """The place where messages appear; screen readers read them out."""

    def __init__(self) -> None:
        super().__init__("div")
        self.classes("toasts").props('role="status" aria-live="polite"')

    def show(self, message: str, kind: ToastKind = "info", undo: Callable[[], Any] | None = None) -> None:
        """`undo` gets a button; it is called once at most."""
        for old in list(self.default_slot.children)[: 1 - _MOST]:
            old.delete()
        with self, ui.element("div").classes(f"toast toast-{kind}") as toast:
            ui.icon(_ICONS[kind])
            ui.label(message).classes("toast-text")
            if undo is not None:
                ui.button("Undo", color=None, on_click=lambda: _take_back(toast, undo)).props("flat dense no-caps")
            ui.button(icon="close", color=None, on_click=toast.delete).props('flat dense aria-label="Dismiss message"')
            ui.timer(_SECONDS[kind] if undo is None else _UNDO_SECONDS, toast.delete, once=True)


async def _take_back(toast: ui.element, undo: Callable[[], Any]) -> None:
    with toast.parent_slot.parent if toast.parent_slot else toast:
        toast.delete()
        outcome = undo()
        if inspect.iscoroutine(outcome):
            await outcome
