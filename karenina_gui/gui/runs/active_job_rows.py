"""Rows of jobs in progress above the results of their run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karenina_gui.gui.components.verdicts import RUNNING
from karenina_gui.gui.results.stage_names import STAGES
from karenina_gui.runs.active_jobs import ActiveJob
from karenina_gui.text import quantity

LISTED = 5
"""Maximum number of rows; the longest-running jobs are shown."""


def under_way_rows(jobs: Sequence[ActiveJob], texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Rows of jobs in progress, oldest first; `texts`: question texts by id."""
    rows = [_row(job, texts.get(job.job.question_id, job.job.question_id)) for job in jobs[:LISTED]]
    more = len(jobs) - LISTED
    if more > 0:
        rows.append(_plain("and more", f"and {quantity(more, 'more job')} in progress"))
    return rows


def where(stage: str, turn: int | None) -> str:
    """Step of a job: `Answer: turn 4`."""
    entry = STAGES.get(stage)
    title = entry.title if entry else stage
    return title if turn is None else f"{title}: turn {turn:,}"


def _row(active: ActiveJob, text: str) -> dict[str, Any]:
    job = active.job
    return {
        **_plain(job.key, text),
        "look": "going",
        "verdict": RUNNING.title,
        "why": where(active.stage, active.turn),
        "answering": job.answering,
        "condition": job.condition,
        "judge": job.judge,
        "replicate": job.replicate,
        "judge_replicate": job.judge_replicate,
        "seconds": active.seconds,
    }


def _plain(key: str, text: str) -> dict[str, Any]:
    # The ids must differ from those of results, which are numbers.
    return {"id": f"under way {key}", "question_text": text, "keywords": [], "look": "going", "verdict": ""}
