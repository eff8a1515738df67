"""Removing a workspace, whatever an agent made of it: folders deeper than any path, closed ones, links to elsewhere."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

_OPEN = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def remove(folder: Path) -> None:
    """The folder and all that is in it; a link is removed, never what it leads to.

    Folders are taken out of each other, one level at a time, so that depth costs neither open handles nor recursion
    (both would end `shutil.rmtree`). Errors: `OSError` for what cannot be removed, `FileNotFoundError` where there is
    nothing.
    """
    if os.open not in os.supports_dir_fd:
        shutil.rmtree(folder)
        return
    if not folder.is_symlink():
        folder.chmod(0o700)
    top = os.open(folder, _OPEN)
    try:
        while inner := _emptied(top):
            for number, name in enumerate(inner):
                _lift(top, name, f".{number}-{os.urandom(6).hex()}")
    finally:
        os.close(top)
    folder.rmdir()


def _emptied(folder: int) -> list[str]:
    """Remove what is no folder, and folders that are empty; the names of those that are not."""
    left = []
    for name in os.listdir(folder):
        if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            try:
                os.rmdir(name, dir_fd=folder)
            except OSError:
                left.append(name)
        else:
            os.unlink(name, dir_fd=folder)
    return left


def _lift(top: int, name: str, prefix: str) -> None:
    """Take the folders out of a folder of the top one, and remove it."""
    with suppress(PermissionError):
        os.chmod(name, 0o700, dir_fd=top)
    handle = os.open(name, _OPEN, dir_fd=top)
    try:
        for number, inner in enumerate(_emptied(handle)):
            with suppress(PermissionError):
                os.chmod(inner, 0o700, dir_fd=handle)
            os.rename(inner, f"{prefix}-{number}", src_dir_fd=handle, dst_dir_fd=top)
    finally:
        os.close(handle)
    os.rmdir(name, dir_fd=top)
