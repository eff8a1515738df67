"""One command from start to end: started, read, watched, killed, and reported in words."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from karenina_gui.sandbox.commands import box_processes, judge_tools
from karenina_gui.sandbox.commands.bubblewrap import Bounds, Bubblewrap
from karenina_gui.sandbox.commands.resource_monitor import CommandWatch, over_quota
from karenina_gui.schemas.tools import ToolOutput
from karenina_gui.schemas.workspace import WorkspaceLimits
from karenina_gui.text.truncation import mark

_HARD_OUTPUT = 64 << 20
"""Bytes of output after which a command is stopped."""
_LOOK_S = 0.05
_AFTERWARDS_S = 5.0


class OutputBuffer:
    """Buffer that one thread fills, read after that thread has ended."""

    def __init__(self, at_most: int) -> None:
        """`at_most`: bytes to keep."""
        self._half = max(1, at_most // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0
        """Bytes written so far."""

    def feed(self, piece: bytes) -> None:
        self.total += len(piece)
        missing = self._half - len(self._head)
        if missing > 0:
            self._head += piece[:missing]
            piece = piece[missing:]
        if piece:
            self._tail += piece
            # At twice its size only: cutting after each piece would copy the whole tail every time.
            if len(self._tail) > 2 * self._half:
                del self._tail[: -self._half]

    def text(self) -> str:
        """Output as text. Invalid UTF-8 and zero bytes are replaced."""
        tail = bytes(self._tail[-self._half :])
        size = len(self._head) + len(tail)
        if size >= self.total:
            return _readable(bytes(self._head) + tail)
        return f"{_readable(bytes(self._head))}\n{mark(self.total, size)}\n{_readable(tail)}"


def _readable(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\0", "�")


class RunningCommand:
    """One command from start to end."""

    def __init__(
        self,
        folder: Path,
        limits: WorkspaceLimits,
        seconds: float,
        cancelled: Callable[[], bool],
        *,
        judging_since: float | None = None,
    ) -> None:
        """`judging_since`: when a judge got the folder, whose interpreters load no code of it by themselves
        (`judge_tools`); None: the command is not a judge's.
        """
        self._cancelled = cancelled
        self._judging_since = judging_since
        self._folder, self._limits, self._seconds = folder, limits, seconds
        self._output = OutputBuffer(limits.output_kb << 10)
        self._stopped: str | None = None
        """Reason why it was stopped before its end."""
        self._all_written = threading.Event()

    def run_boxed(self, program: Bubblewrap, command: str) -> ToolOutput:
        limits = self._limits
        # The box's own timeout is only the backstop: this process should stop the command first, and say so.
        bounds = Bounds(limits.memory_mb, limits.processes, limits.disk_mb, self._seconds + 5, limits.network)
        report, status = os.pipe()
        with FileIO(report) as reported:
            try:
                with program.call(self._folder, command, bounds, status, judging_since=self._judging_since) as call:
                    process = _start(call.arguments, "/", {}, call.handles)
            finally:
                os.close(status)
            with self._reading(process):
                beginning = _read_pipe(reported, until=b"\n")
                box = _number(beginning, "child-pid")
                self._follow(process, CommandWatch(self._folder, limits, box))
                _end(process, box)
            code = _number(beginning + _read_pipe(reported), "exit-code")
        return self._report(process.returncode if code is None else code, started=code is not None)

    def run_unconfined(self, command: str) -> ToolOutput:
        with tempfile.TemporaryDirectory(prefix="karenina-home-", ignore_cleanup_errors=True) as scratch:
            home, more = str(self._folder), {}
            if self._judging_since is not None:
                # Programs read their settings in the home folder, so it must not be the workspace.
                home, more = scratch, judge_tools.environment(str(judge_tools.PRELOADED), scratch, self._judging_since)
            environment = {**_plain_environment(), **more, "HOME": home}
            process = _start(_plain_shell(command), str(self._folder), environment, ())
            with self._reading(process):
                self._follow(process, None)
                _end_group(process)
        report = self._report(process.returncode, started=True)
        return ToolOutput(report.text.replace(str(self._folder), "/workspace"), report.is_error)

    @contextmanager
    def _reading(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        reader = threading.Thread(target=self._collect_output, args=(process,), daemon=True, name="output of a command")
        reader.start()
        try:
            yield
        finally:
            process.kill()
            process.wait()
            reader.join(_AFTERWARDS_S)
            if not reader.is_alive() and process.stdout is not None:
                process.stdout.close()

    def _collect_output(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with suppress(OSError, ValueError):
            while self._output.total <= _HARD_OUTPUT and (piece := os.read(process.stdout.fileno(), 1 << 16)):
                self._output.feed(piece)
        self._all_written.set()

    def _follow(self, process: subprocess.Popen[bytes], watch: CommandWatch | None) -> None:
        """Wait until the command has ended, or `_stopped` says why it has to be."""
        deadline = time.monotonic() + self._seconds
        while process.poll() is None:
            remaining_s = deadline - time.monotonic()
            if remaining_s <= 0:
                self._stopped = f"Stopped after {self._seconds:g} s, which is all the time this command had."
            elif self._cancelled():
                self._stopped = "Stopped: the run was cancelled."
            elif self._output.total > _HARD_OUTPUT:
                self._stopped = f"Stopped: it wrote more than {_HARD_OUTPUT >> 20} MB of output."
            elif watch is not None:
                self._stopped = watch.trouble()
            if self._stopped is not None:
                return
            if not self._all_written.is_set():
                self._all_written.wait(min(_LOOK_S, max(remaining_s, 0.001)))
            else:
                # The output is closed already, so only the process can still be waited for.
                with suppress(subprocess.TimeoutExpired):
                    process.wait(min(_LOOK_S, max(remaining_s, 0.001)))

    def _report(self, code: int | None, *, started: bool) -> ToolOutput:
        text = self._output.text()
        if self._stopped is None and not started:
            reason = _start_failure(text).replace(str(self._folder), "/workspace")
            return ToolOutput(f"The command could not be started. {reason}", is_error=True)
        notes = self._notes(code)
        body = text if text.strip() or notes else "(no output)"
        parts = [body.rstrip("\n")] if body.strip() else []
        return ToolOutput("\n".join([*parts, *notes]), is_error=bool(notes))

    def _notes(self, code: int | None) -> list[str]:
        """Notes below the output: the failure of the command, and a folder that it left too large."""
        ending = self._stopped or (None if code == 0 else _exit_words(code or 0))
        over = over_quota(self._folder, self._limits) if self._stopped is None else None
        return [f"[{note}]" for note in (ending, over) if note]


def _start(
    arguments: list[str], folder: str, environment: dict[str, str], handles: tuple[int, ...]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=handles,
        env=environment,
        cwd=folder,
        start_new_session=os.name == "posix",
        bufsize=0,
    )


def _read_pipe(pipe: FileIO, until: bytes | None = None) -> bytes:
    """Read a pipe up to its end or `until`; less if nothing more comes for 5 seconds."""
    received = b""
    while until is None or until not in received:
        piece = pipe.read(1 << 16) if select.select([pipe], [], [], _AFTERWARDS_S)[0] else b""
        if not piece:
            break
        received += piece
    return received


def _number(report: bytes, name: str) -> int | None:
    """Integer of this name in bubblewrap's report, which has one JSON object per line."""
    for line in report.splitlines():
        with suppress(ValueError):
            if isinstance(value := json.loads(line).get(name), int):
                return value
    return None


def _end(process: subprocess.Popen[bytes], box: int | None) -> None:
    """Kill bubblewrap and, through its first process, everything in the box; wait until all of it has ended."""
    if process.poll() is None and box is not None:
        # PID 1 of a PID namespace takes the rest with it; bubblewrap alone might leave it running.
        with suppress(OSError):
            os.kill(box, signal.SIGKILL)
    process.kill()
    process.wait()
    # The kernel ends the rest before PID 1 counts as ended, but after bubblewrap's exit and PID 1's pipes are closed.
    # Not by pidfd: a container or an older Python may lack it.
    until = time.monotonic() + _AFTERWARDS_S
    while box is not None and box_processes.is_running(box) and time.monotonic() < until:
        time.sleep(0.001)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what a command without a box left running, as far as it can be found."""
    if os.name != "posix":
        subprocess.run(["taskkill", "/PID", str(process.pid), "/T", "/F"], capture_output=True, check=False)
        return
    # By parentage first: a child that started a session of its own is not in the process group.
    for pid in box_processes.below(process.pid)[1:]:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def _plain_shell(command: str) -> list[str]:
    if os.name != "posix":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/c", command]
    return ["/bin/bash" if Path("/bin/bash").exists() else "/bin/sh", "-c", command]


def _plain_environment() -> dict[str, str]:
    """Minimal environment: the application's own holds API keys."""
    required = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    # A relative folder would be one of the workspace.
    folders = [path for path in os.environ.get("PATH", os.defpath).split(os.pathsep) if Path(path).is_absolute()]
    return {"PATH": os.pathsep.join(folders), **required, "LANG": "C.UTF-8", "TERM": "dumb"}


def _exit_words(code: int) -> str:
    if code < 0 or code > 128:
        number = -code if code < 0 else code - 128
        with suppress(ValueError):
            return f"Exit code {128 + number}: ended by {signal.Signals(number).name}"
    return f"Exit code {code}"


def _start_failure(text: str) -> str:
    lines = text.strip().splitlines()
    if lines and "Permission denied" in lines[-1]:
        return "The sandbox has no access to the workspace."
    return "The sandbox could not be set up" + (f" ({lines[-1].removeprefix('bwrap: ')})." if lines else ".")
