"""File browser of a workspace: tree on the left, open file on the right."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from nicegui import run, ui

from karenina_gui.authoring.trash import DeletedItem
from karenina_gui.authoring.workspace_files import WorkspaceFiles
from karenina_gui.authoring.workspace_listing import Totals
from karenina_gui.authoring.workspace_names import printable_path
from karenina_gui.errors import InputError
from karenina_gui.gui.forms.bound_field import FieldError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import (
    button,
    field,
    icon_button,
    on_enter,
    one_at_a_time,
    splitter,
    text_input,
)
from karenina_gui.gui.pages.workspaces.add_files import FileAdder
from karenina_gui.gui.pages.workspaces.file_editor import name_of_drafts
from karenina_gui.gui.pages.workspaces.file_pane import FilePane
from karenina_gui.gui.pages.workspaces.paths import file_address, quote_path, unquote_path
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.static_files import static_folder


class WorkspaceBrowser:
    """File browser. `counted` is called with the totals of the workspace."""

    def __init__(self, draft: QuestionDraft, files: WorkspaceFiles, counted: Callable[[Totals], None]) -> None:
        self.draft, self.window, self.files, self._counted = draft, draft.window, files, counted
        self.marked = ""
        """Path of the selected entry. Empty: none."""
        self._marked_kind = "folder"
        self.adding = FileAdder(self.window, files, lambda: self.folder, self._on_added)
        with splitter(self.window, "workspace", 40, limits=(20, 70)) as panes:
            with panes.before, ui.element("div").classes("pane workspace-left") as folder_pane:
                self._toolbar()
                self.tree = WorkspaceTree(
                    f"/api/benchmarks/{draft.benchmark_id}/questions/{draft.summary.number}/workspace",
                    "Workspace files",
                )
            with panes.after:
                self.file = FilePane(draft, files)
        self.adding.take_drops(folder_pane)
        self.tree.on_choose(self._choose)
        self.tree.on_key("remove", self.remove)
        self.tree.on_key("rename", self.rename)
        self._register_commands()

    @property
    def folder(self) -> str:
        """Target folder of new files: the selected folder, or the one that contains the selected file."""
        if self._marked_kind == "folder":
            return self.marked
        above = PurePosixPath(self.marked).parent.as_posix()
        return "" if above == "." else above

    async def refresh(self) -> None:
        """Refresh after a change in the folder."""
        self.tree.refresh()
        await self.file.refresh()
        await self.count()

    async def open_undecided(self) -> None:
        """Open a file with a conflict or an unsaved edit, if there is one."""
        start = name_of_drafts(self.draft, "")
        path = next((name.removeprefix(start) for name in self.draft.unsaved if name.startswith(start)), None)
        if path is not None:
            self.marked, self._marked_kind = path, "file"
            self.tree.reveal(path)
            await self.file.open(path)

    async def count(self) -> None:
        """Count the files and report the totals."""
        try:
            totals = await run.io_bound(self.files.totals)
        except InputError:
            return
        if totals is not None and not self.tree.is_deleted:
            self._counted(totals)

    def _toolbar(self) -> None:
        with ui.element("div").classes("workspace-tools edge line").props('role="toolbar" aria-label="Workspace"'):
            icon_button("note_add", "New file", lambda: self._ask_new("file"))
            icon_button("create_new_folder", "New folder", lambda: self._ask_new("folder"))
            add = icon_button("upload_file", "Add files")
            add.on("click", js_handler=self.adding.chooser)
            folder = icon_button("drive_folder_upload", "Add folder")
            folder.on("click", js_handler=self.adding.folder_chooser)
            ui.space()
            icon_button("drive_file_rename_outline", "Rename (F2)", lambda: self.rename(self.marked))
            icon_button("download", "Download", self._download)
            icon_button("delete", "Delete (Del)", lambda: self.remove(self.marked))

    def _register_commands(self) -> None:
        offers: dict[str, Callable[[], object]] = {
            "workspace.file": lambda: self._ask_new("file"),
            "workspace.folder": lambda: self._ask_new("folder"),
            "workspace.rename": lambda: self.rename(self.marked),
            "workspace.delete": lambda: self.remove(self.marked),
        }
        for command, action in offers.items():
            self.window.register_command(command, action)

    async def _choose(self, path: str, kind: str, opened: bool) -> None:
        self.marked, self._marked_kind = path, kind
        if opened and kind != "folder" and path != self.file.path:
            await self.file.open(path)

    def _ask_new(self, kind: str) -> None:
        folder = self.folder
        make = self.files.make_file if kind == "file" else self.files.make_folder

        async def show(path: str) -> None:
            self.marked, self._marked_kind = path, kind
            self.tree.reveal(path)
            if kind == "file":
                await self.file.open(path)

        async def use(name: str) -> None:
            path = await self.window.write(make, folder, name)
            self.window.note_saved()
            self._show_later(partial(show, path))

        title = "New file" if kind == "file" else "New folder"
        ask_name(title, "Create", use, where=f"in {printable_path(folder)}" if folder else "in the workspace")

    def _show_later(self, show: Callable[[], Awaitable[None]]) -> None:
        """Show a new entry after the dialog has closed, unless the user left the page."""
        if not self.tree.is_deleted:
            with self.tree:
                ui.timer(0, show, once=True)

    def rename(self, path: str) -> None:
        """Ask for a new name and rename the entry."""
        if not path:
            self.window.notify("Select a file or folder first.")
            return
        old = PurePosixPath(path).name

        async def show(new: str) -> None:
            opened = self.file.path
            self.marked = new
            self.tree.reveal(new)
            if opened is not None and (opened == path or opened.startswith(f"{path}/")):
                await self.file.open(new + opened[len(path) :])

        async def use(name: str) -> None:
            if self.file.editor is not None:
                self.file.editor.edit.flush()  # comes before the new name, since writes keep their order
            new = await self.window.write(self.files.rename, path, name)
            self.window.note_saved()
            self._show_later(partial(show, new))

        ask_name("Rename", "Rename", use, before=printable_path(old))

    async def remove(self, path: str) -> None:
        """Move an entry to the trash. A message offers undo."""
        if not path:
            self.window.notify("Select a file or folder first.")
            return
        opened = self.file.path
        if opened is not None and (opened == path or opened.startswith(f"{path}/")):
            # An open editor would save into the deleted file.
            self.file.close()
        try:
            removed = await self.window.write(self.files.remove, path)
        except InputError as error:
            self.window.notify(str(error), "bad")
            return
        if self.marked == path:
            self.marked, self._marked_kind = "", "folder"
        self.window.note_saved()
        self.tree.refresh()
        self.window.notify(f"Deleted {printable_path(PurePosixPath(path).name)}.", undo=lambda: self._restore(removed))

    async def _restore(self, removed: DeletedItem) -> None:
        try:
            path = await self.window.write(self.files.restore, removed)
        except InputError as error:
            self.window.notify(str(error), "bad")
            return
        self.window.note_saved()
        if not self.tree.is_deleted:
            self.tree.reveal(path)

    def _on_added(self, path: str) -> None:
        self.window.note_saved()
        if self.tree.is_deleted:
            return
        kind = self.files.kind(path)
        if kind is None:
            self.marked, self._marked_kind = "", "folder"
            self.tree.refresh()
        else:
            # The next one that is added comes beside a folder that was added, not into it.
            self.marked, self._marked_kind = path, "file" if kind == "file" else "new_folder"
            self.tree.reveal(path)

    def _download(self) -> None:
        if self.marked and self._marked_kind == "file":
            ui.download.from_url(file_address(self.draft.benchmark_id, self.draft.summary.number, self.marked))
        else:
            self.window.notify("Select a file first.")


class WorkspaceTree(ui.element, component=static_folder() / "workspace_tree.js"):
    """File tree. Arrow keys move, Enter opens, Delete deletes, F2 renames.

    `url`: folder listing, see `routes`.
    """

    def __init__(self, url: str, label: str) -> None:
        super().__init__()
        self.props["url"] = url
        self.props["label"] = label

    def on_choose(self, callback: Callable[[str, str, bool], Any]) -> None:
        """Call back with path and kind of the selected entry, and True if it is to be opened."""
        self.on(
            "choose",
            lambda event: callback(
                unquote_path(str(event.args["path"])), str(event.args["kind"]), bool(event.args["open"])
            ),
        )

    def on_key(self, key: str, callback: Callable[[str], Any]) -> None:
        """Call back with the path of the entry. `key`: `remove` or `rename`."""
        self.on(key, lambda event: callback(unquote_path(str(event.args["path"]))))

    def refresh(self) -> None:
        """Reload all expanded folders."""
        self.run_method("refresh")

    def reveal(self, path: str) -> None:
        """Select an entry and expand its parent folders."""
        self.run_method("reveal", quote_path(path))


def ask_name(
    title: str, done: str, use: Callable[[str], Awaitable[None]], *, where: str = "", before: str = ""
) -> None:
    """Ask for a name and pass it to `use`. The dialog stays open while `use` raises `InputError`.

    `done`: text of the button.
    """
    with dialog(title, classes="dialog-narrow") as sheet:
        with field("Name", where):
            name = text_input("Name", before).props("autofocus")
            problem = FieldError()

        @one_at_a_time
        async def finish() -> None:
            try:
                await use(name.value or "")
            except InputError as error:
                problem.show_message(str(error))
                return
            sheet.close()

        on_enter(name, finish)
        name.on_value_change(lambda: problem.show_message(None))
        with dialog_actions():
            button("Cancel", sheet.close)
            button(done, finish, look="main")
