"""Runs all jobs of a configuration over a benchmark: in threads, one answer for all its judges, nothing ever lost."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Protocol

from karenina_gui.adapters.bound import BoundPorts
from karenina_gui.adapters.calls import CallPolicy, never
from karenina_gui.adapters.judge_memory import RememberingPorts
from karenina_gui.adapters.open import Adapters
from karenina_gui.adapters.outages import Outages, Patience
from karenina_gui.adapters.ports import Cancelled
from karenina_gui.errors import RunCancelled
from karenina_gui.pipeline.generated_answer import GeneratedAnswer, Generation, OnAnswer
from karenina_gui.pipeline.verification import PipelineTools, verify
from karenina_gui.pipeline.workspaces import Workspaces
from karenina_gui.runs.crew import Crew
from karenina_gui.runs.expansion import Job
from karenina_gui.runs.kept_answers import KeptAnswers
from karenina_gui.runs.kept_replies import KeptReplies
from karenina_gui.runs.ordering import Group, groups_in_order
from karenina_gui.runs.reading_ahead import ReadingAhead
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.turns import Judging, Turns
from karenina_gui.runs.unfinished import unexpected_result
from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.work_clock import worked

_GLANCE = 0.1
"""Seconds between two looks at whether the run was cancelled."""
_GRACE = 1.0
"""Seconds that a cancelled run waits for its workers to come to their end."""

OnResult = Callable[[Job, VerificationResult], None]
"""Called as each job is done, from a worker thread, one call at a time."""


class Watcher(Protocol):
    """Hears how far jobs are, from worker threads."""

    def step(self, job: Job, stage: str, turn: int | None) -> None:
        """The job is in this stage; `turn` of an agent that works in it, from 1 (None: the stage begins)."""
        ...

    def left(self, job: Job) -> None:
        """Nobody works on it any more: it has its result, or was broken off."""
        ...


def open_tools(
    adapters: Adapters,
    sandbox: Sandbox,
    config: VerificationConfig,
    cancelled: Cancelled = never,
    outages: Outages | None = None,
) -> PipelineTools:
    """What a run's pipeline works with; `cancelled` is asked before every model call.

    `outages`: where calls wait for models that cannot be asked just now; None: they fail.
    """
    limit = config.max_concurrent_requests
    calls = CallPolicy(
        retry=config.retry_policy,
        request_timeout=config.request_timeout,
        cancelled=cancelled,
        permits=None if limit is None else threading.Semaphore(limit),
        outages=outages if outages and outages.patience.most else None,
    )
    searches = config.deep_judgment_search_enabled
    search = adapters.search(config.deep_judgment_search_tool, calls) if searches else None
    of_traits = _search_of_traits(adapters, config, calls)
    box = CommandBox(config.workspace_limits, allow_unconfined=config.allow_unconfined_commands, cancelled=cancelled)
    workspaces = Workspaces(box, config.workspace_limits.disk_mb)
    return PipelineTools(
        BoundPorts(adapters, calls),
        sandbox,
        search,
        adapters.embedder(config),
        of_traits,
        answering_tools=workspaces.tools,
        own_tools=workspaces.own_tools,
        judging_tools=workspaces.judging_tools,
        workspaces=workspaces,
        end_calls=adapters.end_calls,
    )


def _search_of_traits(
    adapters: Adapters, config: VerificationConfig, calls: CallPolicy
) -> Callable[[list[str]], list[str]] | None:
    """What looks up the passages of traits; None where no trait is judged deeply.

    Where the rubric alone decides, mostly none has passages looked up: a search tool that is not there is an error of
    the trait that asks for it then, and not of the run.
    """

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
    """Where the calls of a run wait that nobody looks at."""
    seconds = config.provider_wait_seconds
    # Nobody is there to enter another key, so one that never worked is told at once.
    return Outages(Patience(most=math.inf if seconds is None else seconds, unproven=False))


def run_jobs(
    request: RunRequest,
    tools: PipelineTools,
    on_result: OnResult,
    *,
    answers: KeptAnswers | None = None,
    replies: KeptReplies | None = None,
    cancelled: Cancelled = never,
    outages: Outages | None = None,
    watcher: Watcher | None = None,
) -> int:
    """Hand each result over as it is there, keep none, and return how many jobs were done.

    After a cancel, or when the time of `batch_timeout_seconds` is over, these are not all jobs. A cancel ends the calls
    that are under way; a job that does not end by itself within a second is left alone, and what it brings later is
    dropped: nothing is delivered after this has returned.

    `outages`: those of `tools`; while a model is waited for, its jobs are not begun.

    `answers`: where answers are looked up before a model is asked, and kept before they are judged; None: nowhere.
    `replies`: the same for what judges have replied to jobs that are tried again.
    `watcher`: told how far each job is; None: nobody watches.

    A job that breaks unexpectedly becomes a result that says so. Errors: only what `on_result` and `answers` raise; the
    run then stops, because what it pays for could not be kept.
    """
    work = _Work(request, tools, on_result, answers, replies, cancelled, outages or Outages(), watcher)
    crew = work.crew
    work.begin()
    try:
        while not crew.wait(_GLANCE) and not cancelled():
            work.look_at_the_time()
        if cancelled():
            work.stop()
            tools.end_calls()
            crew.wait(_GRACE)
    except BaseException:  # Ctrl+C
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
        answers: KeptAnswers | None,
        replies: KeptReplies | None,
        cancelled: Cancelled,
        outages: Outages,
        watcher: Watcher | None,
    ) -> None:
        self._watcher = watcher
        self.crew = Crew(self.go_on, request.config.workers, "job")
        self.done = 0
        self._stopped = threading.Event()
        self._request = request
        self._tools = tools
        self._on_result = on_result
        self._answers = answers
        self._replies = replies
        self._unkept: Exception | None = None
        """Why an answer could not be kept."""
        self._cancelled = cancelled
        self._delivery = threading.Lock()
        self._closed = False
        self._begun = 0
        """Number of groups started; approximate, since it is not locked."""
        self._outages = outages
        groups = groups_in_order(request.jobs, request.document, request.config.task_ordering)
        self._turns = Turns(groups, request.config, outages)
        self._ahead = self._reading_ahead(groups)
        outages.waiting = self.crew.away
        outages.listen(self._turns.look_again)
        limit = request.config.batch_timeout_seconds
        self._deadline = math.inf if limit is None else time.monotonic() + limit

    def go_on(self) -> None:
        """One worker: one thing after another until the run is over, or until there is nothing more."""
        try:
            while not self._is_over() and not self.crew.is_one_too_many():
                with self._turns.take() as work:
                    if work is None:
                        return
                    if isinstance(work, Judging):
                        self._judge([work.job], work.answer)
                    else:
                        self._do(work)
        except BaseException:
            self.stop()
            raise

    def begin(self) -> None:
        """Start the workers, and the thread that reads the templates of later questions."""
        self._open_models()
        self.crew.begin()
        if self._ahead is not None:
            self._ahead.start()

    def stop(self) -> None:
        """Begin nothing further."""
        self._stopped.set()
        self._turns.end()
        self._outages.end()

    def look_at_the_time(self) -> None:
        """Nobody waits for a provider longer than the run has time."""
        if time.monotonic() > self._deadline:
            self.stop()

    def close(self) -> None:
        """Deliver nothing further either; what is being delivered is waited for."""
        self.stop()
        with self._delivery:
            self._closed = True

    def _open_models(self) -> None:
        """Open the answering models once, before all workers need them. Errors are reported by the jobs."""
        ports = self._tools.ports
        for job in {job.answering: job for job in self._request.jobs}.values():
            model = self._request.answering_model(job)
            with suppress(Exception):
                if not ports.uses_agent(model):
                    ports.llm(model)

    def _reading_ahead(self, groups: Sequence[Group]) -> ReadingAhead | None:
        """None where no template is used."""
        if self._request.config.evaluation_mode == "rubric_only":
            return None
        questions, trust = self._request.questions, self._request.here.trusted
        sources = [questions[group[0].question_id].answer_template or "" for group in groups]
        return ReadingAhead(self._tools.sandbox, sources, lambda: self._begun, self._stopped, trust=trust)

    def _do(self, group: Group) -> None:
        """All judges of one answer. It is generated for the first of them; the others get it as soon as it is there."""
        self._begun += 1
        first, *others = group
        kept = None if self._answers is None else self._answers.find(first)
        offered = threading.Event()

        def share(answer: GeneratedAnswer) -> None:
            self._turns.offer(others, answer)
            offered.set()

        if kept is not None:
            share(kept)
        answer = self._judge([first], kept, share)
        if not offered.is_set():  # there is no answer, or nobody knows
            self._judge(others, answer)

    def _judge(
        self, jobs: Sequence[Job], answer: Generation | None, share: OnAnswer | None = None
    ) -> Generation | None:
        """Verify these jobs on one answer (None: it is generated for the first) and return it."""
        for job in jobs:
            if self._is_over():
                return answer
            try:
                result, answer = self._verify(job, answer, share)
            except RunCancelled:
                return answer
            self._deliver(job, result)
            if self._unkept is not None:
                raise self._unkept
        return answer

    def _is_over(self) -> bool:
        return self._stopped.is_set() or self._cancelled() or time.monotonic() > self._deadline

    def _verify(
        self, job: Job, answer: Generation | None, share: OnAnswer | None
    ) -> tuple[VerificationResult, Generation | None]:  # fmt: skip
        task = self._request.task(job)
        started = worked()

        def came(generated: GeneratedAnswer) -> None:
            self._keep(job, generated)
            if share is not None:
                share(generated)

        try:
            return verify(
                task,
                self._tools_for(job),
                answer=answer,
                counted=not job.counts_answer,
                on_answer=came,
                on_step=partial(self._watcher.step, job) if self._watcher else None,
            )
        except RunCancelled:
            raise
        except Exception as error:  # a fault of ours must cost one result, not the run
            return unexpected_result(task, error, worked() - started), answer
        finally:
            if self._watcher is not None:
                self._watcher.left(job)

    def _tools_for(self, job: Job) -> PipelineTools:
        if self._replies is None:
            return self._tools
        return replace(self._tools, ports=RememberingPorts(self._tools.ports, self._replies.memory(job)))

    def _keep(self, job: Job, answer: GeneratedAnswer) -> None:
        """An answer that cannot be kept is judged all the same, since it is paid for; then the run stops."""
        if self._answers is not None and not self._closed:
            try:
                self._answers.keep(job, self._request.answering_model(job), answer)
            except Exception as error:
                self._unkept = error

    def _deliver(self, job: Job, result: VerificationResult) -> None:
        with self._delivery:
            if self._closed:
                return
            self.done += 1
            self._on_result(job, result)
