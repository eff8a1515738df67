"""File tree of a workspace. The browser fetches each folder when it is expanded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.gui.workspaces.paths import quote_path, unquote_path
from karenina_gui.static_files import static_folder


class WorkspaceTree(ui.element, component=static_folder() / "workspace_tree.js"):
    """File tree. Arrow keys move, Enter opens, Delete deletes, F2 renames.

    `url`: folder listing, see `routes`.
    """

    def __init__(self, url: str, label: str) -> None:
        super().__init__()
        self.props["url"] = url
        self.props["label"] = label

    def on_choose(self, callback: Callable[[str, str, bool], Any]) -> None:
        """Call back with path and kind of the selected entry, and True if it is to be opened."""
        self.on(
            "choose",
            lambda event: callback(
                unquote_path(str(event.args["path"])), str(event.args["kind"]), bool(event.args["open"])
            ),
        )

    def on_key(self, key: str, callback: Callable[[str], Any]) -> None:
        """Call back with the path of the entry. `key`: `remove` or `rename`."""
        self.on(key, lambda event: callback(unquote_path(str(event.args["path"]))))

    def refresh(self) -> None:
        """Reload all expanded folders."""
        self.run_method("refresh")

    def reveal(self, path: str) -> None:
        """Select an entry and expand its parent folders."""
        self.run_method("reveal", quote_path(path))
