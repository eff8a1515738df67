"""Attempts of an agent to reach beyond its workspace or its limits: each must be contained.

The file tools are tried everywhere; commands where they can be confined. Where not, their refusal is what is tested.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from karenina_gui.sandbox.workspace.safe_removal import remove
from karenina_gui.schemas.tools import ToolOutput
from tests.sandbox.agent import Agent
from tests.until import comes

SECRET = "sk-secret-of-the-application"
pytestmark = pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="needs a system that opens by handles")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside that everybody may read."""
    folder = tmp_path / "outside"
    folder.mkdir()
    path = folder / "key.txt"
    path.write_text(SECRET)
    return path


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A place on the host where anybody could write."""
    path = Path("/tmp") / f"karenina-escape-{os.getpid()}"
    yield path
    path.unlink(missing_ok=True)


# --- Paths and links -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["../outside/key.txt", "notes/../../outside/key.txt", "/workspace/../outside/key.txt"])
def test_traversal(agent: Agent, secret: Path, path: str) -> None:
    refused_everywhere(agent, path)
    assert secret.read_text() == SECRET


def test_absolute_path(agent: Agent, secret: Path) -> None:
    for path in (str(secret), "/etc/passwd", "/proc/self/environ", "//etc/passwd", "/workspace-of-another/a"):
        refused_everywhere(agent, path)
    assert secret.read_text() == SECRET


def test_link_to_a_file_outside(agent: Agent, secret: Path) -> None:
    plant(agent, "link", secret)
    refused_everywhere(agent, "link")
    assert secret.read_text() == SECRET
    assert "(nothing found)" in agent.call("search_files", pattern="secret").text


def test_link_to_a_folder_outside(agent: Agent, secret: Path) -> None:
    plant(agent, "link", secret.parent)
    refused_everywhere(agent, "link/key.txt")
    assert agent.call("list_files", path="link").is_error
    assert agent.call("write_file", path="link/new.txt", content="x").is_error
    assert "key.txt" not in agent.call("list_files").text
    assert [path.name for path in secret.parent.iterdir()] == ["key.txt"]


def test_link_through_proc_to_the_application_itself(agent: Agent) -> None:
    for name, target in (("root", "/proc/self/root"), ("cwd", "/proc/self/cwd"), ("memory", "/proc/self/mem")):
        plant(agent, name, Path(target))
    for path in ("root/etc/passwd", "cwd/pyproject.toml", "memory"):
        refused_everywhere(agent, path)


def test_link_swapped_in_during_use(agent: Agent, secret: Path) -> None:
    """A folder becomes a link to outside and back again as fast as it can, while the tools use it."""
    (agent.folder / "swapped").mkdir()
    (agent.folder / "swapped" / "key.txt").write_text("inside")
    (agent.folder / "away").symlink_to(secret.parent)
    done = threading.Event()
    swapping = threading.Thread(target=swap, args=(agent.folder, done))
    swapping.start()
    try:
        for number in range(300):
            assert SECRET not in agent.call("read_file", path="swapped/key.txt").text
            if number % 10 == 0:
                agent.call("write_file", path="swapped/key.txt", content=f"written {number}")
                agent.call("list_files", path="swapped")
    finally:
        done.set()
        swapping.join()
    assert secret.read_text() == SECRET
    assert [path.name for path in secret.parent.iterdir()] == ["key.txt"]


def test_fifo(agent: Agent) -> None:
    os.mkfifo(agent.folder / "pipe")
    started = time.monotonic()
    refused_everywhere(agent, "pipe")
    assert agent.call("search_files", pattern="x", files="pipe").text == "(nothing found)"
    assert time.monotonic() - started < 5


def test_socket_and_device(agent: Agent) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        handle = os.open(agent.folder, os.O_RDONLY)
        try:
            server.bind(f"/proc/self/fd/{handle}/socket")
        finally:
            os.close(handle)
        refused_everywhere(agent, "socket")
    try:
        os.mknod(agent.folder / "zero", 0o020666, os.makedev(1, 5))
    except PermissionError:
        return  # an ordinary user makes no devices
    refused_everywhere(agent, "zero")


def test_folders_without_end(agent: Agent) -> None:
    """So deep that neither a path nor the open handles of a naive walk would suffice."""
    here = os.open(agent.folder, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d" * 20, dir_fd=here)
        inner = os.open("d" * 20, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    assert "table.csv" in agent.call("list_files", depth=20).text
    assert "BCL2" in agent.call("search_files", pattern="BCL2").text
    assert not agent.call("write_file", path="new", content="x").is_error
    remove(agent.folder)
    assert not agent.folder.exists()


def test_a_workspace_is_removed_whatever_its_modes_and_links(agent: Agent, secret: Path) -> None:
    (agent.folder / "notes" / "link").symlink_to(secret.parent)
    (agent.folder / "link").symlink_to(secret)
    for path in (agent.folder / "notes", agent.folder):
        path.chmod(0)
    remove(agent.folder)
    assert not agent.folder.exists()
    assert secret.read_text() == SECRET


# --- Commands --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["setsid", "nohup", "twice"])
def test_commands_that_daemonise_do_not_outlive_their_command(boxed: Agent, start: str) -> None:
    loop = "while :; do echo x >> /workspace/alive; sleep 0.01; done"
    daemon = {
        "setsid": f"setsid sh -c '{loop}' >/dev/null 2>&1 &",
        "nohup": f"nohup sh -c '{loop}' >/dev/null 2>&1 &",
        "twice": f"(sh -c '({loop}) & ' >/dev/null 2>&1 & );",
    }[start]
    output = boxed.run(f"{daemon} while [ ! -s alive ]; do :; done; echo started")
    assert output.text == "started"
    size = (boxed.folder / "alive").stat().st_size
    time.sleep(0.1)
    assert (boxed.folder / "alive").stat().st_size == size
    assert boxed.run("ls /proc | grep -c '^[0-9]'").text in {"3", "4", "5"}


def test_a_command_that_ignores_every_signal_is_ended(boxed: Agent) -> None:
    output = boxed.run("trap '' TERM INT HUP; while :; do sleep 0.05; done", seconds=0.3)
    assert "Stopped after 0.3 s" in output.text


def test_one_big_file_does_not_fill_the_disk(boxed: Agent) -> None:
    output = boxed.run("cat /dev/zero > big; echo $?")
    assert "more than the 8 MB" in output.text or "more than 8 MB" in output.text
    assert (boxed.folder / "big").stat().st_size <= 8 << 20


def test_many_small_files_do_not_fill_the_disk(boxed: Agent) -> None:
    output = boxed.run("i=0; while :; do : > small$((i+=1)); done")
    assert "would hold more than 8 MB" in output.text
    assert len(list(boxed.folder.iterdir())) < 100_000


def test_files_in_memory_do_not_fill_the_memory(boxed: Agent) -> None:
    boxed.run(
        "cat /dev/zero > /tmp/a; cat /dev/zero > /dev/shm/b; cat /dev/zero > /dev/c; du -sk /tmp /dev/shm > sizes"
    )
    sizes = [int(line.split()[0]) for line in (boxed.folder / "sizes").read_text().splitlines()]
    assert 0 < sum(sizes) <= 100 << 10


def test_fork_bomb(boxed: Agent) -> None:
    output = boxed.run("bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 0.2; echo over", seconds=3)
    assert "over" in output.text or "Stopped" in output.text
    assert boxed.run("echo well").text == "well"


def test_memory_bomb(boxed: Agent) -> None:
    output = boxed.run("tail /dev/zero")
    assert output.is_error
    assert "256 MB" in output.text or "memory exhausted" in output.text


def test_many_processes_share_the_memory_that_one_may_have(boxed: Agent) -> None:
    hoard = "(head -c 60000000 /dev/zero; sleep 5) | tail -c 60000000 >/dev/null"
    output = boxed.run(f"for i in $(seq 6); do {hoard} & done; wait")
    assert "Stopped: it used more than 256 MB of memory" in output.text


def test_a_server_on_this_computer_is_not_reached(boxed: Agent) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        output = boxed.run(f"bash -c 'echo > /dev/tcp/127.0.0.1/{port}' && echo through")
        assert "through" not in output.text
        with pytest.raises(BlockingIOError):
            server.accept()


def test_what_listens_in_a_workspace_is_not_reached_from_this_computer(boxed: Agent) -> None:
    if "yes" not in boxed.run("python3 -c 'print(\"yes\")'").text:
        pytest.skip("no program here that could listen")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    listening = threading.Thread(target=boxed.run, args=(listener(port), 2.0))
    listening.start()
    try:
        wait_for(boxed.folder / "listening")
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1)
    finally:
        (boxed.folder / "listening").unlink(missing_ok=True)
        listening.join()


def test_keys_of_the_application_are_not_read(
    boxed: Agent, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, secret: Path
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    for attempt in (
        "env; export",
        f"cat {secret}; ls {tmp_path}",
        f"cat /proc/{os.getpid()}/environ /proc/{os.getppid()}/environ /proc/1/environ /proc/*/environ",
    ):
        assert SECRET not in boxed.run(attempt).text
    places = "/etc/shadow /proc/*/root/etc/shadow /root ~/.ssh /home /var /run /sys/kernel /etc/hostname /mnt /opt"
    assert boxed.run(f"ls -d {places} 2>/dev/null").text == "[Exit code 2]"


def test_other_workspaces_are_not_seen(boxed: Agent, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "answer.txt").write_text(SECRET)
    boxed.box.admit(other)
    assert SECRET not in boxed.run(f"cat {other}/answer.txt ../other/answer.txt /workspace/../other/answer.txt").text


def test_the_application_is_not_killed_or_traced(boxed: Agent) -> None:
    attempt = f"kill -9 {os.getpid()} {os.getppid()}; kill -9 -1; strace -p {os.getpid()}; gdb -p {os.getpid()}"
    boxed.run(f"({attempt}) 2>&1")
    # 1 is a process of the box itself there; here it is the parent of tests that outlive their shell.
    targets = {os.getpid(), os.getppid()} - {1}
    traced = (
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None)\n"
        f"for pid in {targets}:\n"
        "    if libc.ptrace(16, pid, 0, 0) == 0 or os.path.exists(f'/proc/{pid}/mem'): print('through')\n"
    )
    assert "through" not in boxed.run(f"python3 - <<'END'\n{traced}END\n").text


def test_nothing_is_written_outside(boxed: Agent) -> None:
    name = f"karenina-escape-{os.getpid()}"
    places = ("/usr/bin", "/usr/lib", "/etc", "/", "/dev", "/bin", "/proc/sys/kernel", "/home")
    output = boxed.run(f"for place in {' '.join(places)}; do (echo x > $place/{name}) 2>/dev/null && echo $place; done")
    assert output.text == "[Exit code 1]"
    assert not any(Path(place, name).exists() for place in places)


def test_temporary_files_are_not_those_of_this_computer(boxed: Agent, scratch: Path) -> None:
    assert boxed.run(f"echo x > {scratch} && echo written").text == "written"
    assert not scratch.exists()
    assert boxed.run(f"cat {scratch}").is_error


def test_system_files_cannot_be_changed_by_mounting_or_by_rights_of_a_nested_user(boxed: Agent) -> None:
    attempts = (
        "mount -o remount,rw /usr",
        "mount -t tmpfs none /mnt",
        "unshare -U true",
        "unshare -m true",
        "chroot / true",
        "umount /proc",
        "chown 0:0 table.csv",
    )
    script = "; ".join(f"({attempt}) >/dev/null 2>&1 && echo '{attempt}'" for attempt in attempts)
    assert boxed.run(script).text == "[Exit code 1]"


def test_no_handle_of_the_application_is_left_open(boxed: Agent) -> None:
    assert boxed.run("for each in /proc/self/fd/*; do readlink $each; done | grep -v -e pipe: -e /dev/null").is_error


def test_output_flood(boxed: Agent) -> None:
    output = boxed.run("cat /dev/zero | tr '\\0' a")
    assert output.is_error
    assert "wrote more than 64 MB" in output.text
    assert len(output.text) < 5000


def test_git_with_a_hostile_configuration_is_not_run_by_the_application(agent: Agent, tmp_path: Path) -> None:
    """Every program that git would start from a repository's own settings leaves a trace outside."""
    trace = tmp_path / "trace"
    hook = agent.folder / "hook.sh"
    hook.write_text(f"#!/bin/sh\necho run >> {trace}\n")
    hook.chmod(0o755)
    settings = agent.folder / ".git"
    for folder in ("objects", "refs", "hooks"):
        (settings / folder).mkdir(parents=True)
    (settings / "HEAD").write_text("ref: refs/heads/main\n")
    (settings / "config").write_text(
        f"[core]\n\tfsmonitor = {hook}\n\tpager = {hook}\n\thooksPath = {agent.folder}\n[diff]\n\texternal = {hook}\n"
    )
    agent.box.admit(agent.folder)
    agent.call("list_files")
    agent.call("search_files", pattern="gene")
    agent.call("write_file", path="new.txt", content="x")
    agent.call("edit_file", path="new.txt", old_text="x", new_text="y")
    agent.run("git status; git diff")
    assert not trace.exists()


def refused_everywhere(agent: Agent, path: str) -> None:
    """No tool that takes a path opens this one, and none tells what is there."""
    for output in (
        agent.call("read_file", path=path),
        agent.call("write_file", path=path, content="overwritten"),
        agent.call("edit_file", path=path, old_text=SECRET, new_text="overwritten"),
        agent.call("list_files", path=path),
    ):
        expect_refused(output)
    found = agent.call("search_files", pattern=".", path=path).text
    assert SECRET not in found and "root:" not in found


def expect_refused(output: ToolOutput) -> None:
    assert output.is_error
    assert SECRET not in output.text


def plant(agent: Agent, name: str, target: Path) -> None:
    """As a command of the agent would, where commands run."""
    if agent.box.refusal is None:
        assert not agent.run(f"ln -s '{target}' {name}").is_error
    else:
        (agent.folder / name).symlink_to(target)


def swap(folder: Path, done: threading.Event) -> None:
    while not done.is_set():
        with suppress(OSError):
            (folder / "swapped").rename(folder / "kept")
            (folder / "away").rename(folder / "swapped")
            (folder / "swapped").rename(folder / "away")
            (folder / "kept").rename(folder / "swapped")


def listener(port: int) -> str:
    """Listens until its mark is removed."""
    script = (
        "import os, socket, time\n"
        f"server = socket.create_server(('0.0.0.0', {port}))\n"
        "open('listening', 'w').close()\n"
        "while os.path.exists('listening'): time.sleep(0.02)\n"
    )
    return f"python3 - <<'END'\n{script}END\n"


def wait_for(path: Path) -> None:
    assert comes(path.exists)
