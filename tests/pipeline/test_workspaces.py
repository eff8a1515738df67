"""Workspaces of jobs: `agentic-evaluation.md`, sections 2 and 5, and decisions that it leaves open."""

from __future__ import annotations

import logging
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.adapters.adapter_spec import AdapterSpec
from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import AgentConfig, AgentResult
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.adapters.run_ports import RunPorts
from karenina_gui.errors import RunCancelled
from karenina_gui.pipeline.artifacts import ArtifactKeys
from karenina_gui.pipeline.context import PipelineTools, VerificationContext
from karenina_gui.pipeline.finalization import FinalizeResult
from karenina_gui.pipeline.generated_answer import GeneratedAnswer
from karenina_gui.pipeline.generation import IMAGINED, GenerateAnswer
from karenina_gui.pipeline.orchestrator import StageOrchestrator
from karenina_gui.pipeline.stage import Stage
from karenina_gui.pipeline.workspaces import JobWorkspaces, WorkspaceOrder
from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import AgenticRubricTrait, Rubric
from karenina_gui.schemas.tools import Tool
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.schemas.workspace import WorkspaceLimits

Agent = Callable[[VerificationContext], None]


@pytest.fixture
def world(sandbox: Sandbox) -> Iterator[PipelineTools]:
    with AdapterFactory(environment={}) as adapters:
        workspaces = JobWorkspaces(CommandBox(WorkspaceLimits()))
        yield PipelineTools(RunPorts(adapters, CallPolicy()), sandbox, workspaces=workspaces)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "task_01").mkdir(parents=True)
    (root / "task_01" / "data.csv").write_text("gene,count\nBCL2,7\n")
    return root


def job(world: PipelineTools, root: Path | None, **settings: Any) -> VerificationContext:
    """A job with a recorded answer."""
    of_context = {name: settings.pop(name) for name in ("job", "rubric", "question_id") if name in settings}
    path = settings.pop("path", "task_01")
    settings.setdefault("agentic_parsing", True)
    question_id = of_context.pop("question_id", "q")
    return VerificationContext(
        question_id=question_id,
        template_id="t",
        question_text="Which gene?",
        template_code="",
        answering_model=ModelConfig(id="m", interface="manual", manual_traces={question_id: "BCL2"}),
        config=VerificationConfig(**settings),
        workspace_root=root,
        question_workspace_path=path,
        tools=world,
        **of_context,
    )


class Looking(Stage):
    """Records the files of the workspace during a job."""

    name = "Looking"
    consults = [ArtifactKeys.WORKSPACE_PATH]

    def __init__(self, agent: Agent | None = None) -> None:
        self.files: dict[str, str] = {}
        self.path: Path | None = None
        self._agent = agent

    def execute(self, context: VerificationContext) -> None:
        self.path = context[ArtifactKeys.WORKSPACE_PATH]
        assert self.path is not None
        assert self.path == context.workspace_path
        self.files = {path.name: path.read_text() for path in self.path.rglob("*") if path.is_file()}
        if self._agent is not None:
            self._agent(context)


def played(context: VerificationContext, *stages: Stage) -> VerificationResult:
    return StageOrchestrator([GenerateAnswer(), *stages, FinalizeResult()]).execute(context)


def without_times(result: VerificationResult) -> dict[str, Any]:
    """Fields in which two equal jobs must agree."""
    of_metadata = {"timestamp", "execution_time", "result_id"}
    return result.model_dump(exclude={"metadata": of_metadata, "stages": {"__all__": {"seconds"}}})


def resolved(context: VerificationContext) -> Path:
    GenerateAnswer()._resolve_workspace(context)
    assert context.workspace_path is not None
    return context.workspace_path


# ------------------------------------------------------------------ section 2: resolution
def test_section_2_a_copy_of_the_questions_workspace_is_made_below_the_root(world: PipelineTools, root: Path) -> None:
    context = job(world, root)
    path = resolved(context)
    assert context.workspace_is_copy
    assert re.fullmatch(rf"task_01_run_\d{{8}}_\d{{6}}_pid{os.getpid()}_[0-9a-f]+", path.name)
    assert path.parent == root
    assert (path / "data.csv").read_text() == "gene,count\nBCL2,7\n"


def test_section_2_a_copy_stands_beside_the_workspace_however_deep_that_is(world: PipelineTools, root: Path) -> None:
    shutil.copytree(root / "task_01", root / "group" / "task_02")
    path = resolved(job(world, root, path="group/task_02"))
    assert path.parent == root / "group"
    assert path.name.startswith("task_02_run_")


def test_section_2_without_copying_the_workspace_itself_is_used(world: PipelineTools, root: Path) -> None:
    context = job(world, root, workspace_copy=False)
    assert resolved(context) == root / "task_01"
    assert not context.workspace_is_copy


@pytest.mark.parametrize("copied", [True, False])
def test_section_2_without_a_path_an_empty_folder_is_made(world: PipelineTools, root: Path, copied: bool) -> None:
    context = job(world, root, path=None, question_id="urn:uuid:q/1 ?", workspace_copy=copied)
    path = resolved(context)
    assert context.workspace_is_copy
    assert path.name.startswith("urn-uuid-q-1_run_")
    assert resolved(job(world, root, path=None, question_id="q" * 300)).name.startswith("q" * 80 + "_run_")
    assert path.parent == root
    assert list(path.iterdir()) == []


def test_section_2_the_name_has_the_replicate(world: PipelineTools, root: Path) -> None:
    assert f"_pid{os.getpid()}_rep2_" in resolved(job(world, root, job=Job("", "q", "m", replicate=2))).name


def test_section_2_a_path_of_several_parts_keeps_its_folder(world: PipelineTools, root: Path) -> None:
    (root / "a" / "b").mkdir(parents=True)
    assert resolved(job(world, root, path="a/b")).parent == root / "a"


@pytest.mark.parametrize("path", ["task_01", None])
def test_section_2_precondition_a_root_is_set(world: PipelineTools, path: str | None) -> None:
    with pytest.raises(RuntimeError, match="no workspace root is set"):
        GenerateAnswer().execute(job(world, None, path=path))


def test_section_2_precondition_the_folder_is_there(world: PipelineTools, root: Path) -> None:
    with pytest.raises(RuntimeError, match="workspace missing in"):
        GenerateAnswer().execute(job(world, root, path="missing"))


def test_section_2_a_failed_precondition_is_the_jobs_error_in_plain_words(world: PipelineTools, root: Path) -> None:
    result = played(job(world, root, path="missing"))
    assert (result.error or "").startswith("Couldn’t use the question’s workspace missing in")
    assert result.metadata.failure is not None
    assert result.metadata.failure.stage == "GenerateAnswer"


@pytest.mark.parametrize("path", ["../outside", "/etc", "task_01/../../outside", "link", "file.txt", "round"])
def test_section_2_a_path_that_leaves_the_root_is_refused_when_it_is_used(
    world: PipelineTools, root: Path, path: str
) -> None:
    (root.parent / "outside").mkdir()
    (root / "link").symlink_to(root.parent / "outside")
    (root / "round").symlink_to(root)
    (root / "file.txt").write_text("x")
    with pytest.raises(RuntimeError):
        resolved(job(world, root, path=path))
    assert sorted(each.name for each in root.iterdir()) == ["file.txt", "link", "round", "task_01"]


def test_section_2_no_workspace_where_no_agent_needs_one(world: PipelineTools, root: Path) -> None:
    context = job(world, root, agentic_parsing=False)
    assert played(context).workspace is None
    assert context.workspace_path is None
    assert [each.name for each in root.iterdir()] == ["task_01"]


def rubric(context_mode: str) -> Rubric:
    fields = {"name": "tidy", "kind": "boolean", "higher_is_better": True, "context_mode": context_mode}
    return Rubric(agentic_traits=[AgenticRubricTrait.model_validate(fields)])


@pytest.mark.parametrize("mode", ["workspace_only", "trace_and_workspace"])
def test_agentic_traits_alone_bring_a_workspace(world: PipelineTools, root: Path, mode: str) -> None:
    looking = Looking()
    played(job(world, root, agentic_parsing=False, rubric=rubric(mode)), looking)
    assert looking.files == {"data.csv": "gene,count\nBCL2,7\n"}


@pytest.mark.parametrize(
    ("settings", "brings"),
    [
        ({"interface": "openai_endpoint", "workspace_tools": ["read_file"]}, True),
        ({"interface": "claude_agent_sdk", "claude_code_tools": ["Read"]}, True),
        ({"interface": "claude_agent_sdk", "claude_code_tools": []}, False),
        ({"interface": "claude_agent_sdk"}, False),
    ],
)
def test_models_with_tools_bring_a_workspace_also_to_a_question_without_a_path(
    world: PipelineTools, root: Path, settings: dict[str, Any], brings: bool
) -> None:
    context = job(world, root, path=None, agentic_parsing=False)
    context.answering_model = ModelConfig.model_validate({"model_name": "m", **settings})
    GenerateAnswer()._resolve_workspace(context)
    assert (context.workspace_path is not None) is brings


def test_traits_that_read_the_trace_alone_bring_none(world: PipelineTools, root: Path) -> None:
    context = job(world, root, agentic_parsing=False, rubric=rubric("trace_only"))
    played(context)
    assert context.workspace_path is None


@pytest.mark.parametrize(("chosen", "brings"), [(["tidy"], True), (["another"], False)])
def test_agentic_traits_that_are_not_chosen_bring_none(
    world: PipelineTools, root: Path, chosen: list[str], brings: bool
) -> None:
    context = job(world, root, agentic_parsing=False, rubric=rubric("workspace_only"), rubric_trait_names=chosen)
    played(context)
    assert (context.workspace_path is not None) is brings


def test_agentic_traits_of_a_question_without_files_need_no_root(world: PipelineTools) -> None:
    context = job(world, None, path=None, agentic_parsing=False, rubric=rubric("workspace_only"))
    looking = Looking()
    played(context, looking)
    assert looking.files == {}
    assert looking.path is not None
    assert not looking.path.exists()


class Runtime:
    """An agent runtime that replies with the names of its tools and records its folder."""

    folders: list[Path | None] = []

    def run(self, messages: Any, tools: Sequence[Tool], servers: Any, config: AgentConfig) -> AgentResult:
        self.folders.append(config.workspace_path)
        return AgentResult(" ".join(tool.spec.name for tool in tools) or "no tools", ())


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch, interfaces: None) -> ModelConfig:
    """A model of an agent runtime."""
    monkeypatch.setattr(Runtime, "folders", [])
    AdapterRegistry.register(
        AdapterSpec("runtime", "Runtime", agent_tier="deep_agent", agent_factory=lambda *_: Runtime())
    )
    return ModelConfig(model_name="m", interface="runtime")


@pytest.mark.parametrize(("path", "said"), [("task_01", "list_files read_file"), (None, "no tools")])
def test_a_runtime_that_is_an_agent_works_in_the_questions_folder_where_there_is_one(
    world: PipelineTools, root: Path, runtime: ModelConfig, path: str | None, said: str
) -> None:
    assert world.workspaces is not None
    with_tools = replace(world, answering_tools=world.workspaces.tools)
    context = job(with_tools, root, path=path, agentic_parsing=False)
    context.answering_model = runtime
    result = played(context)
    assert result.template is not None
    assert (result.template.raw_llm_response or "").startswith(said)


@pytest.mark.parametrize(("path", "copied"), [("task_01", True), ("task_01", False), (None, True)])
def test_section_2_the_answering_agent_gets_the_resolved_path(
    world: PipelineTools, root: Path, runtime: ModelConfig, path: str | None, copied: bool
) -> None:
    context = job(world, root, path=path, workspace_copy=copied)
    context.answering_model = runtime
    looking = Looking()
    played(context, looking)
    assert Runtime.folders == [looking.path]
    assert looking.path is not None
    assert looking.path.parent == root
    assert looking.path.name.startswith(f"{path or 'q'}_run_") is copied


def test_nothing_is_made_for_a_look_at_what_would_be_sent(world: PipelineTools, root: Path) -> None:
    context = job(replace(world, workspaces=None), root)
    played(context)
    assert context.workspace_path == IMAGINED
    assert [each.name for each in root.iterdir()] == ["task_01"]


@pytest.mark.parametrize("copied", [True, False])
def test_a_workspace_beyond_the_limit_ends_the_job_with_a_reason(
    world: PipelineTools, root: Path, copied: bool
) -> None:
    (root / "task_01" / "large").write_bytes(bytes(2 << 20))
    small = replace(world, workspaces=JobWorkspaces(CommandBox(WorkspaceLimits()), disk_mb=1))
    assert "too large to copy" in (played(job(small, root, workspace_copy=copied)).error or "")
    assert [each.name for each in root.iterdir()] == ["task_01"]


# ------------------------------------------------------------------ section 5: cleanup, the triple guard
def test_section_5_a_working_copy_is_removed(world: PipelineTools, root: Path) -> None:
    looking = Looking()
    result = played(job(world, root), looking)
    assert looking.files == {"data.csv": "gene,count\nBCL2,7\n"}, "it is there until the last stage"
    assert [each.name for each in root.iterdir()] == ["task_01"]
    assert result.workspace is not None
    assert result.workspace.kept_at is None


def test_section_5_a_folder_that_was_made_empty_is_removed_with_what_was_left_in_it(
    world: PipelineTools, root: Path
) -> None:
    def work(context: VerificationContext) -> None:
        assert context.workspace_path is not None
        (context.workspace_path / "made.txt").write_text("42")

    looking = Looking(work)
    played(job(world, root, path=None), looking)
    assert looking.path is not None
    assert looking.path.name.startswith("q_run_")
    assert [each.name for each in root.iterdir()] == ["task_01"]


@pytest.mark.parametrize("path", ["task_01", None])
def test_section_5_guard_cleanup_off_keeps_copies_and_empty_folders(
    world: PipelineTools, root: Path, path: str | None
) -> None:
    looking = Looking()
    played(job(world, root, path=path, workspace_cleanup=False), looking)
    assert looking.path is not None
    assert looking.path.is_dir()


def test_section_5_guard_without_a_workspace_nothing_is_removed(
    world: PipelineTools, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    context = job(world, root, agentic_parsing=False)
    context.workspace_is_copy = True
    assert played(context).completed_without_errors
    assert context.workspace_path is None
    assert (root / "task_01" / "data.csv").exists()
    assert caplog.records == []


def test_section_5_guard_cleanup_off_keeps_the_copy_and_says_where(world: PipelineTools, root: Path) -> None:
    context = job(world, root, workspace_cleanup=False)
    result = played(context)
    assert result.workspace is not None
    assert result.workspace.path == "task_01"
    assert result.workspace.kept_at is not None
    assert (root / result.workspace.kept_at / "data.csv").exists()
    assert str(root) not in result.model_dump_json()


def test_section_5_guard_an_original_is_never_removed(world: PipelineTools, root: Path) -> None:
    played(job(world, root, workspace_copy=False))
    assert (root / "task_01" / "data.csv").exists()
    assert len(list(root.iterdir())) == 1


def test_section_5_a_failed_cleanup_is_a_warning_in_the_log_only(
    world: PipelineTools, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def spoil(context: VerificationContext) -> None:
        context.workspace_path = root / "no\0file has such a name"

    with caplog.at_level(logging.WARNING):
        spoilt = played(job(world, root), Looking(spoil))
    (record,) = caplog.records
    assert (record.levelno, record.message.partition(":")[0]) == (logging.WARNING, "Failed to clean up workspace")
    assert record.exc_info is not None
    assert without_times(spoilt) == without_times(played(job(world, root), Looking()))
    assert spoilt.completed_without_errors
    assert spoilt.metadata.warnings == []


@pytest.mark.parametrize("path", ["task_01", None])
def test_section_5_after_an_error_the_working_copy_is_removed_too(
    world: PipelineTools, root: Path, path: str | None
) -> None:
    def break_down(_context: VerificationContext) -> None:
        raise ZeroDivisionError

    looking = Looking(break_down)
    result = played(job(world, root, path=path), looking)
    assert looking.path is not None
    assert result.completed_without_errors is False
    assert [each.name for each in root.iterdir()] == ["task_01"]


def test_section_5_a_cancelled_job_leaves_nothing_behind(world: PipelineTools, root: Path) -> None:
    def cancel(_context: VerificationContext) -> None:
        raise RunCancelled("enough")

    with pytest.raises(RunCancelled):
        played(job(world, root), Looking(cancel))
    assert [each.name for each in root.iterdir()] == ["task_01"]


# ------------------------------------------------------------------ what the agent left, for people and further judges
def answered(
    world: PipelineTools, root: Path, work: Callable[[Path], None], *, in_place: bool = False
) -> GeneratedAnswer:
    """Answer of an agent that has called this function in its workspace."""
    assert world.workspaces is not None
    workspace = world.workspaces.open(WorkspaceOrder("q", "task_01", root, in_place=in_place))
    work(workspace.path)
    outcome = workspace.compare()
    return GeneratedAnswer("done", workspace=outcome.result, left=outcome.left)


def test_a_further_judge_works_in_a_copy_with_the_agents_work(world: PipelineTools, root: Path) -> None:
    answer = answered(world, root, lambda path: (path / "result.txt").write_text("42") and None)
    context = job(world, root)
    context.cached_answer_data = answer
    looking = Looking()
    result = played(context, looking)
    assert looking.files == {"data.csv": "gene,count\nBCL2,7\n", "result.txt": "42"}
    assert result.workspace is not None
    assert [change.path for change in result.workspace.changes] == ["result.txt"]
    assert not (root / "task_01" / "result.txt").exists()


def test_work_in_the_workspace_itself_is_compared_with_what_was_there(world: PipelineTools, root: Path) -> None:
    def work(path: Path) -> None:
        (path / "data.csv").write_text("gene,count\nBCL2,8\n")

    answer = answered(world, root, work, in_place=True)
    assert answer.workspace is not None
    assert [(change.path, change.kind) for change in answer.workspace.changes] == [("data.csv", "modified")]
    assert (root / "task_01" / "data.csv").read_text() == "gene,count\nBCL2,8\n"


def test_an_answer_is_kept_although_its_workspace_has_disappeared(world: PipelineTools, root: Path) -> None:
    answer = answered(world, root, lambda path: shutil.rmtree(root))
    assert answer.text == "done"
    assert answer.workspace is not None
    assert answer.workspace.notes == ["Couldn’t read the workspace after the agent’s work: No such file or directory."]
    assert str(root) not in answer.workspace.model_dump_json()
    (root / "task_01").mkdir(parents=True)
    context = job(world, root)
    context.cached_answer_data = answer
    assert "The files that the agent left are lost" in str(played(context).error)
