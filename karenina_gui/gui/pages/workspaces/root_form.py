"""Workspace root of a benchmark: a local path, checked while the user types, and the copies that runs left there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.workspaces import RootCheck, RunCopy, Workspaces
from karenina_gui.errors import InputError
from karenina_gui.gui.forms.bound_field import FieldError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import button, field, icon_button, on_enter, text_input
from karenina_gui.gui.session.window import Window
from karenina_gui.text import quantity, size_in_words

HINT = "never written to benchmark files"
NAMED = 8
"""Maximum number of working copies listed before removal."""
GOING = "A run that uses these workspaces is in progress. You can remove its working copies when it ends."


class RootForm:
    """Root form. The path is saved only by the button: an incomplete path may be another existing folder."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        self.window, self.benchmark_id = window, benchmark_id
        self.workspaces = window.services.editor.workspaces
        self._checked: RootCheck | None = None
        with ui.element("div").classes("workspace-form"), field("Workspace root", HINT):
            with ui.element("div").classes("workspace-line"):
                self.path = text_input("Workspace root", self._saved_root, placeholder="/home/you/tasks")
                self.path.props('debounce="200" spellcheck="false"')
                icon_button("folder_open", "Choose folder…", self._choose)
                self.use = button("Use folder", self._use)
                self.forget = button("Remove", self._clear_root, look="quiet")
            self.problem = FieldError()
            self.hint = ui.label().classes("hint").props('role="status"')
            self.leftover_copies = LeftoverCopies(window, benchmark_id)
        self.path.on_value_change(self._check)
        on_enter(self.path, lambda: self._save() if str(self.path.value or "").strip() else None)
        window.listen(window.services.changes_of(self.benchmark_id), lambda _: self.show())
        self._show_check()

    @property
    def _saved_root(self) -> str:
        return str(self.workspaces.root(self.benchmark_id) or "")

    def show(self) -> None:
        """Show the saved path, unless the user is typing another one."""
        try:
            saved = self._saved_root
        except InputError:  # the benchmark was deleted
            return
        if self._checked is None:
            self.path.value = saved
        self._show_check()
        self.leftover_copies.refresh_soon()

    async def _check(self) -> None:
        text = str(self.path.value or "")
        if not text.strip() or text == self._saved_root:
            self._checked = None
        else:
            check = await run.io_bound(self.workspaces.check_root, text)
            if text != self.path.value or self.path.is_deleted or check is None:
                return
            self._checked = check
        self._show_check()

    def _show_check(self) -> None:
        check = self._checked
        state, message = (check.state, check.message) if check else (None, "")
        refused, missing = state == "refused", state == "missing"
        self.problem.show_at(self.path, message if refused else None)
        self.hint.text = f"{message} It can be created." if missing else ""
        self.hint.set_visibility(missing)
        self._show_use(missing=missing, refused=refused)
        self.use.classes(add="button-main", remove="button-plain") if check and not refused else self.use.classes(
            add="button-plain", remove="button-main"
        )
        self.forget.set_visibility(bool(self._saved_root) and check is None)

    def _show_use(self, *, missing: bool, refused: bool) -> None:
        """Name the button by what it does: without a path, it makes a folder."""
        self.use.text = "Create folder" if missing or self._is_unset else "Use folder"
        changed = str(self.path.value or "").strip() != self._saved_root
        self.use.set_enabled(self._is_unset or (not refused and changed))

    @property
    def _is_unset(self) -> bool:
        """True if there is no root, and none is entered."""
        return not self._saved_root and not str(self.path.value or "").strip()

    def _choose(self) -> None:
        """Choose a folder of this computer in a list."""

        async def use(folder: Path) -> None:
            self.path.value = str(folder)
            await self._save()

        FolderDialog(self.workspaces, Path(self._saved_root) if self._saved_root else Path.home(), use)

    async def _create(self) -> None:
        """Create a folder for the workspaces of this benchmark, and use it."""
        name = self.window.services.library.benchmarks.frame(self.benchmark_id).name
        self.path.value = str(await run.io_bound(self.workspaces.suggested_root, name))
        await self._check()
        await self._save()

    async def _use(self) -> None:
        await (self._create() if self._is_unset else self._save())

    async def _save(self) -> None:
        text = str(self.path.value or "")
        # The folder may have changed since the check during typing.
        checked = await run.io_bound(self.workspaces.check_root, text)
        if checked is None:  # the application is ending
            return
        if checked.state == "refused":
            self._checked = checked
            self._show_check()
            return
        was_missing = self._checked is not None and self._checked.state == "missing"
        before = self._saved_root
        try:
            makes = was_missing and checked.state == "missing"
            root = await self.window.write(self.workspaces.set_root, self.benchmark_id, text, make=makes)
        except InputError as error:
            self._checked = RootCheck(checked.state, str(error), checked.path)
            self._show_check()
            return
        self._checked = None
        self._show_check()
        self.window.note_saved()
        undo = partial(self._restore_root, before) if before and before != str(root) else None
        created = "Created the folder. " if makes else ""
        self.window.notify(f"{created}Set the workspace root to {root}.", "good", undo=undo)

    async def _restore_root(self, before: str) -> None:
        await self.window.write(self.workspaces.set_root, self.benchmark_id, before)

    async def _clear_root(self) -> None:
        before = self._saved_root
        await self.window.write(self.workspaces.set_root, self.benchmark_id, None)
        self.path.value = ""
        self.window.notify(
            "Removed the workspace root. No files were changed.", undo=partial(self._restore_root, before)
        )


class FolderDialog:
    """Dialog with the folders of this computer, one level at a time; `use` receives the chosen one."""

    def __init__(self, workspaces: Workspaces, start: Path, use: Callable[[Path], Awaitable[None]]) -> None:
        self._workspaces, self._use = workspaces, use
        self._folder = start
        with dialog("Choose folder", classes="dialog-narrow") as self._dialog:
            self._path = ui.label().classes("workspace-names mono breaks")
            with ui.element("div").classes("folder-list stack box").props('role="group" aria-label="Folders"') as area:
                self._list = area
            with dialog_actions():
                button("Cancel", self._dialog.close)
                button("Use this folder", self._submit, look="main")
        background_tasks.create(self._open(start), name="list folders", context=self._list)

    async def _open(self, folder: Path) -> None:
        names = await run.io_bound(self._workspaces.subfolders, folder)
        if names is None or self._list.is_deleted:
            return
        self._folder, self._path.text = folder, str(folder)
        self._list.clear()
        with self._list:
            if folder.parent != folder:
                button("Folder above", lambda: self._open(folder.parent), icon="arrow_upward", look="quiet")
            for name in names:
                button(name, lambda name=name: self._open(folder / name), icon="folder", look="quiet")

    async def _submit(self) -> None:
        self._dialog.close()
        await self._use(self._folder)


class LeftoverCopies:
    """Note on leftover working copies. Hidden if there are none."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        self.window, self.benchmark_id = window, benchmark_id
        self.workspaces = window.services.editor.workspaces
        self.copies: list[RunCopy] = []
        self._container = (
            ui.element("div").classes("workspace-left-copies").props('role="group" aria-label="Working copies"')
        )
        self._was_going = self.is_going
        window.listen(window.services.changes_debounced, self._on_settled)
        self.refresh_soon()

    def refresh_soon(self) -> None:
        # Lazy: requests during a search are merged into one.
        background_tasks.create_lazy(self.refresh(), name=f"look for working copies {id(self)}")

    def _on_settled(self) -> None:
        """Look again only if the first run started or the last one ended: many copies take long to measure."""
        try:
            going = self.is_going
        except InputError:  # the benchmark was deleted
            return
        if going != self._was_going:
            self._was_going = going
            self.refresh_soon()

    async def refresh(self) -> None:
        """Refresh the number of working copies."""
        try:
            copies = await run.io_bound(self.workspaces.run_copies, self.benchmark_id)
        except InputError:  # the benchmark was deleted
            return
        if copies is None or self._container.is_deleted:
            return
        self.copies = copies
        self._container.clear()
        self._container.set_visibility(bool(copies))
        if copies:
            with self._container:
                self._draw()

    @property
    def is_going(self) -> bool:
        """True if a run that may use these workspaces is in progress."""
        return any(
            self.window.services.runs.going(sharing_id) for sharing_id in self.workspaces.sharing(self.benchmark_id)
        )

    def _draw(self) -> None:
        unused = [copy for copy in self.copies if not copy.in_use]
        with ui.element("div").classes("workspace-line"):
            ui.label(f"Runs left {_in_words(self.copies)} next to the workspaces.").classes("grow")
            icon_button("refresh", "Check again", self.refresh_soon)
            remove = button("Remove copies…", self._ask, icon="delete")
            remove.set_enabled(bool(unused) and not self.is_going)
        if self.is_going:
            ui.label(GOING).classes("hint")
        elif len(unused) < len(self.copies):
            used = len(self.copies) - len(unused)
            ui.label(f"{used:,} may be in use: the program that created them is still running.").classes("hint")

    def _ask(self) -> None:
        if self.is_going:
            self.window.notify(GOING)
            return
        unused = [copy for copy in self.copies if not copy.in_use]
        title = f"Remove {_in_words(unused)}?"
        with dialog("Remove working copies", title, classes="dialog-narrow") as confirmation:
            names = "\n".join(copy.path for copy in unused[:NAMED])
            more = f"\n… and {len(unused) - NAMED:,} more" if len(unused) > NAMED else ""
            ui.label(names + more).classes("workspace-names mono")
            ui.label("You can’t undo this. Workspaces and results are not affected.").classes("hint")

            async def remove() -> None:
                confirmation.close()
                await self._remove(unused)

            with dialog_actions():
                button("Cancel", confirmation.close).props("autofocus")
                button("Remove copies", remove, look="main")

    async def _remove(self, copies: list[RunCopy]) -> None:
        if self.is_going:  # begun while the question stood there
            self.window.notify(GOING)
            return
        paths = [copy.path for copy in copies]
        try:
            problems = await run.io_bound(self.workspaces.remove_run_copies, self.benchmark_id, paths)
        except InputError as error:
            problems = [str(error)]
        if problems:
            self.window.notify(f"Couldn’t remove {quantity(len(problems), 'working copy')}. {problems[0]}", "bad")
        else:
            self.window.notify(f"Removed {_in_words(copies)}.", "good")
        await self.refresh()


def _in_words(copies: list[RunCopy]) -> str:
    return f"{quantity(len(copies), 'working copy')} ({size_in_words(sum(copy.size for copy in copies))})"
