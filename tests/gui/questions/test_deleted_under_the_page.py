"""The list of questions of a benchmark that another window deletes meanwhile."""

from __future__ import annotations

import pytest
from nicegui.testing import User

from karenina_gui.gui.session.app_context import AppContext
from tests.gui.desktop import Desktop


async def test_who_comes_back_to_the_list_is_told(
    user: User, studio: AppContext, caplog: pytest.LogCaptureFixture
) -> None:
    benchmark = studio.desk.create_benchmark("Cells")
    question = studio.desk.add_question(benchmark, "What is a cell?")
    desktop = Desktop(user, studio)
    await desktop.load(f"/benchmarks/{benchmark}/questions/{question.summary.number}")
    studio.desk.delete_benchmark(benchmark)
    await desktop.follow(f"/benchmarks/{benchmark}/questions")
    await user.should_see("was deleted", retries=50)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
