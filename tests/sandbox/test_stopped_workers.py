"""Workers that were stopped (SIGSTOP): nothing waits for them for ever, and another one takes their place."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace

import pytest

from karenina_gui.sandbox.limits import DEFAULT_LIMITS
from karenina_gui.sandbox.monty_runner import CodeStopped, MontyPool
from karenina_gui.sandbox.worker_processes import WorkerProcesses
from tests.processes import stop

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

LIMITS = replace(DEFAULT_LIMITS, wall_s=0.3)
CODE = "class Answer:\n    def verify(self, text):\n        return True\n"


def request(text: str) -> bytes:
    return json.dumps({"op": "check_patterns", "patterns": {}, "text": text}).encode()


def test_a_long_request_to_a_stopped_worker_times_out() -> None:
    workers = WorkerProcesses("pattern_worker", 1, LIMITS)
    try:
        assert workers.ask(request("short"), 5).status == "ok"
        (process,) = workers._running
        stop(process._process.pid)
        assert workers.ask(request("long" * 1_000_000), 0.2).status == "timeout"
        assert workers.ask(request("short"), 5).status == "ok"
    finally:
        workers.close()


@pytest.mark.parametrize("when", ["before code", "before the end"])
def test_a_stopped_monty_worker_is_replaced(monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    monkeypatch.setattr("karenina_gui.sandbox.monty_runner._GRACE_S", 0.2)
    pool = MontyPool(1, LIMITS, WorkerProcesses("pattern_worker", 1, LIMITS))
    begin = time.monotonic()
    try:
        with pool.run("Answer", CODE, []) as run:
            (worker,) = pool._working
            if when == "before code":
                stop(worker)
                with pytest.raises(CodeStopped):
                    run._feed("1 + 1", {})
            else:
                assert run._feed("1 + 1", {}) == 2
                stop(worker)
        with pool.run("Answer", CODE, []) as run:
            assert run._feed("1 + 1", {}) == 2
    finally:
        pool.close()
    assert time.monotonic() - begin < 5
