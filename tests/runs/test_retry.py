"""Retries after unreadable replies of judges start at the failed call; earlier replies are reused."""

from __future__ import annotations

import json
import threading

import pytest

from karenina_gui.errors import InputError
from karenina_gui.gui.pages.runs.run_text import status_of
from karenina_gui.runs.resume import RemainingJobs
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import LLMRubricTrait, Rubric
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from tests.template_texts import NUMBER
from tests.twin import Asked, Reply, Twin

UNREADABLE = {
    "prose": Reply(text="The answer names the number."),
    "empty": Reply(text=""),
    "broken JSON": Reply(text='{"number": '),
    "cut off": Reply(text='{"number"', stop="length"),
    "another form": Reply(text='{"figure": "forty-two"}'),
    "a wrong type": Reply(text='{"number": "forty-two"}'),
    "no number": Reply(text='{"number": NaN}'),
    "a list": Reply(text="[1, 2]"),
    "a refusal": Reply(refusal="I would rather not."),
}
GOOD = 2
"""Questions whose judge replies well from the start: the last ones."""


class Judge:
    """Gives unreadable replies to some questions until `mended` is set."""

    def __init__(self) -> None:
        self.mended = False
        self.asked: list[Asked] = []

    def __call__(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if asked.model == "ada":
            return Reply(text="It is 42.")
        said = " ".join(str(message["content"]) for message in asked.body["messages"])
        if "abstention_detected" in json.dumps(asked.schema):
            return Reply(data={"reasoning": "It answers.", "abstention_detected": False})
        if asked.schema is not None and "clear" in asked.schema.get("properties", {}):
            return Reply(data={"clear": True})
        if not self.mended:
            for place, reply in enumerate(UNREADABLE.values()):
                if f"Text {place}?" in said:
                    return reply
        return Reply(data={"number": 42})

    def asked_for(self, name: str) -> int:
        """Number of requests for data with this property."""
        return sum(name in (asked.schema or {}).get("properties", {}) for asked in self.asked)


@pytest.fixture
def benchmark(library: Library) -> int:
    document = BenchmarkDocument(name="numbers")
    for number in range(len(UNREADABLE) + GOOD):
        document.add(Question(question=f"Text {number}?", raw_answer="42", answer_template=NUMBER))
    document.rubric = Rubric(llm_traits=[LLMRubricTrait(name="clear", kind="boolean")])
    return library.benchmarks.create(document)


def order(benchmark: int, twin: Twin) -> RunOrder:
    ada, judge = (
        ModelConfig(id=name, model_name=name, interface="openai_endpoint", endpoint_base_url=twin.address)
        for name in ("ada", "judge")
    )
    config = VerificationConfig(answering_models=[ada], parsing_models=[judge], abstention_enabled=True)
    return RunOrder(benchmark, config)


def test_every_unreadable_reply_is_offered_and_only_its_stage_is_done_again(
    service: RunService, benchmark: int
) -> None:
    judge = Judge()
    with Twin(judge) as twin:
        run = service.start(order(benchmark, twin))
        assert service.wait(run, 60)
        bad = [row for row in service.library.results.page(run).rows if row.outcome == "error"]
        left = service.remaining(run)
        assert (left.replies, left.jobs, left.again) == (len(UNREADABLE), 0, 0)
        assert len(bad) == len(UNREADABLE)
        assert judge.asked_for("abstention_detected") == len(UNREADABLE) + GOOD
        judge.mended = True
        judge.asked.clear()
        service.resume(run, ["replies"])
        assert service.wait(run, 60)
    assert service.remaining(run) == RemainingJobs()
    assert service.library.runs.summary(run).outcomes == {"passed": len(UNREADABLE) + GOOD}
    assert all(asked.model == "judge" for asked in judge.asked)
    # Of each job the template is read, and the trait behind it is scored for the first time; the check for refusals
    # before it had its reply.
    assert {name: judge.asked_for(name) for name in ("number", "clear", "abstention_detected")} == {
        "number": len(UNREADABLE), "clear": len(UNREADABLE), "abstention_detected": 0,
    }  # fmt: skip
    assert all(asked.schema is not None for asked in judge.asked)


def test_a_run_whose_retry_is_stopped_is_as_complete_as_before(service: RunService, benchmark: int) -> None:
    judge, hangs = Judge(), threading.Event()

    def script(asked: Asked) -> Reply:
        if not judge.mended or asked.model == "ada":
            return judge(asked)
        hangs.set()
        return Reply(hangs=True)

    with Twin(script) as twin:
        run = service.start(order(benchmark, twin))
        assert service.wait(run, 60)
        before = service.library.runs.summary(run)
        judge.mended = True
        service.resume(run, ["replies"])
        assert hangs.wait(20)
        service.cancel(run)
        assert service.wait(run, 20)
    after = service.library.runs.summary(run)
    assert (after.status, after.message, after.outcomes) == ("completed", None, before.outcomes)
    assert status_of(after).title == f"Completed with {len(UNREADABLE)} errors"
    assert service.remaining(run).replies == len(UNREADABLE)


def test_nothing_of_another_class_is_done(service: RunService, benchmark: int) -> None:
    judge = Judge()
    with Twin(judge) as twin:
        run = service.start(order(benchmark, twin))
        assert service.wait(run, 60)
        judge.asked.clear()
        with pytest.raises(InputError, match="Nothing left to do"):
            service.resume(run, ["calls", "traits"])
    assert judge.asked == []
