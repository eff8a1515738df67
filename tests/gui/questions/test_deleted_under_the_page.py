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
    await user.should_see("was deleted", retries=50)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
