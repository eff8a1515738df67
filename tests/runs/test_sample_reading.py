"""Judges that read sample answers, on a provider's twin."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from karenina_gui.errors import InputError
from karenina_gui.runs.sample_reading import SampleReading
from karenina_gui.runs.service import RunService
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.sample_answer import SampleAnswer, SampleToRead
from tests.template_texts import NUMBER
from tests.twin import Asked, Reply, Twin

BENCHMARK = 7


def item(text: str, number: int = 1) -> SampleToRead:
    trait = {"llm_traits": [{"name": "clear", "description": "Is it clear?", "kind": "boolean"}]}
    question = Question(question="What is 6 x 7?", raw_answer="42", answer_template=NUMBER, question_rubric=trait)
    return SampleToRead(number, question, SampleAnswer(text=text))


def judge(twin: Twin) -> ModelConfig:
    return ModelConfig(id="judge", model_name="judge", interface="openai_endpoint", endpoint_base_url=twin.address)


def read(service: RunService, twin: Twin, *items: SampleToRead) -> tuple[SampleReading, dict[str, dict[str, Any]]]:
    """The reading after its end, and the values by text."""
    kept: dict[str, dict[str, Any]] = {}

    def keep(read: SampleToRead, values: dict[str, Any]) -> None:
        kept[read.sample.text] = values

    reading = service.sample_readings.start(BENCHMARK, items, judge(twin), keep, trusted=False)
    assert reading.wait(20)
    return reading, kept


def reply(asked: Asked) -> Reply:
    said = " ".join(str(message["content"]) for message in asked.body["messages"])
    if "no JSON please" in said:
        return Reply(text="I would rather talk.")
    return Reply(data={"number": 41 if "forty-one" in said else 42})


def test_a_judge_extracts_values_as_in_a_run(service: RunService) -> None:
    with Twin(reply) as twin:
        reading, kept = read(service, twin, item("It is 42."), item("It is forty-one."))
        asked = twin.requests
    assert kept == {"It is 42.": {"number": 42}, "It is forty-one.": {"number": 41}}
    assert (reading.done, reading.problems, reading.over) == (2, {}, True)
    assert len(asked) == 2, "only the template is filled; traits are not rated"
    assert service.sample_readings.last(BENCHMARK) is reading


def test_an_unreadable_reply_is_a_problem_of_its_sample(service: RunService) -> None:
    with Twin(reply) as twin:
        unreadable = item("no JSON please")
        reading, kept = read(service, twin, unreadable, item("It is 42."))
    assert list(kept) == ["It is 42."]
    assert list(reading.problems) == [unreadable.sample.id]
    assert "JSON" in reading.problems[unreadable.sample.id]
    assert reading.done == 2


def test_a_stopped_reading_keeps_what_was_read_and_asks_no_more(service: RunService) -> None:
    asked, hold = threading.Event(), threading.Event()

    def slow(request: Asked) -> Reply:
        asked.set()
        hold.wait(10)
        return Reply(data={"number": 42})

    with Twin(slow) as twin:
        many = [item(f"It is 42 ({place}).", place) for place in range(20)]
        reading = service.sample_readings.start(BENCHMARK, many, judge(twin), lambda *_: None, trusted=False)
        assert asked.wait(10)
        with pytest.raises(InputError, match="being read"):
            service.sample_readings.start(BENCHMARK, many, judge(twin), lambda *_: None, trusted=False)
        reading.cancel()
        assert reading.wait(5)
        before = len(twin.requests)
        hold.set()
        assert before < len(many)
        assert len(twin.requests) == before
    assert reading.cancelled
    assert reading.done < len(many)
