"""Dialog before a run whose plan has doubts."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.gui.components.dialogs import dialog, dialog_actions
from karenina_gui.gui.components.elements import button, note
from karenina_gui.gui.run_setup.plan import Plan


async def confirm_start(plan: Plan) -> bool:
    """Ask for consent to the plan's doubts."""
    with dialog("Start anyway?") as asked:
        for doubt in plan.doubts:
            note(doubt, "warn")
        if plan.live:
            ui.label("Models without a recording are called, and their providers may charge for it.").classes("hint")
        with dialog_actions():
            button("Start run", lambda: asked.submit(True))
            button("Back", lambda: asked.submit(False), look="main")
    return bool(await asked)
