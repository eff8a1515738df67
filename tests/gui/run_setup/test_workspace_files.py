"""The plan of a run looks for files that nobody would read, once the templates are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.plan import Plan
from karenina_gui.gui.pages.run_setup.plan_view import plan_view
from karenina_gui.gui.pages.run_setup.planner import Planner
from karenina_gui.schemas.model_config import ModelConfig

LIVE = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": "http://127.0.0.1:9/v1"}
MODELS = {
    "plain": ModelConfig(id="plain", **LIVE),
    "agent": ModelConfig(id="agent", workspace_tools=["read_file", "write_file"], **LIVE),
}
LEAVES = "Number of genes listed in genes.txt"
TEMPLATE = """class Answer(BaseAnswer):
    count: int = VerifiedField(description={!r}, ground_truth=3, verify_with=NumericExact())
"""
Make = Callable[..., Planner]


@pytest.fixture
def make(application: Application, tmp_path: Path) -> Iterator[Make]:
    """A planner of a new benchmark with one question."""
    benchmark = application.editor.create_benchmark("Tasks with files")
    application.editor.workspaces.set_root(benchmark, str(tmp_path))
    (tmp_path / "task").mkdir()

    def make(text: str = "How many genes are there?", asks: str = LEAVES, **changes: Any) -> Planner:
        number = application.editor.add_question(benchmark, text, "Three.").summary.number
        application.editor.edit(benchmark, number, {"answer_template": TEMPLATE.format(asks), **changes})
        application.editor.set_finished(benchmark, [number], True)
        return Planner(application.services(), benchmark)

    yield make
    application.editor.delete_benchmark(benchmark)


def planned(planner: Planner, *models: str, **settings: Any) -> Plan:
    choice = RunDraft(models=list(models), judges=["plain"], settings=settings)
    planner.learn(planner.plan(choice).unknown)
    plan = planner.plan(choice)
    assert (plan.unknown, plan.obstacles) == ([], [])
    return plan


def test_a_template_about_a_file_is_doubted_in_the_plan(make: Make) -> None:
    plan = planned(make(workspace_path="task"), "agent")
    (doubt,) = plan.doubts
    assert doubt.startswith("1 question about files that the agent leaves")
    assert doubt in plan_view(plan, 1)


def test_a_trait_that_an_agent_looks_into_answers_for_what_the_question_wants(make: Make) -> None:
    trait = {"name": "left a list", "kind": "boolean", "higher_is_better": True}
    text = "Write the genes into genes.txt."
    planner = make(text, "The number that the text gives", question_rubric={"agentic_traits": [trait]})
    assert planned(planner, "agent").doubts == []
