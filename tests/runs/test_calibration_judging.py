"""Judges that read the answers of a calibration under a draft, on a provider's twin."""

from __future__ import annotations

import threading

import pytest

from karenina_gui.errors import InputError
from karenina_gui.runs.calibration_judging import AnswerToJudge, JudgingOrder
from karenina_gui.runs.service import RunService
from karenina_gui.schemas.calibration import JudgmentSet, LabelScale, Wording
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import LLMRubricTrait, Rubric
from tests.calibrated import TEMPLATE
from tests.twin import Asked, Reply, Twin

DRAFT = Wording(description="Only this draft.")
TONES = {"curt": "Says little.", "warm": "Is kind."}


def order(twin: Twin, scale: LabelScale, name: str) -> JudgingOrder:
    judge = ModelConfig(id="judge", model_name="j", interface="openai_endpoint", endpoint_base_url=twin.address)
    return JudgingOrder(3, name, scale, DRAFT, judge, "my judge", trusted=False)


def items(rubric: Rubric | None, *texts: str) -> list[AnswerToJudge]:
    question = Question(question="Which organ?", raw_answer="Kidneys", answer_template=TEMPLATE)
    return [AnswerToJudge(text, text, question, rubric) for text in texts]


def judged(service: RunService, order: JudgingOrder, items: list[AnswerToJudge]) -> JudgmentSet:
    saved: list[JudgmentSet] = []
    judging = service.calibration_judgings.start(order, items, saved.append)
    assert judging.wait(20)
    assert service.calibration_judgings.last(3) is judging
    return saved[0]


def test_a_trait_is_judged_alone_with_the_draft(service: RunService) -> None:
    trait = LLMRubricTrait(name="tone", description=DRAFT.description, kind="literal", classes=TONES)

    def script(asked: Asked) -> Reply:
        return Reply(data={"tone": "WARM" if "dear" in asked.text else "neither" if "odd" in asked.text else "curt"})

    with Twin(script) as twin:
        found = judged(
            service,
            order(twin, LabelScale("class", classes=tuple(TONES)), "tone"),
            items(Rubric(llm_traits=[trait]), "dear", "no", "odd"),
        )
        asked = twin.requests
    assert {key: each.value for key, each in found.values.items()} == {"dear": "warm", "no": "curt"}
    assert "isn’t one of the possible values" in found.problems["odd"]
    assert all("Only this draft." in each.text for each in asked)
    assert len(asked) == 3, "the template is not read as well"
    assert (found.judge, found.source, found.wording) == ("my judge", "asked", DRAFT)


def test_a_field_is_read_by_the_template_with_the_draft(service: RunService) -> None:
    with Twin(lambda asked: Reply(data={"organ": "liver" if "liver" in asked.text else "kidneys"})) as twin:
        scale = LabelScale("class", classes=("kidneys", "liver"), can_be_missing=True)
        found = judged(service, order(twin, scale, "organ"), items(None, "the liver", "both kidneys"))
    assert {key: each.value for key, each in found.values.items()} == {"the liver": "liver", "both kidneys": "kidneys"}


def test_an_unreadable_reply_is_named_and_the_others_count(service: RunService) -> None:
    trait = LLMRubricTrait(name="clear", description=DRAFT.description, kind="boolean")

    def script(asked: Asked) -> Reply:
        return (
            Reply(text="I would rather talk.") if "talk" in str(asked.body["messages"]) else Reply(data={"clear": True})
        )

    with Twin(script) as twin:
        found = judged(
            service, order(twin, LabelScale("boolean"), "clear"), items(Rubric(llm_traits=[trait]), "talk", "fine")
        )
    assert list(found.values) == ["fine"]
    assert "JSON" in found.problems["talk"]


def test_a_stopped_judging_keeps_what_was_judged_and_asks_no_more(service: RunService) -> None:
    trait = LLMRubricTrait(name="clear", description=DRAFT.description, kind="boolean")
    asked, hold, saved = threading.Event(), threading.Event(), list[JudgmentSet]()

    def script(request: Asked) -> Reply:
        if "first" not in request.text:
            asked.set()
            hold.wait(10)
        return Reply(data={"clear": True})

    with Twin(script) as twin:
        many = items(Rubric(llm_traits=[trait]), "first", *(f"other {number}" for number in range(19)))
        wanted = order(twin, LabelScale("boolean"), "clear")
        judging = service.calibration_judgings.start(wanted, many, saved.append)
        assert asked.wait(10)
        with pytest.raises(InputError, match="being judged"):
            service.calibration_judgings.start(wanted, many, saved.append)
        while not judging.values:
            asked.wait(0.01)
        judging.cancel()
        assert judging.wait(10)
        hold.set()
        assert len(twin.requests) < len(many)
    assert list(saved[0].values) == ["first"]
    assert saved[0].problems == {}
