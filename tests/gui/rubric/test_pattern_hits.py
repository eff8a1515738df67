"""Matches of a pattern in stored answers, as it is typed."""

from __future__ import annotations

from nicegui import ui
from nicegui.testing import User

from karenina_gui.gui.pages.rubric.regex_form import FoundAnswers, excerpt, hits_list, hits_text
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.schemas.calibration import DrawnAnswer
from tests.calibrated import judged_benchmark
from tests.gui.desktop import Desktop
from tests.until import until


def answer(text: str) -> DrawnAnswer:
    return DrawnAnswer(key=text, number=1, question="Which?", text=text)


async def test_hits_follow_the_pattern(user: User, services: AppContext) -> None:
    benchmark = judged_benchmark(services.library)
    traits = [{"name": "dose", "pattern": r"\d+ mg", "case_sensitive": False}]
    services.editor.edit_benchmark(benchmark, {"rubric": {"regex_traits": traits}})
    desktop = Desktop(user, services)
    await desktop.load(f"/benchmarks/{benchmark}/rubric")
    await until(lambda: said(desktop, "Matches 6 of 19 stored answers."))
    assert any("<mark>50 MG</mark>" in str(each.content) for each in desktop.elements(ui.html))
    await desktop.type("Pattern", "kidneys")
    await until(lambda: said(desktop, "Matches 9 of 19 stored answers."))
    await desktop.type("Pattern", "(")
    await until(lambda: not said(desktop, "stored answers."))
    await desktop.type("Pattern", "liver")
    await until(lambda: said(desktop, "Matches 9 of 19 stored answers."))
    (choice,) = desktop.elements(ui.toggle)
    choice.value = "Others"
    await until(lambda: any("A sample of the author." in str(each.content) for each in desktop.elements(ui.html)))


def said(desktop: Desktop, text: str) -> bool:
    return any(text in str(each.text) for each in desktop.elements(ui.label))


def test_the_number_says_what_a_yes_means() -> None:
    found = FoundAnswers([(answer("50 mg"), [(0, 5)])], [answer("none"), answer("no")])
    assert hits_text(found, inverted=False) == "Matches 1 of 3 stored answers."
    assert hits_text(found, inverted=True) == "Matches 1 of 3 stored answers. Yes for the other 2."
    assert hits_text(FoundAnswers([], []), inverted=False).startswith("No answers are stored yet.")
    stopped = FoundAnswers([], [answer("none")], "it took too long.")
    assert hits_text(stopped, inverted=False).endswith("The others were not searched: it took too long.")
    assert "<mark>50 mg</mark>" in hits_list(found)


def test_an_excerpt_surrounds_the_first_match() -> None:
    text = "a" * 300 + "HIT" + "b" * 300
    parts = excerpt(text, [(300, 303)])
    assert [str(part) for part in parts] == ["…", "a" * 120, "<mark>HIT</mark>", "b" * 120, "…"]
    assert excerpt("short", []) == ["", "short", ""]
    cut = excerpt("x" * 400, [(0, 100), (150, 400)])
    assert str(cut[-2]) == "", "a match beyond the excerpt is cut with it"
