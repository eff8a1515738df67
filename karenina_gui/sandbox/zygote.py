"""The zygote: a process with everything imported that forks a cell for each template. It never runs an author's code.

The application starts it without an environment, with a list of folders to import from. It warms up, gives up its
rights, and then serves one request at a time from standard input:

    in   a frame {"cell": key of the template, "wall_s": seconds}, then the request, relayed to the cell as it is
    out  a frame {"status", "cpu_s", "pid"} of the zygote's own, then the cell's reply, relayed unread (empty unless ok)
    in   a frame {"end": key of the template}: its cell is ended; there is no answer
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from karenina_gui.sandbox import lockdown, seccomp, template_code
from karenina_gui.sandbox.cell import Cell
from karenina_gui.sandbox.frames import read_frame, write_frame
from karenina_gui.sandbox.limits import Limits

_REQUESTS, _REPLIES = 0, 1


def main(configuration: str) -> None:
    """`configuration` is JSON: {"landlock": bool, "seccomp": bool, "limits": {...}}."""
    config = json.loads(configuration)
    limits = Limits(**config["limits"])
    template_code.warm_up()
    _give_up_rights(landlock=config["landlock"])
    zygote = Zygote(limits, _cell_lock(config, limits))
    gc.collect()
    gc.freeze()  # a collection in a cell would touch, and so copy, every page of the imported modules
    gc.disable()
    write_frame(_REPLIES, json.dumps({"ready": True, "uid": os.geteuid()}).encode())
    zygote.serve()


class Zygote:
    """Keeps the cells that were used last, and relays."""

    def __init__(self, limits: Limits, lock: Callable[[int], None]) -> None:
        self._limits = limits
        self._lock = lock
        self._cells: OrderedDict[str, Cell] = OrderedDict()

    def serve(self) -> None:
        """Until the application closes the pipe."""
        while True:
            try:
                control = json.loads(read_frame(_REQUESTS))
                if "end" in control:
                    self._cells.pop(control["end"]).end()
                    continue
                request = read_frame(_REQUESTS)
            except EOFError:
                return
            header, body = self.relay(control["cell"], request, control["wall_s"])
            write_frame(_REPLIES, json.dumps(header).encode())
            write_frame(_REPLIES, body)

    def relay(self, key: str, request: bytes, wall_s: float) -> tuple[dict[str, Any], bytes]:
        cell = self._cell(key)
        before = cell.cpu_s()
        status, body = cell.ask(request, wall_s)
        if status != "ok":
            del self._cells[key]
            return {"status": status, "cpu_s": None, "pid": None}, b""
        return {"status": status, "cpu_s": round(cell.cpu_s() - before, 6), "pid": cell.pid}, body

    def _cell(self, key: str) -> Cell:
        cell = self._cells.get(key)
        if cell is not None and not cell.fresh():
            self._cells.pop(key).end()
            cell = None
        if cell is None:
            while len(self._cells) >= self._limits.live_cells:
                self._cells.popitem(last=False)[1].end()
            cell = self._cells[key] = Cell(self._limits, self._lock)
        self._cells.move_to_end(key)
        return cell


def _give_up_rights(*, landlock: bool) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    os.environ.clear()
    sys.argv.clear()
    sys.orig_argv.clear()
    sys.path.clear()  # nothing can be read from now on; a missing module is then simply not found
    sys.path_importer_cache.clear()
    if sys.platform != "linux":
        return
    lockdown.hide_memory()
    if landlock:
        lockdown.close_files()
    lockdown.drop_root()
    lockdown.drop_capabilities()
    lockdown.forbid_new_privileges()
    lockdown.hide_memory()  # the change of user made it visible again


def _cell_lock(config: dict[str, Any], limits: Limits) -> Callable[[int], None]:
    program = seccomp.allow_list() if config["seccomp"] else None

    def lock(zygote: int) -> None:
        if sys.platform == "linux":
            lockdown.die_with_parent(zygote)
        if config["landlock"]:
            lockdown.close_files()  # nested: shields the zygote, too
        lockdown.limit_resources(limits.memory_mb, limits.lifetime_cpu_s)
        if program is not None:
            lockdown.filter_system_calls(program)

    return lock
