"""The list of questions of a benchmark that another window deletes meanwhile."""

from __future__ import annotations

import pytest
from nicegui.testing import User

from karenina_gui.gui.session.app_context import AppContext
from tests.gui.desktop import Desktop


async def test_who_comes_back_to_the_list_is_told(
    user: User, services: AppContext, caplog: pytest.LogCaptureFixture
) -> None:
    benchmark = services.editor.create_benchmark("Cells")
    question = services.editor.add_question(benchmark, "What is a cell?")
    desktop = Desktop(user, services)
    await desktop.load(f"/benchmarks/{benchmark}/questions/{question.summary.number}")
    services.editor.delete_benchmark(benchmark)
    await desktop.follow(f"/benchmarks/{benchmark}/questions")
    await user.should_see("was deleted")
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_question_whose_addition_was_undone_points_to_redo(user: User, services: AppContext) -> None:
    benchmark = services.editor.create_benchmark("Cells")
    question = services.editor.add_question(benchmark, "What is a nucleus?")
    desktop = Desktop(user, services)
    await desktop.load(f"/benchmarks/{benchmark}/questions/{question.summary.number}?tab=question")
    services.editor.history.undo_last(f"benchmark/{benchmark}", "")
    await user.should_see("This question was deleted.")
    await desktop.press("Restore")
    await user.should_see("Redo it with Ctrl+Shift+Z.")
