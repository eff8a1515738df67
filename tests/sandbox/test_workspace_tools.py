"""The file tools of an agent: what they answer, within a workspace and at its borders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.sandbox.workspace.workspace_tools import READING_TOOLS, workspace_tools
from karenina_gui.text.truncation import cut_of
from tests.sandbox.agent import ALL_TOOLS, LIMITS, Agent


def test_tools_come_in_one_order_whatever_is_asked_for(agent: Agent) -> None:
    names = [tool.spec.name for tool in workspace_tools(agent.folder, READING_TOOLS[::-1], agent.box)]
    assert names == list(READING_TOOLS)


def test_what_a_model_is_told_of_the_tools_names_nothing_of_this_machine(agent: Agent) -> None:
    for tool in agent.tools.values():
        told = str(tool.spec)
        assert str(agent.folder) not in told
        assert tool.spec.input_schema["additionalProperties"] is False
        assert set(tool.spec.input_schema["required"]) <= set(tool.spec.input_schema["properties"])


def test_commands_are_no_tool_where_they_are_refused(monkeypatch: pytest.MonkeyPatch, agent: Agent) -> None:
    monkeypatch.setattr(CommandBox, "refusal", "not here")
    names = [tool.spec.name for tool in workspace_tools(agent.folder, ALL_TOOLS, CommandBox(LIMITS))]
    assert names == [name for name in ALL_TOOLS if name != "run_command"]


def test_files_are_listed_in_order_with_their_sizes(agent: Agent) -> None:
    (agent.folder / ".git" / "objects").mkdir(parents=True)
    (agent.folder / "a" / "b").mkdir(parents=True)
    (agent.folder / "a" / "b" / "deep.txt").write_text("")
    (agent.folder / "link").symlink_to("/etc/passwd")
    assert agent.call("list_files").text.splitlines() == [
        ".git/",
        "a/",
        "a/b/",
        "a/b/deep.txt  0 bytes",
        "link  (link or special file)",
        "notes/",
        "notes/genes.txt  17 bytes",
        "table.csv  17 bytes",
    ]
    assert agent.call("list_files", path="/workspace/a", depth=1).text == "a/b/"
    assert agent.call("list_files", path="a/b/deep.txt").is_error


def test_a_long_listing_is_cut(agent: Agent) -> None:
    for number in range(1100):
        (agent.folder / "notes" / f"{number:04}").touch()
    assert "[... cut here: " in agent.call("list_files").text
    assert agent.call("list_files").text.endswith("[only the first 1000 entries; list a folder of its own to see more]")


@pytest.mark.parametrize("path", ["notes/genes.txt", "/workspace/notes/genes.txt", "./notes//genes.txt"])
def test_a_file_is_read_by_either_form_of_its_path(agent: Agent, path: str) -> None:
    assert agent.call("read_file", path=path).text == "BCL2\nTP53\nbcl-xl"


def test_some_lines_of_a_file_are_read(agent: Agent) -> None:
    assert agent.call("read_file", path="notes/genes.txt", offset=2, limit=1).text == (
        "TP53\n[lines 2 to 2; the file goes on, read it with offset 3]"
    )
    assert agent.call("read_file", path="notes/genes.txt", offset=3).text == "bcl-xl"
    assert agent.call("read_file", path="notes/genes.txt", offset=9).text == "The file ends before line 9."


def test_a_long_file_is_read_in_parts_until_its_end(agent: Agent) -> None:
    (agent.folder / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 1001)))
    read, offset = [], 1
    while True:
        lines = agent.call("read_file", path="long.txt", offset=offset).text.splitlines()
        if not lines[-1].startswith("["):
            break
        assert cut_of("\n".join(lines)) is not None
        read += [line for line in lines[:-1] if not line.startswith("[... cut here: ")]
        offset = int(lines[-1].split()[-1].rstrip("]"))
    assert read + lines == [f"line {number}" for number in range(1, 1001)]


def test_a_line_longer_than_an_answer_is_cut(agent: Agent) -> None:
    (agent.folder / "wide.txt").write_text("x" * 100_000 + "\nnext\n")
    text = agent.call("read_file", path="wide.txt").text
    found = cut_of(text)
    assert "[... the line goes on ...]" in text and found is not None
    assert found.before == 100_006 and text.count("x") <= found.after < 100_000
    assert agent.call("read_file", path="wide.txt", offset=2).text == "next"


def test_what_is_no_text_is_said_to_be_none(agent: Agent) -> None:
    (agent.folder / "image.png").write_bytes(b"\x89PNG\0\0")
    output = agent.call("read_file", path="image.png")
    assert (output.text, output.is_error) == ("/workspace/image.png is no text, so it is not shown (6 bytes).", True)


def test_an_empty_file_is_said_to_be_empty(agent: Agent) -> None:
    (agent.folder / "empty").touch()
    assert agent.call("read_file", path="empty").text == "(empty file)"


def test_lines_that_match_are_found(agent: Agent) -> None:
    assert agent.call("search_files", pattern=r"BCL\d").text == "notes/genes.txt:1: BCL2\ntable.csv:2: BCL2,5"
    assert agent.call("search_files", pattern="bcl", ignore_case=True, path="notes").text == (
        "notes/genes.txt:1: BCL2\nnotes/genes.txt:3: bcl-xl"
    )
    assert agent.call("search_files", pattern="BCL", files="*.csv").text == "table.csv:2: BCL2,5"
    assert agent.call("search_files", pattern="TP", path="notes/genes.txt").text == "notes/genes.txt:2: TP53"
    assert agent.call("search_files", pattern="EGFR").text == "(nothing found)"


def test_a_pattern_that_is_none_is_told(agent: Agent) -> None:
    output = agent.call("search_files", pattern="(")
    assert output.is_error and "The pattern cannot be used: missing )" in output.text


def test_a_catastrophic_pattern_is_ended_in_time_with_what_it_found(agent: Agent) -> None:
    (agent.folder / "a.txt").write_text("aaaa\n")
    (agent.folder / "b.txt").write_text("a" * 40 + "b\n")
    output = agent.call("search_files", 0.4, pattern="^(a+)+$", path="")
    assert output.is_error
    assert output.text == "a.txt:1: aaaa\n[The search took longer than 0.4 s and was ended. Use a simpler pattern.]"


def test_many_lines_that_match_are_counted_and_the_first_shown(agent: Agent) -> None:
    (agent.folder / "many.txt").write_text("gene\n" * 500)
    assert agent.call("search_files", pattern="^gene$").text.endswith("[500 lines match; these are the first 200]")


def test_of_a_very_long_line_the_part_that_matches_is_shown(agent: Agent) -> None:
    (agent.folder / "wide.txt").write_text("x" * 5000 + "needle" + "y" * 5000)
    line = agent.call("search_files", pattern="needle").text
    assert "needle" in line and len(line) < 400


def test_a_file_is_written_and_its_folders_are_made(agent: Agent) -> None:
    assert agent.call("write_file", path="/workspace/a/b/c.txt", content="é\n").text == (
        "Made /workspace/a/b/c.txt (3 bytes)."
    )
    assert (agent.folder / "a/b/c.txt").read_text() == "é\n"
    assert agent.call("write_file", path="a/b/c.txt", content="").text == "Replaced /workspace/a/b/c.txt (0 bytes)."
    assert sorted(path.name for path in (agent.folder / "a/b").iterdir()) == ["c.txt"]


def test_what_tools_write_commands_can_use_and_the_other_way_round(boxed: Agent) -> None:
    boxed.call("write_file", path="made/by/tool.sh", content="#!/bin/sh\necho ran\n")
    assert boxed.run("chmod +x made/by/tool.sh && made/by/tool.sh && echo x > made/by/command").text == "ran"
    assert boxed.call("read_file", path="made/by/command").text == "x"
    boxed.call("edit_file", path="made/by/tool.sh", old_text="ran", new_text="ran again")
    assert boxed.run("made/by/tool.sh; rm -r made; ls").text == "ran again\nnotes\ntable.csv"


def test_a_passage_is_replaced_only_where_it_is_there_once(agent: Agent) -> None:
    assert not agent.call("edit_file", path="table.csv", old_text="BCL2,5", new_text="BCL2,7").is_error
    assert (agent.folder / "table.csv").read_text() == "gene,dose\nBCL2,7\n"
    (agent.folder / "twice").write_text("a\r\na\r\n")
    twice = agent.call("edit_file", path="twice", old_text="a", new_text="b")
    assert twice.is_error and "2 times" in twice.text
    missing = agent.call("edit_file", path="twice", old_text="a\na", new_text="b")
    assert missing.is_error and "0 times" in missing.text and "carriage return" in missing.text
    assert agent.call("edit_file", path="twice", old_text="", new_text="b").is_error
    assert (agent.folder / "twice").read_bytes() == b"a\r\na\r\n"


def test_a_file_beyond_the_size_of_the_workspace_is_not_written(agent: Agent) -> None:
    output = agent.call("write_file", path="large", content="x" * (9 << 20))
    assert output.is_error and "more than the 8 MB" in output.text
    assert not (agent.folder / "large").exists()
    assert not agent.call("write_file", path="large", content="x" * (7 << 20)).is_error
    assert not agent.call("write_file", path="large", content="y" * (7 << 20)).is_error


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("read_file", {}, "The argument path is missing."),
        ("read_file", {"path": 5}, "The argument path has to be a string."),
        ("read_file", {"path": "a", "offset": "1"}, "The argument offset has to be an integer."),
        ("read_file", {"path": "a", "offset": True}, "The argument offset has to be an integer."),
        ("read_file", {"path": "a", "mode": "r"}, "There is no argument mode. There are: path, offset, limit."),
        ("read_file", {"path": "a\0b"}, "a�b contains an unsupported character."),
        ("read_file", {"path": "\ud800"}, "The argument path has a sign in it that is no valid Unicode."),
        ("read_file", {"path": "nothing.txt"}, "nothing.txt is not there."),
        ("read_file", {"path": "notes"}, "isn’t an ordinary file"),
        ("read_file", {"path": "x" * 5000}, "too long"),
        ("write_file", {"path": "notes", "content": ""}, "no ordinary file, so it is not written"),
        ("write_file", {"path": "/workspace", "content": ""}, "is the workspace itself"),
        ("write_file", {"path": "table.csv/x", "content": ""}, "table.csv"),
        ("search_files", {"pattern": "x", "path": "nothing"}, "nothing is not there."),
        ("list_files", None, "The arguments are no object."),
    ],
)
def test_arguments_that_cannot_be_used_are_answered_in_words(
    agent: Agent, name: str, arguments: dict[str, Any], told: str
) -> None:
    output = agent.tools[name].call(arguments)
    assert output.is_error and told in output.text
    assert str(agent.folder) not in output.text


def test_nothing_is_as_good_as_no_argument(agent: Agent) -> None:
    assert agent.call("read_file", path="notes/genes.txt", offset=None, limit=2.0).text.startswith("BCL2\nTP53\n[")


def test_a_workspace_that_is_gone_is_told(tmp_path: Path, box: CommandBox) -> None:
    lost = Agent(tmp_path / "nothing", box)
    for name, arguments in (
        ("list_files", {}),
        ("read_file", {"path": "a"}),
        ("search_files", {"pattern": "a"}),
        ("write_file", {"path": "a", "content": "a"}),
    ):
        output = lost.call(name, **arguments)
        assert output.is_error and "is not there" in output.text
        assert str(tmp_path) not in output.text


def test_modes_of_a_file_survive_a_change(agent: Agent) -> None:
    (agent.folder / "table.csv").chmod(0o750)
    agent.call("edit_file", path="table.csv", old_text="dose", new_text="mg")
    state = (agent.folder / "table.csv").stat()
    assert state.st_mode & 0o777 == 0o750
    assert state.st_uid == agent.folder.stat().st_uid
