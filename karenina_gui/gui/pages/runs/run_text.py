"""Titles and explanations of the states of a run."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.gui.pages.results.stage_names import STAGES
from karenina_gui.runs.progress import RunProgressState
from karenina_gui.schemas.run_summaries import RunStatus, RunSummary
from karenina_gui.text import join_list, quantity


@dataclass(frozen=True, slots=True)
class Status:
    title: str
    icon: str
    meaning: str
    css_class: str = ""
    """CSS class of the color; empty: the name of the state."""


STATUSES: dict[RunStatus, Status] = {
    "planned": Status("Queued", "schedule", "Starts in a moment."),
    "running": Status("Running", "sync", "Continues even if you close this window."),
    "completed": Status("Completed", "check", "All jobs are finished."),
    "cancelled": Status("Stopped", "stop_circle", "Stopped before all jobs were finished. Finished results are saved."),
    "interrupted": Status(
        "Interrupted", "power_off", "The application closed during this run. Finished results are saved."
    ),
    "partial": Status("Partial", "incomplete_circle", "The imported file has only part of the results."),
    "failed": Status("Failed", "report", "The run failed. Finished results are saved."),
}


def status_of(run: RunSummary, progress: RunProgressState | None = None) -> Status:
    """Return the state; completed runs with errors have their own. `progress`: of a run in progress, or None."""
    if progress is not None and run.status == "running" and (halted := _waiting_state(progress)):
        return halted
    errors = run.outcomes.get("error", 0)
    if run.status != "completed" or not errors:
        return STATUSES[run.status]
    meaning = "All jobs are finished; those with errors have no verdict."
    return Status(f"Completed with {quantity(errors, 'error')}", "warning", meaning, "flawed")


def _waiting_state(progress: RunProgressState) -> Status | None:
    """Return the reason why a run does not progress, or None."""
    if progress.cancelling:
        return Status("Stopping", "stop_circle", "No new calls are made.", "cancelled")
    if progress.held:
        return Status("Paused", "pause_circle", "No calls until the run is continued.", "halted")
    names = [outage.model for outage in progress.outages]
    if not names:
        return None
    awaited = names[0] if len(names) == 1 else quantity(len(names), "model")
    return Status(f"Waiting for {awaited}", "pause_circle", f"Not available now: {join_list(names)}.", "halted")


def where(stage: str, turn: int | None) -> str:
    """Step of a job: `Answer: turn 4`."""
    entry = STAGES.get(stage)
    title = entry.title if entry else stage
    return title if turn is None else f"{title}: turn {turn:,}"


UNDER_WAY: tuple[RunStatus, ...] = ("planned", "running")
