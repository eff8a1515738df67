"""Files that matter to a run, but that nobody would read, are found before it starts."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.gui.pages.run_setup.options import JUDGING_AGENTS
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.runs.problems.workspace_files import Task, doubts, first_of, task_of
from karenina_gui.runs.selection import Selection
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import AgenticRubricTrait
from karenina_gui.schemas.template import TemplateField, TemplateOutline
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig

LIVE = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": "http://127.0.0.1:9/v1"}
MODELS = {
    "plain": ModelConfig(id="plain", **LIVE),
    "agent": ModelConfig(id="agent", workspace_tools=["read_file", "write_file"], **LIVE),
    "served": ModelConfig(id="served", mcp_servers={"files": ToolServer(type="stdio", command="files")}, **LIVE),
    "recorded": ModelConfig(id="recorded", interface="manual", manual_traces={"x": "y"}),
}
READS = "The number that the text gives"
LEAVES = "Number of genes listed in genes.txt"
COUNT = "How many genes are there?"
TRAIT = AgenticRubricTrait(name="left a list", kind="boolean", higher_is_better=True)


@pytest.fixture
def look(catalog: ModelCatalog) -> Any:
    """Look for doubts about these tasks under these models."""

    def look(tasks: list[Task], *models: str, traits: tuple[AgenticRubricTrait, ...] = (), **settings: Any) -> Any:
        config = VerificationConfig(
            answering_models=[MODELS[name] for name in models], parsing_models=[MODELS["plain"]], **settings
        )
        selection = Selection(agentic_traits={trait.name: trait for trait in traits})
        return doubts(config, selection, catalog, tasks)

    return look


def unread_by_judge(first: str, questions: str = "1 question", named: str = "Question") -> list[str]:
    doubt = (
        f"{questions} about files that the agent leaves, but the judge sees only the answer. Turn on "
        f"“{JUDGING_AGENTS.title}”, or have the template ask about the answer. {named}: “{first}”."
    )
    return [doubt]


def test_a_template_about_a_file_is_doubted_until_an_agent_judges(look: Any) -> None:
    tasks = [task(asks=LEAVES, workspace_path="task")]
    assert look(tasks, "agent") == unread_by_judge(COUNT)
    assert look(tasks, "agent", agentic_parsing=True) == []
    assert look(tasks, "agent", evaluation_mode="rubric_only") == []


def test_an_agent_that_sees_only_the_conversation_looks_into_no_file(look: Any) -> None:
    tasks = [task(asks=LEAVES)]
    (doubt,) = look(tasks, "agent", agentic_parsing=True, agentic_judge_context="trace_only")
    assert doubt.startswith("1 question about files that the agent leaves, but the judging agent sees only the trace.")
    assert f"Include files under “{JUDGING_AGENTS.title}”" in doubt
    assert look(tasks, "agent", agentic_parsing=True, agentic_judge_context="trace_and_workspace") == []


def test_several_questions_are_counted_and_the_first_is_named(look: Any) -> None:
    tasks = [task("How many rows has data.csv?"), task(asks=LEAVES), task("Write the genes into genes.txt.")]
    assert look(tasks, "agent") == unread_by_judge(COUNT, "2 questions", "First")


def test_answers_are_never_doubted_where_there_are_no_files(look: Any) -> None:
    assert look([task("Write the genes into genes.txt.", LEAVES)], "plain") == []


def test_answers_of_others_are_doubted_where_the_question_has_a_workspace(look: Any) -> None:
    tasks = [task(asks=LEAVES, workspace_path="task")]
    assert look(tasks, "recorded") == unread_by_judge(COUNT)


def test_a_workspace_that_no_model_sees_is_doubted(look: Any) -> None:
    tasks = [task(workspace_path="task")]
    unseen = look(tasks, "plain")
    assert unseen[0].startswith("1 question with a workspace, but no model in this run can see files.")
    assert unseen[0].endswith(f" Question: “{COUNT}”.")
    assert look(tasks, "plain", agentic_parsing=True, agentic_judge_context="trace_only") == unseen
    assert look(tasks, "plain", "agent") == []
    assert look(tasks, "served") == []
    assert look(tasks, "plain", agentic_parsing=True, agentic_judge_context="trace_and_workspace") == []
    assert look(tasks, "plain", traits=(TRAIT,)) == []


def test_a_judging_agent_that_finds_the_files_as_they_were_is_doubted(look: Any) -> None:
    tasks = [task(workspace_path="task")]
    (doubt,) = look(tasks, "plain", "agent", agentic_parsing=True)
    assert doubt.startswith("plain can’t change files, and the judging agent sees only the files. Give this model ")
    (doubt,) = look(tasks, "plain", "plain", agentic_parsing=True)
    assert "Give these models workspace tools" in doubt
    assert look(tasks, "recorded", agentic_parsing=True) == []


def test_a_trait_that_an_agent_looks_into_answers_for_what_the_question_wants(look: Any) -> None:
    wanted = task("Write the genes into genes.txt.")
    assert look([wanted], "agent", traits=(TRAIT,)) == []
    text = "Save the table as table.csv."
    found = look([wanted, task(text, LEAVES)], "agent", traits=(TRAIT,))
    assert found == unread_by_judge(text)


def test_a_long_question_is_named_on_one_line_and_shortened() -> None:
    assert first_of(["How many\n  genes?"]) == "Question: “How many genes?”."
    assert first_of([f"{'x' * 78} , y", "z"]) == f"First: “{'x' * 78}…”."
    assert first_of(["x" * 80]) == f"Question: “{'x' * 80}”."


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
    return task(text, asks, trace=trace, **question).about


def task(text: str = COUNT, asks: str = READS, *, trace: bool = False, **question: Any) -> Task:
    field = TemplateField(name="value", type="str", description=asks, is_trace=trace)
    other = TemplateField(name="other", type="str", description=READS)
    outline = TemplateOutline(valid=True, fields=[field, other])
    return task_of(Question(question=text, raw_answer="x", **question), outline)
