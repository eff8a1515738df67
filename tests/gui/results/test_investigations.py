"""Tests of the panes of investigations and changed files."""

from __future__ import annotations

import pytest

from karenina_gui.gui.pages.results.file_changes import file_lines, file_list, lines_of
from karenina_gui.gui.pages.results.investigations import agent_facts, investigations, metrics_in_words
from karenina_gui.gui.pages.results.justification_api import is_agentic, justifications
from karenina_gui.gui.pages.results.page import kept_folder, workspace_words
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.result_evidence import Investigation
from karenina_gui.schemas.workspace import FileChange, ResultWorkspace
from karenina_gui.traces.metrics import trace_metrics
from tests.agentic_result import REPORT, agentic_result, change, diff

WHOLE = agentic_result()
TEXTS = agentic_result(investigations=None)
"""Result as written by other programs: traces only as text."""


def plain() -> VerificationResult:
    template = WHOLE.template
    assert template is not None
    without = template.model_copy(update={"investigation_trace": None})
    return agentic_result(investigations=None, workspace=None, rubric=None, template=without)


def test_each_investigation_says_what_it_is_about_and_what_it_took() -> None:
    fields, traits = investigations(WHOLE)
    assert (fields.name, fields.title, fields.ended) == ("investigation-1", "Fields", None)
    assert fields.facts == (
        "5 turns · 4 tool calls (list_files 1, read_file 2, run_command 1) · 1 failed · 41.5 s · by auditor"
    )
    assert (traits.name, traits.title) == ("investigation-2", "Traits Reproducible, Careful")


def test_what_the_judge_was_told_stands_before_what_it_did() -> None:
    items = investigations(WHOLE)[0].items
    assert [(item["title"], item["sent"]) for item in items[:3]] == [
        ("System prompt", True), ("Task", True), ("Model", False),
    ]  # fmt: skip
    assert [item["number"] for item in items if item["final"]] == [len(items)]
    assert (items[2]["at"], items[2]["tokens"]) == ("2026-03-01T11:01:00+00:00", 901)


def test_texts_of_other_programs_are_read_and_a_shared_one_is_shown_once() -> None:
    fields, traits = investigations(TEXTS)
    assert fields.title == "Fields"
    assert fields.items[-1]["text"] == REPORT
    assert [item["role"] for item in fields.items] == ["assistant", "tool"] * 4 + ["assistant"]
    assert traits.traits == ("Reproducible", "Careful")


def test_a_trait_without_its_messages_keeps_its_text_beside_those_that_have_them() -> None:
    result = agentic_result(investigations=(WHOLE.investigations or [])[:1])
    assert [pane.title for pane in investigations(result)] == ["Fields", "Traits Reproducible, Careful"]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"limit": "15 turns"}, "It reached its limit of 15 turns before it reported."),
        ({"error": "auditor: no answer.", "limit": "15 turns"}, "Failed: auditor: no answer."),
        ({}, None),
    ],
)
def test_what_kept_an_investigation_from_its_end_is_a_sentence(how: dict[str, str], said: str | None) -> None:
    (pane,) = investigations(agentic_result(investigations=[Investigation(subject="template", **how)], rubric=None))  # type: ignore[arg-type]
    assert pane.ended == said
    assert pane.items == []


def test_what_an_agent_did_is_told_in_words() -> None:
    assert agent_facts(WHOLE) == (
        "7 turns · 6 tool calls (list_files 1, read_file 1, run_command 2, write_file 2) · 1 failed"
    )
    assert metrics_in_words(trace_metrics([Message.of("assistant", "42")])) == "1 turn · no tool calls"
    assert metrics_in_words({"iterations": "odd", "tools_used": None}) == "no tool calls"
    assert agent_facts(plain().model_copy(update={"template": None})) == ""


def test_many_tools_and_long_names_do_not_fill_the_page() -> None:
    counts = {"a" * 300: 1, "b\u200b": 2} | {f"tool{number}": 1 for number in range(20)}
    told = metrics_in_words({"tool_calls": 23, "tool_call_counts": counts})
    assert told == f"23 tool calls ({'a' * 39}… 1, bU+200B 2, {', '.join(f'tool{n} 1' for n in range(6))}, 14 more)"
    nine = {f"tool{number}": 1 for number in range(9)}
    assert "more" not in metrics_in_words({"tool_calls": 9, "tool_call_counts": nine})


def test_only_an_investigation_or_a_workspace_makes_a_result_agentic() -> None:
    assert not is_agentic(plain())
    assert is_agentic(TEXTS)
    assert is_agentic(plain().model_copy(update={"workspace": ResultWorkspace()}))


def test_each_field_and_trait_has_its_places_and_files() -> None:
    found = justifications(WHOLE)
    assert list(found) == [
        "field:responders", "field:mean_dose", "field:complete", "trait:Reproducible", "trait:Careful",
    ]  # fmt: skip
    responders = found["field:responders"]
    assert [(place["trace"], place["message"], place["where"]) for place in responders["places"]] == [
        ("investigation-1", 11, "Report"),
        ("investigation-1", 6, "Result"),
        ("investigation-1", 10, "Result"),
        ("answer", 14, "Answer"),
    ]
    assert responders["files"] == [
        {"path": "summary.md", "name": "summary.md", "first": 3, "last": 3, "known": True},
        {"path": "analysis/count.py", "name": "analysis/count.py", "first": 4, "last": 5, "known": True},
        {"path": "trial.csv", "name": "trial.csv", "first": 2, "last": 2, "known": False},
    ]
    careful = found["trait:Careful"]
    assert (careful["trace"], careful["places"][0]["text"][:16]) == ("investigation-2", "Careful: 4 of 5.")
    assert found["field:complete"]["note"] == (
        "The report doesn’t mention this field by name. A yes or no can’t be searched for."
    )


def test_places_are_counted_as_the_browser_counts_signs() -> None:
    (place, *_) = justifications(WHOLE)["field:mean_dose"]["places"]
    assert place["begin"] == REPORT.index("**mean_dose") + 1, "the sign before it is two in the browser"


def test_lines_that_look_like_the_head_of_a_diff_are_lines() -> None:
    before, after = ["-- old", "same", "@@ -1 +1 @@", "gone"], ["-- old", "++ new", "same", "@@ -1 +1 @@"]
    lines = lines_of(diff(before, after))
    assert [line[3] for line in lines if line[0] != "+"] == before
    assert [line[3] for line in lines if line[0] != "-"] == after
    assert [(old, new) for _, old, new, _ in lines] == [(1, 1), (None, 2), (2, 3), (3, 4), (4, None)]


def test_lines_between_the_parts_of_a_diff_are_said_to_be_missing() -> None:
    before = [f"line {n}" for n in range(1, 41)]
    after = [*before[:9], "new", *before[9:29], *before[30:]]
    lines = lines_of(diff(before, after, around=3))
    assert [line[0] for line in lines] == [*"…   +   ", *"…   -   "]
    assert lines[1][1:3] == (7, 7)
    assert [line for line in lines if line[0] == "-"] == [("-", 30, None, "line 30")]


def test_a_last_line_without_an_end_is_no_line_more() -> None:
    lines = lines_of("--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n")
    assert [(line[0], line[3]) for line in lines] == [("-", "x"), ("+", "y")]
    assert lines_of("") == lines_of("\n") == []


def test_files_come_with_what_can_be_shown_of_them() -> None:
    listed = file_list(WHOLE)
    assert [(each["path"], each["kind"], each["shown"]) for each in listed] == [
        ("analysis/count.py", "modified", True),
        ("notes.tmp", "deleted", True),
        ("plot.png", "added", False),
        ("summary.md", "added", True),
    ]
    assert file_list(plain()) == []
    assert file_lines(FileChange(path="a", kind="added")) == {
        "lines": [], "whole": False, "note": "The result does not contain the lines of this file.",
    }  # fmt: skip
    assert file_lines(change("a", [], ["x"], whole=False))["whole"] is False


def test_lines_with_signs_of_direction_show_them() -> None:
    assert file_lines(change("a", None, ["if x:\u202e # \x1b[0m"]))["lines"] == [
        ("+", None, 1, "if x:U+202E # U+001B[0m")
    ]


def test_the_workspace_is_told_in_words_and_found_where_it_was_kept(tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("root")
    workspace = WHOLE.workspace
    assert workspace is not None
    words = workspace_words(workspace, "/benchmarks/1/questions/1")
    assert "4 files (48 kB): 2 added, 1 modified, 1 deleted" in words
    assert "/benchmarks/1/questions/1?tab=workspace" in words
    assert kept_folder(workspace, root) is None
    (root / str(workspace.kept_at)).mkdir()
    assert kept_folder(workspace, root) == root / str(workspace.kept_at)
    assert kept_folder(workspace.model_copy(update={"kept_at": ".."}), root) is None
    own = workspace.model_copy(update={"claude_code_tools": ["Bash", "Read"], "claude_code_sandboxed": True})
    assert "Claude Code’s own tools were on, in a sandbox: Bash, Read." in workspace_words(own, None)
    unsandboxed = own.model_copy(update={"claude_code_sandboxed": False})
    assert "were on, without a sandbox: Bash, Read." in workspace_words(unsandboxed, None)
    off = workspace.model_copy(update={"claude_code_tools": []})
    assert "Claude Code’s own tools were off" in workspace_words(off, None)
    assert "changed nothing" in workspace_words(ResultWorkspace(files=1, size=3), None)
