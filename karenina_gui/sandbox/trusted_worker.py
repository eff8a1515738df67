"""Worker process for trusted code where there is no confinement. It serves one template or trait only.

Requests and replies are those of a cell (`template_code`). It runs on every operating system.
"""

from __future__ import annotations

import json
import os
import sys

from karenina_gui.sandbox import template_code
from karenina_gui.sandbox.framing import body_of, read_frame, write_frame
from karenina_gui.sandbox.limits import OUT_OF_MEMORY
from karenina_gui.sandbox.pattern_worker import limit_memory


def main(memory_mb: str) -> None:
    """Serve until the application closes the pipe. `memory_mb`: address space, where the system can limit it."""
    requests, replies = _pipes_apart()
    limit_memory(int(memory_mb) << 20)
    write_frame(replies, b"{}")  # ready
    try:
        while True:
            write_frame(replies, body_of(template_code.execute(json.loads(read_frame(requests)))))
    except EOFError:
        return
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def _pipes_apart() -> tuple[int, int]:
    """Move the pipes to other descriptors, so that output of the code cannot corrupt a frame."""
    pipes = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    sys.stdin = sys.__stdin__ = None  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = None  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = None  # type: ignore[misc]
    return pipes
