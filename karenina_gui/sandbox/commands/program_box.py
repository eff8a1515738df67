"""Box around a whole program, which can write only its workspace and reach only one server."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from subprocess import DEVNULL

from karenina_gui.sandbox import seccomp
from karenina_gui.sandbox.commands.bubblewrap import (
    ACCOUNTS,
    COMMANDS_USER,
    ENVIRONMENT,
    PROGRAM_PLACE,
    Bounds,
    Bubblewrap,
)
from karenina_gui.sandbox.commands.resource_monitor import CommandWatch
from karenina_gui.sandbox.workspace import safe_walk
from karenina_gui.schemas.workspace import WorkspaceLimits

OWN_MEMORY_MB = 1024
"""Memory in MB for the program itself, in addition to that of commands."""
_OWN_PROCESSES = 64
"""Threads of the program itself, in addition to those of commands."""
_ENTRY = Path(__file__).with_name("program_entry.py")
"""Run as a script, not imported: its modules do not exist on every system."""
_TRIED_S = 20.0
_UNUSED_PORT = 9
_FILES = "/etc/karenina"
"""Folder in the box for files that the program is given."""
_HOSTS = b"127.0.0.1 localhost\n"
# Paths of the host, which do not exist in the box, and proxies: its one server is reached directly.
_WITHOUT = (
    *("PWD", "OLDPWD", "TMPDIR", "LANGUAGE", "LOGNAME", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"),
)
_LIMITED = (
    "ulimit -c 0; ulimit -n 4096 2>/dev/null; ulimit -f {file_blocks} 2>/dev/null; "
    'ulimit -u {processes} 2>/dev/null || ulimit -p {processes} 2>/dev/null; exec "$@"'
)
"""Without a limit on the address space, unlike commands: a JIT compiler reserves far more than it uses."""


@dataclass
class BoxedProgram:
    """A program that is ready to start in its box, once."""

    starter: str
    """Command to start in place of the program, with the program's own arguments."""
    _report: Path
    _folder: Path
    _limits: WorkspaceLimits
    _watch: CommandWatch | None = field(default=None, repr=False)

    def trouble(self) -> str | None:
        """Reason to stop the program, as a sentence; None while it may go on or has not started."""
        if self._watch is None:
            try:
                box = int(self._report.read_text())
            except (OSError, ValueError):
                return None
            self._watch = CommandWatch(self._folder, self._limits, box)
        return self._watch.trouble()


@dataclass(frozen=True)
class BubblewrapProgramBox:
    """Factory for boxes around whole programs. Thread-safe."""

    bubblewrap: Bubblewrap
    limits: WorkspaceLimits

    @property
    def home(self) -> str:
        """Private home folder of the program, deleted with the box."""
        return ENVIRONMENT["HOME"]

    def path(self, name: str) -> str:
        """Path in the box of a file that the program is given."""
        return f"{_FILES}/{name}"

    def around(
        self,
        folder: Path,
        program: Path,
        port: int,
        scratch: Path,
        *,
        files: Mapping[str, bytes],
        environment: Mapping[str, str],
    ) -> BoxedProgram:
        """Prepare a program to start with `folder` as its workspace.

        `port`: of the one server that it can reach, on this computer's loopback interface. `scratch`: an empty folder
        that exists while the program runs and is not visible in the box. `files`: contents readable at `place(name)`.
        `environment`: added to the variables that it is started with; empty ones are removed. Raises `OSError`.
        """
        folder = Path(os.path.realpath(folder))
        variables = {
            **{name: ENVIRONMENT[name] for name in ("PATH", "HOME", "USER", "TERM")},
            "PWD": "/workspace",
            "TMPDIR": "/tmp",
            "SHELL": "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh",
            **environment,
        }
        limits = self.limits
        bounds = Bounds(limits.memory_mb + OWN_MEMORY_MB, limits.processes + _OWN_PROCESSES, limits.disk_mb, 0)
        start, box = self.bubblewrap.of_program(folder, program, bounds)
        limited = _LIMITED.format(file_blocks=bounds.file_mb << 11, processes=bounds.processes)
        how = {
            "start": start,
            "box": box,
            "program": ["/bin/sh", "-c", limited, "sh", f"{PROGRAM_PLACE}/{program.name}"],
            "data": self._data(files),
            "seccomp": b64encode(seccomp.deny_list()).decode() if seccomp.is_supported() else None,
            "environment": variables,
            "without": _WITHOUT,
            "port": port,
            "report": str(scratch / "box"),
        }
        (scratch / "box.json").write_text(json.dumps(how), encoding="utf-8")
        entry = [sys.executable, "-I", "-S", "-B", str(_ENTRY), str(scratch / "box.json")]
        starter = scratch / "start"
        starter.write_text(f'#!/bin/sh\nexec {shlex.join(entry)} "$@"\n', encoding="utf-8")
        starter.chmod(0o700)
        watched = limits.model_copy(
            update={"memory_mb": bounds.memory_mb, "processes": limits.processes + _OWN_PROCESSES}
        )
        return BoxedProgram(str(starter), scratch / "box", folder, watched)

    def _data(self, files: Mapping[str, bytes]) -> dict[str, str]:
        """Contents of files by their paths in the box, in Base64."""
        contents = {
            **ACCOUNTS,
            # The box reaches no name server, so lookups must fail at once instead of timing out.
            "/etc/nsswitch.conf": b"hosts: files\n",
            "/etc/hosts": _HOSTS,
            **{self.path(name): content for name, content in files.items()},
        }
        return {name: b64encode(content).decode() for name, content in contents.items()}


def trouble(bubblewrap: Bubblewrap) -> str | None:
    """Reason why whole programs cannot start in a box that holds commands; None if a test program ran.

    Probed once per application run; again if the disk was full.
    """
    try:
        return _probe(bubblewrap)
    except OSError as fault:
        return f"it can’t be tested ({fault.strerror})"


@cache
def _probe(bubblewrap: Bubblewrap) -> str | None:
    with tempfile.TemporaryDirectory(prefix="karenina-box-") as name:
        folder, scratch = Path(name) / "workspace", Path(name) / "scratch"
        folder.mkdir()
        scratch.mkdir()
        safe_walk.hand_over(folder, COMMANDS_USER if os.geteuid() == 0 else None)
        shell = Path("/bin/sh").resolve()
        try:
            tried = BubblewrapProgramBox(bubblewrap, WorkspaceLimits()).around(
                folder, shell, _UNUSED_PORT, scratch, files={}, environment={}
            )
            arguments = [tried.starter, "-c", "true"]
            result = subprocess.run(arguments, stdin=DEVNULL, capture_output=True, text=True, timeout=_TRIED_S)
        except (OSError, subprocess.TimeoutExpired) as fault:
            return f"it doesn’t start ({fault})"
    if result.returncode == 0:
        return None
    return f"it doesn’t run ({result.stderr.strip().splitlines()[-1] if result.stderr.strip() else 'no reason given'})"
