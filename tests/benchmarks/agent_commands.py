"""What it costs to confine an agent's commands, and what a call of each tool takes.

    python tests/benchmarks/agent_commands.py

All ways are measured in one process one after another, in turns, so that the ratios hold even on a busy machine.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from karenina_gui.sandbox.commands import bubblewrap  # noqa: E402
from karenina_gui.sandbox.commands.command_box import CommandBox  # noqa: E402
from karenina_gui.sandbox.workspace.workspace_tools import workspace_tools  # noqa: E402
from karenina_gui.schemas.workspace import WorkspaceLimits, WorkspaceToolName  # noqa: E402

ROUNDS, FILES = 20, 200


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(FILES):
            (folder / f"{number:03}.txt").write_text("gene,dose\nBCL2,5\n" * 50)
        box = CommandBox(WorkspaceLimits())
        started = time.perf_counter()
        print(f"{box.confinement.name}: {box.refusal or 'commands are confined'}")
        print(f"tried out in {1000 * (time.perf_counter() - started):.0f} ms, once in the life of the application")
        box.admit(folder)
        medians = measured(commands(folder, box) | calls(folder, box))
        for way, median in medians.items():
            print(f"{way:<34} {1000 * median:8.2f} ms   {median / medians['plain bash']:6.2f} x plain bash")
    return 0


def commands(folder: Path, box: CommandBox) -> dict[str, Callable[[], object]]:
    ways: dict[str, Callable[[], object]] = {"plain bash": lambda: subprocess.run(["/bin/bash", "-c", "true"])}
    if box.refusal is None:
        program = str(bubblewrap.find_programs()[0].program)
        ways["bare bubblewrap"] = lambda: subprocess.run([program, "--unshare-all", "--ro-bind", "/", "/", "true"])
        ways["box.run"] = lambda: box.run(folder, "true")
    if os.geteuid() == 0:
        bare = [sys.executable, "-I", "-S", "-B", "-c", "import ctypes"]
        ways["a bare Python, as root needs one"] = lambda: subprocess.run(bare)
    return ways


def calls(folder: Path, box: CommandBox) -> dict[str, Callable[[], object]]:
    arguments: dict[WorkspaceToolName, dict[str, str]] = {
        "list_files": {},
        "read_file": {"path": "000.txt"},
        "search_files": {"pattern": "BCL[0-9]"},
        "write_file": {"path": "new.txt", "content": "x" * 1000},
        "edit_file": {"path": "new.txt", "old_text": "x" * 1000, "new_text": "x" * 1000},
    }
    tools = {tool.spec.name: tool for tool in workspace_tools(folder, tuple(arguments), box)}
    return {name: lambda name=name: tools[name].call(arguments[name]) for name in arguments}  # type: ignore[misc]


def measured(ways: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds for one, the median."""
    taken: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, run in ways.items():
            started = time.perf_counter()
            run()
            taken[way].append(time.perf_counter() - started)
    return {way: statistics.median(times) for way, times in taken.items()}


if __name__ == "__main__":
    sys.exit(main())
