"""Functions that Dask calls on workers. The scheduler imports them, too, and needs nothing of the engine."""

from __future__ import annotations

from distributed import Worker, get_worker


def perform(run: str, order: bytes) -> bytes:
    """Carry out a pickled `Order` of this run; returns the pickled `Outcome`, empty if the worker has no such run."""
    engine = get_worker().plugins.get(run)
    return b"" if engine is None else bytes(engine.perform(order))


def problem_of(run: str, dask_worker: Worker) -> str:
    """Why this worker cannot take part in the run; empty: it can."""
    return str(dask_worker.plugins[run].problem)


def end_run(run: str, dask_worker: Worker) -> None:
    """End the calls of this run on this worker, and make no more."""
    if run in dask_worker.plugins:
        dask_worker.plugins[run].end()
