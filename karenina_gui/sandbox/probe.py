"""Probe of what this machine can confine. Runs in a disposable process, prints JSON and exits."""

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
    """Print {"landlock": version or 0, "seccomp": bool}, each set only if what it must stop was stopped."""
    version = lockdown.landlock_version()
    facts = {
        "landlock": version if version and _holds(_files_are_closed) else 0,
        "seccomp": sys.platform == "linux" and seccomp.is_supported() and _holds(_system_calls_are_filtered),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
    }
    print(json.dumps(facts))


def _files_are_closed() -> bool:
    lockdown.close_files()
    return _is_refused(lambda: os.open("/", os.O_RDONLY))


def _system_calls_are_filtered() -> bool:
    lockdown.filter_system_calls(seccomp.allow_list())
    attempts: list[Callable[[], object]] = [
        lambda: os.open("/", os.O_RDONLY),
        lambda: socket.socket(socket.AF_UNIX),
        os.fork,
        lambda: os.kill(os.getpid(), 0),
        lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC),
    ]
    return all(_is_refused(attempt) for attempt in attempts)


def _is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError as refusal:
        return refusal.errno in (errno.EPERM, errno.EACCES)
    return False


def _holds(check: Callable[[], bool]) -> bool:
    """True if the check succeeds in a child process, since what it closes stays closed."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if check() else 1)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0
