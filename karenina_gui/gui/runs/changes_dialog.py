"""Dialog with the changes of a benchmark since a run: links, and both versions of each field."""

from __future__ import annotations

from nicegui import run, ui

from karenina_gui.errors import KareninaError, NotFoundError
from karenina_gui.gui.components.dialogs import dialog, dialog_actions
from karenina_gui.gui.components.elements import button
from karenina_gui.gui.components.html import Html, join_html, tag
from karenina_gui.gui.runs.changes_view import changes_summary, changes_view
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.run_summaries import RunSummary


class ChangesDialog:
    """Dialog with changes, which opens immediately and compares again, because the benchmark may have changed since."""

    def __init__(self, window: Window, summary: RunSummary) -> None:
        self._window = window
        self._run = summary
        with dialog("Benchmark changes", classes="sent-dialog") as made:
            with (
                ui.element("div")
                .classes("sent-list wide card")
                .props('tabindex="0" role="region" aria-label="Changes"')
            ):
                self._view = ui.html(tag("p", "Loading…", class_="hint")).classes("full-width")
            with dialog_actions():
                address = f"/benchmarks/{summary.benchmark_id}/versions/compare?with=run:{summary.id}"
                # An imported run holds hashes of its benchmark alone.
                if window.services.library.snapshots.has(summary.benchmark_hash):
                    button("Compare and apply…", lambda: ui.navigate.to(address), icon="difference")
                button("Close", made.close)
            ui.timer(0, self._show, once=True)

    async def _show(self) -> None:
        content = await run.io_bound(self._content)
        if content is not None and not self._view.is_deleted:
            self._view.set_content(content)

    def _content(self) -> Html:
        benchmark = self._run.benchmark_id
        try:
            changes = self._window.services.runs.benchmark_changes(self._run.id)
        except KareninaError as error:
            return tag("div", str(error), class_="note note-bad", role="alert")
        if not changes:
            return tag("p", "The benchmark hasn’t changed since this run.", class_="hint")
        view = changes_view(changes, self._address, f"/benchmarks/{benchmark}/details")
        return join_html([tag("p", changes_summary(changes)), view])

    def _address(self, question_id: str) -> str | None:
        benchmark = self._run.benchmark_id
        try:
            number = self._window.services.library.questions.number_of(benchmark, question_id)
        except NotFoundError:
            return None
        return f"/benchmarks/{benchmark}/questions/{number}"
