"""Short tour of the window: a panel that points at one part after another, and can be left at any time."""

from __future__ import annotations

import json
from dataclasses import dataclass

from nicegui import ui

from karenina_gui.gui.kit.elements import button, icon_button
from karenina_gui.gui.session.window import Window


@dataclass(frozen=True)
class TourStep:
    title: str
    text: str
    target: str
    """Selector of the part that is outlined; if it is not on the page, the way to the questions is."""


QUESTIONS = '.nav a[href$="/questions"]'


STEPS = (
    TourStep(
        "Questions",
        "A benchmark is a list of questions whose answers you know. Click one to edit it. Edits are saved as you type.",
        '[aria-label="Question list"]',
    ),
    TourStep(
        "Templates",
        "On the tab Template you say what a judge reads out of an answer, and which value you expect. Starters need no "
        "code.",
        '[aria-label="Question editor"]',
    ),
    TourStep(
        "Problems",
        "What is still to do, in one list; F8 leads to the next. The medicines example has one on purpose: its last "
        "question has no template.",
        ".status-problems",
    ),
    TourStep(
        "Import",
        "You have a spreadsheet? Import it here. The import can fill in a template for every row.",
        '[aria-label="Import questions"]',
    ),
    TourStep(
        "Models",
        "Add the models that answer and judge, and their API keys. The example needs none.",
        '.nav a[href$="/models"]',
    ),
    TourStep("Run", "Sends finished questions to the models and checks every answer.", '[aria-label="Run benchmark"]'),
    TourStep(
        "Runs",
        "Results and charts of each run: who failed where, why, and whether a difference is significant.",
        '.nav a[href$="/runs"]',
    ),
    TourStep(
        "Help",
        "F1 explains the open page, and Ctrl+K finds every command. Help → Take the tour starts again.",
        '[aria-label="Page help"]',
    ),
)


class Tour:
    """Panel with the steps; the page stays usable."""

    def __init__(self, window: Window) -> None:
        self._step = 0
        with ui.element("section").classes("tour").props('role="dialog" aria-label="Tour"') as self._panel:
            self._parts = ui.element("div")
        self._panel.set_visibility(False)
        self._panel.on("keydown.esc", self.end)
        window.register_command("help.tour", self.start)

    def start(self) -> None:
        """Show the first step."""
        self._parts.clear()
        with self._parts:
            self._draw()
        self._panel.set_visibility(True)
        self._show(0)
        # After the panel is visible, so that its button can take the focus.
        ui.run_javascript(f"setTimeout(() => getHtmlElement({self._next.id})?.focus(), 60)")

    def end(self) -> None:
        """Close the panel, and give the focus back to the page."""
        self._panel.set_visibility(False)
        ui.run_javascript(f"{_UNMARK}; document.getElementById('page')?.focus()")

    def _draw(self) -> None:
        with ui.element("div").classes("tour-head"):
            self._title = ui.label().classes("h2").props('role="heading" aria-level="2"')
            ui.space()
            icon_button("close", "End tour", self.end)
        self._text = ui.label().classes("tour-text").props('aria-live="polite"')
        with ui.element("div").classes("tour-foot"):
            self._count = ui.label().classes("hint")
            ui.space()
            self._back = button("Back", lambda: self._show(self._step - 1), look="quiet")
            self._next = button("Next", self._go_on, look="main")

    def _go_on(self) -> None:
        if self._step + 1 == len(STEPS):
            self.end()
        else:
            self._show(self._step + 1)

    def _show(self, number: int) -> None:
        """Show a step. The controls are not redrawn, so the focus stays where it is."""
        self._step = number
        step = STEPS[number]
        self._title.text, self._text.text = step.title, step.text
        self._count.text = f"Step {number + 1} of {len(STEPS)}"
        self._back.set_enabled(number > 0)
        self._next.text = "Done" if number + 1 == len(STEPS) else "Next"
        target = f"document.querySelector({json.dumps(step.target)}) ?? document.querySelector({json.dumps(QUESTIONS)})"
        ui.run_javascript(f"{_UNMARK}; ({target})?.classList.add('tour-target')")


_UNMARK = "document.querySelectorAll('.tour-target').forEach((each) => each.classList.remove('tour-target'))"
