"""Coordinator of a run on a cluster: gives single jobs to workers, and waits for them, for models, and for workers."""

from __future__ import annotations

import logging
import pickle
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future as Reply, InvalidStateError
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version as version_of
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.consents import Access, models_of
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.judge_memory import JudgeMemory, RememberingPorts
from karenina_gui.adapters.outages import CLUSTER, Line, ModelKey, Outages
from karenina_gui.adapters.ports import Cancelled
from karenina_gui.adapters.run_ports import RunPorts
from karenina_gui.cluster.address import ClusterAddress
from karenina_gui.cluster.transport import PACKAGE, Order, Outcome, RunContext, dumps, refuse_keys
from karenina_gui.errors import ClusterError, ModelUnavailable, ProviderError, RunCancelled
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

if TYPE_CHECKING:
    from distributed import Client, Future

log = logging.getLogger(__name__)

_GLANCE = 0.5
"""Seconds between two looks at the cluster."""
_EMPTY = 3.0
"""Seconds without a worker after which the run waits for one."""
_MOST_DEATHS = 5
"""Number of times that a job is sent again after Dask has given it up, because workers died with it."""
_CONNECTING = 3.0
"""Seconds for one attempt to connect."""
_PREPARING = 20.0
"""Seconds in which workers have to answer, also while they prepare themselves for the run."""


class RemoteRun:
    """A `Verifier` that has the jobs of one run verified by the workers of a cluster, for use in `with`. Thread-safe.

    Opening it raises `InputError` for keys in the run's settings, and `ClusterError` for a worker that cannot take
    part. A cluster that is away is waited for as an unavailable model is.
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
        self.name = f"karenina-{uuid4().hex[:12]}"
        self._where = where
        self._outages = outages
        self._cancelled = cancelled
        limit = request.config.max_concurrent_requests
        # A job makes one call at a time, so that this holds for all workers together.
        self._permits = None if limit is None else threading.Semaphore(limit)
        self._calls = CallPolicy(retry=RetryPolicy.none(), cancelled=cancelled, outages=outages)
        self.tools = PipelineTools(
            RunPorts(AdapterFactory(environment={}), self._calls), Sandbox(), end_calls=self.end_calls
        )
        """For `run_jobs`, which only ends calls by them: models are called elsewhere."""
        self._line = outages.line_of((CLUSTER, where.address, ""), f"the cluster {where.address}")
        outages.common = self._line
        document = BenchmarkDocument(name=request.document.name, rubric=request.document.rubric)
        self._context = RunContext(
            replace(request, document=document, question_ids=(), only=None),
            None if agreed is None else tuple(agreed),
            waits=outages.patience.max_outage > 0,
            workspaces=any(request.questions[question].workspace_path for question in request.question_ids),
            commands=any("run_command" in (model.workspace_tools or ()) for model in models_of(request.config)),
            tells_steps=tells_steps,
        )
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._why_away = f"The cluster at {where.address} can’t be reached."
        self._lost = False
        """True: the connection is of no use any more."""
        self._problem: ClusterError | None = None
        self._empty_since: float | None = None
        self._replies: dict[str, Reply[bytes]] = {}
        """Jobs that a worker has, by the key of their task."""
        self._steps: dict[str, OnStep] = {}
        self._at: dict[str, str] = {}
        """Address of the worker of each job in progress, by key."""
        self._names: dict[str, str] = {}
        """Names of the workers by address."""
        self._numbers = count()
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="cluster", daemon=True)

    def __enter__(self) -> Self:
        import distributed  # sets the levels of its loggers

        for name in (distributed.__name__, "distributed.client"):  # its losses are reported as waits of the run
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._look()
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._watcher.join()
        if self._client is not None:
            with suppress(Exception):
                self._client.sync(self._client.scheduler.unregister_worker_plugin, name=self.name, callback_timeout=5)
        self._drop("")

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
        order = Order(task.question, task.job, answer, counted, memory.before)
        if on_step is not None:
            self._steps[task.job.key] = on_step
        try:
            near: str | None = None
            if answer is None:
                line = self._outages.line(task.answering_model)
                order, outcome = self._carry_out(order, [line], None)
                if isinstance(outcome.answer, GeneratedAnswer) and on_answer is not None:
                    on_answer(outcome.answer)
                # The template is already prepared there.
                order, near = replace(order, answer=outcome.answer, counted=False), outcome.worker
            else:
                outcome = Outcome("")
            if outcome.result is None:
                lines = [self._outages.line(task.parsing_model)] if task.parsing_model else []
                order, outcome = self._carry_out(order, lines, near)
        except _ClusterAway as away:
            return cluster_away_result(task, str(away)), order.answer
        finally:
            self._steps.pop(task.job.key, None)
            self._at.pop(task.job.key, None)
        memory.take_over(outcome.replies)
        assert outcome.result is not None
        return outcome.result, outcome.answer

    def end_calls(self) -> None:
        """End the calls on all workers, for a run that is cancelled."""
        from karenina_gui.cluster.tasks import end_run

        client = self._client
        if client is not None:
            with suppress(Exception):
                _on_all(client, end_run, self.name, seconds=_CONNECTING)
        self._let_go()

    def workers(self) -> tuple[ClusterWorker, ...]:
        jobs: dict[str, set[str]] = {}
        for job, address in list(self._at.items()):
            jobs.setdefault(address, set()).add(job)
        here = [ClusterWorker(name, address, frozenset(jobs.get(address, ()))) for address, name in self._names.items()]
        return tuple(sorted(here, key=lambda worker: (worker.name, worker.address)))

    # ---------------------------------------------------------------- one job
    def _carry_out(self, order: Order, lines: Sequence[Line], near: str | None) -> tuple[Order, Outcome]:
        """Have an order carried out, again whenever a model is available again; returns it with what it learned.

        `lines`: queues of the models that it calls.
        """
        while True:
            learned: dict[str, Sequence[Any]] = {}
            try:
                outcome = self._in_lines(order, lines, near, learned)
                return order, outcome
            except _InVain as end:
                order = replace(order, faults={**order.faults, end.model: end.fault})
            except ModelUnavailable as other:
                lines = [*lines, self._outages.line_of(other.model, other.model[-1])]
            order = replace(order, replies=_merged(order.replies, learned))

    def _in_lines(
        self, order: Order, lines: Sequence[Line], near: str | None, learned: dict[str, Sequence[Any]]
    ) -> Outcome:
        if not lines:
            return self._send(replace(order, replies=_merged(order.replies, learned)), near, learned)
        line, *others = lines

        def attempt() -> Outcome:
            try:
                return self._in_lines(order, others, near, learned)
            except ModelUnavailable as unavailable:
                if unavailable.model == line.key:
                    raise unavailable.fault from None
                raise

        if line.key in order.faults:
            return self._in_lines(order, others, near, learned)
        try:
            return replace(self._calls, line=line).run(attempt)[0]
        except ProviderError as fault:
            raise _InVain(line.key, fault) from None

    def _send(self, order: Order, near: str | None, learned: dict[str, Sequence[Any]]) -> Outcome:
        """Send an order to the cluster as soon as there is one, and wait for its outcome."""
        payload = dumps(order)
        try:
            outcome, _ = replace(self._calls, line=self._line, permits=self._permits).run(
                lambda: self._ask(payload, near)
            )
        except ProviderError as fault:
            raise _ClusterAway(str(fault)) from None
        learned.update(outcome.replies)
        if outcome.problem:
            raise ClusterError(outcome.problem)
        if outcome.unavailable is not None:
            raise outcome.unavailable
        return outcome

    def _ask(self, payload: bytes, near: str | None) -> Outcome:
        """Raises `ProviderError` if the cluster is away, or gets lost."""
        from distributed import KilledWorker

        from karenina_gui.cluster.tasks import perform

        for _ in range(_MOST_DEATHS):
            client, key = self._available(), f"{self.name}-{next(self._numbers)}"
            reply: Reply[bytes] = Reply()
            with self._lock:
                self._replies[key] = reply
            future = client.submit(
                perform,
                self.name,
                client.id,
                key,
                payload,
                key=key,
                pure=False,
                workers=[near] if near else None,
                allow_other_workers=bool(near),
            )
            client.loop.add_callback(_follow, future, reply)
            try:
                # A worker that does not know the run belongs to a scheduler that was started anew.
                if (data := reply.result()) and not (outcome := _outcome_of(data, future)).cancelled:
                    return outcome
            except KilledWorker:
                continue
            except (CancelledError, OSError, TimeoutError):
                pass
            finally:
                with self._lock:
                    del self._replies[key]
                future.release()
            if self._cancelled() or self._over.is_set():
                raise RunCancelled("The run was stopped. No more models are called.")
            with self._lock:
                self._lost = self._lost or not self._why_away
                self._go_away(self._why_away or f"The connection to the cluster at {self._where.address} was lost.")
            raise self._fault()
        raise RuntimeError("Workers of the cluster died again and again while they worked on this job.")

    def _available(self) -> Client:
        if self._problem is not None:
            raise self._problem
        client = self._client
        if client is None or self._why_away:
            raise self._fault()
        return client

    def _fault(self) -> ProviderError:
        return ProviderError(self._why_away, category="connection", reached=False)

    # ---------------------------------------------------------------- the cluster
    def _watch(self) -> None:
        while not self._over.wait(_GLANCE):
            try:
                self._look()
            except ClusterError as problem:
                self._problem = problem
                self._let_go()
                self._outages.try_now(self._line.key)
                return
            except Exception:
                log.exception("The cluster can’t be watched.")

    def _look(self) -> None:
        """Connect if there is no connection, and see whether there are workers. Raises `ClusterError`."""
        if self._client is not None and (self._lost or self._client.status != "running"):
            self._drop(f"The connection to the cluster at {self._where.address} was lost.")
        try:
            if self._client is None:
                self._connect()
            assert self._client is not None
            workers = self._client.sync(self._client.scheduler.identity, n_workers=-1, callback_timeout=_CONNECTING)
        except (OSError, TimeoutError, CancelledError):
            self._drop(f"The cluster at {self._where.address} can’t be reached.")
            return
        self._note_workers(workers["workers"])

    def _note_workers(self, workers: Mapping[str, Any]) -> None:
        self._names = {address: str(worker["name"]) for address, worker in workers.items()}
        if workers:
            self._empty_since = None
            self._come_back()
            return
        self._empty_since = self._empty_since or time.monotonic()
        if self._why_away or time.monotonic() - self._empty_since > _EMPTY:
            self._go_away(f"The cluster at {self._where.address} has no workers.")
            self._let_go()

    def _go_away(self, why: str) -> None:
        """Let jobs wait for the cluster."""
        if why != self._why_away or not self._line.closed:
            self._why_away = why
            with self._outages.moved:
                if self._line.closed:
                    self._line.plan(self._fault())
                else:
                    self._line.close(self._fault())
            self._outages.tell()

    def _come_back(self) -> None:
        if self._why_away and not self._lost:
            self._why_away = ""
            with self._outages.moved:
                self._line.open()
            self._outages.tell()

    def _connect(self) -> None:
        """Raises `OSError` if there is no scheduler, and `ClusterError`."""
        from distributed import Client

        from karenina_gui.cluster.engine import RunOnWorker
        from karenina_gui.cluster.tasks import problem_of

        client = Client(
            self._where.address,
            timeout=_CONNECTING,
            security=self._where.security(),
            set_as_default=False,
            name="karenina-gui",
        )
        self._client = client
        # Dask has no time limit of its own for these, and looks for half a minute for a worker that has just died.
        _check_versions(client)
        plugin = RunOnWorker(self.name, client.id, self._context)
        client.sync(client._register_worker_plugin, plugin, self.name, False, callback_timeout=_PREPARING)
        client.subscribe_topic(client.id, self._on_message)
        # Errors are of workers that have just died.
        problems = [text for text in _on_all(client, problem_of, self.name).values() if isinstance(text, str) and text]
        if problems:
            raise ClusterError(" ".join(problems))

    def _drop(self, why: str) -> None:
        """Close the connection, if there is one."""
        if why:
            self._go_away(why)
        if self._client is not None:
            self._let_go()
            with suppress(Exception):
                # The scheduler would tell the client that it has left.
                self._client.unsubscribe_topic(self._client.id)
                self._client.close(timeout=_CONNECTING)
        self._client, self._lost = None, False

    def _let_go(self) -> None:
        """Let all jobs that wait for a worker go on, with an error."""
        with self._lock:
            replies = list(self._replies.values())
        for reply in replies:
            _settle(reply, CancelledError())

    def _on_message(self, event: tuple[float, Mapping[str, Any]]) -> None:
        _, message = event
        if reply := self._replies.get(message.get("key", "")):
            _settle(reply, message["outcome"] or _FETCH)
        for job, stage, turn in message.get("steps", ()):
            if on_step := self._steps.get(job):
                self._at[job] = message["worker"]
                on_step(stage, turn)


_FETCH = b"fetch"
"""Reply of a worker whose outcome is the result of its task."""


async def _follow(future: Future, reply: Reply[bytes]) -> None:
    """Settle the reply when its task has ended without a message."""
    await future._state.wait()
    _settle(reply, future._state.exception if future.status in ("error", "cancelled") else b"")


def _settle(reply: Reply[bytes], value: bytes | BaseException) -> None:
    with suppress(InvalidStateError):  # the job has its outcome
        reply.set_exception(value) if isinstance(value, BaseException) else reply.set_result(value)


def _outcome_of(data: bytes, future: Future) -> Outcome:
    outcome: Outcome = pickle.loads(future.result() if data == _FETCH else data)
    return outcome


def _check_versions(client: Client) -> None:
    """Raise `ClusterError` if the scheduler or a worker has other versions of the product or of Dask."""
    own = version_of(PACKAGE)
    versions = {
        f"The worker at {address}": version for address, version in _on_all(client, version_of, PACKAGE).items()
    }
    # The scheduler imports the functions that workers call.
    try:
        on_scheduler: Any = client.sync(client._run_on_scheduler, version_of, PACKAGE, callback_timeout=_PREPARING)
    except PackageNotFoundError as missing:
        on_scheduler = missing
    for subject, version in {**versions, "The scheduler": on_scheduler}.items():
        if isinstance(version, str | PackageNotFoundError) and version != own:
            has = f"has version {version} of" if isinstance(version, str) else "doesn’t have"
            raise ClusterError(f"{subject} {has} {PACKAGE}. Install version {own}, as on this computer.")
    try:
        client.sync(client._get_versions, check=True, callback_timeout=_PREPARING)
    except ValueError as error:
        raise ClusterError(f"The computers of the cluster differ. {error}") from None


def _on_all(
    client: Client, function: Callable[..., Any], *arguments: str, seconds: float = _PREPARING
) -> dict[str, Any]:
    """Call a function on all workers; returns the values, or the errors, by address."""
    values: dict[str, Any] = client.sync(client._run, function, *arguments, on_error="return", callback_timeout=seconds)
    return values


def _merged(old: Mapping[str, Sequence[Any]], new: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Replies of both attempts."""
    return {**old, **{key: replies for key, replies in new.items() if len(replies) >= len(old.get(key, ()))}}


class _InVain(RunCancelled):
    """The run has given up waiting for a model, or only this request fails."""

    def __init__(self, model: ModelKey, fault: ProviderError) -> None:
        super().__init__(str(fault))
        self.model = model
        self.fault = fault


class _ClusterAway(RunCancelled):
    """The run has given up waiting for the cluster."""
