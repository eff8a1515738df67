"""The ladder of confinement: what this machine offers is tried once, and everything else follows from the rung.

    1  Linux, Landlock and seccomp    files, network, processes and system calls are closed, twice over
    2  Linux, seccomp                 the same by the filter of system calls alone
    5  none                           code that needs all of Python is refused, unless it is trusted expressly

Rungs 3 and 4 are kept for macOS and Windows, where no confinement has been tried yet: they stand on the last rung.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox import interpreter

_PROBE_S = 30.0


class SandboxLevel(BaseModel):
    """One rung of the ladder; shown to people and kept with each run."""

    model_config = ConfigDict(frozen=True)

    rung: int
    """1 is the strongest."""
    name: str
    confined: bool
    """False: author-written code is refused, or runs with limits only where it was trusted expressly."""
    description: str
    """In plain words."""
    details: dict[str, Any] = Field(default_factory=dict)
    """What the probe found: Landlock version (0: none), whether seccomp holds, system, processor."""


LANDLOCK_AND_SECCOMP = SandboxLevel(
    rung=1,
    name="Landlock and seccomp",
    confined=True,
    description="Template code runs in a locked process: no files, no network, no programs, limited time and memory.",
)
SECCOMP = SandboxLevel(
    rung=2,
    name="seccomp",
    confined=True,
    description=(
        "Template code runs in a locked process: no files, no network, no programs, limited time and memory. "
        "This system offers one of the two locks (no Landlock)."
    ),
)
NONE = SandboxLevel(
    rung=5,
    name="none",
    confined=False,
    description=(
        "Templates that declare fields, and plain methods and functions, work here: these run in a sandbox. Code that "
        "needs all of Python is not run, since this system offers no lock for it."
    ),
)
LADDER = (LANDLOCK_AND_SECCOMP, SECCOMP, NONE)


def probe(rung: int | None = None) -> SandboxLevel:
    """The strongest rung that holds on this machine, or the given weaker one (None: the strongest).

    SandboxError when the given rung does not hold here or does not exist.
    """
    facts = _facts()
    found = LANDLOCK_AND_SECCOMP if facts["landlock"] and facts["seccomp"] else SECCOMP if facts["seccomp"] else NONE
    level = found if rung is None else next((level for level in LADDER if level.rung == rung), None)
    if level is None or level.rung < found.rung:
        raise SandboxError(f"sandbox level {rung} does not hold on this machine, which offers level {found.rung}")
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
