"""Exit of a process whose work is done while abandoned calls still wait for a provider."""

from __future__ import annotations

import logging
import os
import sys

from karenina_gui.runs.crew import somebody_works


def end_if_held(code: int) -> None:
    """End the process with this code if a cancelled run has abandoned workers (see `runs/crew.py`)."""
    # Python joins the threads that client libraries started for such calls, however long those take.
    if somebody_works():
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
