"""Execution of one run on its own thread, from its first job to its saved final status."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Protocol

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.outages import Outages
from karenina_gui.adapters.ports import Cancelled
from karenina_gui.adapters.recording import Recorder
from karenina_gui.errors import InputError, NotFoundError, NotSavedError
from karenina_gui.runs.active_runs import ActiveRun, ActiveRuns
from karenina_gui.runs.request import RunRequest
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.run_summaries import RunStatus
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library

if TYPE_CHECKING:
    from karenina_gui.runs.executor import RemoteVerifier

log = logging.getLogger(__name__)

UNSTORED_PAUSE = 2.0
"""Seconds before another attempt to save the end of a run."""


class RemoteRuns(Protocol):
    """Clusters on which runs can be executed."""

    def problem(self, config: VerificationConfig, *, recorded: bool = False) -> str | None:
        """Reason why a run cannot be given to the cluster of its configuration; None: it can, or has none."""
        ...

    def connect(
        self, request: RunRequest, outages: Outages, cancelled: Cancelled
    ) -> AbstractContextManager[RemoteVerifier]:
        """Connect a run with its cluster. Raises `InputError`."""
        ...


OpenAdapters = Callable[[Recorder | None], AdapterFactory]
"""Opens the adapters of one run. A recorder, if there is one, receives every exchange."""


class RunExecution:
    """Executes registered runs; `work` is the main function of their threads."""

    def __init__(
        self,
        library: Library,
        sandbox: Sandbox,
        open_adapters: OpenAdapters,
        clusters: RemoteRuns | None,
        active: ActiveRuns,
    ) -> None:
        self._clusters = clusters
        self._library = library
        self._sandbox = sandbox
        self._open_adapters = open_adapters
        self._active = active

    def work(self, run_id: int, run: ActiveRun) -> None:
        """Execute the run, save its final status and drop it from the active runs."""
        status: RunStatus = "failed"
        message: str | None = None
        try:
            self._library.runs.start(run_id)
            status, message = self._execute(run_id, run)
        except InputError as error:
            message = str(error)
        except Exception as error:  # nothing else catches an error of this thread, so the run itself reports it
            log.exception("The run number %s broke", run_id)
            message = f"The run failed: {type(error).__name__}: {error}"
        finally:
            try:
                self._finish(run_id, run, status, message)
            finally:
                self._active.drop(run_id)
                run.board.end()

    def _finish(self, run_id: int, run: ActiveRun, status: RunStatus, message: str | None) -> None:
        """Save the final status, and repeat until it is saved.

        Until then the run counts as active, so that no run has the status running without a thread.
        """
        while True:
            try:
                self._library.runs.finish(run_id, status, message)
                return
            except NotFoundError:  # the run was erased while it ended
                return
            except NotSavedError:
                log.warning("The end of the run number %s could not be stored; it counts as interrupted", run_id)
                return
            except Exception:
                log.exception("The end of the run number %s could not be stored", run_id)
                if run.cancelled.wait(UNSTORED_PAUSE) and run.closing:
                    return

    def _execute(self, run_id: int, run: ActiveRun) -> tuple[RunStatus, str | None]:
        # The engine takes a tenth of the start to load, and most windows are opened for something else.
        from karenina_gui.runs.answer_cache import AnswerCache
        from karenina_gui.runs.executor import RunCache, RunControl, open_tools, run_jobs
        from karenina_gui.runs.reply_cache import ReplyCache

        def keep(job: Job, result: VerificationResult) -> None:
            saved_replies = replies.of(job, result)
            stands = run.resumed.outcome_that_stands(job.key, result) if run.resumed else None
            if stands is None:
                self._library.runs.record(run_id, job.key, result, saved_replies)
            run.board.count(job, result, stands)

        cancelled = run.cancelled.is_set
        replies = ReplyCache(self._library.replies, run_id)
        with ExitStack() as stack:
            remote = None
            if run.request.config.cluster and self._clusters:
                remote = stack.enter_context(self._clusters.connect(run.request, run.outages, cancelled))
                run.workers, tools = remote.workers, remote.tools
            else:
                adapters = stack.enter_context(self._open_adapters(run.recorder))
                tools = open_tools(adapters, self._sandbox, run.request.config, cancelled, run.outages)
            cache = RunCache(AnswerCache(self._library.answers, run_id), replies)
            control = RunControl(cancelled, run.outages, run.board.jobs, remote)
            done = run_jobs(run.request, tools, keep, cache=cache, control=control)
        return self._ending(run_id, run, done)

    def _ending(self, run_id: int, run: ActiveRun, done: int) -> tuple[RunStatus, str | None]:
        """Final status of a run with this number of finished jobs, and the reason for an early end."""
        if done == len(run.request.jobs):
            return "completed", None
        if run.closing:
            return "interrupted", "The application closed during this run. Finished results are saved."
        if run.cancelled.is_set():
            any_kept = done or self._library.runs.summary(run_id).outcomes
            note = "Finished results are saved." if any_kept else "No results yet."
            return "cancelled", f"{run.why_cancelled} {note}"
        return "cancelled", f"Stopped at the run time limit ({run.request.config.batch_timeout_seconds:g} s)."
