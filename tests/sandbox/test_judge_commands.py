"""Commands of judges: what an answering agent leaves in the workspace never runs in a judge's own tools."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from karenina_gui.pipeline.workspaces import JobWorkspaces
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.sandbox.workspace.workspace_copy import judging_copy
from karenina_gui.schemas.workspace import RUN_COPY, WorkspaceLimits
from tests.sandbox.agent import LIMITS, Agent

PLANTED = "planted code ran"
HOOK = f"#!/bin/sh\necho '{PLANTED}'\n"


@pytest.fixture(params=["boxed", "unconfined"])
def judge(request: pytest.FixtureRequest, tmp_path: Path) -> Agent:
    """A judge with commands in a workspace, in a sandbox and without one."""
    if request.param == "boxed":
        agent: Agent = request.getfixturevalue("boxed")
        # Node reserves much memory.
        return Agent(agent.folder, CommandBox(WorkspaceLimits()).for_judges())
    folder = tmp_path / "plain"
    folder.mkdir()
    return Agent(folder, _Unconfined(LIMITS, allow_unconfined=True).for_judges())


class _Unconfined(CommandBox):
    _bubblewrap = None  # as on a computer without it


def plant(folder: Path) -> None:
    """Everything by which an agent could get into the tools of its judge."""
    python = f"print('{PLANTED}')\n"
    for name in ("json", "os", "requests", "yaml", "pytest", "sitecustomize", "usercustomize", "conftest"):
        (folder / f"{name}.py").write_text(python)
    (folder / "evil.pth").write_text(f"import sys; print('{PLANTED}')\n")
    site = folder / ".local" / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (site / "usercustomize.py").write_text(python)
    (site / "evil.pth").write_text(f"import sys; print('{PLANTED}')\n")
    node = folder / "node_modules" / "lodash"
    node.mkdir(parents=True)
    (node / "index.js").write_text(f"console.log('{PLANTED}')\n")
    (folder / "package.json").write_text('{"name": "own", "exports": "./node_modules/lodash/index.js"}')
    for name in (".bashrc", ".profile", ".bash_profile", ".Rprofile"):
        (folder / name).write_text(f"echo '{PLANTED}'\n")
    for name in ("ls", "python3", "git", "cat"):
        (folder / name).write_text(HOOK)
        (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    "command",
    [
        "python3 -c 'import json; print(json.dumps(7))'",
        "echo 7 | python3 -m json.tool",
        "echo 'import json, os; print(7)' | python3",
        "echo 'import json; print(7)' | python3 - more",
        "python3 -c 'import requests' >/dev/null; echo 7",
        "python3 -m pytest --version; echo 7",
        "ls >/dev/null; cat /dev/null; echo 7",
        "bash -lic 'echo 7' 2>/dev/null",
        "sh -c 'echo 7'",
    ],
)
def test_no_code_of_the_workspace_runs_in_what_a_judge_types(judge: Agent, command: str) -> None:
    plant(judge.folder)
    output = judge.run(command).text
    assert PLANTED not in output
    assert "7" in output


@pytest.mark.skipif(shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None, reason="Node is not installed")
@pytest.mark.parametrize(
    "command",
    [
        "node -e 'try { require(\"lodash\") } catch (error) { console.log(7, error.code) }'",
        "node -p 'try { require(\"own\") } catch { 7 }'",
        "echo 'try { require(\"lodash\") } catch { console.log(7) }' | node",
        "node -e 'import(\"lodash\").catch(() => console.log(7))'",
        'node -e \'console.log(require("fs").existsSync("package.json") ? 7 : 0)\'',
    ],
)
def test_no_package_of_the_workspace_runs_in_what_a_judge_types(judge: Agent, command: str) -> None:
    plant(judge.folder)
    output = judge.run(command).text
    assert PLANTED not in output
    assert "7" in output


def test_no_code_of_the_workspace_runs_in_a_script_that_the_judge_writes(judge: Agent) -> None:
    plant(judge.folder)
    (judge.folder / "solution.py").write_text("VALUE = 7\n")
    write = "printf 'import json, requests, solution\\nprint(solution.VALUE)' > check.py"
    assert judge.run(f"{write}; sed -i 's/, requests//' check.py; python3 check.py").text == "7"


def test_a_judge_runs_the_agents_own_programs_as_usual(judge: Agent) -> None:
    folder = judge.folder
    (folder / "helper.py").write_text("VALUE = 42\n")
    (folder / "script.py").write_text("import helper\nprint(helper.VALUE)\n")
    (folder / "tests").mkdir()
    (folder / "tests" / "__init__.py").touch()
    (folder / "tests" / "test_helper.py").write_text(
        "import unittest, helper\nclass Test(unittest.TestCase):\n    def test(self): assert helper.VALUE == 42\n"
    )
    assert judge.run("python3 script.py").text == "42"
    assert judge.run("cd tests && python3 ../script.py").text == "42"
    assert judge.run("python3 -m unittest tests.test_helper 2>&1 | tail -1").text == "OK"
    assert not (folder / "__pycache__").exists()


@pytest.mark.skipif(shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None, reason="Node is not installed")
def test_a_script_finds_its_packages(judge: Agent) -> None:
    plant(judge.folder)
    (judge.folder / "script.js").write_text("require('lodash')\n")
    assert judge.run("node script.js").text == PLANTED


def test_compiled_files_of_the_agent_do_not_stand_in_for_the_sources_that_a_judge_reads(judge: Agent) -> None:
    source = judge.folder / "helper.py"
    source.write_text(f"print('{PLANTED}')\n")
    compiling = "import py_compile as p; p.compile('helper.py', invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH)"
    subprocess.run(["python3", "-c", compiling], cwd=judge.folder, check=True)
    source.write_text("print('as read')\n")
    (judge.folder / "script.py").write_text("import helper\n")
    assert judge.run("python3 script.py").text == "as read"


def test_the_tool_tells_a_judge_how_to_run_programs(agent: Agent) -> None:
    (tool,) = [
        tool for tool in JobWorkspaces(agent.box).view_without_copy(agent.folder).tools if "command" in tool.spec.name
    ]
    assert "import nothing from /workspace" in tool.spec.description
    assert "import nothing" not in agent.tools["run_command"].spec.description


# ------------------------------------------------------------------ repositories
@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Path]:
    """A repository whose settings start a program with most commands of git."""
    folder = tmp_path / "repository"
    folder.mkdir()
    evil = folder / "evil.sh"
    evil.write_text(HOOK)
    evil.chmod(0o755)
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.txt").write_text("one\n")
    (folder / ".gitattributes").write_text("*.txt diff=evil filter=evil\n")
    git(folder, "add", "a.txt", ".gitattributes")
    git(folder, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "first")
    (folder / "a.txt").write_text("two\n")
    (folder / ".git" / "hooks" / "post-checkout").write_text(HOOK)
    (folder / ".git" / "hooks" / "post-checkout").chmod(0o755)
    with (folder / ".git" / "config").open("a") as settings:
        settings.write(
            "[core] fsmonitor = ./evil.sh\n\tpager = ./evil.sh\n[diff]\n\texternal = ./evil.sh\n"
            '[diff "evil"]\n\ttextconv = ./evil.sh\n\tcommand = ./evil.sh\n[filter "evil"]\n\tclean = ./evil.sh\n'
            "[alias]\n\tst = !./evil.sh\n[user]\n\tname = A\n\temail = a@b.c\n[include]\n\tpath = ../more\n"
        )
    (folder / "more").write_text("[core]\n\tfsmonitor = ./evil.sh\n")
    yield folder


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def moved_away(folder: Path) -> None:
    """The same repository, found through a file and a link instead of the folder `.git`."""
    (folder / ".git").rename(folder / "data")
    (folder / "linked").symlink_to("data")
    (folder / ".git").write_text("gitdir: /workspace/linked\n")


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("change", [lambda _: None, moved_away])
def test_settings_of_a_repository_start_no_program_of_the_agent(repository: Path, boxed: Agent, change: object) -> None:
    assert callable(change)
    change(repository)
    copy = judging_copy(repository, 8)
    boxed.box.admit(copy)
    judge = Agent(copy, boxed.box.for_judges())
    output = judge.run(
        "git status --short; git diff; git log --oneline; git checkout -q -b other; git -p show | cat"
    ).text
    assert PLANTED not in output
    assert "-one\n+two" in output
    assert "first" in output
    assert "M a.txt" in output
    # A judge can still read what was there, and the agent's own folder is as it was.
    assert "# fsmonitor" in judge.run("cat .git/config data/config 2>/dev/null").text.replace("[core] ", "")
    assert "\ttextconv = ./evil.sh" in next(repository.rglob("config")).read_text()


# ------------------------------------------------------------------ copies
def test_judges_do_not_see_what_another_did(agent: Agent) -> None:
    workspaces = JobWorkspaces(agent.box, 8)
    (agent.folder / ".karenina" / "traces").mkdir(parents=True)
    (agent.folder / ".karenina" / "traces" / "trace.txt").write_text("trace")
    seen = []
    for _ in range(2):
        with workspaces.judging_view(agent.folder) as view:
            tools = {tool.spec.name: tool for tool in view.tools}
            seen.append(tools["list_files"].call({}).text)
            if "run_command" in tools:
                assert tools["run_command"].call({"command": "rm -r .karenina *; echo x > new"}).text == "(no output)"
                assert tools["list_files"].call({}).text == "new  2 bytes"
                assert RUN_COPY.fullmatch(view.folder.name)
    assert seen[0] == seen[1]
    assert "table.csv" in seen[1]
    assert ".karenina/traces/trace.txt" in seen[1]
    assert [path.name for path in agent.folder.parent.iterdir()] == [agent.folder.name]


def test_a_workspace_that_cannot_be_copied_is_read_without_commands(boxed: Agent) -> None:
    (boxed.folder / "long.bin").write_bytes(b"x" * (2 << 20))
    with JobWorkspaces(boxed.box, 1).judging_view(boxed.folder) as view:
        assert view.folder == boxed.folder
        assert [tool.spec.name for tool in view.tools] == ["list_files", "read_file", "search_files"]
        assert "run no commands" in (view.problem or "")


def test_a_file_that_nobody_may_read_does_not_keep_the_judge_away(tmp_path: Path) -> None:
    folder = tmp_path / "left"
    folder.mkdir()
    (folder / "closed").write_text("x")
    (folder / "closed").chmod(0)
    (folder / "open").write_text("y")
    assert (judging_copy(folder, 8) / "open").read_text() == "y"
