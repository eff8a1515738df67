"""Light rows of runs.

Times are ISO 8601 in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from karenina_gui.schemas.outcome import Outcome
from karenina_gui.schemas.run_name import title_of

RunStatus = Literal["planned", "running", "completed", "cancelled", "interrupted", "failed", "partial"]
"""Status of a run.

interrupted: the application ended during the run. failed: the run itself broke (see its message). partial: it was
imported from a file that contains only a part of its results.
"""


@dataclass(frozen=True, slots=True)
class RunSummary:
    id: int
    name: str
    benchmark_id: int
    benchmark_name: str
    status: RunStatus
    total: int
    """Number of planned jobs."""
    done: int
    outcomes: dict[Outcome, int]
    """Outcomes of the finished jobs, without those that did not occur."""
    answering: tuple[str, ...]
    judges: tuple[str, ...]
    replicates: int
    evaluation_mode: str
    sandbox_level: str
    recording_label: str | None
    """Label of the recording that was played back; None: live calls."""
    benchmark_hash: str
    """SHA-256 of the benchmark when the run was planned."""
    message: str | None
    """Reason why the run ended before all jobs were done; None: it did not."""
    created_at: str
    finished_at: str | None
    """None: it is running, or the end of its process is unknown."""
    seconds: float
    """Total working time in seconds; until its last result if its end is unknown."""
    origin: str | None = None
    """Name of the file that it was imported from; None: it was run here."""
    conditions: tuple[str, ...] = ()
    """Names, the baseline first; empty: the run has none."""
    judge_replicates: int = 1
    benchmark_deleted: bool = False
    """True if its benchmark is deleted, and the run with it: lists show it only after the benchmark is restored."""

    @property
    def title(self) -> str:
        return title_of(self.id, self.name)


@dataclass(frozen=True, slots=True)
class DeletedRun:
    """A run that can be restored with its results."""

    run: RunSummary
    deleted_at: str
