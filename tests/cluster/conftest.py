"""Fixtures with a cluster on this computer: a scheduler and workers as processes of their own."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from karenina_gui.cluster.address import ClusterAddress
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from tests.ports import free_port
from tests.twin import Asked, Reply, Twin

TEMPLATE = """class Answer(BaseAnswer):
    target: str = VerifiedField(description="The protein target", ground_truth="BCL2", verify_with=ExactMatch())
    note{}: str | None = None
"""


class Cluster:
    """A scheduler and workers. `environment`: variables of the workers in addition to those of this process."""

    def __init__(self, environment: dict[str, str] | None = None, certificate: tuple[Path, Path] | None = None) -> None:
        """`certificate`: a certificate that is its own authority, and its key; None: without encryption."""
        self.port = free_port()
        self.environment = environment or {}
        self.certificate = certificate
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def address(self) -> ClusterAddress:
        if self.certificate is None:
            return ClusterAddress(f"tcp://127.0.0.1:{self.port}")
        own, key = self.certificate
        return ClusterAddress(f"tls://127.0.0.1:{self.port}", tls_ca=own, tls_cert=own, tls_key=key)

    def _tls(self, ca: str, cert: str, key: str) -> list[str]:
        if self.certificate is None:
            return []
        own, secret = map(str, self.certificate)
        return [ca, own, cert, own, key, secret]

    def start_scheduler(self) -> None:
        options = ["--host", self.address.address, "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
        options += self._tls("--tls-ca-file", "--tls-cert", "--tls-key")
        self.scheduler = _start("-m", "distributed.cli.dask_scheduler", *options)

    def start_worker(self, name: str, arguments: Sequence[str] = (), **environment: str) -> None:
        """`arguments`: of the command, in place of the usual ones."""
        options = arguments or [
            "worker",
            self.address.address,
            "--name",
            name,
            *self._tls("--tls-ca", "--tls-cert", "--tls-key"),
        ]
        self.workers[name] = _start("-m", "karenina_gui", *options, **self.environment, **environment)

    def kill_scheduler(self) -> None:
        assert self.scheduler is not None
        _kill(self.scheduler)

    def kill_worker(self, name: str) -> None:
        _kill(self.workers.pop(name))

    def wait(self, workers: int) -> None:
        """Wait until so many workers are there."""
        from distributed import Client

        security = self.address.security()
        with Client(self.address.address, security=security, set_as_default=False, timeout=30) as client:
            client.wait_for_workers(workers, timeout=30)

    def close(self) -> None:
        for process in (*self.workers.values(), self.scheduler):
            if process is not None:
                _kill(process)
        # Dask leaves connections that were interrupted while they were made to the garbage collector.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()


def _start(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *arguments], env={**os.environ, **environment})


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="package")
def two_workers() -> Iterator[Cluster]:
    """A cluster of two workers, `ada` and `eve`, which no test may end."""
    cluster = Cluster()
    try:
        cluster.start_scheduler()
        cluster.start_worker("ada")
        cluster.start_worker("eve")
        cluster.wait(2)
        yield cluster
    finally:
        cluster.close()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A cluster for one test, which starts what it needs."""
    cluster = Cluster()
    try:
        yield cluster
    finally:
        cluster.close()


def answer_and_judge(asked: Asked) -> Reply:
    """A provider whose answers name the right target."""
    return Reply(data={"target": "BCL2"}) if asked.schema else Reply(text="It is BCL2.")


def document(count: int) -> BenchmarkDocument:
    """Questions `q0`, `q1` and so on with templates of their own."""
    document = BenchmarkDocument(name="targets")
    for number in range(count):
        template = TEMPLATE.format(number)
        document.add(
            Question(question=f"Target {number}?", raw_answer="BCL2", id=f"q{number}", answer_template=template)
        )
    return document


def model(twin: Twin, name: str, **fields: object) -> ModelConfig:
    return ModelConfig(id=name, model_name=name, interface="openai_endpoint", endpoint_base_url=twin.address, **fields)
