"""Final step of an upload of many files: progress, name conflicts, move into the workspace, and undo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.staged_upload import CommittedUpload, Intake, StagedUpload, WhenTaken
from karenina_gui.authoring.workspace_files import WorkspaceFiles
from karenina_gui.authoring.workspace_names import printable_path
from karenina_gui.errors import InputError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions, dialog_title
from karenina_gui.gui.kit.elements import button
from karenina_gui.gui.session.window import Window
from karenina_gui.text import quantity, size_in_words

NAMED = 20
"""Maximum number of conflicting names listed."""


class UploadProgress:
    """Progress dialog. It appears after a short delay.

    `stop` is called by Cancel. `files`: total number of files; None: unknown.
    """

    def __init__(self, title: str, intake: Intake, stop: Callable[[], Any], files: int | None = None) -> None:
        self._intake, self._files = intake, files
        with ui.dialog().props("persistent") as self._dialog, ui.element("div").classes("dialog dialog-narrow"):
            self._dialog.props["aria-label"] = title
            dialog_title(title)
            self._bar = ui.linear_progress(show_value=False, size="6px").props('aria-label="Progress"')
            self._bar.props("" if files else "indeterminate")
            self._label = ui.label().classes("hint").props('role="status"')
            with dialog_actions():
                button("Cancel", stop)
            self._timer = ui.timer(0.4, self._show)

    def close(self) -> None:
        self._timer.cancel()
        if not self._dialog.is_deleted:
            self._dialog.delete()

    def _show(self) -> None:
        if self._files:
            self._bar.value = min(self._intake.files / self._files, 1)
        self._label.text = f"{quantity(self._intake.files, 'item')}, {size_in_words(self._intake.size)} so far"
        self._dialog.open()


class UploadCommitter:
    """Moves staged files into the workspace. `added` is called with the first new path."""

    def __init__(self, window: Window, files: WorkspaceFiles, added: Callable[[str], Any]) -> None:
        self.window, self.files, self.added = window, files, added

    async def commit(self, arrival: StagedUpload, what: str) -> None:
        """Move staged files in. If names are taken, the user decides.

        `what`: name in messages, such as “genes.zip”.
        """
        try:
            taken = await run.io_bound(arrival.existing_names)
        except InputError as error:
            arrival.discard()
            self.window.notify(f"Couldn’t add {what}. {error}", "bad")
            return
        if taken:
            self._ask(arrival, what, taken)
        else:
            await self._settle(arrival, what, "ask")

    async def _settle(self, arrival: StagedUpload, what: str, when_taken: WhenTaken) -> None:
        intake = arrival.intake
        try:
            arrived = await run.io_bound(arrival.commit, when_taken)
        except InputError as error:
            arrival.discard()
            self.window.notify(f"Couldn’t add {what}. {error}", "bad")
            return
        if arrived is None or not arrived.paths:
            self.window.notify(f"{what} is empty. Nothing was added.")
            return

        def undo() -> None:
            background_tasks.create(self._undo(arrived), name="take back what arrived")

        gone = " Undo restores replaced files." if arrived.replaced else ""
        came = f"{quantity(intake.files, 'item')}, {size_in_words(intake.size)}"
        self.window.notify(f"Added {what}: {came}.{gone}", undo=undo)
        self.added(arrived.paths[0])

    async def _undo(self, arrived: CommittedUpload) -> None:
        try:
            await run.io_bound(self.files.take_back, arrived)
        except InputError as error:
            self.window.notify(f"Couldn’t undo everything. {error}", "bad")
        self.added(arrived.replaced[-1].path if arrived.replaced else "")

    def _ask(self, arrival: StagedUpload, what: str, taken: list[str]) -> None:
        with dialog(
            "Names already taken", f"{quantity(len(taken), 'name')} already taken", classes="dialog-narrow"
        ) as sheet:
            sheet.props("persistent")
            # Closing the dialog in any other way than by a choice discards the files.
            sheet.on("hide", lambda: None if settled else arrival.discard(), args=[])
            settled: list[WhenTaken] = []
            ui.label(f"{what} contains names that the folder already has:").classes("hint")
            more = f"\n… and {len(taken) - NAMED} more" if len(taken) > NAMED else ""
            ui.label("\n".join(map(printable_path, taken[:NAMED])) + more).classes("workspace-names")

            async def settle(how: WhenTaken) -> None:
                settled.append(how)
                sheet.close()
                await self._settle(arrival, what, how)

            with dialog_actions():
                button("Don’t add", sheet.close)
                button("Replace", lambda: settle("replace"))
                button("Keep both", lambda: settle("keep_both"), look="main")
