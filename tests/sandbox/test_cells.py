"""How long a cell lives, and what becomes of the others when it ends."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.sandbox import Limits, Sandbox
from karenina_gui.schemas.template import AnswerToVerify

TELLING = """
import os

class Answer(BaseAnswer):
    value: int = Field(description="The number in the answer")

    def verify(self):
        print(os.getpid())
        {extra}
        return self.value == 1

# {name}
"""
"""A template whose verdicts tell the process that they came from."""


def answers(*values: int) -> list[AnswerToVerify]:
    return [AnswerToVerify(values={"value": value}) for value in values]


def cell_of(sandbox: Sandbox, source: str) -> str:
    (verdict,) = sandbox.verify(source, answers(1))
    assert verdict.field_verification_result is True, verdict
    return verdict.stdout


def live_cells(sandbox: Sandbox) -> int:
    return len(cells_of(sandbox))


def cells_of(sandbox: Sandbox) -> list[int]:
    (zygote,) = sandbox.zygotes
    return [int(each) for each in Path(f"/proc/{zygote}/task/{zygote}/children").read_text().split()]


def test_a_cell_is_reused_while_its_template_comes() -> None:
    with Sandbox(slots=1) as sandbox:
        source = TELLING.format(name="reused", extra="")
        assert len({cell_of(sandbox, source) for _ in range(3)}) == 1


def test_no_answer_leaves_anything_behind_for_the_next(sandbox: Sandbox) -> None:
    source = (
        "seen = []\n\n\nclass Answer(BaseAnswer):\n    value: int = Field(description='A number')\n\n"
        "    def verify(self):\n        seen.append(self.value)\n        type(self).last = self.value\n"
        "        return seen == [self.value]\n"
    )
    apart = [sandbox.verify(source, answers(1))[0] for _ in range(3)]
    together = sandbox.verify(source, answers(1, 2, 3))
    assert [verdict.field_verification_result for verdict in apart + together] == [True] * 6


def test_no_text_leaves_anything_behind_for_the_next_in_a_trait(sandbox: Sandbox) -> None:
    source = "seen = []\ndef count(text):\n    seen.append(text)\n    return len(seen)\n"
    assert [outcome.value for outcome in sandbox.trait(source, ["a", "b", "c"])] == [1, 1, 1]


def test_every_template_has_a_cell_of_its_own() -> None:
    with Sandbox(slots=1) as sandbox:
        cells = {cell_of(sandbox, TELLING.format(name=name, extra="")) for name in ("one", "two", "three")}
        assert len(cells) == live_cells(sandbox) == 3


def test_the_cell_used_longest_ago_makes_room() -> None:
    with Sandbox(slots=1, limits=Limits(live_cells=2)) as sandbox:
        first, second, third = (TELLING.format(name=name, extra="") for name in ("first", "second", "third"))
        cells = [cell_of(sandbox, source) for source in (first, second, first, third)]
        assert live_cells(sandbox) == 2
        assert cell_of(sandbox, first) == cells[0]
        assert cell_of(sandbox, second) != cells[1]


def test_a_template_that_awaits_its_verdict_keeps_its_cell() -> None:
    with Sandbox(slots=1, limits=Limits(live_cells=3)) as sandbox:
        outlined = [TELLING.format(name=f"outlined {number}", extra="") for number in range(4)]
        judged = [TELLING.format(name=f"judged {number}", extra="") for number in range(2)]
        for source in outlined[:2]:
            sandbox.outline(source)
        before = set(cells_of(sandbox))
        for source in judged:
            cell_of(sandbox, source)
        for source in outlined[2:]:
            sandbox.outline(source)
        assert {int(cell_of(sandbox, source)) for source in outlined[:2]} == before


def test_two_slots_may_ask_the_same_template_at_once() -> None:
    with Sandbox(slots=2) as sandbox, ThreadPoolExecutor(2) as threads:
        source = TELLING.format(name="twice", extra="import time; time.sleep(0.3)")
        assert len(set(threads.map(lambda _: cell_of(sandbox, source), range(2)))) == 2
        assert live_cells(sandbox) == 1


def test_a_cell_knows_of_no_other() -> None:
    spying = TELLING.format(
        name="spying",
        extra="import gc; print(sum(type(each).__name__ == 'Cell' for each in gc.get_objects()))",
    )
    with Sandbox(slots=2) as sandbox, ThreadPoolExecutor(1) as threads:
        cell_of(sandbox, TELLING.format(name="waits", extra=""))
        works = threads.submit(cell_of, sandbox, TELLING.format(name="works", extra="import time; time.sleep(1)"))
        while live_cells(sandbox) < 2:
            time.sleep(0.01)
        spied = cell_of(sandbox, spying)
        assert works.running()
    assert spied.splitlines()[-1] == "1"  # itself


def test_a_cell_is_replaced_after_its_share_of_requests() -> None:
    with Sandbox(slots=1, limits=Limits(lifetime_requests=2)) as sandbox:
        first, second, third = (cell_of(sandbox, TELLING.format(name="worn", extra="")) for _ in range(3))
        assert first == second != third


def test_a_cell_that_used_much_processor_time_is_replaced() -> None:
    with Sandbox(slots=1, limits=Limits(lifetime_cpu_s=1)) as sandbox:
        busy = "import time; end = time.process_time() + 0.3\n        while time.process_time() < end: pass"
        first, second, third = (cell_of(sandbox, TELLING.format(name="busy", extra=busy)) for _ in range(3))
        assert first == second != third


def test_a_cell_that_hoards_memory_does_not_keep_it() -> None:
    with Sandbox(slots=1, limits=Limits(idle_cell_mb=100)) as sandbox:
        source = TELLING.format(name="hoard", extra="os.hoard = b'x' * (200 << 20)")
        assert cell_of(sandbox, source) != cell_of(sandbox, source)


def test_innocent_answers_of_a_batch_get_their_verdict() -> None:
    with Sandbox(slots=1, limits=Limits(wall_s=1.0)) as sandbox:
        source = TELLING.format(name="mixed", extra="\n        while self.value == 13: pass\n        return True")
        found = sandbox.verify(source, answers(1, 13, 2))
        assert [verdict.field_verification_result for verdict in found] == [True, None, True]
        assert [verdict.fault for verdict in found] == [None, "timeout", None]


def test_a_template_that_never_ends_does_not_hold_its_slot_for_every_answer() -> None:
    with Sandbox(slots=1, limits=Limits(wall_s=0.2, batch=4)) as sandbox:
        source = TELLING.format(name="stuck", extra="\n        while True: pass")
        found = sandbox.verify(source, answers(*range(40)))
        assert [verdict.fault for verdict in found] == ["timeout"] * 40
        assert "Not tried" in str(found[-1].error)


def test_an_answer_longer_than_a_request_may_be_is_told() -> None:
    with Sandbox(slots=1, limits=Limits(request_bytes=100_000)) as sandbox:
        source = SEARCHING
        long, short = AnswerToVerify(trace="x" * 200_000), AnswerToVerify(trace="42")
        found = sandbox.verify(source, [long, short])
        assert (found[0].fault, found[1].regex.success) == ("too_large", True)


def test_a_long_trace_reaches_the_cell() -> None:
    with Sandbox(slots=1) as sandbox:
        (outcome,) = sandbox.trait("def length(text):\n    return len(text)\n", ["é" * 3_000_000])
        assert outcome.value == 3_000_000


@pytest.mark.parametrize("count", [0, 1, 130])
def test_there_is_one_verdict_per_answer(sandbox: Sandbox, honest: str, count: int) -> None:
    found = sandbox.verify(honest, answers(*range(count)))
    assert [verdict.field_verification_result for verdict in found] == [value == 42 for value in range(count)]


BOTH = """
import os, time
from pydantic import field_validator

class Answer(BaseAnswer):
    value: int = Field(description="The number in the answer")
    note: str = Field(default="", description="A note")

    @field_validator("value")
    @classmethod
    def _positive(cls, value):
        {when_read}
        if value < 0:
            raise ValueError("it must not be negative")
        return value

    def ground_truth(self):
        self.correct = {{"value": 1}}
        self.regex = {{"digits": {{"pattern": r"\\d+", "expected": 1, "match_type": "count"}}}}

    def verify(self):
        print(self.value, repr(self.note))
        {when_verified}
        return self.value == self.correct["value"]
"""


@pytest.mark.parametrize(
    "values",
    [{"value": 1}, {"value": "2"}, {"value": None}, {"value": -1}, {"value": 5}, {"value": 1, "note": "\ud83d"}, {}],
    ids=str,
)
def test_reading_and_verdict_are_the_same_together_as_apart(sandbox: Sandbox, values: dict[str, Any]) -> None:
    source = BOTH.format(when_read="", when_verified="1 / (self.value - 5)")
    together, read = sandbox.validate(source, values, trace="It is 1."), sandbox.validate(source, values)
    assert together.model_copy(update={"verdict": None}) == read
    if read.ok:
        (verdict,) = sandbox.verify(source, [AnswerToVerify(values=read.values, nulls=read.nulls, trace="It is 1.")])
        assert together.verdict == verdict
        assert verdict.regex.success
    else:
        assert together.verdict is None


@pytest.mark.parametrize("harm", ["os._exit(0)", "while True: pass"])
def test_a_template_that_is_stopped_over_its_verdict_reads_all_the_same(sandbox: Sandbox, harm: str) -> None:
    source = BOTH.format(when_read="", when_verified=harm)
    for _ in range(2):
        reply = sandbox.validate(source, {"value": 1}, trace="It is 1.")
        assert (reply.ok, reply.fault) == (True, None)


def test_reading_and_verdict_have_the_time_of_a_request_each(short: Limits) -> None:
    with Sandbox(slots=1, limits=short) as sandbox:
        source = BOTH.format(when_read=f"time.sleep({0.6 * short.wall_s})", when_verified="")
        reply = sandbox.validate(source, {"value": 1}, trace="It is 1.")
        (verdict,) = sandbox.verify(source, [AnswerToVerify(values=reply.values, trace="It is 1.")])
        assert (reply.ok, reply.verdict, verdict.field_verification_result) == (True, None, True)


def test_a_sound_outline_is_kept(sandbox: Sandbox, honest: str) -> None:
    assert sandbox.outline(honest) is sandbox.outline(honest)


SEARCHING = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"n": {"pattern": "42|.", "expected": "42", "match_type": "contains"}}
"""


@pytest.mark.parametrize("text", ["17 " * 1_700_000, "\U0001f600" * 3_000_000], ids=["5 MB", "3 M emoji"])
def test_a_huge_answer_gets_its_verdict(text: str) -> None:
    with Sandbox(slots=1) as sandbox:
        right, wrong = (sandbox.verify(SEARCHING, [AnswerToVerify(trace=text + end)])[0] for end in ("42", "41"))
        assert [(verdict.regex.success, verdict.error) for verdict in (right, wrong)] == [(True, None), (False, None)]
        assert right.regex.details["n"]["match_count"] == len(text) + 1


def test_a_template_that_cannot_read_the_trace_is_not_sent_it() -> None:
    with Sandbox(slots=1, limits=Limits(request_bytes=100_000)) as sandbox:
        judged = "class Answer(BaseAnswer):\n    n: int\n    def verify(self):\n        return True\n"
        answer = AnswerToVerify(values={"n": 1}, trace="x" * 200_000)
        assert sandbox.verify(judged, [answer])[0].field_verification_result is True
        assert sandbox.verify(SEARCHING, [answer])[0].fault == "too_large"


def test_a_long_ground_truth_is_sound(sandbox: Sandbox) -> None:
    truth = "x" * 1_200_000
    source = (
        "class Answer(BaseAnswer):\n"
        f"    x: str = VerifiedField('d', ground_truth={truth!r}, verify_with=ExactMatch())\n"
    )
    assert sandbox.outline(source).problems == []
    assert sandbox.verify(source, [AnswerToVerify(values={"x": truth})])[0].field_verification_result is True


def test_a_template_may_write_a_log(sandbox: Sandbox) -> None:
    source = (
        "import logging\nclass Answer(BaseAnswer):\n    def verify(self):\n"
        "        logging.getLogger(__name__).warning('careful')\n        return True\n"
    )
    (verdict,) = sandbox.verify(source, [AnswerToVerify()])
    assert (verdict.field_verification_result, verdict.stdout) == (True, "careful\n")
