"""Exit of a process whose work is done while abandoned calls still wait for a provider."""

from __future__ import annotations

import logging
import os
import sys

from karenina_gui.runs.worker_threads import any_worker_busy


def end_if_held(code: int) -> None:
    """End the process with this code if a cancelled run has abandoned workers (see `runs/worker_threads.py`)."""
    # Python joins the threads that client libraries started for such calls, however long those take.
    if any_worker_busy():
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
