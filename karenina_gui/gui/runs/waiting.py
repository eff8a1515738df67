"""Models that a run waits for, and its pause."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from karenina_gui.gui.components.elements import button
from karenina_gui.gui.components.html import Html, icon, join_html, link, tag
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.progress import RunProgressState
from karenina_gui.text import rough_duration

HELD = "Paused. No calls until you continue."


class OutageList:
    """One line per unreachable model with a retry button and a countdown."""

    def __init__(self, window: Window, run_id: int) -> None:
        self._window = window
        self._run_id = run_id
        self._outages: object = ()
        self._whens: dict[object, ui.html] = {}
        self._tries: dict[object, ui.button] = {}
        self._container = ui.element("div").classes("progress-errors when-filled").props('role="status"')
        self._clock = ui.timer(1.0, self._count_down, active=False)

    def show(self, progress: RunProgressState) -> None:
        outages = [(outage.key, outage.why) for outage in progress.outages]
        # A rebuilt line would be read aloud again, and its button would lose the focus.
        if outages != self._outages:
            self._outages = outages
            self._draw(progress)
        for outage in progress.outages:
            then = outage_text(outage.seconds, account=outage.account, reached=outage.reached, held=progress.held)
            self._whens[outage.key].set_content(then)
            self._tries[outage.key].set_visibility(not progress.held)
        self._clock.active = bool(outages)

    def _draw(self, progress: RunProgressState) -> None:
        self._container.clear()
        self._whens, self._tries = {}, {}
        with self._container:
            for outage in progress.outages:
                with ui.element("div").classes("note note-warn note-action"):
                    ui.html(join_html([icon("pause_circle")]))
                    with ui.element("div").classes("note-text"):
                        ui.html(tag("b", f"Waiting for {outage.model}: {outage.why}"))
                        self._whens[outage.key] = ui.html("").classes("result-muted")
                    self._tries[outage.key] = button(
                        "Retry now",
                        partial(self._window.services.runs.under_way.try_now, self._run_id, outage.key),
                        look="quiet",
                    )

    def _count_down(self) -> None:
        self.show(self._window.services.runs.progress(self._run_id))


def outage_text(seconds: float | None, *, account: bool, reached: bool, held: bool) -> Html:
    """Describe the next step and the user's options for an outage."""
    then = "Retrying now." if seconds is None else f"Next retry in about {rough_duration(seconds)}."
    if held:
        then = "No retries until you continue."
    if not account:
        models = link("/models", "Models page")
        mistyped = [" Wrong base URL? Stop the run, correct it on the ", models, ", and resume."]
        waits = "" if held else "Its jobs continue automatically. "
        return join_html([waits, then, *([] if reached else mistyped)])
    keys = link("/keys", "API keys page")
    return join_html(["Enter another key on the ", keys, ", or top up the account; its jobs then continue. ", then])
