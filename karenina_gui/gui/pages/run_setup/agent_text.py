"""Descriptions of the actions of agents on this computer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karenina_gui.gui.kit.html import Html, link, tag
from karenina_gui.runs.agent_safety import StartedProgram
from karenina_gui.text import quantity


def set_root(benchmark_id: int) -> Html:
    """Link to the page where the workspace root is set."""
    return link(f"/benchmarks/{benchmark_id}/details", "Set workspace root")


def workspace_text(root: Path | None, *, copies: bool) -> str:
    """Describe the workspaces of the agents."""
    if root is None:
        return "Agents start in empty folders: no workspace root is set on this computer."
    return (
        f"Agents work in copies of the workspaces in {root}." if copies else f"Agents work in the workspaces in {root}."
    )


def started_programs(programs: Sequence[StartedProgram]) -> Html | None:
    """List started programs and the users of their tools; None: there are no programs."""
    if not programs:
        return None
    lines = [
        tag("li", tag("code", start.command), tag("span", f" ({start.server}), for {start.of}", class_="result-muted"))
        for start in programs
    ]
    count = quantity(len(programs), "program")
    return tag(
        "div",
        tag("p", f"This run starts {count} on this computer, unsandboxed and with your permissions:"),
        tag("ul", *lines, class_="run-form-programs"),
    )
