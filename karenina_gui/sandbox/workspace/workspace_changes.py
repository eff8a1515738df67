"""Changes that an agent made in its workspace: diffs for people, and files to restore its work from."""

from __future__ import annotations

import base64
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder
from karenina_gui.sandbox.workspace.safe_removal import remove
from karenina_gui.sandbox.workspace.workspace_copy import FileState, Manifest, manifest
from karenina_gui.schemas.workspace import ChangeKind, FileChange, ResultWorkspace

WHOLE_KB = 96
"""Combined size of both states of a file up to which its diff contains every line."""
LONGEST_KB = 512
"""Size of one state of a file up to which there is a diff at all."""
MOST_LINES = 6_000
"""Number of lines, between the first and the last difference, up to which a diff is computed."""
DIFFS_KB = 1024
"""Size of all diffs of one result."""
MOST_CHANGES = 1_000
"""Number of changed files listed per result."""
KEPT_MB = 8
"""Size of the changed files that are saved for the other judges of one answer."""


@dataclass(frozen=True)
class WorkLeft:
    """The agent's work as plain data, from which it can be restored into a copy of the same workspace.

    File names that are not UTF-8 are encoded by `_encode_name`, so that this can be stored.
    """

    files: dict[str, str] = field(default_factory=dict)
    """{path: content} of new and changed files, compressed and in base 64."""
    links: dict[str, str] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    executable: list[str] = field(default_factory=list)
    """Paths of files that are executable."""
    complete: bool = True
    """False: the files are too large to be saved, or lost."""
    lost: bool = False
    """True if the work is unknown."""


@dataclass(frozen=True)
class Outcome:
    result: ResultWorkspace
    left: WorkLeft


def compare(before: Path | None, was: Manifest, folder: Path, path: str | None) -> Outcome:
    """Compare `folder` with its initial state `was`.

    `before`: where the original contents can still be read (None: it began empty). `path`: the question's workspace.
    """
    now = manifest(folder)
    changed = sorted(name for name in {*was.entries, *now.entries} if was.entries.get(name) != now.entries.get(name))
    notes = _notes(now, changed)
    diffs = _Diffs(ConfinedFolder(before) if before else None, was, ConfinedFolder(folder), now)
    result = ResultWorkspace(
        path=path,
        files=len(now.entries),
        size=now.size,
        changes=[diffs.change(name) for name in changed[:MOST_CHANGES]],
        notes=notes,
    )
    return Outcome(result, _work_left(ConfinedFolder(folder), now, changed))


def unknown_outcome(path: str | None, why: str) -> Outcome:
    """Outcome of a workspace that is gone, or can no longer be read."""
    return Outcome(ResultWorkspace(path=path, notes=[why]), WorkLeft(complete=False, lost=True))


def have_again(work: WorkLeft, folder: Path) -> None:
    """Restore the agent's work in a fresh copy of its workspace.

    Raises `InputError` if it was too large to be saved.
    """
    if work.lost:
        raise InputError("The files that the agent left are lost, so they can’t be judged. Run the question again.")
    if not work.complete:
        raise InputError(
            f"The agent left more than {KEPT_MB} MB of changed files. That is too much to save for a second judge or a "
            "resumed run. Use one judge, or run the question again."
        )
    for path in work.deleted:
        (folder / _decode_name(path)).unlink(missing_ok=True)
    for path, content in work.files.items():
        goal = _make_room(folder, _decode_name(path))
        goal.write_bytes(zlib.decompress(base64.b64decode(content)))
        if path in work.executable:
            goal.chmod(goal.stat().st_mode | 0o111)
    for path, target in work.links.items():
        _make_room(folder, _decode_name(path)).symlink_to(_decode_name(target))


def _make_room(folder: Path, path: str) -> Path:
    """Return an empty place for a file below real folders: links that the workspace brought along are replaced."""
    parent = folder
    for part in Path(path).parts[:-1]:
        parent = parent / part
        if parent.is_symlink() or (parent.exists() and not parent.is_dir()):
            parent.unlink()
        parent.mkdir(exist_ok=True)
    goal = parent / Path(path).name
    if goal.is_symlink() or goal.is_file():
        goal.unlink()
    elif goal.is_dir():
        remove(goal)
    return goal


def _notes(now: Manifest, changed: Sequence[str]) -> list[str]:
    notes = []
    if not now.complete:
        notes.append(f"The workspace has more than {len(now.entries):,} files. The others were not compared.")
    if len(changed) > MOST_CHANGES:
        notes.append(f"{len(changed):,} files changed. The first {MOST_CHANGES:,} are listed.")
    if now.skipped:
        listed = ", ".join(map(_printable, now.skipped[:5])) + (" and others" if len(now.skipped) > 5 else "")
        notes.append(f"Not compared, because they are unreadable or neither files nor links: {listed}.")
    return notes


class _Diffs:
    """Creates the diffs of one result within its limits."""

    def __init__(self, before: ConfinedFolder | None, was: Manifest, after: ConfinedFolder, now: Manifest) -> None:
        self._before, self._was, self._after, self._now = before, was, after, now
        self._room = DIFFS_KB << 10

    def change(self, path: str) -> FileChange:
        old, new = self._was.entries.get(path), self._now.entries.get(path)
        kind: ChangeKind = "added" if old is None else "deleted" if new is None else "modified"
        diff, whole, note = self._diff(path, old, new)
        return FileChange(
            path=_printable(path),
            kind=kind,
            size_before=old and old.size,
            size_after=new and new.size,
            diff=diff,
            whole=whole,
            note=note,
        )

    def _diff(self, path: str, old: FileState | None, new: FileState | None) -> tuple[str | None, bool, str | None]:
        states = [state for state in (old, new) if state]
        if any(state.kind == "link" for state in states):
            return None, False, " → ".join(map(_as_link, states))
        if max(state.size for state in states) > LONGEST_KB << 10:
            return None, False, f"Longer than {LONGEST_KB} kB, so its contents aren’t saved."
        before, after = self._text(self._before, path, old), self._text(self._after, path, new)
        if before is None or after is None:
            return None, False, "Not text, or no longer readable, so its contents aren’t shown."
        return self._diff_of_texts(before, after)

    def _diff_of_texts(self, before: str, after: str) -> tuple[str | None, bool, str | None]:
        whole = len(before) + len(after) <= WHOLE_KB << 10
        diff = make_diff(before, after, whole)
        if diff is None:
            return None, False, "Too many differences to show line by line."
        if len(diff) > self._room:
            return None, False, f"The differences of this result exceed {DIFFS_KB} kB, so these aren’t shown."
        self._room -= len(diff)
        return diff, whole, None

    def _text(self, folder: ConfinedFolder | None, path: str, state: FileState | None) -> str | None:
        """Text of a file, empty if there was no file; None if it is not text, or has changed since."""
        if state is None:
            return ""
        content = _content(folder, path) if folder else None
        if content is None or b"\0" in content or len(content) != state.size:
            return None
        try:
            return content.decode()
        except UnicodeDecodeError:
            return None


def make_diff(old: str, new: str, whole: bool) -> str | None:
    """A unified diff, with every line of both texts if `whole`; None if too much differs.

    A last line without a line break is marked as diff programs do, so that both texts can be restored from a whole
    diff.
    """
    a, b = _lines(old), _lines(new)
    same_start = _common_length(a, b)
    same_end = min(_common_length(a[::-1], b[::-1]), len(a) - same_start, len(b) - same_start)
    # `difflib` takes quadratic time in the lines between the first and the last difference.
    if max(len(a), len(b)) - same_start - same_end > MOST_LINES:
        return None
    around = max(len(a), len(b)) if whole else 3
    return "\n".join(unified_diff(a, b, "before", "after", n=around, lineterm="")) + "\n"


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    lines[-1] += "\n\\ No newline at end of file"
    return lines


def _common_length(a: Sequence[str], b: Sequence[str]) -> int:
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _contents(folder: ConfinedFolder, paths: Iterable[str]) -> dict[str, bytes]:
    """{path: content}, without files that cannot be read."""
    return {path: content for path in paths if (content := _content(folder, path)) is not None}


def _executable(folder: ConfinedFolder, paths: Iterable[str]) -> list[str]:
    return [_encode_name(path) for path in paths if _runs(folder, path)]


def _work_left(folder: ConfinedFolder, now: Manifest, changed: Sequence[str]) -> WorkLeft:
    states = {path: now.entries[path] for path in changed if path in now.entries}
    if sum(state.size for state in states.values()) > KEPT_MB << 20 or not now.complete:
        return WorkLeft(complete=False)
    files, links = _of_kind(states, "file"), _of_kind(states, "link")
    contents = _contents(folder, files)
    return WorkLeft(
        files={_encode_name(path): _compress(content) for path, content in contents.items()},
        links={_encode_name(path): _encode_name(state.identity) for path, state in links.items()},
        deleted=[_encode_name(path) for path in changed if path not in now.entries],
        executable=_executable(folder, contents),
        complete=len(contents) == len(files),
    )


def _of_kind(states: Mapping[str, FileState], kind: str) -> dict[str, FileState]:
    return {path: state for path, state in states.items() if state.kind == kind}


def _printable(name: str) -> str:
    r"""Name of a file for a result, which must be UTF-8: other bytes are written as `\xff`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _encode_name(name: str) -> str:
    """Encode a name for `_decode_name`. No name begins with a zero byte, so that one marks base 64."""
    encoded = os.fsencode(name)
    try:
        return encoded.decode()
    except UnicodeDecodeError:
        return "\0" + base64.b64encode(encoded).decode()


def _decode_name(name: str) -> str:
    return os.fsdecode(base64.b64decode(name[1:])) if name.startswith("\0") else name


def _runs(folder: ConfinedFolder, path: str) -> bool:
    try:
        with folder.file(path) as handle:
            return bool(os.fstat(handle).st_mode & 0o100)
    except InputError:
        return False


def _compress(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode()


def _content(folder: ConfinedFolder, path: str) -> bytes | None:
    try:
        with folder.file(path) as handle:
            return b"".join(_blocks(handle))
    except InputError:
        return None


def _blocks(handle: int) -> Iterator[bytes]:
    return iter(lambda: os.read(handle, 1 << 20), b"")


def _as_link(state: FileState) -> str:
    return f"link to {_printable(state.identity)}" if state.kind == "link" else "file"
