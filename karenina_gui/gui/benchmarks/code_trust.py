"""Trust in a benchmark's code, on computers that cannot sandbox code that needs full Python."""

from __future__ import annotations

from nicegui import run, ui

from karenina_gui.authoring.changes import Change
from karenina_gui.errors import NotFoundError
from karenina_gui.gui.components.dates import day_and_time
from karenina_gui.gui.components.dialogs import dialog, dialog_actions
from karenina_gui.gui.components.elements import button, note
from karenina_gui.gui.session.app_context import Confinement
from karenina_gui.gui.session.window import Window

LOCKED = "No decision needed."
TRUSTED = "Trusted on {since}. This benchmark’s code that needs full Python runs unsandboxed on this computer."
UNTRUSTED = (
    "Code that needs full Python isn’t run, because this computer can’t sandbox it. If you know the author, you can "
    "trust the benchmark."
)
RIGHTS = (
    "Code that needs full Python will run unsandboxed, with your permissions: it can read and change your files and "
    "use the network. Only its running time stays limited."
)
LATER = (
    "This also applies to questions and traits added later, and only on this computer. Trust the benchmark only if you "
    "know who wrote it."
)


class CodeTrust:
    """Section of the details page: how code is confined, and a button for trust where it has an effect."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        self.window, self.benchmark_id = window, benchmark_id
        self.editor = window.services.editor
        self._confinement: Confinement | None = None
        self._content = ui.element("div").classes("rows")
        with self._content:
            ui.label("Checking sandbox…").classes("hint")
        window.listen(window.services.benchmark_changed, self._on_change)
        ui.timer(0, self._begin, once=True)

    async def _begin(self) -> None:
        """Ask for the confinement off the event loop: the first answer takes a moment."""
        self._confinement = await run.io_bound(self.window.services.confinement)
        self.show()

    def _on_change(self, change: Change) -> None:
        if change.benchmark_id == self.benchmark_id and change.number is None:
            self.show()

    def show(self) -> None:
        """Redraw the current state."""
        confinement = self._confinement
        if confinement is None or self._content.is_deleted:
            return
        try:
            since = self.window.services.library.benchmarks.trusted_at(self.benchmark_id)
        # The page itself reports a deleted benchmark.
        except NotFoundError:  # the page says so
            return
        self._content.clear()
        with self._content:
            if confinement.confined:
                ui.label(f"{confinement.description} {LOCKED}").classes("hint")
            elif since is None:
                ui.label(UNTRUSTED).classes("hint")
                with ui.element("div"):
                    button("Trust code…", self._ask, icon="lock_open")
            else:
                note(TRUSTED.format(since=day_and_time(since)), "warn")
                with ui.element("div"):
                    button("Withdraw trust", self._withdraw, icon="lock")

    def _ask(self) -> None:
        with dialog("Trust this benchmark?") as confirmation:
            ui.label(RIGHTS)
            ui.label(LATER)
            with dialog_actions():
                button("Cancel", confirmation.close)

                async def trust() -> None:
                    confirmation.close()
                    await self._set_trust(True)

                button("Trust benchmark", trust, look="main")

    async def _withdraw(self) -> None:
        await self._set_trust(False)

    async def _set_trust(self, trusted: bool) -> None:
        try:
            await self.window.write(self.editor.set_trusted, self.benchmark_id, trusted)
        except NotFoundError as error:
            self.window.notify(str(error), "bad")
