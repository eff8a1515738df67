"""Versions page: what was published, and the linked file with its form."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from karenina_gui.errors import InputError
from karenina_gui.gui.forms.bound_field import FieldError
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.download import download_file
from karenina_gui.gui.kit.elements import (
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
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.pages.comparison.file_banner import comparison_address, state_text
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.schemas.published_version import PublishedVersion, VersionState
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

WATCHED = (
    "A linked file is watched: when another program or a colleague changes it, a notice offers to compare. It is only "
    "written when you press {button}."
)
OTHER_WORK = (
    "{name} has changes that were never in this benchmark. Writing replaces them. The old file is saved as {name}.bak."
)
HINT = "a .jsonld file on the computer that runs this application"


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


class LinkedFileForm:
    """Links a file, shows its state, and writes to it on request alone."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        self._window, self._benchmark_id = window, benchmark_id
        self._links = window.services.editor.links
        self._hint = ui.label().classes("hint")
        self._container = ui.element("div")
        self._fill()
        window.listen(window.services.linked_file_changed, self._on_change)

    def focus(self) -> None:
        """Move the focus to the path."""
        self._path.run_method("focus")

    def _on_change(self, benchmark_id: int) -> None:
        state = self._links.state(benchmark_id)
        if benchmark_id == self._benchmark_id and state is not None:
            self._state.text = state_text(state)

    def _fill(self) -> None:
        linked = self._window.services.library.exchanges.link(self._benchmark_id)
        self._hint.text = WATCHED.format(button="Write new file" if linked is None else "Write to file")
        self._container.clear()
        with self._container, field("Linked file", HINT):
            with ui.element("div").classes("workspace-line"):
                self._path = text_input("Linked file", str(linked.path) if linked else "")
                self._path.props('spellcheck="false" placeholder="/home/you/benchmark.jsonld"')
                if linked is None:
                    button("Link file", lambda: self._act(self._links.link, "Linked the file."))
                    button("Write new file", lambda: self._act(self._links.write, "Wrote and linked the file."))
                else:
                    # Another path would be another link, which begins with a comparison of its own.
                    self._path.props("readonly")
                    button("Write to file", self._write)
                    button("Unlink", self._unlink, look="quiet")
            self._problem = FieldError()
            state = self._links.state(self._benchmark_id)
            self._state = ui.label(state_text(state) if state else "").classes("hint").props('role="status"')

    async def _act(self, action: Callable[[int, str], Any], done: str) -> None:
        try:
            await self._window.write(action, self._benchmark_id, str(self._path.value or ""))
        except InputError as error:
            self._problem.show_message(str(error))
            return
        self._window.notify(done, "good")
        self._fill()

    async def _write(self) -> None:
        # Changes that the user ignored are seen, but would be gone from the file without a word.
        if await run.io_bound(self._links.holds_other_work, self._benchmark_id):
            self._ask()
        else:
            await self._overwrite()

    def _ask(self) -> None:
        async def overwrite() -> None:
            confirmation.close()
            await self._overwrite()

        name = Path(str(self._path.value or "")).name
        with self._container, dialog("Overwrite the file?", classes="dialog-narrow") as confirmation:
            ui.label(OTHER_WORK.format(name=name)).classes("hint")
            with dialog_actions():
                button("Cancel", confirmation.close, look="quiet")
                button("Compare", lambda: ui.navigate.to(comparison_address(self._benchmark_id)))
                button("Overwrite", overwrite, look="main")

    async def _overwrite(self) -> None:
        await self._act(lambda benchmark_id, _: self._links.write(benchmark_id), "Wrote the benchmark to its file.")

    async def _unlink(self) -> None:
        await self._window.write(self._links.unlink, self._benchmark_id)
        self._window.notify("Unlinked the file. It stays as it is.", "good")
        self._fill()
