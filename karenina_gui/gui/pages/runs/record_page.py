"""Record of a run: what it was made of, to read, copy, or save."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import run, ui

from karenina_gui.errors import KareninaError
from karenina_gui.gui.kit.clipboard import copy_text
from karenina_gui.gui.kit.download import download_file
from karenina_gui.gui.kit.elements import button, heading, pane, scrolling, toolbar
from karenina_gui.gui.kit.html import Html, tag
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.runs.changes_view import changes_summary
from karenina_gui.gui.pages.runs.progress import RunProgress
from karenina_gui.gui.pages.runs.record_view import NO_RECORD, record_view
from karenina_gui.gui.pages.runs.views import RunViews, open_run
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.reproducibility import Reproducibility
from karenina_gui.schemas.run_summaries import RunSummary

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/runs/{r}/record`; the query is kept for the other views."""
    summary = open_run(window, route)
    with pane("Run", classes="run-without-rest"):
        RunProgress(window, summary, RunViews(window, summary.id, "record", ResultQuery.from_query(route.query))).draw()
        RecordView(window, summary).draw()


class RecordView:
    """Reproducibility record, which is computed after the page is sent."""

    def __init__(self, window: Window, summary: RunSummary) -> None:
        self._window = window
        self._run = summary
        self._record: Reproducibility | None = None

    def draw(self) -> None:
        with toolbar():
            heading("Reproducibility record")
            ui.space()
            self._copy = button("Copy", self._copy_record, icon="content_copy", look="quiet")
            address = f"/api/runs/{self._run.id}/reproducibility.json"
            self._save = button("Save as JSON", lambda: download_file(address), icon="download", look="quiet")
        with scrolling("Record"):
            self._view = ui.html(tag("p", "Loading…", class_="hint")).classes("full-width run-record")
        self._copy.set_visibility(False)
        self._save.set_visibility(False)
        ui.timer(0, self._show, once=True)

    async def _show(self) -> None:
        content = await run.io_bound(self._content)
        if content is not None and not self._view.is_deleted:
            self._view.set_content(content)
            self._copy.set_visibility(self._record is not None)
            self._save.set_visibility(self._record is not None)

    def _content(self) -> Html:
        services = self._window.services
        try:
            self._record = services.library.runs.reproducibility(self._run.id)
            if self._record is None:
                return tag("p", NO_RECORD, class_="hint")
            changes = services.runs.benchmark_changes(self._run.id)
        except KareninaError as error:
            return tag("div", str(error), class_="note note-bad", role="alert")
        interfaces = {spec.name: spec.title for spec in services.runs.models.interfaces()}
        return record_view(self._record, changes_summary(changes) if changes else self._state(), interfaces)

    def _state(self) -> str:
        if self._run.benchmark_deleted:
            return "The benchmark was deleted, so it can’t be compared."
        return "The benchmark hasn’t changed since this run."

    def _copy_record(self) -> None:
        if self._record is not None:
            copy_text(self._record.model_dump_json(indent=2), "Copied to clipboard")
