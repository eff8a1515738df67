"""Short messages below the links of the sidebar; messages with an Undo button stay longer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal

from nicegui import ui

ToastKind = Literal["info", "good", "bad"]
_ICONS = {"info": "info", "good": "check_circle", "bad": "error"}
_SECONDS = {"info": 5.0, "good": 4.0, "bad": 12.0}
_UNDO_SECONDS = 12.0
_MOST = 2


class Toasts(ui.element):
    """Container of the messages; a live region for screen readers."""

    def __init__(self) -> None:
        super().__init__("div")
        self.classes("toasts stack gap-8").props('role="status" aria-live="polite"')

    def set_below_links(self, below: bool) -> None:
        """Place the messages below the links of the open sidebar, or in the right corner."""
        # Set here, since a style that asks the whole page for an open sidebar is computed again at each change of it.
        if below:
            self.classes("toasts-below-links")
        else:
            self.classes(remove="toasts-below-links")

    def show(
        self,
        message: str,
        kind: ToastKind = "info",
        undo: Callable[[], Any] | None = None,
        address: str | None = None,
    ) -> None:
        """Show a message; `undo` adds a button and is called at most once, `address` adds a link to this address."""
        for old in list(self.default_slot.children)[: 1 - _MOST]:
            old.delete()
        with self, ui.element("div").classes(_toast_classes(kind, undo, address)) as toast:
            ui.icon(_ICONS[kind])
            ui.label(message).classes("toast-text")
            if undo is not None:
                ui.button("Undo", color=None, on_click=lambda: _take_back(toast, undo)).props("flat dense no-caps")
            if address is not None:
                ui.link("Show", address).classes("toast-link").on("click", toast.delete)
            ui.button(icon="close", color=None, on_click=toast.delete).props('flat dense aria-label="Dismiss message"')
            ui.timer(_SECONDS[kind] if undo is None else _UNDO_SECONDS, toast.delete, once=True)


def _toast_classes(kind: ToastKind, undo: Callable[[], Any] | None, address: str | None) -> str:
    return f"toast toast-{kind}" + ("" if undo is None and address is None else " toast-with-action")


async def _take_back(toast: ui.element, undo: Callable[[], Any]) -> None:
    # Deleted first, so that a second click finds no button; the outer slot remains for what `undo` draws.
    with toast.parent_slot.parent if toast.parent_slot else toast:
        toast.delete()
        outcome = undo()
        if inspect.iscoroutine(outcome):
            await outcome
