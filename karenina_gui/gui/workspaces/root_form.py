"""Form for the workspace root of a benchmark: a local path, checked while the user types."""

from __future__ import annotations

from functools import partial

from nicegui import run, ui

from karenina_gui.authoring.changes import Change
from karenina_gui.authoring.workspaces import RootCheck
from karenina_gui.errors import InputError
from karenina_gui.gui.binding.bound_field import FieldError
from karenina_gui.gui.components.elements import button, field, on_enter, text_input
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.workspaces.leftover_copies import LeftoverCopies

HINT = "a folder on this computer; never written to benchmark files"


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
                self.use = button("Use folder", self._save)
                self.forget = button("Remove", self._clear_root, look="quiet")
            self.problem = FieldError()
            self.hint = ui.label().classes("hint").props('role="status"')
            self.leftover_copies = LeftoverCopies(window, benchmark_id)
        self.path.on_value_change(self._check)
        on_enter(self.path, self._save)
        window.listen(window.services.benchmark_changed, self._on_change)
        self._show_check()

    @property
    def _saved_root(self) -> str:
        return str(self.workspaces.root(self.benchmark_id) or "")

    def _on_change(self, change: Change) -> None:
        if change.benchmark_id == self.benchmark_id and change.number is None:
            self.show()

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
        self.use.text = "Create folder" if missing else "Use folder"
        self.use.set_enabled(not refused and str(self.path.value or "").strip() != self._saved_root)
        self.use.classes(add="button-main", remove="button-plain") if check and not refused else self.use.classes(
            add="button-plain", remove="button-main"
        )
        self.forget.set_visibility(bool(self._saved_root) and check is None)

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
