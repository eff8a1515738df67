"""Published conversations of a tool-calling agent with airline customers: 20 tasks, 4 trials each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from karenina_gui.benchmark import Benchmark
from karenina_gui.formats.recorded_answers import TraceColumns, match_traces, read_traces
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import Rubric

LOOKED_UP = """
class Answer(BaseAnswer):
    looked_up: bool = VerifiedField(
        description="Whether the agent looked the customer up",
        ground_truth=True,
        verify_with=TraceContains(substring="get_user_details (call_"),
    )
"""

TITLES = {"system": "System prompt", "user": "User", "assistant": "Model", "tool": "Tool result"}

Trial = dict[str, Any]


def published(source: Path) -> list[Trial]:
    """Trials in the order of a run."""
    return sorted(json.loads(source.read_text()), key=lambda trial: (trial["task_id"], trial["trial"]))


def airline(source: Path, trials: list[Trial], template: str, rubric: Rubric) -> tuple[Benchmark, ModelConfig]:
    """The tasks of these trials as questions, and a model with their conversations as recorded answers."""
    benchmark = Benchmark.create("airline")
    tasks = {trial["task_id"]: trial["instruction"] for trial in trials}
    for number, instruction in tasks.items():
        question = Question(question=instruction, raw_answer="", id=str(number), answer_template=template)
        benchmark.add_question(question, finished=True)
    benchmark.set_global_rubric(rubric)
    recorded = read_traces(source, TraceColumns("task_id", "messages", "trial"))
    matched = match_traces(recorded, list(benchmark))
    return benchmark, ModelConfig(id="gpt-4o", interface="manual", manual_traces=matched.traces)


def called(trial: Trial) -> list[str]:
    """Names of the called tools, in order."""
    return [call["function"]["name"] for message in trial["messages"] for call in message.get("tool_calls") or []]


def shows(items: Sequence[dict[str, Any]], trial: Trial) -> None:
    """Check that the trace view shows every message, call, result and number of the file, and nothing else."""
    messages = trial["messages"]
    assert [item["number"] for item in items] == list(range(1, len(messages) + 1))
    calls_in: dict[int, list[str]] = {}
    latest = 0
    for number, (item, message) in enumerate(zip(items, messages, strict=True), start=1):
        calls = message.get("tool_calls") or []
        assert (item["role"], item["title"]) == (message["role"], TITLES[message["role"]])
        assert not item["sent"] and "end" not in item
        assert [(call["id"], call["name"]) for call in item["calls"]] == [
            (call["id"], call["function"]["name"]) for call in calls
        ]
        for shown, call in zip(item["calls"], calls, strict=True):
            assert json.loads(shown["arguments"] or "{}") == json.loads(call["function"]["arguments"])
        if calls:
            latest, calls_in[number] = number, [call["function"]["name"] for call in calls]
        if message["role"] == "tool":
            (found,) = item["results"]
            failed = message["content"].startswith("Error:")
            assert same(found["text"], message["content"])
            assert (found["size"], found["error"], found["call"]) == (len(message["content"]), failed, latest)
            assert found["name"] == message["name"] and message["name"] in calls_in[latest]
        else:
            assert item["text"] == (message["content"] or "") and item["results"] == []
    unanswered = [call["not_run"] for item in items for call in item["calls"] if call["not_run"]]
    results = sum(message["role"] == "tool" for message in messages)
    assert len(unanswered) == len(called(trial)) - results
    assert set(unanswered) <= {"no result"}


def same(shown: str, text: str) -> bool:
    """True if the text is shown unchanged or as indented JSON."""
    try:
        return shown == text or bool(json.loads(shown) == json.loads(text))
    except ValueError:
        return False
