"""A question in the editors of two people: each field is saved over what its editor has seen, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.records.benchmark_draft import BenchmarkDraft
from karenina_gui.gui.records.optimistic_edit import RemoteValue
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.question import Question
from tests.gui.conftest import Start
from tests.until import until

NEWS = 0.5
"""Seconds in which the news of an edit reach every window."""
TEXT = "What is 6 x 7?"


@pytest.fixture(scope="module")
def application(started: Start) -> Iterator[Application]:
    with started() as application:
        yield application


Two = tuple[QuestionDraft, QuestionDraft]


@pytest.fixture
async def drafts(user: User, application: Application) -> Two:
    """One new question, open in the windows of ada and bob."""
    benchmark = application.editor.create_benchmark("arithmetic")
    number = application.editor.add_question(benchmark, TEXT, raw_answer="42").summary.number
    services = application.services()
    services.connect()
    opened: list[QuestionDraft] = []

    @ui.page("/")
    def page() -> None:
        opened.extend(
            QuestionDraft(Window(services, browser_id=person), benchmark, number) for person in ("ada", "bob")
        )

    await user.open("/")
    return opened[0], opened[1]


async def test_edits_of_two_fields_both_stand_also_before_the_news(drafts: Two) -> None:
    ada, bob = drafts
    assert await ada.save("raw_answer", "forty-two") is None
    assert await bob.save("answer_notes", "six sevens") is None
    assert (bob.question.raw_answer, bob.question.answer_notes) == ("forty-two", "six sevens")


async def test_an_edit_of_the_same_field_is_not_saved_over_another(user: User, drafts: Two) -> None:
    ada, bob = drafts
    heard: list[Question] = []
    with user:
        bob.listen(heard.append, "elsewhere")
    outcomes = await asyncio.gather(ada.save("raw_answer", "forty-two"), bob.save("raw_answer", "42.0"))
    assert outcomes == [None, "Not saved: this was changed in another window."]
    assert [question.raw_answer for question in heard] == ["forty-two"]


async def test_a_field_is_saved_only_over_the_value_that_its_editor_has_seen(
    drafts: Two,
) -> None:
    ada, bob = drafts
    field = bob.field("raw_answer")
    await ada.save("raw_answer", "forty-two")
    await asyncio.sleep(NEWS)
    assert bob.question.raw_answer == "forty-two"  # the window knows, but the editor of the field does not show it yet
    assert await field.save("42.0", base="42") == RemoteValue("forty-two")
    assert await field.save("42.0", base="forty-two") is None


async def test_parts_of_one_field_are_fields_of_their_own(drafts: Two) -> None:
    ada, bob = drafts
    await ada.save("author", {"name": "Ada"})
    mail = bob.field(
        "author.email",
        lambda question: (question.author or {}).get("email", ""),
        lambda question, value: {"author": {**(question.author or {}), "email": value}},
    )
    assert await mail.save("ada@example.org", base="") is None
    assert bob.question.author == {"name": "Ada", "email": "ada@example.org"}


async def test_every_window_hears_of_an_edit_once(user: User, drafts: Two) -> None:
    ada, bob = drafts
    saved: list[str] = []
    elsewhere: list[str] = []
    with user:
        ada.listen(lambda question: saved.append(question.raw_answer), "saved")
        bob.listen(lambda question: elsewhere.append(question.raw_answer), "elsewhere")
    await ada.save("raw_answer", "forty-two")
    await asyncio.sleep(NEWS)
    assert set(saved) == {"forty-two"}
    assert elsewhere == ["forty-two"]


async def test_what_is_typed_into_a_deleted_question_is_saved_when_it_is_back(
    drafts: Two, application: Application
) -> None:
    ada, bob = drafts
    application.editor.delete_questions(ada.benchmark_id, [ada.number])
    assert await bob.save("answer_notes", "too late") == bob.DELETED
    await bob.restore()
    question = application.editor.question
    await until(lambda: question(ada.benchmark_id, ada.number).entry.question.answer_notes == "too late")


async def test_a_question_that_went_with_its_benchmark_is_restored_with_it(
    drafts: Two, application: Application
) -> None:
    ada, bob = drafts
    application.editor.delete_benchmark(ada.benchmark_id)
    await asyncio.sleep(NEWS)
    assert bob.deleted
    await bob.restore()
    await asyncio.sleep(NEWS)
    assert not bob.deleted
    assert application.editor.question(ada.benchmark_id, ada.number).entry.question.question == TEXT


async def test_drafts_belong_to_a_person(user: User, drafts: Two, application: Application) -> None:
    ada, bob = drafts
    await ada.save_draft("answer_notes", "mine", "")
    assert bob.editor.library.drafts.of("bob", bob.address) == []
    reopened: list[QuestionDraft] = []
    with user:
        window = Window(ada.window.services, browser_id="ada")
        reopened.append(QuestionDraft(window, ada.benchmark_id, ada.summary.number))
    unsaved = reopened[0].field("answer_notes").unsaved_edit()
    assert unsaved is not None
    assert unsaved.typed == "mine"


async def test_a_benchmark_is_shared_field_by_field_while_its_questions_are_edited(
    user: User, drafts: Two, application: Application
) -> None:
    question, _ = drafts
    windows = [Window(question.window.services, browser_id=person) for person in ("ada", "bob")]
    with user:
        ada, bob = (BenchmarkDraft(window, question.benchmark_id) for window in windows)
    await question.save("raw_answer", "forty-two")
    assert await ada.field("description").save("Sums", base="") is None
    assert await bob.field("version").save("2", base="") is not None
    assert await bob.field("version").save("2", base=bob.document.version) is None
    assert await bob.field("description").save("Products", base="") == RemoteValue("Sums")
    frame = application.library.benchmarks.frame(question.benchmark_id)
    assert (frame.description, frame.version) == ("Sums", "2")
