"""Versions page: what was published, and the linked file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import run, ui

from karenina_gui.errors import InputError
from karenina_gui.gui.comparison.linked_file_form import LinkedFileForm
from karenina_gui.gui.components.dates import day_and_time
from karenina_gui.gui.components.dialogs import dialog, dialog_actions
from karenina_gui.gui.components.download import download_file
from karenina_gui.gui.components.elements import (
    button,
    chip,
    empty_state,
    field,
    heading,
    key_values,
    note,
    on_enter,
    pane,
    scrolling,
    text_area,
    text_input,
    toolbar,
)
from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.schemas.published_version import PublishedVersion, VersionState
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/benchmarks/{b}/versions`; `?publish=1` opens the dialog, `?link=1` moves the focus to the linked file."""
    page = VersionsPage(window, route["b"])
    if "publish" in route.query:
        page.ask()
    if "link" in route.query:
        page.file.focus()


class VersionsPage:
    def __init__(self, window: Window, benchmark_id: int) -> None:
        self._window, self._benchmark_id = window, benchmark_id
        self._publishing = window.services.editor.publishing
        with pane("Versions"):
            with toolbar("Versions"):
                heading("Versions", 1)
                ui.space()
                button(
                    "Compare with…",
                    partial(ui.navigate.to, f"/benchmarks/{benchmark_id}/versions/compare"),
                    icon="difference",
                )
                button("Publish version…", self.ask, icon="publish", look="main")
            with scrolling("Published versions and linked file"), ui.element("div").classes("form"):
                self._state = ui.label("").classes("hint").props('role="status"')
                self._list = ui.element("div").classes("version-list")
                with ui.element("div").classes("group"):
                    heading("Linked file")
                    self.file = LinkedFileForm(window, benchmark_id)
        self._asking = ui.element("div")
        self._versions: list[PublishedVersion] | None = None
        self._show()
        # The hash of a large benchmark takes a second, which the list of versions must not wait for.
        ui.timer(0, self._show_state, once=True)
        window.listen(window.services.changes_debounced, self._refresh)

    def ask(self) -> None:
        """Ask for the name and the note of a new version."""
        with self._asking, dialog("Publish version") as sheet:
            ui.label(
                "A published version is frozen: later edits don’t change it, and it can’t be deleted. Runs and exports "
                "refer to it by number, name, and hash."
            ).classes("hint")
            with field("Name", "optional, such as final or 2026-11"):
                name = text_input("Version name").props("autofocus")
            with field("Note", "optional"):
                text = text_area("Version note")
            problems = ui.element("div")
            publishes = partial(self._publish, sheet, name, text, problems)
            on_enter(name, publishes)
            with dialog_actions():
                button("Cancel", sheet.close)
                button("Publish", publishes, look="main")

    async def _publish(self, sheet: ui.dialog, name: ui.input, text: ui.textarea, problems: ui.element) -> None:
        publishing = self._window.write(
            self._publishing.publish, self._benchmark_id, str(name.value or ""), str(text.value or "")
        )
        try:
            version = await publishing
        except InputError as error:
            problems.clear()
            with problems:
                note(str(error), "bad")
            return
        sheet.close()
        self._window.notify(f"Published {version.label}.", "good")
        await self._refresh()

    async def _refresh(self) -> None:
        if not self._list.is_deleted:
            self._show()
            await self._show_state()

    def _show(self) -> None:
        versions = self._window.services.library.published.all(self._benchmark_id)
        if versions == self._versions:
            return
        self._versions = versions
        self._list.clear()
        with self._list:
            if not versions:
                self._nothing_yet()
            for version in versions:
                self._version(version)

    async def _show_state(self) -> None:
        state = await run.io_bound(self._publishing.present, self._benchmark_id)
        if state is not None and not self._state.is_deleted:
            self._state.text = present_text(state)

    def _nothing_yet(self) -> None:
        with empty_state(
            "verified", "Nothing published yet", "Publish a version before runs that others should be able to repeat."
        ):
            button("Publish version…", self.ask)

    def _version(self, version: PublishedVersion) -> None:
        with ui.element("section").classes("version").props(f'aria-label="Version {version.number}"'):
            with ui.element("div").classes("line wraps gap-8"):
                heading(version.label)
                chip(f"{quantity(version.questions, 'question')}, {version.finished:,} finished")
                ui.space()
                self._actions(version)
            if version.note:
                ui.label(version.note).classes("prose")
            author = f" by {version.published_by}" if version.published_by else ""
            key_values([("Published", f"{day_and_time(version.published_at)}{author}"), ("SHA-256", version.sha256)])

    def _actions(self, version: PublishedVersion) -> None:
        start = f"/benchmarks/{self._benchmark_id}"
        for title, act in (
            ("Run", partial(ui.navigate.to, f"{start}/run?version={version.id}")),
            ("Compare", partial(ui.navigate.to, f"{start}/versions/compare?with=version:{version.id}")),
            ("Export", partial(download_file, f"/api{start}/versions/{version.id}/file")),
            ("Restore as copy", partial(self._restore, version)),
        ):
            button(title, act, look="quiet").props(aria_label(f"{title} v{version.number}"))

    async def _restore(self, version: PublishedVersion) -> None:
        done = await self._window.write(as_one(self._publishing.restore_copy), version.id)
        name = self._window.services.library.benchmarks.summary(done.outcome).name
        self._window.notify(f"Created “{name}”.", "good", undo=partial(self._window.undo, done.command_id))
        ui.navigate.to(f"/benchmarks/{done.outcome}/questions")


def present_text(state: VersionState) -> str:
    """The present state of the benchmark as seen from its versions."""
    if state.same is not None:
        return f"No changes since {state.same.label}."
    return f"The benchmark has {state.text}." if state.since is not None else ""
