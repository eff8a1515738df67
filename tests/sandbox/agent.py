"""An agent in its workspace, with all the tools that there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.sandbox.workspace.workspace_tools import workspace_tools
from karenina_gui.schemas.tools import ToolOutput
from karenina_gui.schemas.workspace import WorkspaceLimits

ALL_TOOLS = ("list_files", "read_file", "search_files", "write_file", "edit_file", "run_command")
LIMITS = WorkspaceLimits(command_seconds=5, memory_mb=256, processes=40, disk_mb=8, output_kb=4)


class Agent:
    """What an agent may do, each call by name."""

    def __init__(self, folder: Path, box: CommandBox) -> None:
        self.folder, self.box = folder, box
        self.tools = {tool.spec.name: tool for tool in workspace_tools(folder, ALL_TOOLS, box)}

    def call(self, name: str, seconds: float | None = None, /, **arguments: Any) -> ToolOutput:
        return self.tools[name].call(arguments, seconds)

    def run(self, command: str, seconds: float | None = None) -> ToolOutput:
        return self.box.run(self.folder, command, seconds)
