"""Exit codes and warnings of all commands."""

from __future__ import annotations

import sys

DONE = 0
PARTLY = 1
"""The results were written, but some jobs ended with errors or some rows were skipped."""
BAD_INPUT = 2
"""Nothing was done; the message says how to correct the input."""
INTERRUPTED = 130


def warn(text: str) -> None:
    """A line on the error stream that people and scripts find by its first word."""
    print(f"warning: {text}", file=sys.stderr)
