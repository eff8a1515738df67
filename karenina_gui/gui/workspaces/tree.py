"""The tree of a workspace, which fetches its own folders as they are opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.gui.workspaces.paths import received, sent
from karenina_gui.static_files import static_folder


class WorkspaceTree(ui.element, component=static_folder() / "workspace_tree.js"):
    """Arrow keys move, Enter opens, Delete deletes, F2 renames. `url` lists a folder, see `routes`."""

    def __init__(self, url: str, label: str) -> None:
        super().__init__()
        self._props["url"] = url
        self._props["label"] = label

    def on_choose(self, callback: Callable[[str, str, bool], Any]) -> None:
        """Hears the path and kind of what is marked, and whether it is to be opened."""
        self.on(
            "choose",
            lambda event: callback(
                received(str(event.args["path"])), str(event.args["kind"]), bool(event.args["open"])
            ),
        )

    def on_key(self, key: str, callback: Callable[[str], Any]) -> None:
        """`remove` or `rename` hears the path that is meant."""
        self.on(key, lambda event: callback(received(str(event.args["path"]))))

    def refresh(self) -> None:
        """Look again at all folders that are open."""
        self.run_method("refresh")

    def reveal(self, path: str) -> None:
        """Mark an entry, with the folders around it open."""
        self.run_method("reveal", sent(path))
