"""Connection of a run with its cluster: it gives jobs to workers, and comes back after the cluster was away."""

from __future__ import annotations

import logging
import pickle
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future as Reply, InvalidStateError
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version as version_of
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from karenina_gui.adapters.outages import CLUSTER, Outages
from karenina_gui.adapters.ports import Cancelled
from karenina_gui.cluster.address import ClusterAddress
from karenina_gui.cluster.transport import PACKAGE, JobOutcome, RunContext
from karenina_gui.errors import ClusterError, ProviderError, RunCancelled

if TYPE_CHECKING:
    from distributed import Client, Future

log = logging.getLogger(__name__)

_GLANCE = 0.5
"""Seconds between two looks at the cluster."""
_EMPTY = 3.0
"""Seconds without a worker after which the run waits for one."""
_MOST_DEATHS = 5
"""Number of times that a job is sent again after Dask has given it up, because four workers died with it."""
_CONNECTING = 3.0
"""Seconds for one attempt to connect."""
_PREPARING = 20.0
"""Seconds in which workers have to answer, also while they prepare themselves for the run."""
_FETCH = b"fetch"
"""Reply of a worker whose outcome is the result of its task."""

OnSteps = Callable[[str, list[tuple[str, str, int | None]]], None]
"""Called with the address of a worker and (job key, stage, turn) of the steps of its jobs."""


class _WorkerGone(Exception):
    """The worker near which a job was sent is gone, and others are there."""


class ClusterConnection:
    """A run's connection, which a thread keeps. Thread-safe."""

    def __init__(
        self, where: ClusterAddress, context: RunContext, outages: Outages, cancelled: Cancelled, on_steps: OnSteps
    ) -> None:
        self.line = outages.line_of((CLUSTER, where.address, ""), f"the cluster {where.address}")
        """Queue of jobs while the cluster is away; this class closes and opens it."""
        outages.common = self.line
        self.names: dict[str, str] = {}
        """Names of the workers by address."""
        self._where = where
        self._run = f"karenina-{uuid4().hex[:12]}"
        self._context = context
        self._outages = outages
        self._cancelled = cancelled
        self._on_steps = on_steps
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._why_away = f"The cluster at {where.address} can’t be reached."
        """Empty: jobs can be sent."""
        self._lost = False
        """True: the connection is of no use any more."""
        self._problem: ClusterError | None = None
        self._empty_since: float | None = None
        self._replies: dict[str, tuple[Reply[bytes], str | None]] = {}
        """Jobs that a worker has, by the key of their task, and the address of the worker that was asked for."""
        self._numbers = count()
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="cluster", daemon=True)

    def open(self) -> None:
        """Connect, and go on trying if there is no cluster. Raises `ClusterError`."""
        import distributed  # sets the levels of its loggers

        for name in (distributed.__name__, "distributed.client"):  # its losses are reported as waits of the run
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._look()
        except BaseException:
            self._disconnect()
            raise
        self._watcher.start()

    def close(self) -> None:
        self._over.set()
        self._watcher.join()
        self._disconnect()

    def send(self, order: bytes, near: str | None) -> JobOutcome:
        """Have a pickled order carried out, at worker `near` if it is there and free (None: anywhere).

        Raises `ProviderError` if the cluster is away or gets lost, and `ClusterError`.
        """
        for _ in range(_MOST_DEATHS):
            client = self._available()
            try:
                if outcome := self._ask(client, order, near):
                    return outcome
            except (CancelledError, OSError, TimeoutError):
                if self._cancelled() or self._over.is_set():
                    raise RunCancelled("The run was stopped. No more models are called.") from None
                self._note_loss(client)
        raise RuntimeError("Workers or schedulers of the cluster died again and again while they had this job.")

    def _note_loss(self, client: Client) -> None:
        """Raise `ProviderError` unless this connection was already replaced by another."""
        with self._lock:
            if client is self._client and not self._why_away:
                self._lost = True
                self._go_away(f"The connection to the cluster at {self._where.address} was lost.")
        if self._why_away:
            raise self._fault()

    def _ask(self, client: Client, order: bytes, near: str | None) -> JobOutcome | None:
        """Give an order to a worker; None: workers died with it. Raises `CancelledError` if the cluster gets lost."""
        from distributed import KilledWorker

        from karenina_gui.cluster.tasks import perform

        key = f"{self._run}-{next(self._numbers)}"
        reply: Reply[bytes] = Reply()
        with self._lock:
            near = near if near in self.names else None
            self._replies[key] = reply, near
        place: dict[str, Any] = {"workers": [near], "allow_other_workers": True} if near else {}
        future = client.submit(perform, self._run, client.id, key, order, key=key, pure=False, **place)
        client.loop.add_callback(_follow, future, reply)
        try:
            data = reply.result()
            outcome = _outcome_of(data, future) if data else None
        except (KilledWorker, _WorkerGone):
            return None
        finally:
            with self._lock:
                del self._replies[key]
            future.release()
        # A worker that does not know the run belongs to a scheduler that was started anew.
        if outcome is None or outcome.cancelled:
            raise CancelledError
        if outcome.problem:
            raise ClusterError(outcome.problem)
        return outcome

    def end_calls(self) -> None:
        """End the calls on all workers, and make no more."""
        from karenina_gui.cluster.tasks import end_run

        if (client := self._client) is not None:
            with suppress(Exception):
                _on_all(client, end_run, self._run, seconds=_CONNECTING)
        self._let_go()

    def _available(self) -> Client:
        if self._problem is not None:
            raise self._problem
        client = self._client
        if client is None or self._why_away:
            raise self._fault()
        return client

    def _fault(self) -> ProviderError:
        return ProviderError(self._why_away, category="connection", reached=False)

    def _watch(self) -> None:
        while not self._over.wait(_GLANCE):
            try:
                self._look()
            except ClusterError as problem:
                self._problem = problem
                self._let_go()
                self._outages.try_now(self.line.key)
                return
            except Exception:
                log.exception("The cluster can’t be watched.")

    def _look(self) -> None:
        """Connect if there is no connection, and see whether there are workers. Raises `ClusterError`."""
        if self._client is not None and (self._lost or self._client.status != "running"):
            self._go_away(f"The connection to the cluster at {self._where.address} was lost.")
            self._disconnect()
        try:
            if self._client is None:
                self._connect()
            assert self._client is not None
            identity = self._client.sync(self._client.scheduler.identity, n_workers=-1, callback_timeout=_CONNECTING)
        except (OSError, TimeoutError, CancelledError):
            self._go_away(f"The cluster at {self._where.address} can’t be reached.")
            self._disconnect()
            return
        self._note_workers(identity["workers"])

    def _note_workers(self, workers: Mapping[str, Any]) -> None:
        self.names = {address: str(worker["name"]) for address, worker in workers.items()}
        if workers:
            self._resend()
            self._empty_since = None
            self._come_back()
            return
        self._empty_since = self._empty_since or time.monotonic()
        if self._why_away or time.monotonic() - self._empty_since > _EMPTY:
            self._go_away(f"The cluster at {self._where.address} has no workers.")
            self._let_go()

    def _go_away(self, why: str) -> None:
        """Let jobs wait for the cluster."""
        if why == self._why_away and self.line.closed:
            return
        self._why_away = why
        with self._outages.moved:
            change = self.line.plan if self.line.closed else self.line.close
            change(self._fault())
        self._outages.tell()

    def _come_back(self) -> None:
        if self._why_away and not self._lost:
            self._why_away = ""
            with self._outages.moved:
                self.line.open()
            self._outages.tell()

    def _connect(self) -> None:
        """Raises `OSError` or `TimeoutError` if there is no scheduler, and `ClusterError`."""
        from distributed import Client

        from karenina_gui.cluster.engine import RunOnWorker
        from karenina_gui.cluster.tasks import problem_of

        security = self._where.security()
        client = self._client = Client(
            self._where.address, timeout=_CONNECTING, security=security, set_as_default=False, name=PACKAGE
        )
        # Dask has no time limit of its own for these, and looks for half a minute for a worker that has just died.
        _check_versions(client)
        plugin = RunOnWorker(self._run, client.id, self._context)
        client.sync(client._register_worker_plugin, plugin, self._run, False, callback_timeout=_PREPARING)
        client.subscribe_topic(client.id, self._on_message)
        # Errors are of workers that have just died.
        problems = [text for text in _on_all(client, problem_of, self._run).values() if isinstance(text, str) and text]
        if problems:
            raise ClusterError(" ".join(problems))

    def _disconnect(self) -> None:
        self._let_go()
        client, self._client, self._lost = self._client, None, False
        if client is None:
            return
        if client.status == "running":
            with suppress(Exception):
                client.sync(client.scheduler.unregister_worker_plugin, name=self._run, callback_timeout=_CONNECTING)
        with suppress(Exception):
            # The scheduler would tell the client that it has left.
            client.unsubscribe_topic(client.id)
            client.close(timeout=_CONNECTING)

    def _let_go(self) -> None:
        """Let all jobs that wait for a worker go on, with an error."""
        with self._lock:
            replies = list(self._replies.values())
        for reply, _ in replies:
            _settle(reply, CancelledError())

    def _resend(self) -> None:
        """Send jobs again that were sent near a worker which is gone.

        Dask would keep them for a worker at the same address if no other one was running at that moment.
        """
        with self._lock:
            replies = list(self._replies.values())
        for reply, near in replies:
            if near and near not in self.names:
                _settle(reply, _WorkerGone())

    def _on_message(self, event: tuple[float, Mapping[str, Any]]) -> None:
        _, message = event
        if job := self._replies.get(message.get("key", "")):
            _settle(job[0], message["outcome"] or _FETCH)
        if steps := message.get("steps"):
            self._on_steps(message["worker"], steps)


async def _follow(future: Future, reply: Reply[bytes]) -> None:
    """Settle the reply when its task has ended without a message."""
    from distributed import KilledWorker

    await future._state.wait()
    if future.status == "cancelled":
        _settle(reply, CancelledError())
    elif future.status == "error":
        error = future._state.exception
        # Of another type than the errors of a lost connection.
        unexpected = RuntimeError(f"{type(error).__name__}: {error}")
        _settle(reply, error if isinstance(error, KilledWorker) else unexpected)
    else:
        _settle(reply, b"")


def _settle(reply: Reply[bytes], value: bytes | BaseException) -> None:
    with suppress(InvalidStateError):  # the job has its outcome
        reply.set_exception(value) if isinstance(value, BaseException) else reply.set_result(value)


def _outcome_of(data: bytes, future: Future) -> JobOutcome:
    outcome: JobOutcome = pickle.loads(future.result() if data == _FETCH else data)
    return outcome


def _check_versions(client: Client) -> None:
    """Raise `ClusterError` if the scheduler or a worker has other versions of the product or of Dask."""
    own, workers = version_of(PACKAGE), _on_all(client, version_of, PACKAGE)
    versions = {f"The worker at {address}": version for address, version in workers.items()}
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
