"""Files changed by an agent, for the browser: a list, and the lines of each file.

Agents write these texts, so they are passed as text and never as markup.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from karenina_gui.gui.kit.html import with_named_characters
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.workspace import FileChange

Line = tuple[Literal[" ", "+", "-", "…"], int | None, int | None, str]
"""State (`…`: omitted lines), line number before, line number after, text."""

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


def file_list(result: VerificationResult) -> list[dict[str, Any]]:
    """Return {path, name, kind, before, after (bytes), shown (True: has lines)} of each changed file.

    `name`: display form of the path.
    """
    changes = result.workspace.changes if result.workspace else []
    return [
        {
            "path": change.path,
            "name": with_named_characters(change.path),
            "kind": change.kind,
            "before": change.size_before,
            "after": change.size_after,
            "shown": change.diff is not None,
        }
        for change in changes
    ]


def file_lines(change: FileChange) -> dict[str, Any]:
    """Return {lines, whole, note} of a file; `whole`: True if these are all lines."""
    lines = lines_of(with_named_characters(change.diff)) if change.diff is not None else []
    return {
        "lines": lines,
        "whole": change.whole and change.diff is not None,
        "note": change.note or _reason_without_lines(change),
    }


def lines_of(diff: str) -> list[Line]:
    """Parse the lines of a unified diff, without its header."""
    lines: list[Line] = []
    old = new = left_old = left_new = 0
    for text in diff.removesuffix("\n").split("\n"):
        # The line counts of the hunk decide, because a removed line can look like a header (`--- a`).
        if left_old <= 0 and left_new <= 0:
            if hunk := _HUNK.match(text):
                before, after = int(hunk[1]) - (hunk[2] != "0"), int(hunk[3]) - (hunk[4] != "0")
                # A diff omits the unchanged lines between its hunks.
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


def _reason_without_lines(change: FileChange) -> str | None:
    """Return the reason why a file has no lines to show."""
    return "The result does not contain the lines of this file." if change.diff is None else None
