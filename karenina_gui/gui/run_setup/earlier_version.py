"""Offer of the published version that an earlier run asked, where the run is started again."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.gui.components.elements import button
from karenina_gui.gui.session.window import Window


def offer_version(window: Window, run_id: int | None) -> None:
    """Say that run `run_id` asked a published version, which may differ from the current state. None: no such run."""
    if run_id is None:
        return
    library = window.services.library
    earlier = library.runs.summary(run_id)
    version = library.published.state_of_run(earlier).same
    if version is None:
        return
    address = f"/benchmarks/{earlier.benchmark_id}/run?again={run_id}&version={version.id}"
    with ui.element("div"):
        ui.label(f"The earlier run used {version.label}. This one uses the current state.").classes("hint")
        button(f"Run v{version.number} instead", lambda: ui.navigate.to(address), look="quiet")
