"""Selection of few-shot examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.pipeline.few_shot import examples_for
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.verification_config import FewShotConfig
from tests.pipeline.conftest import Judged
from tests.twin import Asked, Reply

POOL = [{"question": f"q{n}", "answer": f"a{n}"} for n in range(6)]
ALL = [f"q{n}" for n in range(6)]


def chosen(question: Question, **settings: Any) -> list[str]:
    return [each.question for each in examples_for(question, FewShotConfig(**settings)).chosen]


@pytest.fixture
def question() -> Question:
    return Question(id="Q", question="Which?", raw_answer="r", few_shot_examples=POOL)


def test_every_known_configuration_chooses_the_same_examples(shared: Path, question: Question) -> None:
    for case in json.loads((shared / "vectors" / "few_shot.json").read_text()):
        found = examples_for(question, FewShotConfig.model_validate(case["config"]))
        assert [{"question": e.question, "answer": e.answer} for e in found.chosen] == case["out"], case["config"]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"source": "disabled"}, []),
        ({"source": "question_pool", "global_examples": [{"question": "g", "answer": "a"}]}, ALL),
        ({"pool_mode": "k-shot", "pool_k": 0}, []),
        ({"pool_mode": "k-shot", "pool_k": 9}, ALL),
        ({"pool_mode": "custom"}, []),
        ({"pool_mode": "k-shot", "question_configs": {"Q": {"k": 2}}}, ["q0", "q1"]),
        ({"question_configs": {"Q": {"mode": "disabled"}}, "global_examples": [{"question": "g", "answer": "a"}]}, []),
        ({"question_configs": {"Q": {"mode": "custom", "selected_examples": [2, 1, 0], "excluded_examples": [1]}}},
         ["q2", "q0"]),
        ({"question_configs": {"another": {"mode": "disabled"}}, "pool_mode": "k-shot", "pool_k": 2}, ["q0", "q1"]),
    ],
)  # fmt: skip
def test_each_mode_and_source(question: Question, settings: dict[str, Any], expected: list[str]) -> None:
    assert chosen(question, **settings) == expected


def test_an_excluded_example_never_comes_by_another_way(question: Question) -> None:
    """Upstream applies an excluded number to the drawn examples, not to the pool."""
    own = {"mode": "k-shot", "k": 5, "excluded_examples": [3]}
    found = chosen(question, question_configs={"Q": own})
    assert sorted(found) == ["q0", "q1", "q2", "q4", "q5"]


def test_drawing_leaves_other_random_numbers_alone(question: Question) -> None:
    import random

    random.seed(1)
    expected = random.random()
    random.seed(1)
    chosen(question, pool_mode="k-shot", pool_k=2)
    assert random.random() == expected


def test_an_example_without_an_answer_is_left_out_and_named() -> None:
    broken = Question(id="Q", question="Which?", raw_answer="r", few_shot_examples=[{"question": "q"}, POOL[0]])
    found = examples_for(broken, FewShotConfig())
    assert [each.question for each in found.chosen] == ["q0"]
    assert found.problems == ("Skipped example 1: it needs a question and an answer.",)


def test_examples_stand_before_the_question_in_one_message_and_only_there(judged: Judged) -> None:
    asked: list[Asked] = []

    def answer(request: Asked) -> Reply:
        asked.append(request)
        return Reply(text="BCL2")

    def judge(request: Asked) -> Reply:
        asked.append(request)
        return Reply(data={"target": "BCL2"})

    template = """
class Answer(BaseAnswer):
    target: str = VerifiedField(description="Protein", ground_truth="BCL2", verify_with=ExactMatch())
"""
    config = {"global_examples": [{"question": "What does imatinib bind?", "answer": "BCR-ABL"}]}
    result = judged(answer, judge, template=template, few_shot_config=config)
    assert asked[0].text == (
        "Question: What does imatinib bind?\nAnswer: BCR-ABL\n\nQuestion: What does venetoclax bind?\nAnswer:"
    )
    assert "imatinib" not in asked[1].text
    assert (result.metadata.few_shot_enabled, result.metadata.few_shot_example_count) == (True, 1)
    assert result.metadata.question_text == "What does venetoclax bind?"
    assert not any("few_shot" in warning for warning in result.metadata.warnings)
