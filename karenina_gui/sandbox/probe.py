"""What this machine can confine, tried out for real. Runs in a throw-away process, prints JSON and ends."""

from __future__ import annotations

import errno
import json
import mmap
import os
import platform
import socket
import sys
from collections.abc import Callable

from karenina_gui.sandbox import lockdown, seccomp


def main() -> None:
    """Print {"landlock": version or 0, "seccomp": bool}: each True only when the attempts it must stop were stopped."""
    version = lockdown.landlock_version()
    facts = {
        "landlock": version if version and _holds(_files_are_closed) else 0,
        "seccomp": sys.platform == "linux" and seccomp.supported() and _holds(_system_calls_are_filtered),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
    }
    print(json.dumps(facts))


def _files_are_closed() -> bool:
    lockdown.close_files()
    return _refused(lambda: os.open("/", os.O_RDONLY))


def _system_calls_are_filtered() -> bool:
    lockdown.filter_system_calls(seccomp.allow_list())
    attempts: list[Callable[[], object]] = [
        lambda: os.open("/", os.O_RDONLY),
        lambda: socket.socket(socket.AF_UNIX),
        os.fork,
        lambda: os.kill(os.getpid(), 0),
        lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC),
    ]
    return all(_refused(attempt) for attempt in attempts)


def _refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError as refusal:
        return refusal.errno in (errno.EPERM, errno.EACCES)
    return False


def _holds(check: Callable[[], bool]) -> bool:
    """Whether the check succeeds in a child of its own, since what it closes stays closed."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if check() else 1)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0
