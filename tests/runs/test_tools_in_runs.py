"""Runs with tools: over a provider, recorded, played back, and with a missing server."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.recording import Recorder
from karenina_gui.runs.executor import RunControl, Watcher, open_tools, run_jobs
from karenina_gui.runs.request import RunRequest
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.benchmark_summaries import LocalBenchmarkState
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.twin import Asked, Call, Reply, Twin

TEMPLATE = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"total": {"pattern": "total is 42", "expected": 1, "match_type": "count"}}
"""
AT_ONCE = RetryPolicy(connection=RetryBudget(max_attempts=0))


def looks_it_up(asked: Asked) -> Reply:
    """Reads the file and replies with its content."""
    if not asked.results:
        return Reply(text="I look.", calls=[Call("read_file", {"path": "sums.txt"}), Call("list_files")])
    return Reply(text=f"The total is {asked.results[0][1].split()[-1]}.")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    task = tmp_path / "root" / "task"
    task.mkdir(parents=True)
    (task / "sums.txt").write_text("total 42\n")
    return task.parent


class Steps:
    """A watcher that records its calls."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, int | None]] = []

    def step(self, job: Job, stage: str, turn: int | None) -> None:
        self.heard.append((stage, turn))

    def note_end(self, job: Job) -> None:
        self.heard.append(("left", None))


def run(
    root: Path,
    sandbox: Sandbox,
    model: dict[str, Any],
    recorder: Recorder | None = None,
    watcher: Watcher | None = None,
) -> VerificationResult:
    question = Question(question="What is the total?", raw_answer="42", answer_template=TEMPLATE, workspace_path="task")
    document = BenchmarkDocument(name="tasks")
    document.add(question, finished=True)
    tools = ["read_file", "list_files"]
    answering = ModelConfig.model_validate({"model_name": "m", "workspace_tools": tools, **model})
    config = VerificationConfig(answering_models=[answering], retry_policy=AT_ONCE)
    request = RunRequest(document, config, [question.id], here=LocalBenchmarkState(root))
    with AdapterFactory(environment={}, recorder=recorder) as adapters:
        found: list[VerificationResult] = []
        tools = open_tools(adapters, sandbox, config)
        run_jobs(request, tools, lambda _, result: found.append(result), control=RunControl(watcher=watcher))
    (result,) = found
    return result


@pytest.mark.parametrize("interface", ["openai_endpoint", "claude_tool"])
def test_a_run_with_tools_is_recorded_and_played_back_alike(
    root: Path, sandbox: Sandbox, tmp_path: Path, interface: str
) -> None:
    path = tmp_path / "recording.json"
    address = "anthropic_base_url" if interface == "claude_tool" else "endpoint_base_url"
    with Twin(looks_it_up) as twin:
        live = run(root, sandbox, {"interface": interface, address: twin.address}, Recorder(path))
    played = run(root, sandbox, {"interface": "replay", "recording": str(path)})
    for result in (live, played):
        assert (result.error, result.passed) == (None, True)
        assert result.template is not None
        assert result.template.agent_metrics is not None
        assert result.template.agent_metrics["tool_call_counts"] == {"read_file": 1, "list_files": 1}
        assert result.template.agent_metrics["iterations"] == 2
    assert live.template and played.template
    assert live.template.raw_llm_response == played.template.raw_llm_response
    assert str(root) not in path.read_text()


def test_who_watches_hears_of_stages_and_turns(root: Path, sandbox: Sandbox) -> None:
    steps = Steps()
    with Twin(looks_it_up) as twin:
        run(root, sandbox, {"interface": "openai_endpoint", "endpoint_base_url": twin.address}, watcher=steps)
    assert steps.heard[:4] == [
        ("ValidateTemplate", None), ("GenerateAnswer", None), ("GenerateAnswer", 1), ("GenerateAnswer", 2),
    ]  # fmt: skip
    assert steps.heard[-2:] == [("FinalizeResult", None), ("left", None)]


def test_a_server_that_is_not_there_is_an_error_and_no_wrong_answer(root: Path, sandbox: Sandbox) -> None:
    servers = {"papers": {"url": "http://127.0.0.1:9/mcp"}}
    with Twin(looks_it_up) as twin:
        model = {"interface": "openai_endpoint", "endpoint_base_url": twin.address, "mcp_servers": servers}
        result = run(root, sandbox, model)
    assert twin.requests == []
    assert result.error is not None
    assert "“papers”" in str(result.error)
    assert result.passed is None
    assert result.metadata.failure is not None
    assert result.metadata.failure.category == "connection"
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("mcp")] == []
