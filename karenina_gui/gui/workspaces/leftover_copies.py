"""Working copies that runs left beside the workspaces: count, size, and removal."""

from __future__ import annotations

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.workspaces import RunCopy
from karenina_gui.errors import InputError
from karenina_gui.gui.components.dialogs import dialog, dialog_actions
from karenina_gui.gui.components.elements import button, icon_button
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.workspaces.paths import size_in_words
from karenina_gui.text import quantity

NAMED = 8
"""Maximum number of working copies listed before removal."""
GOING = "A run that uses these workspaces is in progress. You can remove its working copies when it ends."


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
