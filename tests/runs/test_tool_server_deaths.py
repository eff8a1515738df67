"""Runs whose agents use an external MCP server (`mcp-server-time`) that is killed."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from karenina_gui.errors import ToolServerError
from karenina_gui.gui.pages.guide.chapters import FOLDER
from karenina_gui.judging.judge import category_of
from karenina_gui.runs.resume import RemainingJobs
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from tests.twin import Asked, Call, Reply, Twin

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="The server under test is started by a shell.")

TEMPLATE = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"hour": {"pattern": "It is 21:00", "expected": 1, "match_type": "count"}}
"""
CLOCK = str(Path(sys.executable).parent / "mcp-server-time")
CONVERT = Call("convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"})
AT_ONCE = RetryPolicy(connection=RetryBudget(max_attempts=0))
SECONDS = 60
"""Time limit of a test, in seconds."""


class Agent:
    """Calls the clock once and answers. For the question `struck`, the server is killed before a second call."""

    def __init__(self, pid: Path) -> None:
        self.pid = pid
        self.struck: str | None = None
        self.answered: list[str] = []

    def __call__(self, asked: Asked) -> Reply:
        question = next(m["content"] for m in asked.body["messages"] if m["role"] == "user")
        if not asked.results:
            return Reply(text="I look at the clock.", calls=[CONVERT])
        if question == self.struck:
            os.kill(int(self.pid.read_text()), signal.SIGKILL)
            return Reply(text="And once more.", calls=[CONVERT])
        self.answered.append(question)
        return Reply(text="It is 21:00 there.")


def order(library: Library, twin: Twin, pid: Path) -> RunOrder:
    document = BenchmarkDocument(name="times")
    for number in range(2):
        question = Question(question=f"When {number}?", raw_answer="", id=f"q{number}", answer_template=TEMPLATE)
        document.add(question, finished=True)
    script = 'echo $$ > "$0"; exec "$1" --local-timezone UTC'
    server = ToolServer(command="sh", args=["-c", script, str(pid), CLOCK])
    model = ModelConfig(
        model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address, mcp_servers={"clock": server}
    )
    config = VerificationConfig(answering_models=[model], async_enabled=False, retry_policy=AT_ONCE)
    return RunOrder(library.benchmarks.create(document), config)


def results(service: RunService, run: int) -> dict[str, VerificationResult]:
    return {
        row.question_id: service.library.results.get(row.id).result for row in service.library.results.page(run).rows
    }


def test_a_server_that_dies_costs_its_job_alone_and_the_job_is_done_again(
    service: RunService, library: Library, tmp_path: Path
) -> None:
    agent = Agent(tmp_path / "pid")
    agent.struck = "When 0?"
    with Twin(agent) as twin:
        run = service.start(order(library, twin, agent.pid))
        assert service.wait(run, SECONDS)
        assert service.library.runs.summary(run).outcomes == {"passed": 1, "error": 1}
        assert agent.answered == ["When 1?"]
        broken = results(service, run)["q0"]
        _ends_as_documented(broken)

        agent.struck = None
        assert service.remaining(run) == RemainingJobs(again=1, unknown=("m",))
        service.resume(run)
        assert service.wait(run, SECONDS)
    assert agent.answered == ["When 1?", "When 0?"]
    summary = service.library.runs.summary(run)
    assert (summary.status, summary.outcomes) == ("completed", {"passed": 2})
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("mcp")] == []


def test_the_guide_says_the_same() -> None:
    guide = (FOLDER / "mcp.md").read_text(encoding="utf-8")
    rows = [line for line in guide.splitlines() if line.startswith("| ")]
    (dies,) = [row for row in rows if "server dies" in row]
    (late,) = [row for row in rows if "One call exceeds" in row]
    assert f"error ({category_of(ToolServerError('gone', server='clock'))})" in dies
    assert f"({ToolServer(command='x').call_seconds:g} s by default)" in late


def _ends_as_documented(result: VerificationResult) -> None:
    """The result is a connection error with the partial trace, never a wrong answer (the guide's table)."""
    assert result.metadata.failure is not None
    assert (result.metadata.failure.category, result.metadata.failure.stage) == ("connection", "GenerateAnswer")
    assert "The MCP server “clock” failed while the agent was working" in (result.error or "")
    assert result.passed is None
    assert result.template is not None
    messages = result.template.trace_messages or []
    assert [message["role"] for message in messages] == ["assistant", "tool", "assistant", "tool"]
    assert "T21:00:00+09:00" in str(messages[1])
    assert (result.template.agent_metrics or {})["tool_calls"] == 2
