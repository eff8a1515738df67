"""Right side of an agentic result: linked panes for answer, investigations and workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui

from karenina_gui.gui.components.clipboard import copy_text
from karenina_gui.gui.components.elements import icon_button
from karenina_gui.gui.components.html import Html, icon, join_html, link, tag
from karenina_gui.gui.results.investigations import InvestigationPane, investigations
from karenina_gui.gui.results.sizes import size
from karenina_gui.gui.results.trace_view import TraceView, TraceWords
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.workspace import ResultWorkspace
from karenina_gui.static_files import static_folder
from karenina_gui.text import quantity

View = tuple[str, str, Callable[[], ui.element]]
"""Name, title and drawing function."""


class _Panes(ui.element, component=static_folder() / "evidence_view.js"):
    """Tabs of panes. `url` returns the output of `justified`; each view is in the slot of its name."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.props["url"] = url
        self.props["panes"] = []

    def pane(
        self, name: str, title: str, views: Sequence[tuple[str, str, Callable[[], ui.element]]], **more: Any
    ) -> None:
        """Add a pane; `more`: `count`, a number beside the title."""
        drawn = []
        for view, view_title, draw in views:
            with self.add_slot(view):
                drawn.append({"name": view, "title": view_title, "id": draw().id})
        self.props["panes"].append({"name": name, "title": title, "views": drawn, **more})


class FileChanges(ui.element, component=static_folder() / "file_changes.js"):
    """List of changed files from `url`, with the lines of each file below."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.props["url"] = url


def evidence_view(
    result: VerificationResult,
    address: str,
    answer: Callable[[], ui.element],
    *,
    question_address: str | None,
    root: Path | None,
) -> None:
    """Draw the panes.

    `address`: URL of the result's data, such as `/api/results/3`. `answer`: draws the conversation. `root`: folder of
    the benchmark's workspaces; None: no workspaces.
    """
    panes, traces = _Panes(f"{address}/evidence"), investigations(result)
    panes.pane("answer", "Answer", [("answer", "Answer", answer)])
    if traces:
        views = [(trace.name, trace.title, _investigation(trace, address)) for trace in traces]
        panes.pane("investigation", "Investigation", views, **({"count": len(traces)} if len(traces) > 1 else {}))
    if result.workspace is not None:
        workspace = result.workspace

        def draw() -> ui.element:
            return _workspace(workspace, f"{address}/workspace", question_address, root)

        views = [("workspace", "Workspace", draw)]
        panes.pane("workspace", "Workspace", views, count=len(workspace.changes))


def _investigation(pane: InvestigationPane, address: str) -> Callable[[], ui.element]:
    return lambda: TraceView(
        f"{address}/investigations/{pane.number}",
        empty="No messages.",
        facts=pane.facts,
        ended=pane.ended,
        labels=TraceWords("Investigation", f"{pane.name}-message", last="report", told="sent to the judge"),
    )


def _workspace(workspace: ResultWorkspace, url: str, question_address: str | None, root: Path | None) -> ui.element:
    view = FileChanges(url)
    with view:
        ui.html(workspace_words(workspace, question_address))
        if (folder := kept_folder(workspace, root)) is not None:
            with ui.element("div").classes("changes-kept line gap-6"):
                ui.html(join_html([icon("folder"), " Saved in ", tag("code", str(folder))]))
                icon_button(
                    "content_copy",
                    "Copy path",
                    partial(copy_text, str(folder), "Copied to clipboard."),
                )
    return view


def kept_folder(workspace: ResultWorkspace, root: Path | None) -> Path | None:
    """Return the folder of the kept workspace on this computer; None: it does not exist."""
    if workspace.kept_at is None or root is None:
        return None
    folder = root / workspace.kept_at
    # A stored path can come from an imported file, and must not lead out of the folder.
    return folder if folder.is_dir() and root.resolve() in folder.resolve().parents else None


def workspace_words(workspace: ResultWorkspace, question_address: str | None) -> Html:
    """Describe whether the workspace was kept, and how to open it."""
    counts = _change_counts(workspace)
    files = quantity(workspace.files, "file")
    began: Html | str = "It started as an empty folder."
    if workspace.path:
        began = join_html(["It started as a copy of ", _folder(workspace.path, question_address), "."])
    changed = f"The agent left {files} ({size(workspace.size)}): {counts}."
    if not counts:
        changed = f"The agent changed nothing: {files} ({size(workspace.size)})."
    noun = "copy" if workspace.path else "folder"
    gone = f"The {noun} was deleted after the job; only the changes below are saved."
    if workspace.kept_at:
        gone = f"The folder is saved as {workspace.kept_at}."
    own = _own_tools(workspace)
    notes = tag("ul", *(tag("li", note) for note in workspace.notes)) if workspace.notes else None
    return join_html([tag("p", changed, " ", began, " ", gone), tag("p", own) if own else None, notes])


def _change_counts(workspace: ResultWorkspace) -> str:
    """Format `2 added, 1 deleted`; empty: nothing was changed."""
    counts = {
        kind: sum(change.kind == kind for change in workspace.changes) for kind in ("added", "modified", "deleted")
    }
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)


def _own_tools(workspace: ResultWorkspace) -> str | None:
    """Return a sentence about Claude Code's own tools; None: none were enabled."""
    if workspace.claude_code_tools is None:
        return None
    if not workspace.claude_code_tools:
        return (
            "Claude Code’s own tools were off: they could not be sandboxed, and the run did not allow them unsandboxed."
        )
    where = "in a sandbox" if workspace.claude_code_sandboxed else "without a sandbox"
    return f"Claude Code’s own tools were on, {where}: {', '.join(workspace.claude_code_tools)}."


def _folder(path: str, question_address: str | None) -> Html:
    name = tag("code", path)
    return link(f"{question_address}?tab=workspace", name) if question_address else name
