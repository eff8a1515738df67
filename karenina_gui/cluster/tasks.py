"""Functions that Dask calls on workers. The scheduler imports them, too, and needs nothing of the engine."""

from __future__ import annotations

from distributed import Worker, get_worker

LARGEST_MESSAGE = 64 * 1024
"""Bytes of the largest outcome that is sent as a message. The scheduler keeps the last thousand of a run."""


def perform(run: str, topic: str, key: str, order: bytes) -> bytes:
    """Carry out a pickled `JobOrder` of this run.

    A message on the topic has its pickled `JobOutcome`, or None if that is large, and returned. No message: the worker
    knows no such run.
    """
    worker = get_worker()
    engine = worker.plugins.get(run)
    if engine is None:
        return b""
    outcome: bytes = engine.perform(order)
    # If a worker dies, the scheduler looks for its results for half a minute; a message has arrived by then.
    large = len(outcome) > LARGEST_MESSAGE
    worker.log_event(topic, {"key": key, "outcome": None if large else outcome})
    return outcome if large else b""


def problem_of(run: str, dask_worker: Worker) -> str:
    """Reason why this worker cannot take part in the run; empty: it can."""
    return str(dask_worker.plugins[run].problem)


def end_run(run: str, dask_worker: Worker) -> None:
    """End the calls of this run on this worker, and make no more."""
    if run in dask_worker.plugins:
        dask_worker.plugins[run].end()
