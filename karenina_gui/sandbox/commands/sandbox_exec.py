"""Entry program of the box when the application runs as root, started for each command.

RLIMIT_NPROC does not bind root, so commands run as an ordinary user, who may not reach what they need: the workspace
and bubblewrap itself can lie in root's home. Both are mounted in a private mount namespace, then root is given up for
good, and bubblewrap takes over.

Arguments: the user's number, the number of places to mount, for each its path and its name below `/tmp`, then the
program with its arguments. Uses the standard library only, and is started without the application's packages.
"""

from __future__ import annotations

import ctypes
import os
import sys

STAGE = "/tmp"
"""Covered by a tmpfs in this process's own mount namespace; other processes see no difference."""
_NEW_MOUNTS, _BIND, _RECURSIVE, _PRIVATE = 0x00020000, 4096, 16384, 1 << 18


def main(arguments: list[str]) -> None:
    """Become the program; never returns. Raises `OSError` if the system refuses."""
    user, count = int(arguments[0]), int(arguments[1])
    places, program = arguments[2 : 2 + 2 * count], arguments[2 + 2 * count :]
    libc = ctypes.CDLL(None, use_errno=True)
    _check(libc.unshare(_NEW_MOUNTS))
    # systemd mounts / as shared: without this, the mounts below would appear in the whole system.
    _mount(libc, "none", "/", None, _RECURSIVE | _PRIVATE)
    # Opened before /tmp is covered, since the places themselves may lie below it.
    handles = [os.open(path, os.O_PATH) for path in places[::2]]
    _mount(libc, "none", STAGE, "tmpfs", 0, "mode=0755,size=64k")
    for handle, name in zip(handles, places[1::2], strict=True):
        os.mkdir(f"{STAGE}/{name}")  # noqa: PTH102  (to load pathlib takes longer than all of this)
        _mount(libc, f"/proc/self/fd/{handle}", f"{STAGE}/{name}", None, _BIND)
        os.close(handle)
    # Groups first: they cannot be changed any more after the user.
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.chdir("/")
    os.execv(program[0], program)


def _mount(libc: ctypes.CDLL, source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    _check(
        libc.mount(
            source.encode(),
            target.encode(),
            kind.encode() if kind else None,
            ctypes.c_ulong(flags),
            options.encode() or None,
        )
    )


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError) as fault:
        sys.exit(f"bwrap: the user who runs commands cannot be given the workspace ({fault})")
