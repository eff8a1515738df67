"""Duplicates of a benchmark, gone through by keys."""

from __future__ import annotations

import pytest
from nicegui import ui
from nicegui.testing import User, UserInteraction

from karenina_gui.gui.session.app_context import AppContext
from tests.answered import answer
from tests.gui.desktop import Desktop
from tests.until import until

DOSE = "Which dose of ibuprofen is the maximum per day?"
CLOSE = "Which dose of ibuprofin is the maximum a day?"


@pytest.fixture
def benchmark(services: AppContext) -> int:
    """Question 1 repeats question 2 in other quotes and question 4 in other words."""
    benchmark = services.editor.create_benchmark("Doses")
    for text, reference in (
        (DOSE, "2400 mg"),
        (DOSE.upper(), "2400 mg"),
        ("Who found DNA?", "Miescher"),
        (CLOSE, "2.4 g"),
    ):
        services.editor.add_question(benchmark, text, reference)
    return benchmark


async def open_duplicates(desktop: Desktop, benchmark: int) -> None:
    await desktop.load(f"/benchmarks/{benchmark}/questions")
    desktop.reach_menus()
    UserInteraction(desktop.user, set(items(desktop, "Find duplicates…")), None).click()


def items(desktop: Desktop, title: str) -> list[ui.menu_item]:
    """Items of the menus."""
    found = [each for each in desktop.client.layout.descendants() if isinstance(each, ui.menu_item)]
    return [each for each in found if any(getattr(part, "text", "") == title for part in each.descendants())]


def press_key(desktop: Desktop, key: str) -> None:
    """As the script of the dialog reports a key."""
    (dialog,) = [each for each in desktop.elements(ui.dialog) if each.props.get("aria-label") == "Duplicates"]
    for listener in dialog._event_listeners.values():
        if listener.type == "keydown":
            dialog._handle_event({"listener_id": listener.id, "args": key})


def shown(element: ui.element) -> bool:
    """True if no part around the element is hidden."""
    return element.visible and all(each.visible for each in element.ancestors())


async def sees(desktop: Desktop, *texts: str) -> None:
    """The line above the pair, and the marked words in it."""

    def is_there() -> bool:
        shown = [*(each.text for each in desktop.elements(ui.label)), *(e.content for e in desktop.elements(ui.html))]
        return all(any(text in each for each in shown) for text in texts)

    await until(is_there)


def texts(services: AppContext, benchmark: int) -> list[str]:
    return [row.text for row in services.library.questions.summaries(benchmark)]


async def test_pairs_are_decided_by_keys_and_a_decision_is_undone(
    user: User, services: AppContext, benchmark: int
) -> None:
    desktop = Desktop(user, services)
    await open_duplicates(desktop, benchmark)
    await sees(desktop, "1 of 2 pairs: Same wording, except for upper and lower case", "Left: question 1")
    press_key(desktop, "j")
    await sees(desktop, "2 of 2 pairs", "<mark>ibuprofin</mark>", "<mark>per</mark>")
    press_key(desktop, "b")
    await sees(desktop, "1 of 1 pair: Same wording", "<mark>WHICH</mark>")
    press_key(desktop, "l")
    await sees(desktop, "No two questions have the same text")
    assert texts(services, benchmark) == [DOSE, "Who found DNA?", CLOSE]
    await desktop.press("Undo")
    await sees(desktop, "1 of 1 pair: Same wording")
    assert texts(services, benchmark)[:2] == [DOSE, DOSE.upper()]


async def test_the_question_that_stays_gets_what_is_ticked(user: User, services: AppContext, benchmark: int) -> None:
    rows = services.library.questions.summaries(benchmark)
    answer(services.library, benchmark, rows[3].id)
    services.editor.duplicates.keep_both(benchmark, rows[0].number, rows[1].number)
    desktop = Desktop(user, services)
    await open_duplicates(desktop, benchmark)
    await sees(desktop, "1 of 1 pair", "Left has 0 results, right 1.", f"?question={rows[3].id}")
    press_key(desktop, "1")
    await desktop.press("Keep left (L)")
    await sees(desktop, "No duplicates.")
    kept = services.editor.question(benchmark, rows[0].number).entry.question
    assert (kept.question, kept.raw_answer) == (DOSE, "2.4 g")
    assert kept.custom_metadata == {"previous_ids": [rows[3].id]}


async def test_the_question_that_stays_is_opened_in_place_of_the_deleted_one(
    user: User, services: AppContext, benchmark: int
) -> None:
    desktop = Desktop(user, services)
    await open_duplicates(desktop, benchmark)
    await sees(desktop, "Right: question 2")
    press_key(desktop, "r")
    number = services.library.questions.summaries(benchmark)[1].number
    await until(lambda: desktop.address.partition("#")[0] == f"/benchmarks/{benchmark}/questions/{number}")
    await sees(desktop, "1 of 1 pair")
    assert not any("This question was deleted." in each.text for each in desktop.elements(ui.label) if shown(each))


async def test_other_order_of_words_is_named(user: User, services: AppContext) -> None:
    benchmark = services.editor.create_benchmark("Order")
    for text in ("Does CYP2D6 inhibit CYP3A4?", "Does CYP3A4 inhibit CYP2D6?"):
        services.editor.add_question(benchmark, text)
    desktop = Desktop(user, services)
    await open_duplicates(desktop, benchmark)
    await sees(desktop, "1 of 1 pair: Same words in another order")


async def test_a_pair_is_gone_once_another_window_deletes_a_question(
    user: User, services: AppContext, benchmark: int
) -> None:
    desktop = Desktop(user, services)
    await open_duplicates(desktop, benchmark)
    await sees(desktop, "1 of 2 pairs")
    number = services.library.questions.summaries(benchmark)[1].number
    await services.write(services.editor.delete_questions, benchmark, [number])
    await sees(desktop, "1 of 1 pair", "Right: question 3")


async def test_the_question_of_a_pair_is_opened(user: User, services: AppContext, benchmark: int) -> None:
    desktop = Desktop(user, services)
    await open_duplicates(desktop, benchmark)
    await sees(desktop, "Left: question 1")
    await desktop.press("Open right")
    number = services.library.questions.summaries(benchmark)[1].number
    await until(lambda: desktop.address.partition("#")[0] == f"/benchmarks/{benchmark}/questions/{number}")
