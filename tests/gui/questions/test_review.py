"""A finished question that is edited says so, in its head and in the list."""

from __future__ import annotations

from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.questions.rows import ListFilter, rows
from tests.gui.desktop import Desktop
from tests.until import until


async def test_an_edited_question_is_reviewed_again_by_one_press(user: User, application: Application) -> None:
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/questions/1?tab=question")
    await until(lambda: _labels(desktop, "Finished"))
    await desktop.type("Reference answer", "Yes, irreversibly and for the life of the platelet.")
    await until(lambda: _labels(desktop, "Changed since review"))
    (row,) = [each for each in rows(application.library.questions.summaries(1)) if each["changed"]]
    assert (row["number"], row["finished"]) == (1, True)
    await desktop.press("Changed since review")
    await until(lambda: _labels(desktop, "Finished"))
    assert not application.library.questions.summary(1, 1).changed_since_review


def test_the_list_can_be_narrowed_to_changed_questions() -> None:
    assert ListFilter.from_query({"finished": "changed"}).to_query() == "finished=changed"


def _labels(desktop: Desktop, text: str) -> list[ui.button]:
    return [each for each in desktop.elements(ui.button) if each.text == text]


async def test_a_comment_that_was_begun_is_there_after_another_question_and_leaves_when_it_is_added(
    user: User, application: Application
) -> None:
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/questions/1?tab=review")
    await desktop.type("New comment", "Is the dose")
    await desktop.follow("/benchmarks/1/questions/2?tab=review")
    assert desktop.text("New comment") == ""
    await desktop.follow("/benchmarks/1/questions/1?tab=review")
    assert desktop.text("New comment") == "Is the dose"
    await desktop.press("Comment")
    await until(lambda: desktop.text("New comment") == "")
    await desktop.load("/benchmarks/1/questions/1?tab=review")
    assert desktop.text("New comment") == ""
