"""The data folder is its owner's alone: it holds answers, keys, and what signs the cookies."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def keep_private(folder: Path, *ours: str) -> None:
    """Restrict the data folder (mode 0700) and the files matching the patterns in `ours` (0600) to their owner.

    Unchanged: other files in the folder, files of another user, world-writable folders such as `/tmp`, and everything
    on Windows, where permissions are inherited from the user's folder.
    """
    if os.name == "nt":
        return
    with suppress(OSError):
        _for_owner(folder, 0o700)
        for file in (file for pattern in ours for file in folder.glob(pattern)):
            if file.is_file() and not file.is_symlink():
                _for_owner(file, 0o600)


def _for_owner(path: Path, most: int) -> None:
    found = path.stat()
    if found.st_uid == os.geteuid() and not found.st_mode & stat.S_ISVTX:
        path.chmod(stat.S_IMODE(found.st_mode) & most)
