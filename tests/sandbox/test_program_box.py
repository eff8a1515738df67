"""A whole program in a sandbox: what it sees, what it can write, the one server that it reaches, and how it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from karenina_gui.sandbox.commands.bubblewrap import COMMANDS_USER
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.sandbox.commands.program_box import BoxedProgram, BubblewrapProgramBox
from tests.processes import running
from tests.sandbox.agent import LIMITS
from tests.until import comes

Start = Callable[..., "subprocess.Popen[str]"]


class Greeter:
    """A server that greets whoever connects."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.greeted = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                self.greeted += 1
                connection.sendall(b"hello\n")

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def greeter() -> Iterator[Greeter]:
    server = Greeter()
    yield server
    server.close()


@pytest.fixture
def box() -> BubblewrapProgramBox:
    found = CommandBox(LIMITS).program_box
    if found is None:
        pytest.skip("no program can be sandboxed here")
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    (made / "notes.txt").write_text("a note\n")
    CommandBox(LIMITS).admit(made)
    return made


@pytest.fixture
def boxed(box: BubblewrapProgramBox, folder: Path, greeter: Greeter, tmp_path: Path) -> BoxedProgram:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    return box.around(
        folder,
        Path("/bin/bash").resolve(),
        greeter.port,
        scratch,
        files={"told.txt": b"told\n"},
        environment={"MORE": "more"},
    )


@pytest.fixture
def start(boxed: BoxedProgram) -> Iterator[Start]:
    """Starts a shell command in the sandbox's own shell; nothing of it may be left at the end."""
    started: list[subprocess.Popen[str]] = []

    def run(command: str, **environment: str) -> subprocess.Popen[str]:
        arguments = [boxed.starter, "-c", command]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            arguments, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True, env=environment
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def said(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=20)[0]


def test_it_sees_its_workspace_and_nothing_else_of_this_computer(start: Start, tmp_path: Path) -> None:
    text = said(start(f"pwd; cat notes.txt; ls /; cat {tmp_path}/workspace/notes.txt; id -un"))
    assert text.startswith("/workspace\na note\nbin\ndev\netc\n")
    assert "home\nproc" not in text
    assert "root" not in text.split("cat:")[0]
    assert f"cat: {tmp_path}/workspace/notes.txt: No such file or directory" in text


@pytest.mark.parametrize("place", ["/", "/etc", "/usr", "/opt/program", "/home", "/root", "/work", "OUTSIDE"])
def test_it_writes_nowhere_else(start: Start, tmp_path: Path, place: str) -> None:
    place = str(tmp_path) if place == "OUTSIDE" else place
    text = said(start(f"echo x > {place}/planted-by-a-test && echo through"))
    assert "through" not in text
    with suppress(PermissionError):  # of whoever runs the test
        assert not (Path(place) / "planted-by-a-test").exists()


def test_what_it_writes_in_its_workspace_stays_and_its_home_goes_with_it(start: Start, folder: Path) -> None:
    assert said(start("echo x > made.txt; touch ~/kept /tmp/kept && ls ~ && echo done")) == "kept\ndone\n"
    assert (folder / "made.txt").read_text() == "x\n"
    assert said(start("ls ~")) == ""
    assert not Path("/tmp/kept").exists()


def test_it_reaches_its_provider_and_no_other_server(start: Start, greeter: Greeter) -> None:
    other = Greeter()
    text = said(start(f"cat < /dev/tcp/127.0.0.1/{greeter.port}; cat < /dev/tcp/127.0.0.1/{other.port}"))
    other.close()
    assert text.startswith("hello\n")
    assert "Connection refused" in text
    assert (greeter.greeted, other.greeted) == (1, 0)


def test_it_is_given_what_it_needs_and_nothing_of_the_application(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = said(start("env; cat /etc/karenina/told.txt", KEY="key", EMPTY="", HTTPS_PROXY="http://p", PWD="/elsewhere"))
    given = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    assert (given["KEY"], given["MORE"], given["HOME"], given["PWD"]) == ("key", "more", "/tmp/home", "/workspace")
    assert not {"EMPTY", "HTTPS_PROXY"} & set(given)
    assert text.endswith("told\n")


def test_its_exit_code_and_its_standard_streams_are_its_own(start: Start) -> None:
    process = start("read line; echo got $line; exit 3")
    assert process.communicate("this\n", timeout=20)[0] == "got this\n"
    assert process.returncode == 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_whatever_ends_its_starter_ends_all_of_it(start: Start, number: signal.Signals) -> None:
    seconds = f"600{time.monotonic_ns() % 10**6}"
    process = start(f"sleep {seconds} & setsid sleep {seconds} & echo started; wait")
    assert process.stdout is not None and process.stdout.readline() == "started\n"
    assert comes(lambda: len(running(seconds)) >= 2)
    process.send_signal(number)
    process.wait(5)
    assert comes(lambda: not running(seconds))


def test_it_has_no_more_processes_than_it_may(start: Start) -> None:
    process = start("for i in $(seq 115); do sleep 60 & done")
    assert process.stdout is not None and "Resource temporarily unavailable" in process.stdout.readline()


def test_more_memory_than_it_may_use_is_seen(
    box: BubblewrapProgramBox, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("karenina_gui.sandbox.commands.program_box.OWN_MEMORY_MB", 64)
    bash = Path("/bin/bash").resolve()
    boxed = box.around(folder, bash, 9, tmp_path, files={}, environment={})
    assert boxed.trouble() is None  # it has not begun
    process = subprocess.Popen([boxed.starter, "-c", "head -c 600M /dev/zero | tail -n 1 | sleep 60"], env={})
    try:
        assert "more than 320 MB of memory" in trouble_of(boxed)
    finally:
        process.kill()
        process.wait()


def trouble_of(boxed: BoxedProgram) -> str:
    until = time.monotonic() + 10
    while (why := boxed.trouble()) is None and time.monotonic() < until:
        time.sleep(0.05)
    return why or ""


def test_a_workspace_that_grows_too_large_is_seen(start: Start, boxed: BoxedProgram) -> None:
    process = start("echo started; read go; head -c 7M /dev/zero > a; head -c 7M /dev/zero > b; echo done; read end")
    assert process.stdout is not None and process.stdin is not None and process.stdout.readline() == "started\n"
    assert boxed.trouble() is None
    process.stdin.write("go\n")
    process.stdin.flush()
    assert process.stdout.readline() == "done\n"
    assert "would hold more than 8 MB" in trouble_of(boxed)


@pytest.mark.skipif(os.geteuid() != 0, reason="commands run as the user of the application itself")
def test_it_runs_as_an_ordinary_user(start: Start, boxed: BoxedProgram) -> None:
    process = start("echo started; read end")
    assert process.stdout is not None and process.stdout.readline() == "started\n"
    box = int(Path(boxed.starter).with_name("box").read_text())
    assert Path(f"/proc/{box}").stat().st_uid == COMMANDS_USER
