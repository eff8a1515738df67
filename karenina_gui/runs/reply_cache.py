"""Saved judge replies of a run, for jobs that may be retried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karenina_gui.adapters.judge_memory import JudgeMemory
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.outcome import is_worth_another_try
from karenina_gui.schemas.result import VerificationResult

if TYPE_CHECKING:
    from karenina_gui.store.replies import Replies


class ReplyCache:
    """Judge replies of one run. Thread-safe.

    They are saved together with the result that they led to, see `of`.
    """

    def __init__(self, replies: Replies, run_id: int) -> None:
        self._replies = replies
        self._run_id = run_id
        self._from_before = replies.keys(run_id)
        self._memories: dict[str, JudgeMemory] = {}

    def memory(self, job: Job) -> JudgeMemory:
        """Replies for the attempt of this job that starts now."""
        replies = self._replies.get(self._run_id, job.key) if job.key in self._from_before else None
        self._memories[job.key] = JudgeMemory(replies or {})
        return self._memories[job.key]

    def of(self, job: Job, result: VerificationResult) -> dict[str, Any] | None:
        """Replies to save with this result; None: nothing. Call once for each result."""
        # Popped, because a run with many jobs would otherwise hold all replies in memory.
        memory = self._memories.pop(job.key, None)
        return (memory.replies() or None) if memory and is_worth_another_try(result) else None
