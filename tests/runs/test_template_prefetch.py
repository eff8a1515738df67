"""Prefetching of templates."""

from __future__ import annotations

import threading

from karenina_gui.runs.template_prefetch import TemplatePrefetch
from karenina_gui.sandbox import Sandbox

DATA = """
class Answer(BaseAnswer):
    dose: int = VerifiedField(description="Dose {}", ground_truth=40, verify_with=NumericExact())
"""
LOCKED = """
import os
class Answer(BaseAnswer):
    dose: int = Field(description="Dose {}")
    def verify(self):
        return self.dose == 40
"""


def read(sandbox: Sandbox, sources: list[str], over: threading.Event) -> TemplatePrefetch:
    reading = TemplatePrefetch(sandbox, sources, lambda: 0, over, trust=False)
    reading.start()
    reading.join(20)
    return reading


def test_no_locked_process_is_taken_from_those_who_need_it_now() -> None:
    with Sandbox() as sandbox:
        assert not read(sandbox, [LOCKED.format(1), DATA.format(1), ""], threading.Event()).is_alive()
        assert sandbox.zygotes == []


def test_it_ends_with_the_run_however_much_is_left() -> None:
    over = threading.Event()
    over.set()
    with Sandbox() as sandbox:
        assert not read(sandbox, [DATA.format(number) for number in range(100_000)], over).is_alive()


def test_a_closed_sandbox_ends_it_quietly() -> None:
    sandbox = Sandbox()
    sandbox.close()
    code = DATA.replace("VerifiedField", "Field").split("Field(")[0] + 'Field(description="x")\n'
    split = code + "    def verify(self):\n        return self.dose == 40\n"
    assert not read(sandbox, [split], threading.Event()).is_alive()
