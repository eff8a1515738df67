"""Trusting a benchmark through its details, as one does on a computer that has no lock for code."""

from __future__ import annotations

import asyncio

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.benchmarks import details
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.shell.status import StatusBar
from karenina_gui.runs.service import RunOrder
from karenina_gui.sandbox import isolation_level
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.test_trust import NEEDS_PYTHON
from tests.until import until


@pytest.fixture
def no_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system offers none."""
    monkeypatch.setattr("karenina_gui.sandbox.sandbox.probe", lambda rung: isolation_level.probe(5))


def drawn(application: Application, benchmark: int) -> list[StatusBar]:
    bars: list[StatusBar] = []

    @ui.page("/")
    def page() -> None:
        window = Window(application.services(), browser_id="ada")
        window.services.connect()
        window.benchmark_id = benchmark
        details.BenchmarkDetails(window, benchmark)
        bars.append(StatusBar(window))

    return bars


async def test_a_benchmark_is_trusted_run_and_distrusted(user: User, no_lock: None, application: Application) -> None:
    editor, runs = application.editor, application.runs
    benchmark = editor.create_benchmark("Means")
    question = editor.add_question(benchmark, "What is the mean of 40 and 44?", "42")
    changes = {"answer_template": NEEDS_PYTHON, "finished": True}
    editor.edit(benchmark, question.summary.number, changes)
    bars = drawn(application, benchmark)
    await user.open("/")
    await user.should_see("this computer can’t sandbox it")
    (bar,) = bars
    await until(lambda: bar.confinement.text == "Template sandbox: on (no full Python)")

    user.find("Trust code…").click()
    await user.should_see("use the network")
    assert not editor.library.benchmarks.trusts(benchmark)
    user.find("Trust benchmark").click()
    await user.should_see("unsandboxed")
    await until(lambda: bar.confinement.text == "Template sandbox: off (trusted)")

    traces = {question.entry.id: "The mean is 42."}
    recorded = ModelConfig(id="recorded", interface="manual", manual_traces=traces)
    order = RunOrder(benchmark, VerificationConfig(answering_models=[recorded]))
    run = runs.start(order)
    assert runs.wait(run, 60)
    (result,) = runs.library.results.each(run)
    assert result.template is not None and result.template.verify_result
    assert result.template.template_execution == "unlocked"
    record = runs.library.runs.reproducibility(run)
    assert record is not None and record.trusted

    user.find("Withdraw trust").click()
    await user.should_see("Trust code…")
    await until(lambda: bar.confinement.text == "Template sandbox: on (no full Python)")
    later = runs.start(order)
    assert runs.wait(later, 60)
    (result,) = runs.library.results.each(later)
    assert "needs full Python" in result.model_dump_json()


async def test_nothing_is_to_be_trusted_where_code_is_locked(user: User, application: Application) -> None:
    if not application.sandbox.level.confined:
        pytest.skip("this computer has no lock")
    drawn(application, 1)
    await user.open("/")
    await user.should_see("Review")
    await asyncio.sleep(0.2)
    await user.should_not_see("Code")
    await user.should_not_see("Trust code…")
