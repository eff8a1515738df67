"""Parallel execution of the jobs of a run. Judges of the same answer share it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from karenina_gui.adapters.call_policy import CallPolicy, never
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.judge_memory import RememberingPorts
from karenina_gui.adapters.outages import Outages
from karenina_gui.adapters.patience import Patience
from karenina_gui.adapters.ports import Cancelled
from karenina_gui.adapters.run_ports import RunPorts
from karenina_gui.errors import ClusterError, RunCancelled, SandboxError
from karenina_gui.pipeline.context import OnStep
from karenina_gui.pipeline.generated_answer import GeneratedAnswer, Generation, OnAnswer
from karenina_gui.pipeline.verify_job import PipelineTools, VerificationTask, verify
from karenina_gui.pipeline.workspaces import JobWorkspaces
from karenina_gui.runs.answer_cache import AnswerCache
from karenina_gui.runs.failed_jobs import unexpected_result
from karenina_gui.runs.job_order import Group, groups_in_order
from karenina_gui.runs.progress import ClusterWorker
from karenina_gui.runs.reply_cache import ReplyCache
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.scheduler import JobScheduler, JudgmentTask
from karenina_gui.runs.worker_threads import WorkerThreads
from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.work_clock import seconds_worked

_GLANCE = 0.1
"""Seconds between two checks for cancellation."""
_GRACE = 1.0
"""Seconds that a cancelled run waits for its workers."""
_AHEAD = 128
"""Maximum number of templates read ahead; the sandbox caches 512."""

OnResult = Callable[[Job, VerificationResult], None]
"""Called with each finished job, on a worker thread, one call at a time."""


class Watcher(Protocol):
    """Receiver of the progress of jobs, called on worker threads."""

    def step(self, job: Job, stage: str, turn: int | None) -> None:
        """The job has entered this stage, or turn `turn` of its agent, from 1 (None: the stage begins)."""
        ...

    def note_end(self, job: Job) -> None:
        """The job has its result or was cancelled."""
        ...


class Verifier(Protocol):
    """Verifies single jobs, in this process or elsewhere. Called on worker threads, one call for each job at a time."""

    def __call__(
        self,
        task: VerificationTask,
        tools: PipelineTools,
        *,
        answer: Generation | None = None,
        counted: bool = True,
        on_answer: OnAnswer | None = None,
        on_step: OnStep | None = None,
    ) -> tuple[VerificationResult, Generation | None]:
        """See `pipeline.verify_job.verify`."""
        ...


class RemoteVerifier(Verifier, Protocol):
    """Verifier on other computers, connected for one run."""

    tools: PipelineTools
    """For `run_jobs`; only `end_calls` is used."""

    def workers(self) -> tuple[ClusterWorker, ...]:
        """Workers of the cluster, in the order of their names."""
        ...


def open_tools(
    adapters: AdapterFactory,
    sandbox: Sandbox,
    config: VerificationConfig,
    cancelled: Cancelled = never,
    outages: Outages | None = None,
) -> PipelineTools:
    """Tools of the pipeline for a run. `cancelled` is called before every model call.

    `outages`: registry in which calls wait for unavailable models; None: such calls fail.
    """
    limit = config.max_concurrent_requests
    calls = CallPolicy(
        retry=config.retry_policy,
        request_timeout=config.request_timeout,
        cancelled=cancelled,
        permits=None if limit is None else threading.Semaphore(limit),
        outages=outages if outages and outages.patience.max_outage else None,
    )
    searches = config.deep_judgment_search_enabled
    search = adapters.search(config.deep_judgment_search_tool, calls) if searches else None
    of_traits = _search_of_traits(adapters, config, calls)
    box = CommandBox(config.workspace_limits, allow_unconfined=config.allow_unconfined_commands, cancelled=cancelled)
    workspaces = JobWorkspaces(box, config.workspace_limits.disk_mb)
    return PipelineTools(
        RunPorts(adapters, calls),
        sandbox,
        search,
        adapters.embedder(config),
        of_traits,
        answering_tools=workspaces.tools,
        own_tools=workspaces.own_tools,
        judging_view=workspaces.judging_view,
        workspaces=workspaces,
        end_calls=adapters.end_calls,
    )


def _search_of_traits(
    adapters: AdapterFactory, config: VerificationConfig, calls: CallPolicy
) -> Callable[[list[str]], list[str]] | None:
    """Search for the quotes of traits; None: no trait uses deep judgment."""

    # In mode "disabled" only single traits request a search. Opening the tool late makes a missing one an error of that
    # trait instead of the run.
    def search(queries: list[str]) -> list[str]:
        return adapters.search(config.deep_judgment_rubric_search_tool, calls)(queries)

    match config.deep_judgment_rubric_mode:
        case "off":
            return None
        case "disabled":
            return search
        case _:
            return adapters.search(config.deep_judgment_rubric_search_tool, calls)


def outages_of(config: VerificationConfig) -> Outages:
    """Outage registry for a run that no user watches."""
    seconds = config.provider_wait_seconds
    # No user is present to enter another key, so a key that has never worked fails at once.
    return Outages(Patience(max_outage=math.inf if seconds is None else seconds, waits_for_untested_keys=False))


@dataclass(frozen=True)
class RunControl:
    """Connections of a run with its surroundings."""

    cancelled: Cancelled = never
    outages: Outages | None = None
    """Registry of the same `PipelineTools`; jobs of unavailable models are not started."""
    watcher: Watcher | None = None
    """Receiver of progress; None: not reported."""
    elsewhere: Verifier | None = None
    """Verifies the jobs elsewhere, on a cluster; None: this process does, with the tools of the run."""


@dataclass(frozen=True)
class RunCache:
    """Saved calls of a run, reused when it is resumed. None: neither looked up nor saved."""

    answers: AnswerCache | None = None
    """Answers, saved before they are judged."""
    replies: ReplyCache | None = None
    """Judge replies of jobs that are retried."""


def run_jobs(
    request: RunRequest,
    tools: PipelineTools,
    on_result: OnResult,
    *,
    cache: RunCache | None = None,
    control: RunControl | None = None,
) -> int:
    """Execute all jobs, pass each result to `on_result`, and return the number of finished jobs.

    Fewer than all jobs are finished after a cancellation or the time limit (`batch_timeout_seconds`). A cancellation
    ends active calls. Jobs that do not end within a second are abandoned and their results dropped: nothing is
    delivered after the return.

    An unexpected error in a job becomes its result. Raises only errors of `on_result` and `cache`, because results that
    are paid for could not be saved, and `ClusterError`; the run then stops.
    """
    control = control or RunControl()
    work = _Work(request, tools, on_result, cache or RunCache(), control)
    crew = work.crew
    work.begin()
    try:
        while not crew.wait(_GLANCE) and not control.cancelled():
            work.check_deadline()
        if control.cancelled():
            work.stop()
            tools.end_calls()
            crew.wait(_GRACE)
    except BaseException:  # KeyboardInterrupt too: calls in flight must not outlive the run
        tools.end_calls()
        raise
    finally:
        work.close()
    crew.raise_fault()
    return work.done


class _Work:
    def __init__(
        self,
        request: RunRequest,
        tools: PipelineTools,
        on_result: OnResult,
        cache: RunCache,
        control: RunControl,
    ) -> None:
        self._watcher = control.watcher
        self._elsewhere = control.elsewhere
        self.crew = WorkerThreads(self.go_on, request.config.workers, "job")
        self.done = 0
        self._stopped = threading.Event()
        self._request = request
        self._tools = tools
        self._on_result = on_result
        self._cache = cache
        self._save_error: Exception | None = None
        """Error of saving an answer."""
        self._cancelled = control.cancelled
        self._delivery = threading.Lock()
        self._closed = False
        self._started = 0
        """Number of groups started; approximate, since it is not locked."""
        self._outages = control.outages or Outages()
        groups = groups_in_order(request.jobs, request.document, request.config.task_ordering)
        self._turns = JobScheduler(groups, request.config, self._outages)
        self._ahead = threading.Thread(target=self._read_ahead, args=(groups,), name="reading-ahead", daemon=True)
        self._outages.waiting = self.crew.away
        self._outages.changed.subscribe(self._turns.look_again)
        limit = request.config.batch_timeout_seconds
        self._deadline = math.inf if limit is None else time.monotonic() + limit

    def go_on(self) -> None:
        """Execute work until the run ends or nothing is left; the main loop of each worker."""
        try:
            while not self._is_over() and not self.crew.is_one_too_many():
                with self._turns.next_jobs() as work:
                    if work is None:
                        return
                    if isinstance(work, JudgmentTask):
                        self._judge([work.job], work.answer)
                    else:
                        self._execute_group(work)
        except BaseException:
            self.stop()
            raise

    def begin(self) -> None:
        """Start the workers and the prefetching of templates."""
        if self._elsewhere is None:
            self._open_models()
        self.crew.begin()
        if self._elsewhere is None and self._request.config.evaluation_mode != "rubric_only":
            self._ahead.start()

    def stop(self) -> None:
        """Start no more work."""
        self._stopped.set()
        self._turns.end()
        self._outages.end()

    def check_deadline(self) -> None:
        """Stop at the time limit, even if all workers wait for a provider."""
        if time.monotonic() > self._deadline:
            self.stop()

    def close(self) -> None:
        """Deliver no more results. Waits for the delivery in progress."""
        self.stop()
        with self._delivery:
            self._closed = True

    def _open_models(self) -> None:
        """Create the clients of the answering models. Errors are reported by the jobs."""
        # Before the workers start, which would otherwise all create them at the same moment.
        ports = self._tools.ports
        for job in {job.answering: job for job in self._request.jobs}.values():
            model = self._request.answering_model(job)
            with suppress(Exception):
                if not ports.uses_agent(model):
                    ports.llm(model)

    def _read_ahead(self, groups: Sequence[Group]) -> None:
        questions, trust = self._request.questions, self._request.here.trusted
        sources = [questions[group[0].question_id].answer_template or "" for group in groups]
        read_ahead(self._tools.sandbox, sources, lambda: self._started, self._stopped, trust=trust)

    def _execute_group(self, group: Group) -> None:
        """Judge one answer by all judges. The first job generates it; the others are offered once it exists."""
        self._started += 1
        first, *others = group
        saved = None if self._cache.answers is None else self._cache.answers.find(first)
        offered = threading.Event()

        def share(answer: GeneratedAnswer) -> None:
            self._turns.add_judgments(others, answer)
            offered.set()

        if saved is not None:
            share(saved)
        answer = self._judge([first], saved, share)
        if not offered.is_set():  # generation failed, or the run was cancelled first
            self._judge(others, answer)

    def _judge(
        self, jobs: Sequence[Job], answer: Generation | None, share: OnAnswer | None = None
    ) -> Generation | None:
        """Verify these jobs on one answer and return it. None: the first job generates it."""
        for job in jobs:
            if self._is_over():
                return answer
            try:
                result, answer = self._verify(job, answer, share)
            except RunCancelled:
                return answer
            self._deliver(job, result)
            if self._save_error is not None:
                raise self._save_error
        return answer

    def _is_over(self) -> bool:
        return self._stopped.is_set() or self._cancelled() or time.monotonic() > self._deadline

    def _verify(
        self,
        job: Job,
        answer: Generation | None,
        share: OnAnswer | None,
    ) -> tuple[VerificationResult, Generation | None]:
        task = self._request.task(job)
        started = seconds_worked()

        def on_answer(generated: GeneratedAnswer) -> None:
            self._save(job, generated)
            if share is not None:
                share(generated)

        try:
            return (self._elsewhere or verify)(
                task,
                self._tools_for(job),
                answer=answer,
                counted=not self._request.counts_answer(job),
                on_answer=on_answer,
                on_step=partial(self._watcher.step, job) if self._watcher else None,
            )
        except (RunCancelled, ClusterError):
            raise
        except Exception as error:  # an internal error costs one result, not the run
            return unexpected_result(task, error, seconds_worked() - started), answer
        finally:
            if self._watcher is not None:
                self._watcher.note_end(job)

    def _tools_for(self, job: Job) -> PipelineTools:
        if self._cache.replies is None:
            return self._tools
        return replace(self._tools, ports=RememberingPorts(self._tools.ports, self._cache.replies.memory(job)))

    def _save(self, job: Job, answer: GeneratedAnswer) -> None:
        """Save an answer. If that fails, the answer is still judged, as it is paid for; then the run stops."""
        # An abandoned worker must not write to a library that may be closed by now.
        if self._cache.answers is not None and not self._closed:
            try:
                self._cache.answers.save(job, self._request.answering_model(job), answer)
            except Exception as error:
                self._save_error = error

    def _deliver(self, job: Job, result: VerificationResult) -> None:
        # One result at a time, so that `on_result` need not be thread-safe.
        with self._delivery:
            if self._closed:
                return
            self.done += 1
            self._on_result(job, result)


def read_ahead(
    sandbox: Sandbox, sources: Sequence[str], started: Callable[[], int], over: threading.Event, *, trust: bool
) -> None:
    """Read templates while the first answers are generated; returns after the last one or when `over` is set.

    Without it, 200 answers to different templates, 64 at a time, take 5 to 8 % longer, and 6 to 16 % on a busy
    computer. Errors are ignored here, because the job itself meets and reports them.

    `sources`: templates in the order of use. `started`: returns the number of templates used so far.
    """
    with suppress(SandboxError):
        sandbox.level  # noqa: B018  (probing takes time, and the first results would wait for it)
        over.wait(_GLANCE)  # the first requests are sent without delay
        for index, source in enumerate(sources):
            while index >= started() + _AHEAD and not over.wait(_GLANCE):
                pass
            if index < started():
                continue
            if over.wait(0.0005):  # workers get the interpreter lock
                return
            sandbox.read_ahead(source, trust=trust)
