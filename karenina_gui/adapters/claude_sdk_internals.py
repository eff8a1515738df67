"""Parts of the package `claude_agent_sdk` that it does not promise to keep.

Everything that relies on them is here; `tests/adapters/test_claude_sdk_internals.py` checks each against the installed
package, and `pyproject.toml` admits only the version that was checked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def kind_of(part: Any) -> str:
    """Name of the class of a message or of a block in it."""
    # By name, because the package is an extra, and its messages have no public base class to dispatch on.
    return type(part).__name__


def process_of(client: Any) -> Any | None:
    """Process of a client's program, with which it can be ended at once; None: it has not started."""
    return getattr(getattr(client, "_transport", None), "_process", None)


def bundled_program() -> Path | None:
    """Path of the program in the package; None: it has none for this computer."""
    import claude_agent_sdk as sdk

    program = Path(str(sdk.__file__)).resolve().parent / "_bundled" / "claude"
    return program if program.is_file() else None
