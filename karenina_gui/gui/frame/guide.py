"""The guide: one page of plain words, and a part for developers below them.

Its tables of steps and outcomes come from the tables that the pages use.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import ui

from karenina_gui.analysis.glossary import every
from karenina_gui.gui.parts.elements import pane, scrolling
from karenina_gui.gui.parts.explained import glossary
from karenina_gui.gui.parts.markup import Html, joined, tag
from karenina_gui.gui.results.stage_names import STAGES
from karenina_gui.gui.results.verdicts import ENDINGS, REASONS
from karenina_gui.runs.progress import JOBS_DONE, TIME_LEFT, TIME_SPENT

if TYPE_CHECKING:
    from karenina_gui.gui.frame.pages import Place
    from karenina_gui.gui.frame.window import Window

TEXT = Path(__file__).with_name("guide.md")
FOR_DEVELOPERS = Path(__file__).with_name("developers.md")
"""For those who write Python packages: nobody else needs it."""


def draw(window: Window, place: Place) -> None:
    with pane("Guide"), scrolling():
        ui.markdown(text(), extras=["tables", "fenced-code-blocks"]).classes("guide")
        with ui.element("section").props('aria-label="Glossary of figures"'):
            ui.html(figures_in_words()).classes("guide guide-figures full-width")
        with ui.element("section").props('aria-label="For developers"'):
            developers = FOR_DEVELOPERS.read_text(encoding="utf-8")
            ui.markdown(developers, extras=["fenced-code-blocks"]).classes("guide guide-developers")


def figures_in_words() -> Html:
    """Each figure as the code says it that computes it."""
    about = "Each figure in the application leads here: click it, or the question mark beside its heading."
    known = glossary((JOBS_DONE, TIME_SPENT, TIME_LEFT, *every()))
    return joined([tag("h2", "Glossary of figures", id="figures"), tag("p", about), known])


def text() -> str:
    """The guide as Markdown."""
    stages = (f"| {stage.title} | {stage.purpose} |" for stage in STAGES.values())
    outcomes = (f"| {ending.title} | {ending.meaning} |" for ending in ENDINGS.values())
    reasons = (f"| {title} | {meaning} |" for title, meaning in REASONS.values())
    written = TEXT.read_text(encoding="utf-8")
    for name, rows in (("stages", stages), ("outcomes", outcomes), ("reasons", reasons)):
        written = written.replace(f"{{{name}}}", "\n".join(rows))
    return written
