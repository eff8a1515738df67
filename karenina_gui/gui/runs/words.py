"""What the states of a run are called."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.schemas.summaries import RunStatus


@dataclass(frozen=True, slots=True)
class Status:
    title: str
    icon: str
    meaning: str


STATUSES: dict[RunStatus, Status] = {
    "planned": Status("Waiting", "schedule", "All its jobs are written down; it begins in a moment."),
    "running": Status("Running", "sync", "It goes on, also when this window is closed."),
    "completed": Status("Completed", "check", "Every job is done."),
    "cancelled": Status("Cancelled", "stop_circle", "It was stopped. What was finished until then is kept."),
    "interrupted": Status("Interrupted", "power_off", "The application ended while it was going."),
    "partial": Status("Partial", "incomplete_circle", "The file it was opened from holds only a part of its results."),
    "failed": Status("Broken", "report", "The run itself broke; what was finished until then is kept."),
}

UNDER_WAY: tuple[RunStatus, ...] = ("planned", "running")
