"""File permissions of the data folder, which holds answers, API keys and the cookie secret."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def keep_private(folder: Path, *ours: str) -> None:
    """Restrict the data folder (mode 0700) and files that match a pattern in `ours` (0600) to their owner.

    Left unchanged: other files in the folder, files of another user, sticky folders such as `/tmp`, and everything on
    Windows, where permissions are inherited from the user's folder.
    """
    if os.name == "nt":
        return
    with suppress(OSError):
        _restrict(folder, 0o700)
        for file in (file for pattern in ours for file in folder.glob(pattern)):
            # chmod follows links, so a link in the folder could change a file elsewhere.
            if file.is_file() and not file.is_symlink():
                _restrict(file, 0o600)


def _restrict(path: Path, most: int) -> None:
    found = path.stat()
    if found.st_uid == os.geteuid() and not found.st_mode & stat.S_ISVTX:
        path.chmod(stat.S_IMODE(found.st_mode) & most)
