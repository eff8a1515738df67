"""Commands of agents: what comes back, what stops them, and what holds where nothing confines them."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from karenina_gui.sandbox.commands import bubblewrap, program_box
from karenina_gui.sandbox.commands.bubblewrap import Bubblewrap
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.schemas.workspace import WorkspaceLimits
from tests.sandbox.agent import LIMITS, Agent

needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals and shells are those of POSIX")


@pytest.fixture
def nothing_confines(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without bubblewrap."""
    monkeypatch.setattr(bubblewrap, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    bubblewrap.find_programs.cache_clear()
    yield
    bubblewrap.find_programs.cache_clear()


def test_a_command_sees_its_workspace_and_gives_back_what_it_writes(boxed: Agent) -> None:
    output = boxed.run("pwd; cat table.csv; echo error >&2")
    assert (output.text, output.is_error) == ("/workspace\ngene,dose\nBCL2,5\nerror", False)


def test_what_a_command_changes_stays_and_its_shell_does_not(boxed: Agent) -> None:
    assert boxed.run("export A=1; cd notes; echo new > made.txt").text == "(no output)"
    assert (boxed.folder / "notes" / "made.txt").read_text() == "new\n"
    assert boxed.run('pwd; echo "[$A]"').text == "/workspace\n[]"


@pytest.mark.parametrize(
    ("command", "ending"), [("exit 3", "[Exit code 3]"), ("kill -9 $$", "[Exit code 137: ended by SIGKILL]")]
)
def test_a_command_that_fails_says_how(boxed: Agent, command: str, ending: str) -> None:
    output = boxed.run(f"echo before; {command}")
    assert (output.text, output.is_error) == (f"before\n{ending}", True)


def test_a_command_that_takes_too_long_is_stopped_with_what_it_wrote_until_then(boxed: Agent) -> None:
    output = boxed.run("echo before; sleep 60", seconds=0.6)
    assert output.is_error
    assert output.text == "before\n[Stopped after 0.6 s, which is all the time this command had.]"


@pytest.mark.parametrize("box", ["boxed", "unconfined"])
def test_a_command_ends_with_its_run(request: pytest.FixtureRequest, tmp_path: Path, box: str) -> None:
    if box == "unconfined":
        request.getfixturevalue("nothing_confines")
    asked = iter([False, True])
    commands = CommandBox(LIMITS, allow_unconfined=True, cancelled=lambda: next(asked, True))
    commands.admit(tmp_path)
    assert commands.run(tmp_path, "sleep 60").text == "[Stopped: the run was cancelled.]"


def test_a_command_that_asks_is_not_waited_for(boxed: Agent) -> None:
    assert boxed.run("read answer || echo nobody").text == "nobody"


def test_whatever_bytes_a_command_writes_come_back_as_text(boxed: Agent) -> None:
    assert boxed.run(r"printf 'a\000b\377c'").text == "a�b�c"


@pytest.mark.parametrize("command", ["echo \0", "echo \ud800"])
def test_a_command_that_no_shell_can_take_is_refused_in_words(boxed: Agent, command: str) -> None:
    assert "unsupported character" in boxed.run(command).text


def test_a_workspace_that_is_gone_is_told(boxed: Agent) -> None:
    assert "no longer exists" in boxed.box.run(boxed.folder / "nothing", "true").text


def test_a_workspace_over_its_size_is_told_and_can_be_tidied(boxed: Agent) -> None:
    (boxed.folder / "large").write_bytes(bytes(9 << 20))
    boxed.box.admit(boxed.folder)
    over = boxed.run("echo still here")
    told = "The workspace now holds more than the 8 MB that it may hold; remove what is not needed"
    assert over.text == f"still here\n[{told}]"
    assert boxed.run("rm large").text == "(no output)"


def test_a_folder_that_was_not_admitted_can_only_be_read(boxed: Agent) -> None:
    if os.geteuid() != 0:
        pytest.skip("commands run as the user of the application itself")
    for path in (boxed.folder, *boxed.folder.rglob("*")):
        os.chown(path, 0, 0)
        path.chmod(0o755)
    assert boxed.run("cat table.csv; touch new").text.startswith("gene,dose\nBCL2,5\ntouch: ")
    boxed.folder.chmod(0o700)
    assert boxed.run("true").text == ("The command could not be started. The sandbox has no access to the workspace.")


def test_a_read_only_copy_is_made_usable_and_what_its_links_lead_to_is_left_alone(boxed: Agent, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("theirs")
    outside.chmod(0o400)
    (boxed.folder / "link").symlink_to(outside)
    (boxed.folder / "notes").chmod(0o500)
    (boxed.folder / "table.csv").chmod(0o400)
    before = outside.stat()
    boxed.box.admit(boxed.folder)
    assert boxed.run("echo more >> table.csv && touch notes/new && echo done").text == "done"
    assert (outside.stat().st_uid, outside.stat().st_mode) == (before.st_uid, before.st_mode)


def test_the_network_is_there_only_where_it_is_allowed(boxed: Agent) -> None:
    spaces = "readlink /proc/self/ns/net"
    own = str(Path("/proc/self/ns/net").readlink())
    assert boxed.run(spaces).text != own
    assert "no network access" in boxed.box.confinement.description
    connected = CommandBox(LIMITS.model_copy(update={"network": True}))
    assert connected.run(boxed.folder, spaces).text == own
    assert "no network access" not in connected.confinement.description


def test_a_command_has_no_memory_outside_its_processes(boxed: Agent) -> None:
    output = boxed.run("python3 -c \"import os; os.memfd_create('x')\"")
    assert "Function not implemented" in output.text


def test_without_confinement_commands_are_refused_and_the_reason_told(nothing_confines: None, tmp_path: Path) -> None:
    box = CommandBox(LIMITS)
    assert not box.confinement.confined
    assert box.refusal is not None and "bubblewrap is not installed" in box.refusal
    assert box.run(tmp_path, "echo through > here").text == box.refusal
    assert list(tmp_path.iterdir()) == []


@needs_posix
def test_without_confinement_commands_run_where_that_was_allowed(
    nothing_confines: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    box = CommandBox(LIMITS, allow_unconfined=True)
    assert box.refusal is None
    assert not box.confinement.confined
    assert "allowed anyway" in box.confinement.description
    box.admit(tmp_path)
    assert box.run(tmp_path, "pwd; echo $HOME").text == "/workspace\n/workspace"
    assert "sk-secret" not in box.run(tmp_path, "env").text
    stopped = box.run(tmp_path, "echo before; sleep 60 & sleep 60", seconds=0.5)
    assert stopped.text.startswith("before\n")  # a shell that outlives its child says so in between
    assert "\n[Stopped after 0.5 s" in stopped.text
    assert "more than 64 MB" in box.run(tmp_path, "yes").text
    assert box.run(tmp_path, "sleep 60 & echo started").text == "started"


def test_allowing_it_unlocks_nothing_where_there_is_a_box(boxed: Agent) -> None:
    box = CommandBox(LIMITS, allow_unconfined=True)
    assert box.confinement.confined
    assert str(Path("/proc/self/ns/pid").readlink()) != box.run(boxed.folder, "readlink /proc/self/ns/pid").text


@needs_posix
def test_a_box_that_lets_something_through_is_not_trusted(boxed: Agent, tmp_path: Path) -> None:
    """A program that takes bubblewrap's arguments and closes nothing."""
    leaky = tmp_path / "bwrap"
    leaky.write_text('#!/bin/sh\nfor last; do :; done\nexec /bin/sh -c "$last"\n')
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho bwrap: No permissions to create a new namespace >&2; exit 1\n")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as public:
        for program in (leaky, broken):
            shutil.copy(program, public)
            (Path(public) / program.name).chmod(0o755)
        Path(public).chmod(0o755)
        assert "didn’t block an attempt to" in str(bubblewrap.trouble(Bubblewrap(Path(public) / "bwrap", False)))
        assert "No permissions" in str(bubblewrap.trouble(Bubblewrap(Path(public) / "broken", False)))


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")
def test_bubblewrap_comes_with_the_application() -> None:
    assert [each.bundled for each in bubblewrap.find_programs()][:1] == [True]


def test_limits_of_the_configuration_hold(agent: Agent) -> None:
    limits = WorkspaceLimits(command_seconds=0.4, output_kb=1)
    box = CommandBox(limits)
    if box.refusal is not None:
        pytest.skip(box.refusal)
    assert "after 0.4 s" in box.run(agent.folder, "sleep 9", seconds=60).text
    long = box.run(agent.folder, "seq 10000").text
    assert long.startswith("1\n2\n") and long.endswith("\n10000") and "[... cut here: " in long and len(long) < 1200


def test_a_full_disk_is_no_trouble_for_good(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for trouble in (bubblewrap.trouble, program_box.trouble):
        box = Bubblewrap(Path("/bin/false"), bundled=False)
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
        assert "can’t be tested" in str(trouble(box))
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        assert "can’t be tested" not in str(trouble(box))
