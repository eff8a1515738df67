"""Verifier of a run on a cluster: has single jobs carried out by workers, and waits for models on their behalf."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.consents import Access, models_of
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.judge_memory import JudgeMemory, RememberingPorts
from karenina_gui.adapters.outages import Line, ModelKey, Outages
from karenina_gui.adapters.ports import Cancelled
from karenina_gui.adapters.run_ports import RunPorts
from karenina_gui.cluster.address import ClusterAddress
from karenina_gui.cluster.connection import ClusterConnection
from karenina_gui.cluster.transport import JobOrder, JobOutcome, RunContext, dumps, refuse_keys
from karenina_gui.errors import ModelUnavailable, ProviderError, RunCancelled
from karenina_gui.pipeline.context import OnStep
from karenina_gui.pipeline.generated_answer import GeneratedAnswer, Generation, OnAnswer
from karenina_gui.pipeline.verify_job import PipelineTools, VerificationTask
from karenina_gui.runs.failed_jobs import cluster_away_result
from karenina_gui.runs.progress import ClusterWorker
from karenina_gui.runs.request import RunRequest
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.retry import RetryPolicy


class RemoteRun:
    """A `Verifier` that has the jobs of one run verified by the workers of a cluster, for use in `with`. Thread-safe.

    Creating it raises `InputError` for an unusable address, and for keys in the run's settings; `with` raises
    `ClusterError` for a worker that cannot take part. A cluster that is away is waited for as an unavailable model is.
    """

    def __init__(
        self,
        where: ClusterAddress,
        request: RunRequest,
        outages: Outages,
        cancelled: Cancelled,
        agreed: Iterable[Access] | None,
        tells_steps: bool = False,
    ) -> None:
        """`outages`, `cancelled`: of the run. `agreed`: see `RunContext`."""
        where.check()
        refuse_keys(request.config, request.document.rubric)
        document = BenchmarkDocument(name=request.document.name, rubric=request.document.rubric)
        context = RunContext(
            replace(request, document=document, question_ids=(), only=None),
            None if agreed is None else tuple(agreed),
            waits=outages.patience.max_outage > 0,
            workspaces=any(request.questions[question].workspace_path for question in request.question_ids),
            commands=any("run_command" in (model.workspace_tools or ()) for model in models_of(request.config)),
            tells_steps=tells_steps,
        )
        self._outages = outages
        self._connection = ClusterConnection(where, context, outages, cancelled, self._note_steps)
        limit = request.config.max_concurrent_requests
        # A job makes one call at a time, so that this holds for all workers together.
        self._permits = None if limit is None else threading.Semaphore(limit)
        self._calls = CallPolicy(retry=RetryPolicy.none(), cancelled=cancelled, outages=outages)
        ports = RunPorts(AdapterFactory(environment={}), self._calls)
        self.tools = PipelineTools(ports, Sandbox(), end_calls=self._connection.end_calls)
        """For `run_jobs`, which only ends calls by them: models are called elsewhere."""
        self._steps: dict[str, OnStep] = {}
        """Receivers of the progress of the jobs, by key."""
        self._at: dict[str, str] = {}
        """Address of the worker of each job in progress, by key."""

    def __enter__(self) -> Self:
        self._connection.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

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
        """See `verify`. Of `tools` only the memory of judges is used."""
        memory = tools.ports.memory if isinstance(tools.ports, RememberingPorts) else JudgeMemory()
        if on_step is not None:
            self._steps[task.job.key] = on_step
        try:
            outcome = JobOutcome("", answer=answer)
            if answer is None:
                order = JobOrder(task.question, task.job, replies=memory.before)
                outcome = self._carry_out(order, [self._outages.line(task.answering_model)])
                if isinstance(outcome.answer, GeneratedAnswer) and on_answer is not None:
                    on_answer(outcome.answer)
                counted = False
            if outcome.result is None:
                order = JobOrder(task.question, task.job, outcome.answer, counted, memory.before)
                lines = [self._outages.line(task.parsing_model)] if task.parsing_model else []
                # Where the answer was generated, the template is already prepared.
                outcome = self._carry_out(order, lines, outcome.worker)
        except _ClusterAway as away:
            return cluster_away_result(task, str(away)), outcome.answer
        finally:
            self._steps.pop(task.job.key, None)
            self._at.pop(task.job.key, None)
        memory.take_over(outcome.replies)
        assert outcome.result is not None
        return outcome.result, outcome.answer

    def workers(self) -> tuple[ClusterWorker, ...]:
        jobs: dict[str, set[str]] = {}
        for job, address in list(self._at.items()):
            jobs.setdefault(address, set()).add(job)
        names = sorted((name, address) for address, name in self._connection.names.items())
        return tuple(ClusterWorker(name, address, frozenset(jobs.get(address, ()))) for name, address in names)

    def _carry_out(self, order: JobOrder, lines: Sequence[Line], near: str = "") -> JobOutcome:
        """Have an order carried out, again whenever a model that it needs is available again.

        `lines`: queues of the models that it calls.
        """
        replies: dict[str, Sequence[Any]] = dict(order.replies)

        def send() -> JobOutcome:
            outcome = self._send(replace(order, replies=replies), near)
            replies.update({key: new for key, new in outcome.replies.items() if len(new) >= len(replies.get(key, ()))})
            if outcome.unavailable is not None:
                raise outcome.unavailable
            return outcome

        while True:
            try:
                return self._behind([line for line in lines if line.key not in order.faults], send)
            except _InVain as end:
                order = replace(order, faults={**order.faults, end.model: end.fault})
            except ModelUnavailable as other:  # of a trait, for example
                lines = [*lines, self._outages.line_of(other.model, other.model[-1])]

    def _behind(self, lines: Sequence[Line], send: Callable[[], JobOutcome]) -> JobOutcome:
        """Send in turn with the other calls of these models, while one of them is unavailable."""
        if not lines:
            return send()
        line, *others = lines

        def attempt() -> JobOutcome:
            try:
                return self._behind(others, send)
            except ModelUnavailable as unavailable:
                if unavailable.model == line.key:
                    raise unavailable.fault from None
                raise

        try:
            return replace(self._calls, line=line).run(attempt)[0]
        except ProviderError as fault:
            raise _InVain(line.key, fault) from None

    def _send(self, order: JobOrder, near: str) -> JobOutcome:
        """Send an order to the cluster as soon as there is one, and wait for its outcome."""
        payload, calls = dumps(order), replace(self._calls, line=self._connection.line, permits=self._permits)
        try:
            return calls.run(lambda: self._connection.send(payload, near or None))[0]
        except ProviderError as fault:
            raise _ClusterAway(str(fault)) from None

    def _note_steps(self, worker: str, steps: Sequence[tuple[str, str, int | None]]) -> None:
        for job, stage, turn in steps:
            if on_step := self._steps.get(job):
                self._at[job] = worker
                on_step(stage, turn)


class _InVain(RunCancelled):
    """The run has given up waiting for a model, or only this request fails."""

    def __init__(self, model: ModelKey, fault: ProviderError) -> None:
        super().__init__(str(fault))
        self.model = model
        self.fault = fault


class _ClusterAway(RunCancelled):
    """The run has given up waiting for the cluster."""
