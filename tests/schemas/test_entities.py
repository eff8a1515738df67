"""The paths of `questions.md` lead to our classes."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from karenina_gui.benchmark import Benchmark
from karenina_gui.schemas.entities import AgenticRubricTrait, BaseAnswer
from karenina_gui.schemas.entities.question import Question


def test_the_paths_of_the_specification_lead_to_the_same_classes() -> None:
    import karenina_gui

    assert Benchmark is karenina_gui.Benchmark
    assert Question is karenina_gui.Question
    assert BaseAnswer is karenina_gui.BaseAnswer
    assert AgenticRubricTrait is karenina_gui.AgenticRubricTrait


@pytest.mark.parametrize("name", ["max_turns", "timeout_seconds"])
def test_agentic_traits_refuse_less_than_one_turn_or_second(name: str) -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        AgenticRubricTrait.model_validate({"name": "works", "kind": "boolean", "higher_is_better": True, name: 0})
