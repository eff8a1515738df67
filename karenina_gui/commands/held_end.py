"""The end of a process whose work is done while calls of other libraries still wait for a provider."""

from __future__ import annotations

import logging
import os
import sys

from karenina_gui.runs.crew import somebody_works


def end_if_held(code: int) -> None:
    """End the process with this code where a cancelled run has left somebody behind (see `runs/crew.py`).

    Python would wait for the threads that a library has begun for such a call, for as long as the call takes.
    """
    if somebody_works():
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
