"""Removal of a workspace that may hold folders deeper than any path, closed folders, and links to elsewhere."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

_OPEN = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def remove(folder: Path) -> None:
    """Remove a folder with everything in it. A link is removed, never its target.

    Folders are lifted out of each other, one level at a time, so that depth costs neither open handles nor recursion,
    both of which `shutil.rmtree` runs out of. Raises `OSError` for what cannot be removed, `FileNotFoundError` if
    nothing is there.
    """
    if os.open not in os.supports_dir_fd:
        shutil.rmtree(folder)
        return
    if not folder.is_symlink():
        folder.chmod(0o700)
    top = os.open(folder, _OPEN)
    try:
        while inner := _remove_flat(top):
            for number, name in enumerate(inner):
                _lift(top, name, f".{number}-{os.urandom(6).hex()}")
    finally:
        os.close(top)
    folder.rmdir()


def _remove_flat(folder: int) -> list[str]:
    """Remove everything except folders with content; return the names of those."""
    remaining = []
    for name in os.listdir(folder):
        if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            try:
                os.rmdir(name, dir_fd=folder)
            except OSError:
                remaining.append(name)
        else:
            os.unlink(name, dir_fd=folder)
    return remaining


def _lift(top: int, name: str, prefix: str) -> None:
    """Move the folders inside a folder up to the top one, and remove it."""
    # A command may have taken its own right to enter the folder.
    with suppress(PermissionError):
        os.chmod(name, 0o700, dir_fd=top)
    handle = os.open(name, _OPEN, dir_fd=top)
    try:
        for number, inner in enumerate(_remove_flat(handle)):
            with suppress(PermissionError):
                os.chmod(inner, 0o700, dir_fd=handle)
            os.rename(inner, f"{prefix}-{number}", src_dir_fd=handle, dst_dir_fd=top)
    finally:
        os.close(handle)
    os.rmdir(name, dir_fd=top)
