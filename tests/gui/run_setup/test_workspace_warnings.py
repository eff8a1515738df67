"""Before a run starts, the page says which files nobody will look into."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.app import Application
from karenina_gui.gui.run_setup.draft import RunDraft
from karenina_gui.gui.run_setup.plan import Plan
from karenina_gui.gui.run_setup.plan_view import plan_view
from karenina_gui.gui.run_setup.planner import Planner
from karenina_gui.gui.run_setup.workspace_warnings import task_of
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.template import TemplateField, TemplateOutline
from karenina_gui.schemas.tool_server import ToolServer

LIVE = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": "http://127.0.0.1:9/v1"}
MODELS = {
    "plain": ModelConfig(id="plain", **LIVE),
    "agent": ModelConfig(id="agent", workspace_tools=["read_file", "write_file"], **LIVE),
    "served": ModelConfig(id="served", mcp_servers={"files": ToolServer(type="stdio", command="files")}, **LIVE),
    "recorded": ModelConfig(id="recorded", interface="manual", manual_traces={"x": "y"}),
}
READS = "The number that the text gives"
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

    def make(text: str = "How many genes are there?", asks: str = READS, **changes: Any) -> Planner:
        number = application.editor.add_question(benchmark, text, "Three.").summary.number
        application.editor.edit(benchmark, number, {"answer_template": TEMPLATE.format(asks), **changes})
        application.editor.set_finished(benchmark, [number], True)
        return Planner(application.services(), benchmark)

    yield make
    application.editor.delete_benchmark(benchmark)


def doubts(planner: Planner, *models: str, **settings: Any) -> list[str]:
    return planned(planner, *models, **settings).doubts


def planned(planner: Planner, *models: str, **settings: Any) -> Plan:
    choice = RunDraft(models=list(models), judges=["plain"], settings=settings)
    planner.learn(planner.plan(choice).unknown)
    plan = planner.plan(choice)
    assert (plan.unknown, plan.obstacles) == ([], [])
    return plan


def test_a_template_about_a_file_is_doubted_until_an_agent_judges(make: Make) -> None:
    planner = make(asks=LEAVES, workspace_path="task")
    plan = planned(planner, "agent")
    (doubt,) = plan.doubts
    assert doubt == (
        "1 question about files that the agent leaves, but the judge sees only the answer. Turn on “Agentic judging”, "
        "or have the template ask about the answer. Question: “How many genes are there?”."
    )
    assert doubt in str(plan_view(plan, 1))
    assert doubts(planner, "agent", agentic_parsing=True) == []
    assert doubts(planner, "agent", evaluation_mode="rubric_only") == []


def test_an_agent_that_sees_only_the_conversation_looks_into_no_file(make: Make) -> None:
    planner = make(asks=LEAVES)
    (doubt,) = doubts(planner, "agent", agentic_parsing=True, agentic_judge_context="trace_only")
    assert "the judging agent sees only the trace. Include files under “Agentic judging”" in doubt
    assert doubts(planner, "agent", agentic_parsing=True, agentic_judge_context="trace_and_workspace") == []


def test_several_questions_are_counted_and_the_first_is_named(make: Make) -> None:
    make("How many rows has data.csv?")
    make("Which genes are there?\nName  them all, with a word on each that says what it does in a cell.", LEAVES)
    planner = make("Write the genes into genes.txt.")
    (doubt,) = doubts(planner, "agent")
    assert doubt.startswith("2 questions about files that the agent leaves")
    first = "Which genes are there? Name them all, with a word on each that says what it does"
    assert f"First: “{first[:79].rstrip()}…”." in doubt


def test_answers_are_never_doubted_where_there_are_no_files(make: Make) -> None:
    planner = make("Write the genes into genes.txt.", LEAVES)
    assert doubts(planner, "plain") == []


def test_answers_of_others_are_doubted_where_the_question_has_a_workspace(make: Make) -> None:
    planner = make(asks=LEAVES, workspace_path="task")
    (doubt,) = [each for each in doubts(planner, "recorded") if "files" in each]
    assert doubt.startswith("1 question about files that the agent leaves")


def test_a_workspace_that_no_model_sees_is_doubted(make: Make) -> None:
    planner = make(workspace_path="task")
    (doubt,) = doubts(planner, "plain")
    assert doubt == (
        "1 question with a workspace, but no model in this run can see files. Give an answering model workspace tools "
        "on the Models page. Question: “How many genes are there?”."
    )
    seen_in_vain = {"agentic_parsing": True, "agentic_judge_context": "trace_only"}
    assert "no model in this run can see files" in doubts(planner, "plain", **seen_in_vain)[0]
    assert doubts(planner, "plain", "agent") == []
    assert doubts(planner, "served") == []
    assert doubts(planner, "plain", agentic_parsing=True, agentic_judge_context="trace_and_workspace") == []


def test_a_judging_agent_that_finds_the_files_as_they_were_is_doubted(make: Make) -> None:
    planner = make(workspace_path="task")
    (doubt,) = doubts(planner, "plain", "agent", agentic_parsing=True)
    assert doubt == (
        "plain can’t change files, and the judging agent sees only the files. Give this model workspace tools on the "
        "Models page, or include the trace."
    )
    assert [each for each in doubts(planner, "recorded", agentic_parsing=True) if "files" in each] == []


def test_a_trait_that_an_agent_looks_into_answers_for_what_the_question_wants(
    application: Application, make: Make
) -> None:
    trait = {"name": "left a list", "kind": "boolean", "higher_is_better": True}
    text = "Write the genes into genes.txt."
    planner = make(text, question_rubric={"agentic_traits": [trait]})
    assert doubts(planner, "agent") == []
    planner = make("Save the table as table.csv.", LEAVES)
    (doubt,) = doubts(planner, "agent")
    assert "Question: “Save the table as table.csv.”" in doubt


@pytest.mark.parametrize(
    "text",
    [
        "Write their numbers into findings.txt, one a line.",
        "Read rule.md and save the result to `out/result.csv`.",
        "There is a bug. Please fix the mistake in analysis/count.py",
        "Create a file called report.md with a summary.",
        "1. Sort the data.\n2. Export them as table.xlsx",
        "Find the outliers, then store their ids in order to a file.",
        "Update ./config.yaml so that the tests pass.",
        "Put the answer into the workspace.",
    ],
)
def test_a_question_that_wants_a_file_is_known(text: str) -> None:
    assert about(text) == "question"


@pytest.mark.parametrize(
    "text",
    [
        "How many rows has data.csv?",
        "Write the number of rows of data.csv.",
        "Which program writes alignments to a file?",
        "Who wrote the specification of main.py? Name the author.",
        "Write a summary. The data are in data.csv.",
        "Write the address of http://example.com/data.csv to me.",
        "Write a component in Node.js.",
        "Which function should change the state?",
    ],
)
def test_a_question_that_only_speaks_of_files_is_not_taken_for_one(text: str) -> None:
    assert about(text) is None


@pytest.mark.parametrize(
    ("asks", "own", "found"),
    [
        ("Numbers that findings.txt lists", False, "template"),
        ("True if the plot is in the workspace", False, "template"),
        ("True if the file has a header", True, "template"),
        ("The file format that was chosen", False, None),
        ("The number of rows of data.csv that the answer gives", True, None),
        ("The gene", True, None),
        ("The version, such as 2.7.txt4 or v1.md5", False, None),
    ],
)
def test_a_template_is_about_files_by_what_its_fields_say(asks: str, own: bool, found: str | None) -> None:
    assert about("Which?", asks, workspace_path="task" if own else None) == found


def test_fields_that_no_judge_reads_say_nothing_of_files() -> None:
    assert about("Which?", LEAVES, trace=True) is None
    assert task_of(Question(question="Write it into a.txt.", raw_answer="x"), None).about is None


@pytest.mark.parametrize("part", ["\n ", "a/", "fix a, ", "the "])
def test_a_long_text_keeps_nobody_waiting(part: str) -> None:
    assert about(f"Write {part * 50_000}.") is None


def about(text: str, asks: str = READS, *, trace: bool = False, **question: Any) -> str | None:
    field = TemplateField(name="value", type="str", description=asks, is_trace=trace)
    other = TemplateField(name="other", type="str", description=READS)
    outline = TemplateOutline(valid=True, fields=[field, other])
    return task_of(Question(question=text, raw_answer="x", **question), outline).about
