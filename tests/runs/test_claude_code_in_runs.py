"""A run with Claude Code against a twin of the API: it works in a copy of the question's workspace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from karenina_gui import Benchmark, ModelConfig, Question, VerificationConfig
from karenina_gui.pipeline.workspaces import ALL_TOOLS
from karenina_gui.runs.reproducibility import record_of
from karenina_gui.runs.request import RunRequest
from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.commands import bubblewrap
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.schemas.reproducibility import ModelSettings
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.workspace import WorkspaceLimits
from tests.claude_code_twin import AskedTurn, Call, ClaudeCodeTwin, Turn

pytest.importorskip("claude_agent_sdk", reason="needs the extra 'agent'")

TEMPLATE = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"dose": {"pattern": "dose is 40 mg", "expected": 1, "match_type": "count"}}
"""


def halves_the_dose(asked: AskedTurn) -> Turn:
    """Reads the notes, then writes and corrects a file."""
    if not asked.results:
        return Turn("I look.", [Call("mcp__workspace__read_file", {"path": "/workspace/notes.txt"})], thinking="Where?")
    if len(asked.results) == 1:
        write = Call("mcp__workspace__write_file", {"path": "out/dose.txt", "content": "40\n"})
        edit = Call("mcp__workspace__edit_file", {"path": "notes.txt", "old_text": "80 mg", "new_text": "40 mg"})
        return Turn("I write.", [write, edit])
    return Turn("The dose is 40 mg.")


def test_it_works_in_a_copy_and_the_result_has_its_calls_and_what_it_changed(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWIN_KEY", "sk-very-secret-0123456789")
    task = tmp_path / "task"
    task.mkdir()
    (task / "notes.txt").write_text("The dose is 80 mg.\n")
    benchmark = Benchmark.create("doses", workspace_root=tmp_path)
    question = Question(question="Halve the dose.", raw_answer="", answer_template=TEMPLATE, workspace_path="task")
    benchmark.add_question(question, finished=True)
    with ClaudeCodeTwin(halves_the_dose) as twin:
        model = ModelConfig(
            model_name="m",
            interface="claude_agent_sdk",
            api_key_env="TWIN_KEY",
            anthropic_base_url=twin.address,
            workspace_tools=["read_file", "write_file", "edit_file"],
        )
        (result,) = benchmark.run_verification(VerificationConfig(answering_models=[model]), sandbox=sandbox)

    assert (result.error, result.passed) == (None, True)
    assert result.template is not None
    assert [message["role"] for message in result.template.trace_messages or []] == [
        "assistant", "tool", "assistant", "tool", "tool", "assistant",
    ]  # fmt: skip
    assert "The dose is 80 mg." in (result.template.raw_llm_response or "")
    calls = (result.template.agent_metrics or {})["tool_call_counts"]
    assert {name.rpartition("__")[2]: count for name, count in calls.items()} == {
        "read_file": 1, "write_file": 1, "edit_file": 1,
    }  # fmt: skip
    assert result.workspace is not None
    diffs = {change.path: (change.kind, change.diff or "") for change in result.workspace.changes}
    assert {path: kind for path, (kind, _) in diffs.items()} == {"notes.txt": "modified", "out/dose.txt": "added"}
    assert "-The dose is 80 mg.\n+The dose is 40 mg." in diffs["notes.txt"][1]
    assert "+40" in diffs["out/dose.txt"][1]
    assert [path.name for path in tmp_path.iterdir()] == ["task"]
    assert (task / "notes.txt").read_text() == "The dose is 80 mg.\n"
    told = result.model_dump_json()
    assert "sk-very-secret" not in told
    assert str(tmp_path) not in told


Played = Callable[..., tuple[VerificationResult, list[AskedTurn]]]


@pytest.fixture
def play(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    """A run with one question: `play(model settings, run settings)` returns the result and the requests."""
    monkeypatch.setenv("TWIN_KEY", "sk-very-secret-0123456789")
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "notes.txt").write_text("40 mg\n")
    benchmark = Benchmark.create("doses", workspace_root=tmp_path)
    question = Question(question="Which dose?", raw_answer="", answer_template=TEMPLATE, workspace_path="task")
    benchmark.add_question(question, finished=True)

    def run(of_model: dict[str, Any], **of_run: Any) -> tuple[VerificationResult, list[AskedTurn]]:
        with ClaudeCodeTwin(looks_by_a_command) as twin:
            config = VerificationConfig(answering_models=[claude_code(twin.address, **of_model)], **of_run)
            (result,) = benchmark.run_verification(config, sandbox=sandbox)
            return result, twin.requests

    return run


def claude_code(address: str, **settings: Any) -> ModelConfig:
    known = {"model_name": "m", "interface": "claude_agent_sdk", "api_key_env": "TWIN_KEY"}
    return ModelConfig.model_validate({**known, "anthropic_base_url": address, **settings})


def looks_by_a_command(asked: AskedTurn) -> Turn:
    if asked.results:
        return Turn("The dose is 40 mg.")
    return Turn("I look.", [Call("Bash", {"command": "cat notes.txt | tee copy.txt; pwd"})])


@pytest.fixture
def nothing_confines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "find_programs", list)


def own(asked: list[AskedTurn]) -> list[str]:
    return [name for name in asked[0].tools if not name.startswith("mcp__")]


def ours(asked: list[AskedTurn]) -> list[str]:
    return [name.rpartition("__")[2] for name in asked[0].tools if name.startswith("mcp__workspace__")]


@pytest.fixture
def sandboxes() -> None:
    if CommandBox(WorkspaceLimits()).program_box is None:
        pytest.skip("no program can be sandboxed here")


@pytest.mark.usefixtures("sandboxes")
def test_its_own_tools_work_in_a_sandbox_and_the_result_says_which(play: Played) -> None:
    result, asked = play({"claude_code_tools": ["Bash", "Read"]})
    assert (result.error, result.passed, own(asked), ours(asked)) == (None, True, ["Bash", "Read"], [])
    assert "You work in the folder /workspace." in asked[0].system
    assert result.workspace is not None
    assert result.workspace.claude_code_tools == ["Bash", "Read"]
    assert result.workspace.claude_code_sandboxed is True
    assert [(change.path, change.kind) for change in result.workspace.changes] == [("copy.txt", "added")]
    assert "/workspace" in result.template.raw_llm_response  # type: ignore[operator, union-attr]


@pytest.mark.usefixtures("sandboxes")
def test_our_tools_stay_a_choice_beside_its_own(play: Played) -> None:
    _, asked = play({"claude_code_tools": ["Bash"], "workspace_tools": ["read_file"]})
    assert (own(asked), ours(asked)) == (["Bash"], ["read_file"])


@pytest.mark.usefixtures("sandboxes")
def test_where_nobody_has_chosen_its_own_tools_are_off_and_ours_take_their_place(play: Played) -> None:
    result, asked = play({})
    assert (own(asked), ours(asked)) == ([], sorted(ALL_TOOLS))
    assert result.workspace is not None and result.workspace.claude_code_tools is None


@pytest.mark.usefixtures("nothing_confines")
def test_without_a_sandbox_and_without_permission_none_of_its_own_tools_is_there(play: Played) -> None:
    result, asked = play({"claude_code_tools": ["Bash"]})
    assert asked[0].tools == []
    assert result.workspace is not None
    assert (result.workspace.claude_code_tools, result.workspace.claude_code_sandboxed) == ([], None)
    assert result.workspace.changes == []
    assert "Claude Code’s own tools (Bash) were off: they couldn’t be sandboxed." in result.metadata.warnings


@pytest.mark.usefixtures("nothing_confines")
def test_without_a_sandbox_the_permission_of_the_run_switches_the_chosen_ones_on(play: Played, tmp_path: Path) -> None:
    result, asked = play({"claude_code_tools": ["Bash"]}, allow_unconfined_commands=True)
    assert (own(asked), ours(asked), result.passed) == (["Bash"], [], True)
    assert result.workspace is not None
    assert (result.workspace.claude_code_tools, result.workspace.claude_code_sandboxed) == (["Bash"], False)
    assert str(tmp_path) not in result.model_dump_json()


@pytest.mark.usefixtures("nothing_confines")
def test_where_nobody_has_chosen_the_permission_of_the_run_switches_on_all(play: Played) -> None:
    result, asked = play({}, allow_unconfined_commands=True)
    assert own(asked) == ["Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"]
    assert "run_command" in ours(asked)
    assert result.workspace is not None and result.workspace.claude_code_tools == own(asked)
    result, asked = play({"claude_code_tools": []}, allow_unconfined_commands=True)
    assert own(asked) == []
    assert result.workspace is not None and result.workspace.claude_code_tools is None


@pytest.mark.usefixtures("sandboxes")
def test_the_record_of_a_run_says_what_is_on_and_whether_it_is_sandboxed(monkeypatch: pytest.MonkeyPatch) -> None:
    def record(**settings: Any) -> tuple[list[str], bool | None]:
        found = recorded(claude_code("http://127.0.0.1:9", claude_code_tools=["Bash"]), **settings)
        assert found.settings["claude_code_tools"] == ["Bash"]
        return list(found.claude_code_tools), found.claude_code_sandboxed

    assert record() == (["Bash"], True)
    monkeypatch.setattr(bubblewrap, "find_programs", list)
    assert record() == ([], None)
    assert record(allow_unconfined_commands=True) == (["Bash"], False)
    assert "claude_code" not in recorded(claude_code("http://127.0.0.1:9")).model_dump_json()


def recorded(model: ModelConfig, **settings: Any) -> ModelSettings:
    benchmark = Benchmark.create("doses")
    question = Question(question="Which dose?", raw_answer="", answer_template=TEMPLATE)
    benchmark.add_question(question, finished=True)
    config = VerificationConfig(answering_models=[model], **settings)
    request = RunRequest(benchmark.document, config, [benchmark.document.entries[0].id])
    (found,) = record_of(request, "2026-01-01T00:00:00Z", "none").answering
    return found
