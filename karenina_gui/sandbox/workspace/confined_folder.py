"""A folder that no path leads out of: no `..`, no absolute path and no link, however late it was planted."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Self

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.private_folders import folder_problem, private_identities

_CLOSED = getattr(os, "O_CLOEXEC", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | _CLOSED
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Opening a FIFO without a writer must not block."""


class ConfinedFolder:
    """Paths below the folder are relative, with `/` between their parts; the empty path is the folder itself.

    Each call first resolves a path (links that stay inside are followed), and then walks there from an open handle,
    folder by folder, without following any link: what is swapped in between is refused, not followed (a time-of-check
    to time-of-use attack). Every call raises `InputError`, or `NotFoundError` if nothing is there. So does the creation
    with a folder that is, holds, or lies in one with the application's own data.
    """

    def __init__(self, path: Path) -> None:
        if os.open not in os.supports_dir_fd or not _NO_LINK:
            raise InputError("Workspaces need Linux or macOS.")
        if problem := folder_problem(path):
            raise InputError(problem)
        self._private = private_identities()
        self._anchor = self.path = Path(os.path.realpath(path))
        """Resolved path of the folder."""

    def below(self, path: str) -> Self:
        """A folder inside, confined in the same way."""
        folder = type(self)(self._anchor)
        with in_plain_words(path):
            folder.path = self._real(path)
        return folder

    @contextmanager
    def folder(self, path: str = "") -> Iterator[int]:
        """Yield a handle of a folder inside."""
        with in_plain_words(path):
            real = self._real(path)
            handle = self._walk(real)
        try:
            yield handle
        finally:
            os.close(handle)

    @contextmanager
    def parent(self, path: str) -> Iterator[tuple[int, str]]:
        """Yield a handle of the folder that holds `path`, and the last part of its name, which may be a link."""
        above, name = str(PurePosixPath(path).parent), PurePosixPath(path).name
        if not name or name in (".", ".."):
            raise InputError("This is the workspace itself. Choose something in it.")
        with self.folder("" if above == "." else above) as handle:
            yield handle, name

    @contextmanager
    def file(self, path: str) -> Iterator[int]:
        """Yield a handle for reading an ordinary file. Pipes, devices and the like are refused."""
        with in_plain_words(path):
            real = self._real(path)
            above = self._walk(real.parent)
            try:
                handle = os.open(real.name, os.O_RDONLY | _NO_LINK | _NO_WAIT | _CLOSED, dir_fd=above)
            finally:
                os.close(above)
        try:
            # Checked on the open handle: what the name leads to may have changed since.
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise InputError(f"{printable_path(path)} isn’t an ordinary file, so it can’t be opened.")
            yield handle
        finally:
            os.close(handle)

    def real_path(self, path: str) -> str:
        """The same path without links, relative to this folder. Raises `InputError` if it is outside."""
        with in_plain_words(path):
            relative = self._real(path).relative_to(self.path).as_posix()
        return "" if relative == "." else relative

    def _real(self, path: str) -> Path:
        if path.startswith("/") or ".." in path.split("/"):
            raise _outside(path)
        real = Path(os.path.realpath(self.path / path))
        if real != self.path and self.path not in real.parents:
            raise _outside(path)
        return real

    def _walk(self, real: Path) -> int:
        """Open folder by folder from the outermost one down; each step refuses a link."""
        handle = os.open(self._anchor, os.O_RDONLY | _FOLDER)
        for part in real.relative_to(self._anchor).parts:
            try:
                inner = os.open(part, os.O_RDONLY | _NO_LINK | _FOLDER, dir_fd=handle)
            finally:
                os.close(handle)
            handle = inner
            state = os.fstat(handle)
            # Mounted here, which no path tells.
            if (state.st_dev, state.st_ino) in self._private:
                os.close(handle)
                raise _outside(part)
        return handle


def names(folder: int) -> list[str]:
    """Names in the folder with this handle."""
    with os.scandir(folder) as listing:
        return [entry.name for entry in listing]


@contextmanager
def in_plain_words(path: str) -> Iterator[None]:
    """Convert errors of the system to `InputError`s that name the path."""
    try:
        yield
    except FileNotFoundError as fault:
        raise NotFoundError(
            f"{printable_path(path)} is not there. It may have been moved or deleted outside."
        ) from fault
    except FileExistsError as fault:
        raise InputError(f"{printable_path(path)} already exists. Choose another name.") from fault
    except PermissionError as fault:
        raise InputError(f"{printable_path(path)}: permission denied.") from fault
    except OSError as fault:
        raise InputError(
            _REASONS.get(fault.errno or 0, "{path}: {reason}.").format(path=printable_path(path), reason=fault.strerror)
        ) from fault
    except ValueError as fault:  # a zero byte in a name
        raise InputError(f"{printable_path(path)} contains an unsupported character.") from fault


def printable_path(path: str) -> str:
    """A path for display: characters that cannot be shown are replaced."""
    text = os.fsencode(path).decode("utf-8", "replace") or "The workspace"
    return "".join(character if character.isprintable() else "�" for character in text)


def _outside(path: str) -> InputError:
    return InputError(f"{printable_path(path)} leads outside the workspace, so it can’t be opened.")


_REASONS = {
    errno.ELOOP: "{path} is, or is behind, a link that leads outside the workspace or nowhere.",
    errno.ENOTDIR: "{path} isn’t a folder, or is a link that isn’t followed.",
    errno.EISDIR: "{path} is a folder.",
    errno.ENOSPC: "Couldn’t write {path}: the disk is full. Free some space and try again.",
    errno.EROFS: "Couldn’t write {path}: the disk is read-only.",
    errno.ENAMETOOLONG: "{path} has a name that is too long for this computer.",
    errno.ENXIO: "{path} isn’t an ordinary file, so it can’t be opened.",
}
