"""The application on a disk that is full while a file named `full` is in the folder given by KARENINA_DISK.

SQLite's own limit of pages stands for the disk: a write that needs another page gets SQLITE_FULL, as from a real one.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from karenina_gui.__main__ import main

FULL = Path(os.environ["KARENINA_DISK"]) / "full"


def limit(connection: Any) -> None:
    file = connection.connection.dbapi_connection
    (used,) = file.execute("PRAGMA page_count").fetchone()
    file.execute(f"PRAGMA max_page_count = {used if FULL.exists() else 2**30}")


if __name__ == "__main__":
    event.listen(Engine, "begin", limit)
    sys.exit(main(sys.argv[1:]))
