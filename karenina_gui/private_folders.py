"""Folders with the application's keys and data, which no path of a user, a file, or an agent may lead into.

Folders are compared by what they are on the disk, so neither links, nor another case, nor another mount hides one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from platformdirs import user_data_path

from karenina_gui.settings import NAME, read_stored, settings_file, variable

RECORDINGS = "recordings"
"""Folder in the data folder with the recordings of runs."""
TEMPORARY = "temporary"
"""Folder in the data folder with the temporary files of the application, such as copies of workspaces."""
_WORKSPACES = re.compile(rf"(incoming/[^/]+|{TEMPORARY}/karenina-[^/]+|[^/]+-workspaces-\d+)/")
"""Folders in the data folder for agents and their commands. Temporary uploads and exports have other names."""
Identity = tuple[int, int]
"""Device and inode of a folder."""
_opened: set[Path] = set()


def add_data_folder(folder: Path) -> None:
    """Protect a data folder that is open in this process."""
    _opened.add(folder)


def remove_data_folder(folder: Path) -> None:
    """End the protection of a folder that was closed, unless it is the one of the next start."""
    _opened.discard(folder)


def private_folders() -> list[Path]:
    """Resolved paths of the configuration folder, the data folders opened here, and the one of the next start."""
    return [folder.path for folder in _private()]


def private_identities() -> frozenset[Identity]:
    """Identities of the private folders that exist."""
    return frozenset(folder.line[0][1] for folder in _private() if folder.line[0][1] is not None)


def is_private(path: Path, *, recordings: bool = False) -> bool:
    """True for a path that is, or lies in, a private folder. `recordings`: paths of recordings are none."""
    return _lies_in(_Located.at(path), _private(), recordings)


def folder_problem(path: Path) -> str | None:
    """Reason why a folder must not be one of workspaces, as a sentence; None: it may."""
    folder, private = _Located.at(path), _private()
    if _lies_in(folder, private, recordings=False):
        return "The application stores its own data here. Choose another folder."
    if any(other.is_in(folder) for other in private):
        return "The application’s own data is below this folder. Choose a folder for workspaces only."
    with suppress(RuntimeError):  # a user without a home folder
        home = Path.home()
        if _locate(home, _identity(home)).is_in(folder):
            return "This is your home folder, or a folder above it. Choose a folder for workspaces only."
    return None


@dataclass(frozen=True)
class _Located:
    """A path, which need not exist, with the folders above it."""

    path: Path
    """The resolved path."""
    line: tuple[tuple[str, Identity | None], ...]
    """Name and identity of the path itself and of every folder above it; None: it does not exist."""

    @classmethod
    def at(cls, path: Path) -> _Located:
        real = Path(os.path.realpath(path))
        line = [(str(folder).casefold(), _identity(folder)) for folder in (real, *real.parents)]
        return cls(real, tuple(line))

    def depth_in(self, folder: _Located) -> int | None:
        """Number of steps from the folder down to this path; None if it is neither the folder nor in it."""
        name, identity = folder.line[0]
        # By name only if there is nothing to compare.
        return next(
            (
                n
                for n, (own_name, own_identity) in enumerate(self.line)
                if own_name == name or (own_identity is not None and own_identity == identity)
            ),
            None,
        )

    def is_in(self, folder: _Located) -> bool:
        return self.depth_in(folder) is not None


def _lies_in(path: _Located, private: Iterable[_Located], recordings: bool) -> bool:
    return any(_is_kept_from(path, folder, recordings) for folder in private)


def _is_kept_from(path: _Located, folder: _Located, recordings: bool) -> bool:
    depth = path.depth_in(folder)
    if not depth:
        return depth == 0
    below = "/".join(path.path.parts[-depth:])
    return not (_WORKSPACES.match(f"{below}/") or (recordings and below.startswith(f"{RECORDINGS}/")))


def _private() -> list[_Located]:
    named = os.environ.get(variable("data"))
    with suppress(OSError, ValueError):
        named = named or read_stored().get("data")
    data = Path(named) if isinstance(named, str) and named else user_data_path(NAME, appauthor=False)
    return [_locate(folder, _identity(folder)) for folder in {settings_file().parent, data, *_opened}]


@lru_cache(maxsize=64)
def _locate(folder: Path, _: Identity | None) -> _Located:
    """`_Located.at`, which is asked for a lot, again once the folder exists or is another one."""
    return _Located.at(folder)


def _identity(path: Path) -> Identity | None:
    try:
        state = path.stat()
    except (OSError, ValueError):
        return None
    return state.st_dev, state.st_ino
