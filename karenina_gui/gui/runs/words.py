"""What the states of a run are called."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.runs.progress import Progress
from karenina_gui.schemas.summaries import RunStatus, RunSummary


@dataclass(frozen=True, slots=True)
class Status:
    title: str
    icon: str
    meaning: str
    look: str = ""
    """Class of its color; empty: the name of the state."""


STATUSES: dict[RunStatus, Status] = {
    "planned": Status("Waiting", "schedule", "All its jobs are written down; it begins in a moment."),
    "running": Status("Running", "sync", "It goes on, also when this window is closed."),
    "completed": Status("Completed", "check", "Every job is done."),
    "cancelled": Status("Cancelled", "stop_circle", "It was stopped. What was finished until then is kept."),
    "interrupted": Status("Interrupted", "power_off", "The application ended while it was going."),
    "partial": Status("Partial", "incomplete_circle", "The file it was opened from holds only a part of its results."),
    "failed": Status("Broken", "report", "The run itself broke; what was finished until then is kept."),
}


def status_of(run: RunSummary, progress: Progress | None = None) -> Status:
    """A run with errors is completed, but not well. `progress`: of a run that is going; None: it is not asked."""
    if progress is not None and run.status == "running" and (halted := _halted(progress)):
        return halted
    errors = run.outcomes.get("error", 0)
    if run.status != "completed" or not errors:
        return STATUSES[run.status]
    many = "1 error" if errors == 1 else f"{errors:,} errors"
    meaning = "Every job is done, but those with an error say nothing of the model."
    return Status(f"Completed with {many}", "warning", meaning, "flawed")


def _halted(progress: Progress) -> Status | None:
    """Why a run that is going does not get on."""
    if progress.cancelling:
        return Status("Cancelling", "stop_circle", "No model is asked any more.", "cancelled")
    if progress.held:
        return Status("Paused", "pause_circle", "No model is asked until somebody continues it.", "halted")
    names = [outage.model for outage in progress.outages]
    if not names:
        return None
    awaited = names[0] if len(names) == 1 else f"{len(names)} models"
    return Status(f"Waiting for {awaited}", "pause_circle", f"Not to be asked now: {', '.join(names)}.", "halted")


UNDER_WAY: tuple[RunStatus, ...] = ("planned", "running")
