"""Exit codes, the same for every command."""

from __future__ import annotations

DONE = 0
JOBS_FAILED = 1
"""The work was done and written, but some jobs ended in errors."""
BAD_INPUT = 2
"""Nothing was done; the message says what to change."""
INTERRUPTED = 130
