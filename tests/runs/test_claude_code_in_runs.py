"""A run whose answering model is Claude Code, at a twin of the API: it works in a copy of the question's workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui import Benchmark, ModelConfig, Question, VerificationConfig
from karenina_gui.sandbox import Sandbox
from tests.claude_code_twin import AskedTurn, Call, ClaudeCodeTwin, Turn

pytest.importorskip("claude_agent_sdk", reason="needs the extra 'agent'")

TEMPLATE = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"dose": {"pattern": "dose is 40 mg", "expected": 1, "match_type": "count"}}
"""


def halves_the_dose(asked: AskedTurn) -> Turn:
    """Reads the notes, writes what it has found and mends them."""
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
