"""Exit codes of all commands."""

from __future__ import annotations

DONE = 0
PARTLY = 1
"""The results were written, but some jobs ended with errors or some rows were skipped."""
BAD_INPUT = 2
"""Nothing was done; the message says how to correct the input."""
INTERRUPTED = 130
