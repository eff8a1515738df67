"""State of the results of a run, for figures that are kept until a result is added or changed."""

from __future__ import annotations

import sqlite3
from typing import Any


def state_of(connection: sqlite3.Connection, run_id: int) -> list[Any]:
    """Values that change with each result of the run."""
    run = connection.execute("SELECT created_at FROM run WHERE id = ?", (run_id,)).fetchone()
    results = connection.execute("SELECT count(*), max(id) FROM result WHERE run_id = ?", (run_id,)).fetchone()
    # Counted by a trigger, because a repeated job changes its result in place.
    changes = connection.execute("SELECT number FROM result_change WHERE run_id = ?", (run_id,)).fetchone()
    return [*(run or [None]), *results, *(changes or [0])]
