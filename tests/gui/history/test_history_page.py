"""History page: the list of commands, what one changed, comparison and restoring of versions."""

from __future__ import annotations

import json
import re

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.history.command_view import row_changes
from karenina_gui.schemas.command import Actor
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.store import command_recorder
from karenina_gui.store.actors import acting
from karenina_gui.store.question_ids import shorten
from tests.gui.desktop import Desktop
from tests.until import until

ADA = Actor("another browser", "Ada")


def texts(desktop: Desktop) -> str:
    """Everything that the list and the pane show."""
    shown = [str(each.content) for each in desktop.elements(ui.html)]
    words = " ".join([*shown, *(each.text for each in desktop.elements(ui.label))])
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", words))


def labels(desktop: Desktop, text: str) -> list[ui.button]:
    return [each for each in desktop.elements(ui.button) if each.text == text]


@pytest.fixture
def edited(application: Application, monkeypatch: pytest.MonkeyPatch) -> Application:
    """Ada edits the first question twice and deletes the second."""
    monkeypatch.setattr(command_recorder, "PAUSE", -1.0)
    with acting(ADA):
        application.editor.edit(1, 1, {"raw_answer": "first words"})
        application.editor.edit(1, 1, {"raw_answer": "second words"})
        application.editor.delete_questions(1, [2])
    return application


async def test_the_history_says_who_did_what_and_shows_the_difference(user: User, edited: Application) -> None:
    desktop = Desktop(user, edited.services())
    await desktop.load("/benchmarks/1/history")
    await until(lambda: "Deleted “A drug has" in texts(desktop))
    assert list(desktop.entries()).index(next(n for n in desktop.entries() if n.startswith("Deleted"))) == 0
    edits = [name for name in desktop.entries() if name.startswith("Edited the reference answer")]
    await desktop.follow(desktop.entries()[edits[0]])
    await until(lambda: "first words" in texts(desktop))
    assert "Ada" in texts(desktop)


async def test_anyone_undoes_and_redoes_a_command_from_the_history(user: User, edited: Application) -> None:
    desktop = Desktop(user, edited.services())
    await desktop.load("/benchmarks/1/history")
    await desktop.press("Undo")
    await until(lambda: 2 in [row.number for row in edited.library.questions.summaries(1)])
    await until(lambda: labels(desktop, "Redo"))
    await desktop.press("Redo")
    await until(lambda: 2 not in [row.number for row in edited.library.questions.summaries(1)])
    await until(lambda: labels(desktop, "Undo"))


async def test_a_question_is_compared_with_now_and_restored(user: User, edited: Application) -> None:
    desktop = Desktop(user, edited.services())
    await desktop.load("/benchmarks/1/history?question=1")
    await until(lambda: len(desktop.entries()) == 1 and "second words" in texts(desktop))
    commands = edited.library.commands.entries(["benchmark/1"], row=("question", "1"))
    await desktop.follow(f"/benchmarks/1/history?question=1&command={commands[1].id}")
    await until(lambda: labels(desktop, "Restore question version"))
    (choice,) = [each for each in desktop.elements(ui.select) if each.props.get("aria-label") == "Compare"]
    choice.set_value(next(key for key, text in choice.options.items() if text == "With the current version"))
    await until(lambda: "Now" in texts(desktop) and "second words" in texts(desktop))
    choice.set_value(next(key for key, text in choice.options.items() if text == "With the oldest version"))
    await until(lambda: "Later" in texts(desktop) and "It acetylates the enzyme" in texts(desktop))
    await desktop.press("Restore question version")
    await until(lambda: edited.library.questions.entry(1, 1).question.raw_answer == "first words")
    await until(lambda: "Restored an earlier version of" in texts(desktop))
    await desktop.press("Whole benchmark")
    await until(lambda: desktop.address == "/benchmarks/1/history")


async def test_a_refused_undo_says_who_changed_it_since(user: User, edited: Application) -> None:
    desktop = Desktop(user, edited.services())
    first = edited.library.commands.entries(["benchmark/1"])[-1]
    await desktop.load(f"/benchmarks/1/history?command={first.id}")
    await desktop.press("Undo")
    await until(lambda: "It was changed again by Ada: Edited the reference answer" in texts(desktop))
    assert edited.library.questions.entry(1, 1).question.raw_answer == "second words"


async def test_deleted_models_come_back_from_the_history_of_the_library(user: User, application: Application) -> None:
    models = application.library.models
    added = models.add("mine", ModelConfig(model_name="m", interface="openai_endpoint"))
    models.delete(added.number)
    desktop = Desktop(user, application.services())
    await desktop.load("/history")
    await until(lambda: "Deleted the model “mine”" in desktop.entries())
    await desktop.press("Undo")
    await until(lambda: "mine" in models.all())


async def test_a_history_without_commands_says_what_appears_there(user: User, application: Application) -> None:
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/history")
    await until(lambda: "No history yet" in texts(desktop))
    with acting(ADA):
        application.editor.set_finished(1, [1], False)
    await until(lambda: any("as unfinished" in name for name in desktop.entries()))


async def test_a_new_benchmark_lists_its_questions_by_their_texts(user: User, application: Application) -> None:
    texts_of = [each.text for each in application.library.questions.summaries(1)]
    application.editor.duplicate_benchmark(1)
    desktop = Desktop(user, application.services())
    await desktop.load("/history")
    await until(lambda: f"Question “{shorten(texts_of[0])}” Added." in texts(desktop))
    assert f"Question “{shorten(texts_of[1])}” Added." in texts(desktop)


def test_a_question_that_is_returned_says_so() -> None:
    states: tuple[dict[str, str | None], ...] = ({"returned_at": None}, {"returned_at": "2026-01-31T12:00:00+00:00"})
    titles = ("Before", "After")
    assert "Returned to its author." in str(row_changes("question", "Dose?", *states, titles))
    assert "Open for review." in str(row_changes("question", "Dose?", *reversed(states), titles))


def test_sample_answers_are_shown_in_words() -> None:
    sample = {
        "id": "a",
        "kind": "wrong",
        "text": "500 g",
        "passes": False,
        "values": {"dose": 500, "found": True, "unit": None, "drugs": ["a", "b"]},
    }
    after = {"custom_metadata": json.dumps({"level": "easy", "sample_answers": [sample]})}
    shown = str(row_changes("question", "Dose?", {"custom_metadata": None}, after, ("Before", "After")))
    words = re.sub(r"<[^>]+>", "", shown)
    for line in (
        "level: easy",
        "Sample answer, wrong answer, should fail:",
        "500 g",
        "dose: 500",
        "found: yes",
        "unit: not stated",
        "drugs: a, b",
    ):
        assert line in words
    assert "passes" not in words
