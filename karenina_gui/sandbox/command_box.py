"""Where agents' commands run, and whether this computer can confine them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from karenina_gui.schemas.tools import ToolOutput
from karenina_gui.schemas.workspace import WorkspaceLimits


@dataclass(frozen=True)
class CommandConfinement:
    """What keeps commands in their folder on this computer."""

    name: str
    confined: bool
    description: str
    """In plain words."""


NOTHING = CommandConfinement("none", False, "This computer cannot keep commands to their folder and off the network.")


class CommandBox:
    """Runs no command: nothing here confines one yet."""

    def __init__(self, limits: WorkspaceLimits, *, allow_unconfined: bool = False) -> None:
        self.limits = limits
        self.confinement = NOTHING
        self.refusal: str | None = f"No command runs here. {NOTHING.description}"

    def run(self, folder: Path, command: str, seconds: float | None) -> ToolOutput:
        return ToolOutput(str(self.refusal), is_error=True)

    def admit(self, folder: Path) -> None:
        """Nothing has to be done for whoever runs no command."""
