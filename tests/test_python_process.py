"""Second Python process: replies, printed text between them, timeouts, and restarts."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.python_process import PythonProcess, answer_requests
from tests.processes import stop
from tests.until import comes


def serve() -> None:
    answer_requests(answer)


def answer(request: Any) -> Any:
    if request == "print":
        print("Libraries print what they like.")
        os.write(1, b"Even past Python.")
    if request == "sleep":
        time.sleep(30)
    if request == "environment":
        return dict(os.environ)
    if request == "end":
        os._exit(3)
    return request, os.getpid()


@pytest.fixture
def process() -> Iterator[PythonProcess]:
    process = PythonProcess(f"{__name__}:{serve.__name__}")
    yield process
    process.end()


def test_a_request_has_its_reply_whatever_is_printed(process: PythonProcess) -> None:
    assert process.pid is None
    for request in ("first", "print", {"a": [1, None]}, b"x" * 3_000_000):
        assert process.ask(request, 30) == (request, process.pid)


def test_a_short_request_starts_no_thread(process: PythonProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    process.ask("first", 30)
    monkeypatch.setattr(threading.Thread, "start", lambda thread: pytest.fail(f"{thread} was started"))
    assert process.ask("x" * 30_000, 30) == ("x" * 30_000, process.pid)


def test_the_process_gets_no_key(process: PythonProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("HOME", "/home/me")
    given = process.ask("environment", 30)
    assert "sk-very-secret" not in given.values()
    assert "/home/me" not in given.values()


def test_no_reply_in_time_is_a_timeout_and_the_next_request_starts_anew(process: PythonProcess) -> None:
    process.ask("first", 30)
    before = process.pid
    with pytest.raises(TimeoutError):
        process.ask("sleep", 0.05)
    assert process.pid is None
    assert process.ask("again", 30) == ("again", process.pid)
    assert process.pid != before


def test_a_process_that_dies_over_a_request_is_an_error(process: PythonProcess) -> None:
    with pytest.raises((EOFError, OSError)):
        process.ask("end", 30)
    assert process.pid is None
    assert process.ask("again", 30)[0] == "again"


def test_a_request_that_cannot_be_sent_leaves_the_process_usable(process: PythonProcess) -> None:
    process.ask("first", 30)
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError)):
        process.ask(lambda: None, 30)
    assert process.ask("again", 30)[0] == "again"


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_stopped_process_is_replaced_even_while_a_long_request_is_written(process: PythonProcess) -> None:
    process.ask("first", 30)
    assert process.pid is not None
    stop(process.pid)
    with pytest.raises(TimeoutError):
        process.ask(b"x" * 3_000_000, 0.1)
    assert process.ask("again", 30) == ("again", process.pid)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_an_ended_process_leaves_no_zombie(process: PythonProcess) -> None:
    process.ask("first", 30)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    assert comes(lambda: not Path(f"/proc/{process.pid}").exists())
