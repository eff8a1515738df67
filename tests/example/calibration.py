"""Judgments of the first sample judge under another wording, so that the example can be calibrated offline."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.authoring.calibration.targets import reworded_trait
from karenina_gui.example import ANSWERING_MODELS, JUDGES, WORDINGS
from karenina_gui.runs.calibration_judging import AnswerToJudge, CalibrationJudging, JudgingOrder
from karenina_gui.runs.executor import open_tools
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.calibration import LabelScale, Wording
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.rubric import LLMRubricTrait, Rubric
from tests.example import questions
from tests.example.in_one_sentence import IN_ONE_SENTENCE
from tests.example.replies import REPLIES

CLARITY = "clarity"


def answers(only: Collection[str] | None = None) -> list[AnswerToJudge]:
    """Every answer with the trait, as a calibration under the other wording has it judged.

    `only`: answers to these questions, by their short names; None: to all.
    """
    found = []
    for name, question in questions.questions().items():
        own = Rubric.model_validate(question.question_rubric or {})
        trait = own.get(CLARITY)
        if not isinstance(trait, LLMRubricTrait) or (only is not None and name not in only):
            continue
        reworded = reworded_trait(trait, Wording(description=WORDINGS[CLARITY]))
        assert isinstance(reworded, LLMRubricTrait)
        rubric = Rubric(llm_traits=[reworded])
        texts = {
            reply.text
            for replies in (REPLIES, IN_ONE_SENTENCE)
            for model in ANSWERING_MODELS
            for reply in replies[name][model]
        }
        plain = question.model_copy(update={"question_rubric": None})
        found += [AnswerToJudge(text, text, plain, rubric) for text in sorted(texts)]
    return found


def record_judgments(
    adapters: AdapterFactory, interface: str, sandbox: Sandbox, only: Collection[str] | None = None
) -> None:
    """Let the sample judge read all these answers."""
    judging = sample_judging(interface, answers(only))
    tools = open_tools(adapters, sandbox, judging.configuration, lambda: False)
    for item in judging.items:
        value, problem = judging.extract(item, tools)
        assert value is not None, problem


def sample_judging(interface: str, items: Sequence[AnswerToJudge]) -> CalibrationJudging:
    judge = ModelConfig(id=JUDGES[0], model_name=JUDGES[0], interface=interface)
    wording = Wording(description=WORDINGS[CLARITY])
    order = JudgingOrder(1, CLARITY, LabelScale("score"), wording, judge, JUDGES[0], trusted=False)
    return CalibrationJudging(order, items, lambda _: None)
