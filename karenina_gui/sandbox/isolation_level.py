"""Levels of confinement: the machine is probed once, and everything else follows from its level.

    1  Linux, Landlock and seccomp    files, network, processes and system calls are closed, twice over
    2  Linux, seccomp                 the same by the filter of system calls alone
    5  none                           code that needs all of Python is refused, unless it is trusted expressly

Levels 3 and 4 are reserved for macOS and Windows, where no confinement has been tried yet: they are on the last level.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox import interpreter
from karenina_gui.schemas.reproducibility import UNCONFINED

_PROBE_S = 30.0


class SandboxLevel(BaseModel):
    """One level of confinement. Shown to users and saved with each run."""

    model_config = ConfigDict(frozen=True)

    rung: int
    """1 is the strongest."""
    name: str
    confined: bool
    """False: author-written code is refused, or runs with limits only if the user trusts it."""
    description: str
    """Plain-language description."""
    details: dict[str, Any] = Field(default_factory=dict)
    """Results of the probe: Landlock version (0: none), whether seccomp holds, system, processor."""


LANDLOCK_AND_SECCOMP = SandboxLevel(
    rung=1,
    name="Landlock and seccomp",
    confined=True,
    description="Template code runs in a sandbox: no files, no network, no programs, limited time and memory.",
)
SECCOMP = SandboxLevel(
    rung=2,
    name="seccomp",
    confined=True,
    description=(
        "Template code runs in a sandbox: no files, no network, no programs, limited time and memory. "
        "This system lacks one of its two layers, Landlock."
    ),
)
NONE = SandboxLevel(
    rung=5,
    name=UNCONFINED,
    confined=False,
    description=(
        "Most templates run no code, and plain code runs in a sandbox (Monty). Code that needs full Python doesn’t "
        "run: this computer can’t sandbox it."
    ),
)
LADDER = (LANDLOCK_AND_SECCOMP, SECCOMP, NONE)


def probe(rung: int | None = None) -> SandboxLevel:
    """Return the strongest level that holds on this machine, or the given weaker one (None: the strongest).

    Raises `SandboxError` if the given level does not hold here or does not exist.
    """
    facts = _facts()
    offered = LANDLOCK_AND_SECCOMP if facts["landlock"] and facts["seccomp"] else SECCOMP if facts["seccomp"] else NONE
    level = offered if rung is None else next((level for level in LADDER if level.rung == rung), None)
    if level is None or level.rung < offered.rung:
        raise SandboxError(f"sandbox level {rung} does not hold on this machine, which offers level {offered.rung}")
    return level.model_copy(update={"details": facts})


def _facts() -> dict[str, Any]:
    nothing: dict[str, Any] = {"landlock": 0, "seccomp": False}
    if os.name != "posix":
        return nothing
    process = interpreter.start("probe", stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        report, _ = process.communicate(timeout=_PROBE_S)
        facts: dict[str, Any] = json.loads(report)
        return facts
    except (subprocess.TimeoutExpired, ValueError):
        return nothing
    finally:
        process.kill()
        process.communicate()
