"""Files that are either the old one or the new one, never half of it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from karenina_gui.errors import FileFormatError


def write_atomically(path: Path, content: bytes, *, backup: bool = False) -> Path:
    """Replace `path` by `content`: written beside it, flushed to the disk, then renamed over it.

    With `backup`, the file that was there stays as `<name>.bak`. Missing folders are made.

    Raises `FileFormatError` if the place cannot be written; what was there is untouched.
    """
    with atomic_file(path, backup=backup) as file:
        file.write(content)
    return path


@contextmanager
def atomic_file(path: Path, *, backup: bool = False) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `path` when the block ends, and not before.

    For content that is written bit by bit; otherwise like `write_atomically`.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # In the same folder, so that the rename stays on one file system: only there does it happen in one step.
        with _beside(path) as (file, beside):
            yield file
            file.flush()
            # A rename may reach the disk before the content does; after a power cut the new name would then hold
            # nothing.
            os.fsync(file.fileno())
            # `mkstemp` makes files that only their owner reads; others should see the new one as
            # they see any file.
            beside.chmod(0o644)
            if path.exists():
                shutil.copymode(path, beside)
                if backup:
                    shutil.copy2(path, path.with_name(f"{path.name}.bak"))
            beside.replace(path)
    except OSError as fault:
        reason = fault.strerror or fault
        raise FileFormatError(
            f"{path} could not be written: {reason}. Nothing was changed. Choose another place or free some space.",
            path=str(path),
        ) from fault
    _flush_folder(path.parent)


@contextmanager
def _beside(path: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """A new file in the same folder, deleted if the block raises."""
    # Cut, since the name of the file may already be as long as a file system allows (255 bytes).
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:80]}.", suffix=".part", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file, beside
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _flush_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system can."""
    # Windows opens no folder, and some network drives refuse the call; the file itself is safe all the same.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
