"""Execution of agents' commands: each in its own box around its workspace; all its processes end with it."""

from __future__ import annotations

import copy
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock

from karenina_gui.private_folders import folder_problem
from karenina_gui.sandbox.commands import bubblewrap, program_box
from karenina_gui.sandbox.commands.bubblewrap import Bubblewrap
from karenina_gui.sandbox.commands.program_box import BubblewrapProgramBox
from karenina_gui.sandbox.commands.running_command import RunningCommand
from karenina_gui.sandbox.workspace import safe_walk
from karenina_gui.schemas.tools import ToolOutput
from karenina_gui.schemas.workspace import WorkspaceLimits

_probing = Lock()


@dataclass(frozen=True)
class CommandConfinement:
    """Confinement of commands on this machine. Shown to users and saved with each run."""

    name: str
    confined: bool
    """False: commands are refused, or run with limits on time and output only if the user allowed that."""
    description: str
    """Plain-language description."""


class CommandBox:
    """Runs commands within limits. Thread-safe. The machine's confinement is probed at first use."""

    def __init__(
        self,
        limits: WorkspaceLimits,
        *,
        allow_unconfined: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """`allow_unconfined` matters only if this machine cannot confine commands.

        `cancelled` is polled while a command runs; True ends the command.
        """
        self.limits = limits
        self._cancelled = cancelled
        self.allow_unconfined = allow_unconfined
        self.judging_since: float | None = None
        """When a judge got its folder (seconds since 1970); None: commands are not a judge's."""

    def for_judges(self) -> CommandBox:
        """A box with the same limits for the commands of a judge who now gets its folder.

        Interpreters load no code of that folder by themselves (`judge_tools`).
        """
        other = copy.copy(self)
        other.judging_since = time.time()
        return other

    @property
    def confinement(self) -> CommandConfinement:
        if self._bubblewrap is not None:
            network = "They have network access." if self.limits.network else "They have no network access."
            return CommandConfinement(
                name="bubblewrap",
                confined=True,
                description=(
                    "Commands only see their workspace and installed programs: no other files and no keys. "
                    f"{network} Time, memory, processes, disk space, and output are limited."
                ),
            )
        return CommandConfinement(
            name="none",
            confined=False,
            description=(
                f"This computer can’t sandbox commands: {self._trouble}. "
                + (
                    "They are allowed anyway, with all your permissions. Only time and output are limited."
                    if self.allow_unconfined
                    else f"They are blocked.{self._remedy}"
                )
            ),
        )

    @property
    def refusal(self) -> str | None:
        """Reason why commands are refused; None if they are run."""
        if self._bubblewrap is not None or self.allow_unconfined:
            return None
        return (
            f"Commands are blocked: this computer can’t sandbox them ({self._trouble}). Files can still be read, "
            "searched, and written. If you trust the agent, allow unsandboxed commands for the run."
        )

    @property
    def program_box(self) -> BubblewrapProgramBox | None:
        """A sandbox for whole programs, with the limits of commands; None: this machine has none."""
        usable = self._bubblewrap
        with _probing:
            return None if usable is None or program_box.trouble(usable) else BubblewrapProgramBox(usable, self.limits)

    def admit(self, folder: Path) -> None:
        """Hand a fresh copy and its contents to the user that commands run as. Raises `OSError`.

        If the application runs as root, a command in a folder that was not admitted has the rights of any other user:
        it reads and changes only what everybody may.
        """
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        safe_walk.hand_over(folder, bubblewrap.COMMANDS_USER if root and self._bubblewrap is not None else None)

    def run(self, folder: Path, command: str, seconds: float | None = None) -> ToolOutput:
        """Run one shell command in the folder.

        `seconds`: remaining time; None, or more than the limit: the limit of one command. Raises nothing: the text says
        how the command ended, after its output until then.
        """
        if (refusal := self.refusal or folder_problem(folder)) is not None:
            return ToolOutput(refusal, is_error=True)
        # execve takes no zero byte, and arguments with lone surrogates cannot be encoded.
        if "\0" in command or any("\ud800" <= character <= "\udfff" for character in command):
            return ToolOutput("The command contains an unsupported character.", is_error=True)
        allowed = self.limits.command_seconds if seconds is None else min(seconds, self.limits.command_seconds)
        try:
            workspace, seconds = Path(os.path.realpath(folder)), max(0.1, allowed)
            run = RunningCommand(workspace, self.limits, seconds, self._cancelled, judging_since=self.judging_since)
            return run.run_boxed(self._bubblewrap, command) if self._bubblewrap else run.run_unconfined(command)
        except FileNotFoundError:
            return ToolOutput("The workspace no longer exists, so no command can run in it.", is_error=True)
        except OSError as fault:
            return ToolOutput(f"The command could not be started: {fault.strerror}.", is_error=True)

    @cached_property
    def _bubblewrap(self) -> Bubblewrap | None:
        with _probing:
            return next((box for box in bubblewrap.find_programs() if bubblewrap.trouble(box) is None), None)

    @property
    def _trouble(self) -> str:
        if sys.platform != "linux":
            return "the command sandbox needs Linux"
        candidates = bubblewrap.find_programs()
        if not candidates:
            return "the program bubblewrap is not installed"
        return f"the program bubblewrap was tried, but {bubblewrap.trouble(candidates[0])}"

    @property
    def _remedy(self) -> str:
        if sys.platform != "linux" or bubblewrap.find_programs():
            return ""
        return " Install its package, for example with “sudo apt install bubblewrap”, and restart the application."
