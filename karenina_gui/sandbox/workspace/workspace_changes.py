"""What an agent left changed in its workspace: diffs for people, and files from which its work can be had again."""

from __future__ import annotations

import base64
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder
from karenina_gui.sandbox.workspace.folder_removal import remove
from karenina_gui.sandbox.workspace.workspace_copy import FileState, Manifest, manifest
from karenina_gui.schemas.workspace import ChangeKind, FileChange, ResultWorkspace

WHOLE_KB = 96
"""Both states of a file together up to which its diff holds every line."""
LONGEST_KB = 512
"""One state of a file up to which there is a diff at all."""
MOST_LINES = 6_000
"""Lines that differ, between the first and the last, up to which they are compared one by one."""
DIFFS_KB = 1024
"""All diffs of one result."""
MOST_CHANGES = 1_000
"""Changed files of one result that are listed."""
KEPT_MB = 8
"""Contents of changed files that are kept for further judges of one answer."""


@dataclass(frozen=True)
class WorkLeft:
    """What it takes to have the agent's work again in a copy of the same workspace, as plain data.

    Names that are no UTF-8 stand in it as `_kept` writes them, so that it can be stored.
    """

    files: dict[str, str] = field(default_factory=dict)
    """{path: content} of new and changed files, compressed and in base 64."""
    links: dict[str, str] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    executable: list[str] = field(default_factory=list)
    """Those of the files that may be run."""
    complete: bool = True
    """False: the files are too large to be kept, or lost."""
    lost: bool = False
    """Whether nobody knows what they were."""


@dataclass(frozen=True)
class Outcome:
    result: ResultWorkspace
    left: WorkLeft


def compare(before: Path | None, was: Manifest, folder: Path, path: str | None) -> Outcome:
    """What became of `folder`, which began as `was`.

    `before` is where the former contents can still be read (None: it began empty); `path` is the question's workspace.
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
    return Outcome(result, _left(ConfinedFolder(folder), now, changed))


def unknown_outcome(path: str | None, why: str) -> Outcome:
    """Of a workspace that is gone, or cannot be read any more."""
    return Outcome(ResultWorkspace(path=path, notes=[why]), WorkLeft(complete=False, lost=True))


def have_again(left: WorkLeft, folder: Path) -> None:
    """Put the agent's work into a fresh copy of its workspace. Errors: `InputError`: it was too large to be kept."""
    if left.lost:
        raise InputError(
            "What the agent left in its workspace is lost, so it cannot be judged. Run the question again."
        )
    if not left.complete:
        raise InputError(
            f"The agent left more than {KEPT_MB} MB of changed files. So much is not kept for a second judge, nor for "
            "a run that goes on later: let one judge look at this answer, or run the question again."
        )
    for path in left.deleted:
        (folder / _own(path)).unlink(missing_ok=True)
    for path, content in left.files.items():
        goal = _cleared(folder, _own(path))
        goal.write_bytes(zlib.decompress(base64.b64decode(content)))
        if path in left.executable:
            goal.chmod(goal.stat().st_mode | 0o111)
    for path, target in left.links.items():
        _cleared(folder, _own(path)).symlink_to(_own(target))


def _cleared(folder: Path, path: str) -> Path:
    """A place for a file, where none of the folders above is a link that the workspace brought along."""
    place = folder
    for part in Path(path).parts[:-1]:
        place = place / part
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            place.unlink()
        place.mkdir(exist_ok=True)
    goal = place / Path(path).name
    if goal.is_symlink() or goal.is_file():
        goal.unlink()
    elif goal.is_dir():
        remove(goal)
    return goal


def _notes(now: Manifest, changed: Sequence[str]) -> list[str]:
    notes = []
    if not now.complete:
        notes.append(f"The workspace has more than {len(now.entries):,} files; the others were not looked at.")
    if len(changed) > MOST_CHANGES:
        notes.append(f"{len(changed):,} files were changed; the first {MOST_CHANGES:,} are listed.")
    if now.skipped:
        listed = ", ".join(map(_shown, now.skipped[:5])) + (" and others" if len(now.skipped) > 5 else "")
        notes.append(f"Neither files nor links, or not readable, so not looked at: {listed}.")
    return notes


class _Diffs:
    """Within the limits of one result."""

    def __init__(self, before: ConfinedFolder | None, was: Manifest, after: ConfinedFolder, now: Manifest) -> None:
        self._before, self._was, self._after, self._now = before, was, after, now
        self._room = DIFFS_KB << 10

    def change(self, path: str) -> FileChange:
        old, new = self._was.entries.get(path), self._now.entries.get(path)
        kind: ChangeKind = "added" if old is None else "deleted" if new is None else "modified"
        diff, whole, note = self._diff(path, old, new)
        return FileChange(
            path=_shown(path),
            kind=kind,
            size_before=old and old.size,
            size_after=new and new.size,
            diff=diff,
            whole=whole,
            note=note,
        )

    def _diff(self, path: str, old: FileState | None, new: FileState | None) -> tuple[str | None, bool, str | None]:
        if "link" in {state.kind for state in (old, new) if state}:
            return None, False, " → ".join(_as_link(state) for state in (old, new) if state)
        if max(state.size for state in (old, new) if state) > LONGEST_KB << 10:
            return None, False, f"Longer than {LONGEST_KB} kB, so its contents are not kept."
        texts = self._text(self._before, path, old), self._text(self._after, path, new)
        if texts[0] is None or texts[1] is None:
            return None, False, "No text, or not readable any more, so its contents are not shown."
        whole = sum(len(text) for text in texts if text) <= WHOLE_KB << 10
        diff = unified(texts[0], texts[1], whole)
        if diff is None:
            return None, False, "Too much of it differs to be shown line by line."
        if len(diff) > self._room:
            return None, False, f"The diffs of this result are longer than {DIFFS_KB} kB; this one was left out."
        self._room -= len(diff)
        return diff, whole, None

    def _text(self, folder: ConfinedFolder | None, path: str, state: FileState | None) -> str | None:
        """Empty for a file that was not there; None: it is no text, or not what it was any more."""
        if state is None:
            return ""
        content = _content(folder, path) if folder else None
        if content is None or b"\0" in content or len(content) != state.size:
            return None
        try:
            return content.decode()
        except UnicodeDecodeError:
            return None


def unified(old: str, new: str, whole: bool) -> str | None:
    """A unified diff, with every line of both texts where `whole`; None: too much differs.

    A last line without an end says so, as diff programs have it, so that both texts can be had from a whole diff.
    """
    a, b = _lines(old), _lines(new)
    same_start = _alike(a, b)
    same_end = min(_alike(a[::-1], b[::-1]), len(a) - same_start, len(b) - same_start)
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


def _alike(a: Sequence[str], b: Sequence[str]) -> int:
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _left(folder: ConfinedFolder, now: Manifest, changed: Sequence[str]) -> WorkLeft:
    states = {path: now.entries[path] for path in changed if path in now.entries}
    if sum(state.size for state in states.values()) > KEPT_MB << 20 or not now.complete:
        return WorkLeft(complete=False)
    contents = {path: _content(folder, path) for path, state in states.items() if state.kind == "file"}
    return WorkLeft(
        files={_kept(path): _packed(content) for path, content in contents.items() if content is not None},
        links={_kept(path): _kept(state.identity) for path, state in states.items() if state.kind == "link"},
        deleted=[_kept(path) for path in changed if path not in now.entries],
        executable=[_kept(path) for path, content in contents.items() if content is not None and _runs(folder, path)],
        complete=None not in contents.values(),
    )


def _shown(name: str) -> str:
    """The name of a file, where bytes that are no UTF-8 are written as `\\xff`: no result can hold them."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _kept(name: str) -> str:
    """As `_own` reads it; names never begin with a zero."""
    encoded = os.fsencode(name)
    try:
        return encoded.decode()
    except UnicodeDecodeError:
        return "\0" + base64.b64encode(encoded).decode()


def _own(kept: str) -> str:
    return os.fsdecode(base64.b64decode(kept[1:])) if kept.startswith("\0") else kept


def _runs(folder: ConfinedFolder, path: str) -> bool:
    try:
        with folder.file(path) as handle:
            return bool(os.fstat(handle).st_mode & 0o100)
    except InputError:
        return False


def _packed(content: bytes) -> str:
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
    return f"link to {_shown(state.identity)}" if state.kind == "link" else "file"
