"""Runs all jobs of a configuration over a benchmark: in threads, one answer for all its judges, nothing ever lost."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from karenina_gui.adapters.bound import BoundPorts
from karenina_gui.adapters.calls import CallPolicy, never
from karenina_gui.adapters.open import Adapters
from karenina_gui.adapters.ports import Cancelled
from karenina_gui.errors import RunCancelled
from karenina_gui.pipeline.generated_answer import GeneratedAnswer
from karenina_gui.pipeline.verification import PipelineTools, VerificationTask, verify
from karenina_gui.runs.expansion import Job, expand
from karenina_gui.runs.ordering import Group, groups_in_order
from karenina_gui.runs.unexpected import unexpected_result
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult

OnResult = Callable[[Job, VerificationResult], None]
"""Called as each job is done, from a worker thread, one call at a time."""


@dataclass(frozen=True)
class RunRequest:
    """What is to be run."""

    document: BenchmarkDocument
    config: VerificationConfig
    question_ids: Sequence[str]
    """Chosen questions, in the order that results shall have (see `selection.select`)."""
    name: str | None = None
    workspace_root: Path | None = None
    trusted: bool = False
    """Author-written code is the user's own: it may run where no confinement is available."""

    @cached_property
    def jobs(self) -> list[Job]:
        return expand(self.question_ids, self.config)

    @cached_property
    def questions(self) -> dict[str, Question]:
        return {entry.id: entry.question for entry in self.document.entries}

    def task(self, job: Job) -> VerificationTask:
        return VerificationTask(
            question=self.questions[job.question_id],
            rubric=self.document.rubric,
            config=self.config,
            answering_model=self.config.answering_models[job.answering],
            parsing_model=None if job.judge is None else self.config.parsing_models[job.judge],
            replicate=job.replicate,
            run_name=self.name,
            workspace_root=self.workspace_root,
            trusted=self.trusted,
        )


def open_tools(
    adapters: Adapters, sandbox: Sandbox, config: VerificationConfig, cancelled: Cancelled = never
) -> PipelineTools:
    """What a run's pipeline works with; `cancelled` is asked before every model call."""
    limit = config.max_concurrent_requests
    calls = CallPolicy(
        retry=config.retry_policy,
        request_timeout=config.request_timeout,
        cancelled=cancelled,
        permits=None if limit is None else threading.Semaphore(limit),
    )
    return PipelineTools(ports=BoundPorts(adapters, calls), sandbox=sandbox)


def run_jobs(
    request: RunRequest, tools: PipelineTools, *, on_result: OnResult | None = None, cancelled: Cancelled = never
) -> list[VerificationResult]:
    """Results in the jobs' stable order.

    After a cancel, or when the time of `batch_timeout_seconds` is over, those of the jobs that were done, no others.

    A job that breaks unexpectedly becomes a result that says so. Errors: only what `on_result` raises; the run then
    stops, because its results could not be kept.
    """
    work = _Work(request, tools, on_result, cancelled)
    groups = groups_in_order(request.jobs, request.document, request.config.task_ordering)
    with ThreadPoolExecutor(request.config.workers, thread_name_prefix="job") as pool:
        futures = [pool.submit(work.do, group) for group in groups]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
        finally:
            work.stopped.set()  # on a fault, or Ctrl+C, nothing further begins
    return [work.results[job] for job in request.jobs if job in work.results]


class _Work:
    def __init__(
        self, request: RunRequest, tools: PipelineTools, on_result: OnResult | None, cancelled: Cancelled
    ) -> None:
        self.results: dict[Job, VerificationResult] = {}
        self.stopped = threading.Event()
        self._request = request
        self._tools = tools
        self._on_result = on_result
        self._cancelled = cancelled
        self._delivery = threading.Lock()
        self._places = _places(request)
        limit = request.config.batch_timeout_seconds
        self._deadline = math.inf if limit is None else time.monotonic() + limit

    def do(self, group: Group) -> None:
        """All judges of one answer, which is generated for the first of them."""
        with self._places.get(group[0].answering, nullcontext()):
            answer: GeneratedAnswer | None = None
            for job in group:
                if self._is_over():
                    return
                try:
                    result, answer = self._verify(job, answer)
                except RunCancelled:
                    return
                self._deliver(job, result)

    def _is_over(self) -> bool:
        return self.stopped.is_set() or self._cancelled() or time.monotonic() > self._deadline

    def _verify(self, job: Job, answer: GeneratedAnswer | None) -> tuple[VerificationResult, GeneratedAnswer | None]:
        task = self._request.task(job)
        started = time.monotonic()
        try:
            return verify(task, self._tools, answer=answer)
        except RunCancelled:
            raise
        except Exception as error:  # a fault of ours must cost one result, not the run
            return unexpected_result(task, error, time.monotonic() - started), answer

    def _deliver(self, job: Job, result: VerificationResult) -> None:
        with self._delivery:
            self.results[job] = result
            if self._on_result is not None:
                self._on_result(job, result)


def _places(request: RunRequest) -> dict[int, AbstractContextManager[object]]:
    """For each answering model with a limit of its own, the places for its groups."""
    config = request.config
    limits = config.answerer_concurrency_limits
    if limits is None:
        return {}
    by_model = {str(model.id): limits for model in config.answering_models} if isinstance(limits, int) else limits
    return {
        number: threading.Semaphore(by_model[str(model.id)])
        for number, model in enumerate(config.answering_models)
        if str(model.id) in by_model
    }
