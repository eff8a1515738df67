"""Time to build pages on the server: `python tests/benchmarks/page_builds.py [ROUNDS]`.

Builds pages of the example in turns, in one process: as NiceGUI does, then with the check for arguments of handlers in
`nicegui_internals`, then with the garbage collection of the served application besides. Shows milliseconds of processor
time to build and delete a page, and how many times as fast that became.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from nicegui import Client, helpers, ui  # noqa: E402
from nicegui.testing.user_simulation import user_simulation  # noqa: E402

from karenina_gui.app import build  # noqa: E402
from karenina_gui.gui.session import nicegui_internals  # noqa: E402
from karenina_gui.gui.shell import layout  # noqa: E402
from karenina_gui.gui.shell.serving import ALLOCATIONS  # noqa: E402
from karenina_gui.settings import Settings  # noqa: E402

PATHS = ("/benchmarks/1/questions", "/benchmarks/1/run", "/models")
USUAL = gc.get_threshold()[0]
WAYS = {
    "NiceGUI": (nicegui_internals._expects_arguments, USUAL),
    "counted arguments": (nicegui_internals.expects_arguments, USUAL),
    "rare collections": (nicegui_internals.expects_arguments, ALLOCATIONS),
}


async def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        application = build(Settings(data=Path(folder)))
        services = application.services()
        try:
            async with user_simulation() as user:
                ui.page("/{_:path}")(lambda: layout.draw(services))
                times: dict[tuple[str, str], list[float]] = {}
                gc.collect()
                gc.freeze()  # as the served application does
                for _ in range(rounds):
                    for path in PATHS:
                        for name, (check, allocations) in WAYS.items():
                            helpers.expects_arguments = check
                            gc.set_threshold(allocations)
                            started = time.process_time()
                            (await user.http_client.get(path)).raise_for_status()
                            for client in [*Client.instances.values()]:
                                client.delete()
                            times.setdefault((path, name), []).append(1000 * (time.process_time() - started))
        finally:
            application.close()
    for path in PATHS:
        first = mean(times[path, "NiceGUI"])
        found = ((name, mean(times[path, name])) for name in WAYS)
        print(f"{path:25}", *(f"{name} {time:4.0f} ms ×{first / time:.2f}" for name, time in found), sep="  ")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 15))
