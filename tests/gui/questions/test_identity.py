"""The id of a question on its form: it follows the text, and is asked for once results refer to it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.shell import layout
from karenina_gui.schemas.question import question_fingerprint
from tests.answered import answer
from tests.until import until

CORRECTION = "Keep ID"
NEW_ID = "Assign new ID"
OLD = question_fingerprint("Wy?")


@pytest.fixture
def benchmark(application: Application) -> int:
    """Question 1 has a result."""
    benchmark = application.editor.create_benchmark("Reasons")
    for text in ("Wy?", "How?"):
        application.editor.add_question(benchmark, text)
    answer(application.library, benchmark, OLD)
    return benchmark


@pytest.fixture
async def form(user: User, application: Application, benchmark: int) -> AsyncIterator[User]:
    """The form of the question that has a result."""

    services = application.services()
    services.connect()

    @ui.page("/")
    @ui.page("/{_:path}")
    def window() -> None:
        layout.draw(services)

    await open_form(user, application, benchmark, 0)
    yield user


async def open_form(user: User, application: Application, benchmark: int, place: int) -> None:
    number = application.library.questions.summaries(benchmark)[place].number
    await user.open(f"/benchmarks/{benchmark}/questions/{number}?tab=question")
    await sees(user, "Derived from the text")


def control(user: User, label: str) -> ui.input:
    return next(
        each
        for kind in (ui.textarea, ui.input)
        for each in user.find(kind=kind).elements
        if each.props.get("aria-label") == label
    )


async def sees(user: User, text: str) -> None:
    """Also after the pause in which somebody might type on."""
    await user.should_see(text)


def enter(user: User, label: str, value: str) -> None:
    with user:
        control(user, label).value = value


async def test_an_edit_after_results_asks_once_what_becomes_of_the_id(
    form: User, application: Application, benchmark: int
) -> None:
    await form.should_not_see(CORRECTION)
    enter(form, "Question", "Why?")
    await sees(form, "1 result refers to the text before your edit.")
    assert application.library.questions.summaries(benchmark)[0].id == OLD
    form.find(CORRECTION).click()
    await form.should_not_see(CORRECTION)
    await sees(form, "Set manually. 1 result refers to it.")
    enter(form, "Question", "Why, then?")
    await until(lambda: application.library.questions.summaries(benchmark)[0].text == "Why, then?")
    await form.should_not_see(CORRECTION)
    assert application.library.questions.summaries(benchmark)[0].id == OLD


async def test_a_new_id_is_linked_to_the_old_one(form: User, application: Application, benchmark: int) -> None:
    enter(form, "Question", "Why?")
    await sees(form, NEW_ID)
    form.find(NEW_ID).click()
    await sees(form, "Previous ID")
    await sees(form, OLD)
    assert "previous_ids" not in [each.value for each in form.find(kind=ui.input).elements]  # shown once
    await form.should_not_see(NEW_ID)
    assert application.library.questions.summaries(benchmark)[0].id == question_fingerprint("Why?")


async def test_what_was_not_decided_is_asked_again_after_a_reload(
    form: User, application: Application, benchmark: int
) -> None:
    enter(form, "Question", "Why?")
    await sees(form, CORRECTION)
    await form.open(
        f"/benchmarks/{benchmark}/questions/{application.library.questions.summaries(benchmark)[0].number}?tab=question"
    )
    await sees(form, CORRECTION)


async def test_a_text_of_another_question_is_not_saved_and_says_whose_it_is(
    form: User, application: Application, benchmark: int
) -> None:
    enter(form, "Question", "How?")
    await sees(form, "Question 2 (“How?”) has the same text.")
    assert control(form, "Question").value == "How?"
    assert [row.text for row in application.library.questions.summaries(benchmark)] == ["Wy?", "How?"]


async def test_an_id_is_set_by_hand_and_reset_to_that_of_the_text(
    form: User, application: Application, benchmark: int
) -> None:
    await open_form(form, application, benchmark, 1)
    enter(form, "ID", "how-1")
    await sees(form, "Set manually.")
    assert application.library.questions.summaries(benchmark)[1].id == "how-1"
    form.find("Use text-based ID").click()
    await sees(form, "Derived from the text.")
    assert application.library.questions.summaries(benchmark)[1].id == question_fingerprint("How?")


async def test_an_id_of_another_question_is_refused_at_its_field(
    form: User, application: Application, benchmark: int
) -> None:
    await open_form(form, application, benchmark, 1)
    enter(form, "ID", OLD)
    await sees(form, f"Question 1 (“Wy?”) already has the ID “{OLD}”.")
    assert application.library.questions.summaries(benchmark)[1].id == question_fingerprint("How?")


async def test_a_copy_names_its_original_and_cannot_be_finished(
    form: User, application: Application, benchmark: int
) -> None:
    copy = application.editor.duplicate_question(
        benchmark, application.library.questions.summaries(benchmark)[0].number
    )
    await form.open(f"/benchmarks/{benchmark}/questions/{copy.summary.number}?tab=question")
    await sees(form, "Unedited copy: Wy?")
    await sees(form, "An unedited copy: edit the text, or set an ID.")
    form.find("Mark finished").click()
    await sees(form, "Not marked finished. Edit the text of this copy first.")
    enter(form, "Question", "Why not?")
    await sees(form, "Derived from the text.")


async def test_the_results_of_the_old_text_are_listed_with_the_difference(
    form: User, application: Application, benchmark: int
) -> None:
    for _ in range(4):
        answer(application.library, benchmark, OLD)
    enter(form, "Question", "Why?")
    await sees(form, "5 results refer to the text before your edit.")
    shown = shown_markup(form)
    assert f'href="/runs/5/results?question={OLD}"' in shown
    assert "and 2 more runs" in shown
    assert "<mark>Wy</mark>" in shown and "<mark>Why</mark>" in shown


async def test_results_stay_linked_once_the_id_is_decided(form: User, application: Application, benchmark: int) -> None:
    link = f'href="/runs/1/results?question={OLD}"'
    assert link in shown_markup(form)
    enter(form, "Question", "Why?")
    await sees(form, NEW_ID)
    form.find(NEW_ID).click()
    await sees(form, "Previous ID")
    assert link in shown_markup(form)  # those of the previous ID


def shown_markup(user: User) -> str:
    return "".join(each.content for each in user.find(kind=ui.html).elements if each.visible)
