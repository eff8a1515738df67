"""The zygote: a process with everything imported that forks a cell for each template.

It never runs an author's code. The application starts it without an environment, with a list of folders to import
from. It warms up, gives up its rights, and then serves several requests at a time, one for each slot, which is a pair
of pipes:

    in   a frame {"cell": key of the template, "wall_s": seconds, "more": whether another request is to be expected},
         then the request, relayed to the cell as it is
    out  a frame {"status", "cpu_s", "pid"} of the zygote's own, then the cell's reply, relayed unread (empty unless ok)
    in   a frame {"end": key of the template, "pid"}: its cell is ended if it waits; there is no answer
"""

from __future__ import annotations

import gc
import json
import os
import select
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from karenina_gui.sandbox import lockdown, seccomp, template_code
from karenina_gui.sandbox.cell import Cell
from karenina_gui.sandbox.framing import read_frame, write_frame
from karenina_gui.sandbox.limits import Limits

_PATIENCE_S = 60.0
"""Seconds during which a cell that expects another request is preferred; most models answer within them."""


def main(configuration: str) -> None:
    """Run the zygote. `configuration` is JSON: {"landlock": bool, "limits": {...}, "slots": [[in, out]]}."""
    config = json.loads(configuration)
    limits = Limits(**config["limits"])
    # Before the rights are given up, since imports read files.
    template_code.warm_up()
    _give_up_rights(landlock=config["landlock"])
    slots = [_Slot(*pipes) for pipes in config["slots"]]
    zygote = Zygote(limits, _cell_lock(config, limits), slots)
    gc.collect()
    gc.freeze()  # a collection in a cell would touch, and so copy, every page of the imported modules
    gc.disable()
    _reply(slots[0], {}, b"")  # ready
    zygote.serve()


@dataclass
class _Task:
    """Request in progress."""

    key: str
    cell: Cell
    cpu_s: float
    """Processor seconds of the cell before the request."""
    more: bool


@dataclass
class _Slot:
    requests: int
    replies: int
    task: _Task | None = None


@dataclass
class _Waiting:
    """Idle cell, kept for the next request of its template."""

    cell: Cell
    wanted_until: float


class Zygote:
    """Relays requests to cells and evicts idle cells."""

    def __init__(self, limits: Limits, lock: Callable[[int], None], slots: list[_Slot]) -> None:
        self._limits = limits
        self._lock = lock
        self._slots = slots
        self._waiting: dict[str, _Waiting] = {}

    def serve(self) -> None:
        """Serve until the application closes a pipe."""
        while True:
            ready = self._wait()
            try:
                for slot in self._slots:
                    if slot.task is not None:
                        self._go_on(slot, slot.task, ready)
                    elif slot.requests in ready:
                        self._begin(slot)
            except EOFError:
                return

    def _wait(self) -> set[int]:
        """File descriptors that are ready; empty after a cell's timeout."""
        poller, timeouts = select.poll(), []
        for slot in self._slots:
            if slot.task is None:
                poller.register(slot.requests, select.POLLIN)
            else:
                slot.task.cell.register(poller)
                timeouts.append(slot.task.cell.left_s)
        return {fd for fd, _ in poller.poll(max(0.0, min(timeouts)) * 1000 if timeouts else None)}

    def _begin(self, slot: _Slot) -> None:
        control = json.loads(read_frame(slot.requests))
        if "end" in control:
            self._end(control["end"], control["pid"])
            return
        request = read_frame(slot.requests)
        cell = self._cell(control["cell"])
        slot.task = _Task(control["cell"], cell, cell.cpu_s(), control["more"])
        cell.begin(request, control["wall_s"])

    def _go_on(self, slot: _Slot, task: _Task, ready: set[int]) -> None:
        reply = task.cell.go_on(ready)
        if reply is None:
            return
        status, body = reply
        header: dict[str, Any] = {"status": status, "cpu_s": None, "pid": None}
        if status == "ok":
            header |= {"cpu_s": round(task.cell.cpu_s() - task.cpu_s, 6), "pid": task.cell.pid}
            self._keep(task)
        slot.task = None
        _reply(slot, header, body)

    def _keep(self, task: _Task) -> None:
        if task.key in self._waiting:  # two slots have asked of the same template
            self._waiting[task.key].cell.end()
        self._waiting[task.key] = _Waiting(task.cell, time.monotonic() + (_PATIENCE_S if task.more else 0))

    def _cell(self, key: str) -> Cell:
        waiting = self._waiting.pop(key, None)
        if waiting is not None:
            if waiting.cell.fresh():
                return waiting.cell
            waiting.cell.end()
        working = sum(slot.task is not None for slot in self._slots)
        while self._waiting and len(self._waiting) + working >= self._limits.live_cells:
            self._waiting.pop(self._key_to_evict()).cell.end()
        return Cell(self._limits, self._leave_others)

    def _key_to_evict(self) -> str:
        """Key of the cell to evict: the one overdue longest, or else the newest.

        Evicting the oldest would empty the cache as soon as more templates take turns than have room.
        """
        now = time.monotonic()
        until = {key: waiting.wanted_until for key, waiting in self._waiting.items()}
        in_vain = [key for key in until if until[key] <= now]
        return min(in_vain, key=until.__getitem__) if in_vain else max(until, key=until.__getitem__)

    def _leave_others(self, zygote: int) -> None:
        """Drop, in a new cell, every request or reply of another template that the code could reach."""
        self._slots.clear()
        self._waiting.clear()
        self._lock(zygote)

    def _end(self, key: str, pid: int) -> None:
        if key in self._waiting and self._waiting[key].cell.pid == pid:
            self._waiting.pop(key).cell.end()


def _reply(slot: _Slot, header: dict[str, Any], body: bytes) -> None:
    write_frame(slot.replies, json.dumps(header).encode())
    write_frame(slot.replies, body)


def _give_up_rights(*, landlock: bool) -> None:
    # Standard error was for messages during start-up; a cell must not write there.
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    # Author-written code that reaches `os` or `sys` finds no key, no path and no argument.
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
    program = seccomp.allow_list()

    def lock(zygote: int) -> None:
        if sys.platform == "linux":
            lockdown.die_with_parent(zygote)
        if config["landlock"]:
            lockdown.close_files()  # nested: shields the zygote, too
        lockdown.limit_resources(limits.memory_mb, limits.lifetime_cpu_s)
        lockdown.filter_system_calls(program)

    return lock
