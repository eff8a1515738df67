"""Starts of the application that take a tenth of the time: a process that has loaded it forks itself for each.

What loading takes, more than a second of a processor, is spent once for all journeys of a worker. The command itself
is started where its address or its settings are what is played: `test_access_from_the_network.py`, `test_settings.py`.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from karenina_gui.store.writes import ON_EVENT_LOOP

LOADED = (
    *("karenina_gui.app", "karenina_gui.gui.shell.serving", "karenina_gui.gui.pages.questions.editor"),
    *("karenina_gui.runs.executor", "karenina_gui.sandbox.inside.outline", "openai", "anthropic"),
)
"""What the application loads at its start, with its first run and as it looks at templates; and its pages besides."""


class Child:
    """One start of the application, as `subprocess.Popen` has it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """The exit code; None: it runs."""
        if self._code is None:
            self._code = _asked(ended=self.pid)
        return self._code

    def wait(self, seconds: float) -> int:
        until = time.monotonic() + seconds
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise TimeoutError(f"the application does not end within {seconds} s")
            time.sleep(0.005)
        return code

    def send_signal(self, sign: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sign)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start(module: str, arguments: Sequence[str], log: Path, **variables: str) -> Child | subprocess.Popen[bytes]:
    """As `python -m module arguments` would, with these variables besides; what it says is added to the log."""
    environment = _environment() | variables
    if sys.platform == "darwin":  # where what the system has loaded does not live on in a fork
        with log.open("ab") as said:
            return subprocess.Popen(
                [sys.executable, "-m", module, *arguments], env=environment, stdout=said, stderr=subprocess.STDOUT
            )
    order = {"module": module, "arguments": arguments, "environment": environment, "log": str(log)}
    return Child(_asked(**order, folder=str(Path.cwd())))


def _environment() -> dict[str, str]:
    """Without what is meant for the tests; a write to the library on the loop of the windows is an error."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NICEGUI"))}
    return ours | {"PYTHONWARNINGS": f"error:{ON_EVENT_LOOP}:RuntimeWarning"}


@cache
def _nursery() -> subprocess.Popen[str]:
    """One for all journeys of this process; it ends with it, however that ends, and with it all that it started."""
    nursery = subprocess.Popen(
        [sys.executable, "-m", __name__], env=_environment(), cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    atexit.register(nursery.communicate)  # it ends with its input
    return nursery


def _asked(**order: Any) -> Any:
    nursery = _nursery()
    assert nursery.stdin is not None
    assert nursery.stdout is not None
    print(json.dumps(order), file=nursery.stdin, flush=True)
    return json.loads(nursery.stdout.readline())


def _serve() -> None:
    for name in LOADED:
        import_module(name)
    from karenina_gui.gui.shell.pages import PAGES

    for page in PAGES:
        page.load()
    started: set[int] = set()
    try:
        for line in sys.stdin:
            order = json.loads(line)
            if "ended" in order:
                ended, status = os.waitpid(order["ended"], os.WNOHANG)
                started.discard(ended)
                answer = os.waitstatus_to_exitcode(status) if ended else None
            else:
                answer = os.fork()
                if answer == 0:
                    started.clear()  # they are the nursery's
                    return _become(**order)
                started.add(answer)
            print(json.dumps(answer), flush=True)
    finally:
        _end(started)
    return None


def _end(started: set[int]) -> None:
    """A run of tests that is killed does not end what it has started."""
    for each in started:
        os.kill(each, signal.SIGKILL)
        os.waitpid(each, 0)


def _become(module: str, arguments: list[str], environment: dict[str, str], log: str, folder: str) -> None:
    """The application, in the fork."""
    from nicegui.storage import Storage

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    data = Path(arguments[arguments.index("--data") + 1])
    Storage.path = data / "preferences"  # nicegui has read it already
    for handle, path, flags in ((0, os.devnull, os.O_RDONLY), (1, log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)):
        opened = os.open(path, flags)
        os.dup2(opened, handle)
        os.close(opened)
    os.dup2(1, 2)
    sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _serve()
