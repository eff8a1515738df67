"""Trusted code where there is no lock for it: a process of its own for each template, none left behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.limits import Limits
from karenina_gui.schemas.template import AnswerToVerify
from tests.until import comes

TELLS_ITS_PROCESS = """
import os

class Answer(BaseAnswer):
    value: int = Field(description="NAME")

    def verify(self):
        print(os.getpid())
        return True
"""
ANSWER = AnswerToVerify(values={"value": 1})


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(slots=1, rung=5, limits=Limits(wall_s=5)) as sandbox:
        yield sandbox


def process_of(sandbox: Sandbox, name: str) -> int:
    (verdict,) = sandbox.verify(TELLS_ITS_PROCESS.replace("NAME", name), [ANSWER], trust=True)
    assert verdict.field_verification_result is True, verdict.error
    return int(verdict.stdout)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_process_serves_one_template_alone(sandbox: Sandbox) -> None:
    first = process_of(sandbox, "a")
    assert process_of(sandbox, "a") == first != os.getpid()
    second = process_of(sandbox, "b")
    assert second != first
    assert (alive(first), alive(second)) == (False, True)


def test_threads_take_turns(sandbox: Sandbox) -> None:
    with ThreadPoolExecutor(4) as threads:
        processes = set(threads.map(lambda name: process_of(sandbox, name), "abab"))
    assert len(processes) >= 2
    assert comes(lambda: sum(map(alive, processes)) == 1)


def test_no_process_is_left_behind(sandbox: Sandbox) -> None:
    process = process_of(sandbox, "a")
    sandbox.close()
    assert not alive(process)
    with pytest.raises(SandboxError, match="closed"):
        process_of(sandbox, "a")


def test_code_that_never_ends_is_stopped(sandbox: Sandbox) -> None:
    endless = TELLS_ITS_PROCESS.replace("return True", "while True: pass")
    (verdict,) = sandbox.verify(endless, [ANSWER], trust=True)
    assert verdict.fault == "timeout"
    assert process_of(sandbox, "b")
