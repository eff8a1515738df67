"""Conditions that require tools: an answer without them is neither scored nor retried."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.adapters.claude_code_transcript import server_of
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.recording import Recorder
from karenina_gui.formats.results.export_kinds import export_results
from karenina_gui.formats.results.results_reader import SavedResults
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.gui.kit.verdicts import ADVICE, REASONS
from karenina_gui.pipeline.generation import without_tools
from karenina_gui.runs.answer_cache import as_data, from_data
from karenina_gui.runs.executor import open_tools
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.result_collection import collect_results
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.benchmark_summaries import LocalBenchmarkState
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.messages import Message, ToolResultBlock, ToolUseBlock, from_stored
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.outcome import JUDGED, WORTH_ANOTHER_TRY, outcome_of
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.runs.test_tools_in_runs import AT_ONCE, TEMPLATE
from tests.twin import Call, Reply, Script, Twin, in_turn

SERVER = Path(__file__).parent.parent / "adapters" / "small_server.py"
RIGHT = Reply(text="The total is 42.")
NOON, NEVER = Call("convert_time", {"time": "12:00"}), Call("convert_time", {"time": "never"})
FILES = Call("list_files")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="The server under test is started as on Unix.")


def with_graph(**required: bool) -> Condition:
    clock = ToolServer(command=sys.executable, args=["-S", str(SERVER)])
    return Condition(name="with graph", mcp_servers={"clock": clock}, **required)


class Runs:
    """One question, one condition. `requests`: number of requests in the last run."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.sandbox, self.folder, self.requests = sandbox, folder, 0
        (folder / "root" / "task").mkdir(parents=True)

    def live(self, script: Script, *, recorder: Recorder | None = None, **settings: Any) -> list[VerificationResult]:
        with Twin(script) as twin:
            model = {"interface": "openai_endpoint", "endpoint_base_url": twin.address}
            results = self.run(model, recorder=recorder, **settings)
            self.requests = len(twin.requests)
        return results

    def run(
        self, model: dict[str, Any], *, condition: Condition, judges: int = 0, recorder: Recorder | None = None
    ) -> list[VerificationResult]:
        question = Question(question="Total?", raw_answer="42", answer_template=TEMPLATE, workspace_path="task")
        document = BenchmarkDocument(name="tasks")
        document.add(question, finished=True)
        answering = ModelConfig.model_validate({"model_name": "m", "workspace_tools": ["list_files"], **model})
        readers = [ModelConfig(id=f"judge {n}", model_name="j", interface="openai_endpoint") for n in range(judges)]
        config = VerificationConfig(
            answering_models=[answering], parsing_models=readers, conditions=[condition], retry_policy=AT_ONCE
        )
        request = RunRequest(document, config, [question.id], here=LocalBenchmarkState(self.folder / "root"))
        with AdapterFactory(environment={}, recorder=recorder) as adapters:
            return list(collect_results(request, open_tools(adapters, self.sandbox, config)).values())


@pytest.fixture
def runs(sandbox: Sandbox, tmp_path: Path) -> Runs:
    return Runs(sandbox, tmp_path)


def test_an_answer_without_a_call_of_a_server_is_not_scored_and_no_wrong_answer(runs: Runs) -> None:
    script = in_turn(Reply(text="I look.", calls=[FILES]), RIGHT)
    (result,) = runs.live(script, condition=with_graph(require_mcp_tool_use=True))
    assert result.metadata.failure is not None
    assert result.metadata.failure.category == "tools_unused"
    told = "The condition “with graph” requires an MCP tool call, but the model made none. The answer is not scored."
    assert (result.error, result.passed, outcome_of(result)) == (told, None, "error")
    assert outcome_of(result) not in JUDGED
    assert result.condition == "with graph"
    assert result.template is not None
    assert (result.template.verify_result, result.template.parsed_llm_response) == (None, None)
    assert result.template.raw_llm_response is not None
    assert "The total is 42." in result.template.raw_llm_response
    assert [use.name for message in from_stored(result.template.trace_messages) for use in message.tool_uses] == [
        "list_files"
    ]
    assert {record.status for record in result.stages[2:-1]} == {"skipped"}


def test_it_is_asked_once_for_all_its_judges_and_none_of_them_scores_it(runs: Runs) -> None:
    results = runs.live(in_turn(RIGHT), condition=with_graph(require_mcp_tool_use=True), judges=2)
    assert [outcome_of(result) for result in results] == ["error", "error"]
    assert runs.requests == 1


def test_a_run_that_goes_on_does_not_ask_again_by_itself() -> None:
    assert not {"tools_unused", "tools_failed"} & set(WORTH_ANOTHER_TRY)


@pytest.mark.parametrize(
    ("calls", "category"), [([NEVER], "tools_failed"), ([NEVER, NEVER], "tools_failed"), ([NEVER, NOON], None)]
)
def test_calls_that_all_failed_are_not_scored_where_success_is_required(
    runs: Runs, calls: list[Call], category: str | None
) -> None:
    (result,) = runs.live(in_turn(Reply(calls=[FILES, *calls]), RIGHT), condition=with_graph(
        require_mcp_tool_use=True, require_mcp_tool_success=True
    ))  # fmt: skip
    failure = result.metadata.failure
    assert (failure.category if failure else None) == category
    assert result.passed is (None if category else True)
    assert "but all 2 calls failed" in str(result.error) or len(calls) == 1 or category is None


def test_no_call_at_all_passes_where_only_success_is_required(runs: Runs) -> None:
    (result,) = runs.live(in_turn(RIGHT), condition=with_graph(require_mcp_tool_success=True))
    assert result.passed is True


def test_calls_are_known_again_in_a_recording_that_is_played_back(runs: Runs, tmp_path: Path) -> None:
    path, condition = tmp_path / "recording.json", with_graph(require_mcp_tool_use=True)
    script = in_turn(Reply(calls=[NOON]), RIGHT)
    live = runs.live(script, condition=condition, recorder=Recorder(path))
    played = runs.run({"interface": "replay", "recording": str(path)}, condition=condition)
    for (result,) in (live, played):
        assert (result.error, result.passed) == (None, True)
        assert result.template is not None
        (call,) = result.template.trace_messages[0]["tool_calls"]
        assert call["server"] == "clock"
    assert '"server"' not in path.read_text()


def test_calls_are_known_again_in_an_answer_that_was_kept() -> None:
    from karenina_gui.pipeline.generated_answer import GeneratedAnswer

    use = ToolUseBlock(id="1", name="convert_time", server="clock")
    answer = GeneratedAnswer("42", (Message(role="assistant", content=(use,)),))
    kept = from_data(json.loads(json.dumps(as_data(answer))))
    assert without_tools(with_graph(require_mcp_tool_use=True), kept.messages) is None


def test_tools_of_claude_code_are_told_apart_by_their_names() -> None:
    assert server_of("mcp__graph__find") == "graph"
    assert server_of("mcp__workspace__read_file") is None
    assert server_of("Bash") is None


def test_a_call_that_a_limit_kept_from_being_made_is_a_use_and_no_failure() -> None:
    """The limit itself decides on such an answer."""
    both = with_graph(require_mcp_tool_use=True, require_mcp_tool_success=True)
    call = Message(role="assistant", content=(ToolUseBlock(id="1", name="convert_time", server="clock"),))
    failed = Message(role="tool", content=(ToolResultBlock(tool_use_id="1", content="no", is_error=True),))
    assert without_tools(both, (call,)) is None
    assert without_tools(both, (call, failed)) is not None
    assert without_tools(None, (call, failed)) is None


def test_files_that_others_read_name_a_category_that_they_know_and_ours_comes_back(runs: Runs, tmp_path: Path) -> None:
    results = runs.live(in_turn(RIGHT), condition=with_graph(require_mcp_tool_use=True))
    info = RunInfo("job", None, VerificationConfig(), started=1.0)
    path = export_results(results, tmp_path / "r.json", run=info)
    (row,) = json.loads(path.read_text())["results"]
    failure = row["metadata"]["failure"]
    assert (failure["category"], failure["group"], row["failure_category"]) == (
        "unexpected_error", "system", "tools_unused",
    )  # fmt: skip
    assert [result for _, result in SavedResults(path).each()] == results


def test_both_reasons_have_words_and_advice() -> None:
    for category in ("tools_unused", "tools_failed"):
        assert category in REASONS
        assert "not retried automatically" in ADVICE[category]
