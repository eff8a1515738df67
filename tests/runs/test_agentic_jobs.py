"""Agents in runs: changes in a workspace, judges that inspect them, and many agents at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karenina_gui import Benchmark
from karenina_gui.adapters.adapter_spec import AdapterSpec
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import CallUsage, LLMRequest, LLMResponse
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.adapters.tool_loop import tool_loop
from karenina_gui.runs.executor import open_tools
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.result_collection import collect_results
from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.benchmark_summaries import LocalBenchmarkState
from karenina_gui.schemas.messages import Message, TextBlock, ToolUseBlock, from_stored
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.schemas.workspace import RUN_COPY, WorkspaceLimits

TEMPLATE = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"mine": {"pattern": "I found [0-9]+", "expected": 1, "match_type": "count"}}
"""
REPLICATES = 64


class Writer:
    """An agent that appends its replicate's number to a file, and replies with the file's content."""

    def invoke(self, request: LLMRequest) -> LLMResponse:
        number = str(request.replicate)
        turns = [message for message in request.messages if message.role == "assistant"]
        if not turns:
            edit = {"path": "log.txt", "old_text": "begin\n", "new_text": f"begin\n{number}\n"}
            write = {"path": f"out/{number}.txt", "content": number}
            return reply(ToolUseBlock(id="1", name="edit_file", input=edit), call("write_file", write, "2"))
        if len(turns) == 1:
            return reply(call("read_file", {"path": "log.txt"}, "3"))
        found = request.messages[-1].tool_results[0].content
        return reply(TextBlock(text=f"I found {' '.join(found.replace('begin', '').split())}"))


class Worker:
    """Writes and runs a program and replies with its output; as a judge, runs the program again and reports."""

    def __init__(self, name: str) -> None:
        self.judges = name == "judge"

    def invoke(self, request: LLMRequest) -> LLMResponse:
        if request.json_schema is not None:
            said = "".join(message.text for message in request.messages)
            data = {"sum": int(said.rpartition("I ran it: ")[2].split()[0])}
            return LLMResponse(json.dumps(data), data)
        turns = [message for message in request.messages if message.role == "assistant"]
        write = call("write_file", {"path": "add.sh", "content": "echo $(($(paste -sd+ numbers)))\n"}, "1")
        doing = [call("read_file", {"path": "numbers"}, "0")] if self.judges or turns else [write]
        run = call("run_command", {"command": "sh add.sh"}, "2")
        if len(turns) < (1 if self.judges else 2):
            return reply(*doing, *([run] if self.judges or turns else []))
        read, ran = request.messages[-1].tool_results
        return reply(TextBlock(text=f"The file has {read.content.split()}. I ran it: {ran.content}"))


def call(name: str, arguments: dict[str, str], number: str) -> ToolUseBlock:
    return ToolUseBlock(id=number, name=name, input=arguments)


def reply(*blocks: TextBlock | ToolUseBlock) -> LLMResponse:
    text = Message(role="assistant", content=blocks).text
    return LLMResponse(text, blocks=blocks, usage=CallUsage(1, 1), model="writer", stop_reason="stop")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    task = tmp_path / "root" / "task"
    task.mkdir(parents=True)
    (task / "log.txt").write_text("begin\n")
    return task.parent


@pytest.fixture(autouse=True)
def interface(interfaces: None) -> None:
    AdapterRegistry.register(
        AdapterSpec(
            name="writer", title="Writer", llm_factory=lambda *_: Writer(), agent_factory=tool_loop(lambda *_: Writer())
        )
    )
    AdapterRegistry.register(
        AdapterSpec(
            name="worker",
            title="Worker",
            llm_factory=lambda model, _: Worker(str(model.model_name)),
            agent_factory=tool_loop(lambda model, _: Worker(str(model.model_name))),
        )
    )


ADDS = """
class Answer(BaseAnswer):
    sum: int = VerifiedField(description="What came out.", ground_truth=12, verify_with=NumericExact())
"""


def test_an_agent_writes_and_runs_a_program_and_a_judge_runs_it_again(root: Path, sandbox: Sandbox) -> None:
    if refusal := CommandBox(WorkspaceLimits()).refusal:
        pytest.skip(refusal)
    (root / "task" / "numbers").write_text("5\n7\n")
    benchmark = Benchmark.create("sums", workspace_root=root)
    question = Question(question="Add them.", raw_answer="12", answer_template=ADDS, workspace_path="task")
    benchmark.add_question(question, finished=True)
    names = ["read_file", "write_file", "run_command"]
    config = VerificationConfig(
        answering_models=[ModelConfig(model_name="agent", interface="worker", workspace_tools=names)],
        parsing_models=[ModelConfig(model_name="judge", interface="worker")],
        agentic_parsing=True,
    )
    (result,) = benchmark.run_verification(config, sandbox=sandbox)
    assert (result.error, result.passed) == (None, True)
    assert result.template is not None
    assert "The file has ['5', '7']. I ran it: 12" in (result.template.raw_llm_response or "")
    (found,) = result.investigations or []
    used = [(use.name, use.input) for message in from_stored(found.messages) for use in message.tool_uses]
    assert used == [("read_file", {"path": "numbers"}), ("run_command", {"command": "sh add.sh"})]
    assert "I ran it: 12" in (result.template.investigation_trace or "")
    assert [path.name for path in (root / "task").iterdir() if path.name not in ("log.txt", "numbers")] == []


def run(root: Path, sandbox: Sandbox, *, judges: int = 0, **settings: Any) -> list[VerificationResult]:
    question = Question(question="Write.", raw_answer="", answer_template=TEMPLATE, workspace_path="task")
    document = BenchmarkDocument(name="tasks")
    document.add(question, finished=True)
    tools = ["edit_file", "write_file", "read_file"]
    model = ModelConfig(model_name="writer", interface="writer", workspace_tools=tools)
    judging = [ModelConfig(id=f"judge {number}", model_name="judge", interface="writer") for number in range(judges)]
    config = VerificationConfig(
        answering_models=[model],
        parsing_models=judging,
        async_max_workers=REPLICATES,
        **{"replicate_count": REPLICATES, **settings},
    )
    request = RunRequest(document, config, [question.id], here=LocalBenchmarkState(root))
    with AdapterFactory(environment={}) as adapters:
        return list(collect_results(request, open_tools(adapters, sandbox, config)).values())


def each_found_its_own_work(results: list[VerificationResult]) -> None:
    for result in results:
        number = result.metadata.replicate
        assert result.error is None
        assert result.passed
        assert result.template is not None
        assert (result.template.raw_llm_response or "").endswith(f"I found {number}")
        assert result.workspace is not None
        assert [change.path for change in result.workspace.changes] == ["log.txt", f"out/{number}.txt"]


def test_sixty_four_jobs_at_once_never_share_a_folder_and_leave_nothing(root: Path, sandbox: Sandbox) -> None:
    results = run(root, sandbox)
    assert len(results) == REPLICATES
    each_found_its_own_work(results)
    assert [path.name for path in root.iterdir()] == ["task"]
    assert [path.name for path in (root / "task").iterdir()] == ["log.txt"]


def test_with_cleanup_off_the_work_of_all_of_them_stays(root: Path, sandbox: Sandbox) -> None:
    results = run(root, sandbox, workspace_cleanup=False)
    each_found_its_own_work(results)
    left = [path for path in root.iterdir() if path.name != "task"]
    assert len(left) == REPLICATES
    assert all(RUN_COPY.fullmatch(path.name) for path in left)
    assert {result.workspace.kept_at for result in results if result.workspace} == {path.name for path in left}
    assert sorted(int(path.stem) for folder in left for path in folder.glob("out/*")) == list(range(1, REPLICATES + 1))


def test_several_judges_of_one_answer_each_get_its_work_in_a_folder_of_their_own(root: Path, sandbox: Sandbox) -> None:
    results = run(root, sandbox, judges=3, replicate_count=4, workspace_cleanup=False)
    assert len(results) == 12
    each_found_its_own_work(results)
    assert len({result.workspace.kept_at for result in results if result.workspace}) == 12
    for result in results:
        assert result.workspace is not None
        kept = root / (result.workspace.kept_at or "")
        assert (kept / f"out/{result.metadata.replicate}.txt").read_text() == str(result.metadata.replicate)
