"""Exit codes, the same for every command."""

from __future__ import annotations

DONE = 0
PARTLY = 1
"""The work was done and written, but some jobs ended in errors, or some rows could not be used."""
BAD_INPUT = 2
"""Nothing was done; the message says what to change."""
INTERRUPTED = 130
