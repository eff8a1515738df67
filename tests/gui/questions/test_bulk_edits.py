"""Keywords, authors, and saved filters for many questions."""

from __future__ import annotations

from nicegui import ui
from nicegui.testing import User, UserInteraction

from karenina_gui.app import Application
from karenina_gui.authoring.cell_edits import BulkOutcome, RefusedCell
from karenina_gui.gui.pages.question_table.rows import table_rows
from karenina_gui.gui.pages.questions.bulk_edits import refusal_text
from tests.gui.desktop import Desktop
from tests.until import until


async def test_keywords_and_author_of_the_selection(user: User, application: Application) -> None:
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/questions")
    summaries = application.library.questions.summaries
    numbers = [row.number for row in summaries(1)][:2]
    await until(lambda: desktop.elements(ui.aggrid))
    (grid,) = [each for each in desktop.elements(ui.aggrid) if "list-grid" in each.classes]
    _emit(grid, "chosen", numbers)
    await desktop.press("More edits")
    await _choose(desktop, "Edit keywords…")
    await desktop.type("Keywords to add", "one, two")
    (removing,) = [each for each in desktop.elements(ui.select) if each.props.get("aria-label") == "Keywords to remove"]
    removing.set_value(["platelets"])
    await desktop.press("Apply")
    await until(lambda: "two" in summaries(1)[1].keywords)
    assert summaries(1)[0].keywords == ("mechanism", "one", "two")
    assert "one" not in summaries(1)[2].keywords

    await _choose(desktop, "Set author…")
    await desktop.type("Author", "Ada")
    await desktop.press("Apply")
    await until(lambda: summaries(1)[1].author == "Ada")
    assert [row["author"] for row in table_rows(application.library, 1)][:2] == ["Ada", "Ada"]


async def test_a_filter_is_saved_applied_and_deleted(user: User, application: Application) -> None:
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/questions")
    await _choose(desktop, "Save this filter…")
    await user.should_see("Filter or search the list first.")
    await desktop.type("Search questions", "enzyme")
    await _choose(desktop, "Save this filter…")
    await desktop.type("Filter name", "Enzymes")
    await desktop.press("Save")
    await user.should_see("Saved the filter “Enzymes”.")
    await desktop.press("Clear filters")
    assert desktop.text("Search questions") == ""
    await _choose(desktop, "Enzymes")
    await until(lambda: desktop.text("Search questions") == "enzyme")
    await _choose(desktop, "Delete saved filters…")
    await desktop.press("Delete “Enzymes”")
    await user.should_see("Deleted the filter “Enzymes”.")
    assert not _items(desktop, "Enzymes")


def test_a_refusal_names_each_reason_once() -> None:
    refused = tuple(RefusedCell(number, "question", f"Reason {number % 5}.") for number in range(10))
    assert (
        refusal_text(BulkOutcome(refused=refused)) == "Not saved: Reason 0. Reason 1. Reason 2. 2 more cells not saved."
    )
    assert refusal_text(BulkOutcome(left_out=2)) == "The table has no column for 2 pasted columns."
    assert refusal_text(BulkOutcome(changed=(1,))) == ""


def _items(desktop: Desktop, text: str) -> list[ui.menu_item]:
    found = [each for each in desktop.client.layout.descendants() if isinstance(each, ui.menu_item)]
    return [each for each in found if text in (getattr(each, "text", None), *(_texts(each)))]


def _texts(item: ui.menu_item) -> list[str]:
    return [str(each.text) for each in item.descendants() if hasattr(each, "text")]


async def _choose(desktop: Desktop, text: str) -> None:
    await until(lambda: _items(desktop, text))
    UserInteraction(desktop.user, {_items(desktop, text)[-1]}, None).click()


def _emit(element: ui.element, event: str, args: object) -> None:
    (listener,) = [each for each in element._event_listeners.values() if each.type == event]
    element._handle_event({"listener_id": listener.id, "args": args})
