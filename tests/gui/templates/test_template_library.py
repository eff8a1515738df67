"""Templates in the library, saved from one question and used for another."""

from __future__ import annotations

from nicegui import ui
from nicegui.testing import User

from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.schemas.benchmark_summaries import QuestionFilter
from tests.gui.desktop import Desktop
from tests.until import until


async def test_a_template_is_saved_used_and_removed(user: User, services: AppContext) -> None:
    desktop = Desktop(user, services)
    await desktop.load("/benchmarks/1/questions/1?tab=template")
    await desktop.choose("Save to library…")
    await until(lambda: desktop.text("Name") == "irreversible")
    await desktop.type("Name", "Irreversible or not")
    await desktop.press("Save")
    await until(lambda: services.library.shelf.all("template"))
    (item,) = services.library.shelf.all("template")
    source = services.library.questions.entry(1, 1).question.answer_template
    assert (item.name, item.content) == ("Irreversible or not", {"source": source})
    (unfinished,) = services.library.questions.summaries(1, QuestionFilter(has_template=False))
    await desktop.load(f"/benchmarks/1/questions/{unfinished.number}?tab=template")
    await desktop.press("From library…")
    await until(lambda: boxes(desktop, "Irreversible or not, irreversible"))
    boxes(desktop, "Irreversible or not, irreversible")[0].value = True
    await desktop.press("Use 1 template")
    await until(lambda: services.library.questions.entry(1, unfinished.number).question.answer_template == source)
    await desktop.choose("Start over")
    await desktop.press("From library…")
    await until(lambda: boxes(desktop, "Irreversible or not, irreversible"))
    boxes(desktop, "Irreversible or not, irreversible")[-1].value = True
    await desktop.press("Remove from library")
    await until(lambda: not services.library.shelf.all("template"))
    await until(lambda: any("Removed 1 template" in str(each.text) for each in desktop.elements(ui.label)))
    await desktop.press("Undo")
    await until(lambda: services.library.shelf.all("template"))


def boxes(desktop: Desktop, name: str) -> list[ui.checkbox]:
    return [each for each in desktop.elements(ui.checkbox) if each.props.get("aria-label") == name]
