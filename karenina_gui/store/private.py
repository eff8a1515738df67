"""The data folder is its owner's alone: it holds answers, keys, and what signs the cookies."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def keep_private(folder: Path) -> None:
    """Take the rights of all others from the folder and the files in it.

    Left as it is: what belongs to somebody else, a folder that everybody writes into (such as `/tmp`), and everything
    on Windows, where the rights of a user's folder are inherited.
    """
    if os.name == "nt":
        return
    with suppress(OSError):
        _for_owner(folder, 0o700)
        for file in folder.iterdir():
            if file.is_file() and not file.is_symlink():
                _for_owner(file, 0o600)


def _for_owner(path: Path, most: int) -> None:
    found = path.stat()
    if found.st_uid == os.geteuid() and not found.st_mode & stat.S_ISVTX:
        path.chmod(stat.S_IMODE(found.st_mode) & most)
