"""A workspace as a template: copied whole, apart from links that lead out of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import PurePosixPath

from karenina_gui.authoring.workspace_names import PARTIAL
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder, in_plain_words, printable_path
from karenina_gui.sandbox.workspace.safe_import import Intake
from karenina_gui.schemas.workspace import RUN_COPY

_BLOCK = 1 << 18


def copy_into(source: ConfinedFolder, intake: Intake) -> list[str]:
    """Copy everything; returns one sentence for each link and each special file that was left out.

    Links stay links if they lead to something inside. Raises `InputError`, and then nothing is copied.
    """
    links: dict[str, str] = {}
    notes: list[str] = []
    with intake, source.folder() as handle:
        for path, name, folder in _walk(handle):
            with in_plain_words(path):
                about = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISLNK(about.st_mode):
                    links[path] = os.readlink(name, dir_fd=folder)
                elif stat.S_ISDIR(about.st_mode):
                    intake.make_folder(path)
                elif stat.S_ISREG(about.st_mode):
                    intake.write(path, _blocks(folder, name), executable=bool(about.st_mode & stat.S_IXUSR))
                else:
                    notes.append(f"Skipped {printable_path(path)}: it is not an ordinary file.")
        out = _link(intake, links)
        notes += [f"Skipped {printable_path(path)}: it is a link to a place outside the folder." for path in out]
    return notes


def _walk(handle: int) -> Iterator[tuple[str, str, int]]:
    """Path, name and handle of the folder above it, of everything below; folders that cannot be read are a fault."""

    # `os.fwalk` would leave them out without a word, and the copy would lack them.
    def fail(fault: OSError) -> None:
        raise fault

    for above, folders, files, inner in os.fwalk(".", onerror=fail, dir_fd=handle, follow_symlinks=False):
        folders[:] = [each for each in sorted(folders) if not RUN_COPY.match(each) and not PARTIAL.match(each)]
        for name in [*folders, *sorted(files)]:
            if not PARTIAL.match(name):
                yield (PurePosixPath(above) / name).as_posix(), name, inner


def _blocks(folder: int, name: str) -> Iterator[bytes]:
    # A link or a pipe may have taken its place since it was looked at.
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        while block := file.read(_BLOCK):
            yield block


def _link(intake: Intake, links: dict[str, str]) -> list[str]:
    """Make the links anew, and take those away that lead out of the copy; returns these."""
    for path, target in links.items():
        intake.link(path, target)
    out: list[str] = []
    while leading_out := [path for path in links if path not in out and intake.leads_out(path)]:
        for path in leading_out:  # without it another one may lead elsewhere
            intake.unlink(path)
        out += leading_out
    return sorted(out)
