"""Many threads, few processes: nothing is lost when one of them is."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox import Limits, Sandbox
from karenina_gui.schemas.template import AnswerToVerify


def test_sixty_four_threads_share_two_slots(honest: str) -> None:
    sources = [f"{honest}\n# {number}" for number in range(12)]

    def verify(job: int) -> bool | None:
        (verdict,) = sandbox.verify(sources[job % 12], [AnswerToVerify(values={"value": 42 if job % 3 else 41})])
        return verdict.field_verification_result

    with Sandbox(slots=2) as sandbox, ThreadPoolExecutor(64) as threads:
        assert list(threads.map(verify, range(160))) == [bool(job % 3) for job in range(160)]
        assert len(sandbox.zygotes) == 1


def test_an_endless_template_holds_one_slot_only(honest: str, right: AnswerToVerify) -> None:
    endless = honest.replace("return self.value", "while True: pass\n        return self.value")
    with Sandbox(slots=2, limits=Limits(wall_s=1.0)) as sandbox, ThreadPoolExecutor(1) as threads:
        sandbox.start()
        stuck = threads.submit(sandbox.verify, endless, [right])
        assert sandbox.verify(honest, [right])[0].field_verification_result is True
        assert not stuck.done()
        assert stuck.result()[0].fault == "timeout"


def test_a_zygote_killed_between_requests_is_replaced(honest: str, right: AnswerToVerify) -> None:
    with Sandbox(slots=1) as sandbox:
        sandbox.start()
        (zygote,) = sandbox.zygotes
        os.kill(zygote, signal.SIGKILL)
        assert sandbox.verify(honest, [right])[0].field_verification_result is True
        assert sandbox.zygotes != [zygote]


def test_a_zygote_killed_during_a_request_is_replaced_and_the_request_repeated(
    honest: str, right: AnswerToVerify
) -> None:
    slow = honest.replace("return self.value", "import time; time.sleep(1)\n        return self.value")
    with Sandbox(slots=1) as sandbox, ThreadPoolExecutor(1) as threads:
        sandbox.start()
        (zygote,) = sandbox.zygotes
        waiting = threads.submit(sandbox.verify, slow, [right])
        time.sleep(0.4)
        os.kill(zygote, signal.SIGKILL)
        assert waiting.result()[0].field_verification_result is True


def test_a_zygote_that_falls_silent_does_not_hang_its_callers(
    honest: str, right: AnswerToVerify, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("karenina_gui.sandbox.session._GRACE_S", 0.3)
    with Sandbox(slots=1, limits=Limits(wall_s=0.5)) as sandbox:
        sandbox.start()
        os.kill(sandbox.zygotes[0], signal.SIGSTOP)
        assert sandbox.verify(honest, [right])[0].field_verification_result is True


def test_cells_end_with_their_zygote(honest: str, right: AnswerToVerify) -> None:
    with Sandbox(slots=1) as sandbox:
        sandbox.verify(honest, [right])
        (zygote,) = sandbox.zygotes
        cell = int(Path(f"/proc/{zygote}/task/{zygote}/children").read_text())
        os.kill(zygote, signal.SIGKILL)
        assert ended(cell)


def test_closing_ends_every_process_and_releases_waiting_callers(honest: str, right: AnswerToVerify) -> None:
    endless = honest.replace("return self.value", "while True: pass\n        return self.value")
    outcomes: list[object] = []

    def verify() -> None:
        try:
            outcomes.append(sandbox.verify(endless, [right])[0].fault)
        except SandboxError as error:
            outcomes.append(str(error))

    sandbox = Sandbox(slots=1, limits=Limits(wall_s=60.0))
    sandbox.start()
    (zygote,) = sandbox.zygotes
    threads = [threading.Thread(target=verify) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    sandbox.close()
    for thread in threads:
        thread.join(5)
    assert sorted(map(str, outcomes)) == ["lost", "the sandbox is closed", "the sandbox is closed"]
    assert ended(zygote)
    with pytest.raises(SandboxError, match="closed"):
        sandbox.verify(honest, [right])


def ended(pid: int) -> bool:
    """Gone, or dead and not yet collected, within two seconds."""
    for _ in range(200):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False
