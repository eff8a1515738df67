"""Process of a worker, which outlives its scheduler."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from contextlib import suppress

import dask
from distributed import Worker

from karenina_gui.cluster.address import ClusterAddress

Report = Callable[[str], None]


def work(where: ClusterAddress, name: str | None, jobs: int, report: Report) -> None:
    """Work for the scheduler until SIGINT or SIGTERM, and connect again whenever it was away.

    `report` is called with a line when it connects, and when it is connected.
    """
    logging.getLogger("distributed").setLevel(logging.ERROR)
    # Python 3.11 can block for good if garbage is collected while Dask's profiler looks at the threads.
    with dask.config.set({"distributed.worker.profile.enabled": False}):
        asyncio.run(_work(where, name, jobs, report))


async def _work(where: ClusterAddress, name: str | None, jobs: int, report: Report) -> None:
    stopped = asyncio.Event()
    with suppress(NotImplementedError):  # on Windows, where Ctrl+C ends the process at once
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    stop = asyncio.create_task(stopped.wait())
    while not stopped.is_set():
        # Dask's workers end with their scheduler. Their results are small, so that none is written to the disk.
        worker = Worker(where.address, nthreads=jobs, name=name, security=where.security(), memory_limit=0)
        report(f"Connecting to {where.address}…")
        life = asyncio.create_task(_live(worker, lambda: report(f"Working for {where.address}. Stop with Ctrl+C.")))
        await asyncio.wait([stop, life], return_when=asyncio.FIRST_COMPLETED)
        if stopped.is_set():
            await worker.close(timeout=2)
            life.cancel()
        with suppress(asyncio.CancelledError):
            await life


async def _live(worker: Worker, on_connection: Callable[[], None]) -> None:
    await worker
    on_connection()
    await worker.finished()
