"""What a run does with agents on this computer, in words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karenina_gui.gui.parts.markup import Html, link, tag
from karenina_gui.runs.agents import StartedProgram


def set_root(benchmark_id: int) -> Html:
    """The way to the place where it is set."""
    return link(f"/benchmarks/{benchmark_id}/details", "Set the root of the workspaces")


def where(root: Path | None, *, copies: bool) -> str:
    """Where agents work."""
    if root is None:
        return "Agents begin in empty folders: no root for workspaces is set on this computer."
    return f"Agents work in {'copies of' if copies else ''} the workspaces below {root}.".replace("  ", " ")


def started(programs: Sequence[StartedProgram]) -> Html | None:
    """Every program with who uses its tools; None: there is none."""
    if not programs:
        return None
    lines = [
        tag("li", tag("code", each.command), tag("span", f" ({each.server}), for {each.of}", class_="rz-mut"))
        for each in programs
    ]
    what = "this program" if len(programs) == 1 else "these programs"
    return tag(
        "div",
        tag("p", f"This run starts {what} on this computer, with your rights and confined by nothing:"),
        tag("ul", *lines, class_="rf-programs"),
    )
