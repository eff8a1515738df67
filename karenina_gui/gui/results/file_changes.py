"""What an agent left changed in its workspace, as the browser needs it: a list, and the lines of one file.

Everything in here was written by an agent: it is handed on as text, never as markup.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from karenina_gui.gui.parts.markup import with_signs_named
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.workspace import FileChange

Line = tuple[Literal[" ", "+", "-", "…"], int | None, int | None, str]
"""How it stands (`…`: lines that are not kept), its numbers before and after, its text."""

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


def file_list(result: VerificationResult) -> list[dict[str, Any]]:
    """{path, name, kind, before, after (bytes), shown (whether there are lines)} of each changed file.

    `name`: the path as a reader sees it.
    """
    changes = result.workspace.changes if result.workspace else []
    return [
        {
            "path": each.path, "name": with_signs_named(each.path), "kind": each.kind,
            "before": each.size_before, "after": each.size_after, "shown": each.diff is not None,
        }
        for each in changes
    ]  # fmt: skip


def file_lines(change: FileChange) -> dict[str, Any]:
    """{lines, whole, note}: the lines of both states; `whole`: whether these are all of the file."""
    lines = lines_of(with_signs_named(change.diff)) if change.diff is not None else []
    return {"lines": lines, "whole": change.whole and change.diff is not None, "note": change.note or _absent(change)}


def lines_of(diff: str) -> list[Line]:
    """The lines of a unified diff; its header lines are left out, also where a line of the file looks like one."""
    lines: list[Line] = []
    old = new = left_old = left_new = 0
    for text in diff.removesuffix("\n").split("\n"):
        if left_old <= 0 and left_new <= 0:
            if hunk := _HUNK.match(text):
                before, after = int(hunk[1]) - (hunk[2] != "0"), int(hunk[3]) - (hunk[4] != "0")
                if before > old or after > new:
                    lines.append(("…", None, None, ""))
                old, new, left_old, left_new = before, after, int(hunk[2] or 1), int(hunk[4] or 1)
            continue
        sign, rest = text[:1], text[1:]
        if sign == "-":
            old, left_old = old + 1, left_old - 1
            lines.append(("-", old, None, rest))
        elif sign == "+":
            new, left_new = new + 1, left_new - 1
            lines.append(("+", None, new, rest))
        elif sign != "\\":  # a diff may leave out the space of an empty line
            old, new, left_old, left_new = old + 1, new + 1, left_old - 1, left_new - 1
            lines.append((" ", old, new, rest))
    return lines


def _absent(change: FileChange) -> str | None:
    """Why there is nothing to see of a file."""
    return "The result does not contain the lines of this file." if change.diff is None else None
