"""Page *Find and replace*: search, preview, choice, and one command that Undo takes back."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.replace.page import ReplacePreview
from karenina_gui.gui.pages.replace.rows import consequences, counts_text, preview_rows
from karenina_gui.schemas.text_edits import TextSearch
from tests.gui.desktop import Desktop
from tests.until import until

NUMBER = """class Answer(BaseAnswer):
    number: int = VerifiedField(description="The colour.", ground_truth=42, verify_with=NumericExact())
"""


def filled(application: Application) -> tuple[int, list[int]]:
    """A benchmark with two questions, the first of them finished."""
    editor = application.editor
    benchmark = editor.create_benchmark("Colours")
    numbers = [editor.add_question(benchmark, f"{word} colour?", "red").summary.number for word in ("First", "Second")]
    editor.edit(benchmark, numbers[0], {"answer_template": NUMBER})
    editor.set_finished(benchmark, numbers[:1], True)
    return benchmark, numbers


def labels(desktop: Desktop) -> list[str]:
    return [each.text for each in desktop.elements(ui.label)]


def button(desktop: Desktop, start: str) -> Any:
    return next((each for each in desktop.elements(ui.button) if str(each.text).startswith(start)), None)


def texts(application: Application, benchmark: int) -> list[str]:
    return [row.text for row in application.library.questions.summaries(benchmark)]


async def test_chosen_matches_are_replaced_and_undo_takes_them_back(user: User, application: Application) -> None:
    benchmark, numbers = filled(application)
    desktop = Desktop(user, application.services())
    await desktop.load(f"/benchmarks/{benchmark}/replace")
    await desktop.type("Find", "colour")
    await desktop.type("Replace with", "color")
    await until(lambda: "3 matches in 2 questions, 3 chosen." in labels(desktop))
    said = "1 finished question needs another review afterwards: “First colour?”."
    await until(lambda: any(text.startswith(said) for text in labels(desktop)))
    await until(lambda: (found := button(desktop, "Replace 3 matches")) and found.enabled)
    user.find(ui.aggrid).trigger("chosen", [0, 2])
    await until(lambda: button(desktop, "Replace 2 matches") is not None)
    await desktop.press("Replace 2 matches")
    await until(lambda: texts(application, benchmark) == ["First color?", "Second color?"])
    await until(lambda: "Replaced 2 matches in 2 questions." in labels(desktop))
    assert application.library.questions.entry(benchmark, numbers[0]).question.answer_template == NUMBER
    await desktop.press("Undo")
    await until(lambda: texts(application, benchmark) == ["First colour?", "Second colour?"])


async def test_an_invalid_expression_is_named_and_nothing_can_be_replaced(user: User, application: Application) -> None:
    benchmark, _ = filled(application)
    desktop = Desktop(user, application.services())
    await desktop.load(f"/benchmarks/{benchmark}/replace")
    await desktop.type("Find", "(")
    (box,) = [each for each in desktop.elements(ui.checkbox) if each.text == "Regular expression"]
    box.value = True
    message = (
        "Invalid regular expression: the parenthesis opened at character 1 is never closed. "
        "Write \\ before it for the character itself."
    )
    await until(lambda: message in labels(desktop))
    assert not button(desktop, "Replace").enabled


async def test_the_list_hands_over_its_selection(user: User, application: Application) -> None:
    benchmark, numbers = filled(application)
    desktop = Desktop(user, application.services())
    await desktop.load(f"/benchmarks/{benchmark}/questions")
    await until(lambda: desktop.elements(ui.aggrid))
    user.find(ui.aggrid).trigger("chosen", [numbers[1]])
    user.find(ui.aggrid).trigger("shown", None)
    await until(lambda: desktop.address == f"/benchmarks/{benchmark}/replace")
    await desktop.type("Find", "colour")
    await until(lambda: "1 match in 1 question, 1 chosen." in labels(desktop))


def test_rows_show_each_match_in_its_context(application: Application) -> None:
    benchmark, _ = filled(application)
    service = application.editor.replacements
    found = service.find(benchmark, TextSearch(text="colour", replacement="color"))
    first = preview_rows(found, {0: "No."})[0]
    assert (first["start"], first["match"], first["end"], first["replaced"]) == ("First ", "colour", "?", "color")
    assert (first["part"], first["place"], first["reason"]) == ("Question", 1, "No.")
    assert counts_text(found, [1]) == "3 matches in 2 questions, 1 chosen."
    assert consequences(found, []) == []


def test_matches_with_a_reason_against_them_are_not_chosen(application: Application) -> None:
    benchmark, _ = filled(application)
    service = application.editor.replacements
    found = service.find(benchmark, TextSearch(text="NumericExact", replacement="Nothing"))
    preview = ReplacePreview()
    preview.put(found, {})
    assert preview.chosen == {0}
    preview.refuse(service.check_templates(benchmark, found))
    assert (preview.chosen, set(preview.reasons)) == (set(), {0})
