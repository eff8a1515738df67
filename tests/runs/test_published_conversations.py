"""Published conversations of a tool-calling agent (20 tasks, 4 trials each) as recorded answers of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.benchmark import Benchmark
from karenina_gui.formats.traces import TraceColumns, match_traces, read_traces
from karenina_gui.gui.results.conversation import conversation, tool_calls
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.config import ModelConfig, VerificationConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import CallableRubricTrait, RegexRubricTrait, Rubric

LOOKED_UP = """
class Answer(BaseAnswer):
    looked_up: bool = VerifiedField(
        description="Whether the agent looked the customer up",
        ground_truth=True,
        verify_with=TraceContains(substring="get_user_details (call_"),
    )
"""
CALLS = """
def evaluate(text: str) -> int:
    return min(99, text.count("Call ID: "))
"""

Run = tuple[list[dict[str, Any]], list[VerificationResult]]


@pytest.fixture(scope="module")
def run(sandbox: Sandbox, shared: Path) -> Run:
    """The trials of the file, and a result for each of them in the same order."""
    source = shared / "data" / "tau-airline-gpt-4o.json"
    trials = sorted(json.loads(source.read_text()), key=lambda trial: (trial["task_id"], trial["trial"]))
    benchmark = Benchmark.create("airline")
    tasks = {trial["task_id"]: trial["instruction"] for trial in trials}
    for number, instruction in tasks.items():
        question = Question(question=instruction, raw_answer="", id=str(number), answer_template=LOOKED_UP)
        benchmark.add_question(question, finished=True)
    rubric = Rubric(
        regex_traits=[RegexRubricTrait(name="handed over", pattern="transfer_to_human_agents", higher_is_better=False)],
        callable_traits=[
            CallableRubricTrait(
                name="calls", kind="score", min_score=0, max_score=99, source=CALLS, higher_is_better=False
            )
        ],
    )
    benchmark.set_global_rubric(rubric)
    recorded = read_traces(source, TraceColumns("task_id", "messages", "trial"))
    matched = match_traces(recorded.answers, list(benchmark))
    model = ModelConfig(id="gpt-4o", interface="manual", manual_traces=matched.traces)
    config = VerificationConfig(
        answering_models=[model], replicate_count=4, evaluation_mode="template_and_rubric", async_max_workers=2
    )
    return trials, benchmark.run_verification(config, sandbox=sandbox)


def test_all_eighty_run_without_an_error(run: Run) -> None:
    trials, results = run
    assert len(results) == 80
    assert [result.metadata.question_id for result in results] == [str(trial["task_id"]) for trial in trials]
    assert [result.metadata.replicate for result in results] == [trial["trial"] + 1 for trial in trials]
    assert [result.error for result in results if result.error] == []


def test_template_verdicts_equal_what_the_conversations_say(run: Run) -> None:
    trials, results = run
    assert [result.passed for result in results] == ["get_user_details" in called(trial) for trial in trials]
    assert len({result.passed for result in results}) == 2


def test_trait_scores_equal_what_the_conversations_say(run: Run) -> None:
    trials, results = run
    rubrics = [result.rubric for result in results if result.rubric]
    assert [(r.regex_trait_scores or {})["handed over"] for r in rubrics] == [
        "transfer_to_human_agents" in called(trial) for trial in trials
    ]
    assert [(r.callable_trait_scores or {})["calls"] for r in rubrics] == [len(called(trial)) for trial in trials]


def test_each_is_shown_with_every_message_and_tool_call(run: Run) -> None:
    for trial, result in zip(*run, strict=True):
        items = conversation(result)
        assert len([item for item in items if not item["sent"]]) == len(trial["messages"])
        assert tool_calls(items) == len(called(trial))
        assert ((result.template and result.template.agent_metrics) or {})["tool_calls"] == len(called(trial))


def called(trial: dict[str, Any]) -> list[str]:
    """Names of the tools that were called, in their order."""
    return [call["function"]["name"] for message in trial["messages"] for call in message.get("tool_calls") or []]
