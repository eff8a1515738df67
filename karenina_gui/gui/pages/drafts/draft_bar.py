"""Bar with the progress of drafts, which survives leaving the page, and the way to those that wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.authoring.drafting.service import DraftProgress
from karenina_gui.gui.kit.elements import button, icon_button
from karenina_gui.gui.session.window import Window
from karenina_gui.text import quantity


class DraftBar:
    """Progress of the template drafts of a benchmark, and the number of drafts to review; hidden without either."""

    def __init__(self, window: Window, benchmark_id: int, review: Callable[[], Any]) -> None:
        self.window, self.benchmark_id = window, benchmark_id
        self._closed: DraftProgress | None = None
        """Progress whose message the user has closed."""
        with ui.element("div").classes("draft-bar edge line wide gap-4").props('role="status"') as self.element:
            self._message = ui.label()
            ui.space()
            self._stop = button("Stop", self._cancel, look="quiet")
            self._review = button("Review drafts", review, look="quiet", icon="rate_review")
            self._close = icon_button("close", "Hide message", self._hide)
        window.listen(window.services.drafts_changed, self._on_change)
        window.listen(window.services.changes_debounced, self.refresh)
        self.refresh()

    def _on_change(self, benchmark_id: int) -> None:
        if benchmark_id == self.benchmark_id:
            self.refresh()

    def refresh(self) -> None:
        services = self.window.services
        progress = services.drafting.progress(self.benchmark_id, "template")
        waiting = services.read_shared(services.library.proposals.count_open, self.benchmark_id, "template")
        running = progress is not None and progress.running
        fresh = progress if progress and progress != self._closed else None
        self._message.text = _status_text(progress if running else None, waiting, fresh)
        self._stop.set_visibility(running)
        self._review.set_visibility(waiting > 0)
        self._close.set_visibility(bool(fresh and fresh.message) and not running)
        self.element.set_visibility(bool(self._message.text))

    def _cancel(self) -> None:
        self.window.services.drafting.cancel(self.benchmark_id)

    def _hide(self) -> None:
        self._closed = self.window.services.drafting.progress(self.benchmark_id, "template")
        self.refresh()


def _status_text(running: DraftProgress | None, waiting: int, ended: DraftProgress | None) -> str:
    """`ended`: the last drafts, which may have failed; None: none, or the user has closed their message."""
    if running is not None:
        faulty = f", {running.faulty:,} failed" if running.faulty else ""
        return f"Drafting templates: {running.done:,} of {running.total:,}{faulty}"
    failed = min(ended.faulty, waiting) if ended else 0
    if failed == waiting == 1:
        open_drafts = "The draft failed."
    else:
        which = f", {failed:,} failed" if failed else ""
        open_drafts = f"{quantity(waiting, 'draft')} to review{which}." if waiting else ""
    return f"{ended.message if ended else ''} {open_drafts}".strip()
