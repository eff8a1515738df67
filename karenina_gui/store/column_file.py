"""Columns of a large run as a file beside the library, which loads in a fraction of the time."""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Collection
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import BadZipFile

import numpy as np

from karenina_gui.schemas.job_table import Arm, JobTable, Judgment

log = logging.getLogger(__name__)

FOLDER = "columns"
"""In the data folder; its files can be deleted at any time."""
FORMAT = 1
"""Grows with each change of the file's content."""
_LABELS = ("questions", "arms", "judgments", "reasons", "scores", "extractions", "outsides")
_MAPPINGS = ("texts", "keywords", "requested")
_ARRAYS = tuple(field.name for field in fields(JobTable) if field.name not in (*_LABELS, *_MAPPINGS))


class ColumnFile:
    """The file of one run, valid for one state of its results."""

    def __init__(self, library: Path, run_id: int, state: list[Any]) -> None:
        self._path = library.parent / FOLDER / f"run-{run_id}.npz"
        self._state = [FORMAT, *state]

    def load(self) -> JobTable | None:
        """Columns in the file; None: there is none, it is of another state, or it is damaged."""
        try:
            # Opened here, because NumPy leaves a damaged file open.
            with self._path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                # The archive has a checksum of each member.
                about = json.loads(stored["about"].tobytes())
                if about["state"] != self._state:
                    return None
                arrays = {name: stored[name] for name in _ARRAYS}
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error) as error:
            log.info("The columns in %s are made again: %s", self._path, error)
            return None
        labels: dict[str, Any] = {
            name: tuple(about[name]) for name in ("questions", "reasons", "scores", "extractions")
        }
        return JobTable(
            **arrays,
            **labels,
            arms=tuple(Arm(*arm) for arm in about["arms"]),
            judgments=tuple(Judgment(*judgment) for judgment in about["judgments"]),
            outsides=tuple(map(tuple, about["outsides"])),
            texts=about["texts"],
            keywords={question: tuple(words) for question, words in about["keywords"].items()},
            requested={question: frozenset(names) for question, names in about["requested"].items()},
        )

    def save(self, table: JobTable) -> None:
        """Write the file; without it, the columns are read from the library again."""
        about = {
            "state": self._state,
            **{name: getattr(table, name) for name in (*_LABELS, "texts", "keywords")},
            "requested": {question: sorted(names) for question, names in table.requested.items()},
        }
        content = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
        part = self._path.with_name(f"{uuid4().hex}.part")
        try:
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            with part.open("wb") as file:
                np.savez(file, about=content, **{name: getattr(table, name) for name in _ARRAYS})
            part.replace(self._path)
        except OSError as error:
            log.info("The columns of a run are not stored: %s", error)
        finally:
            part.unlink(missing_ok=True)


def remove_files(library: Path, runs: Collection[int]) -> None:
    """Remove the files of all runs but these, and parts of files."""
    with suppress(FileNotFoundError):
        names = {f"run-{run_id}.npz" for run_id in runs}
        for path in (library.parent / FOLDER).iterdir():
            if path.name not in names:
                path.unlink(missing_ok=True)
