"""Code that attacks before `verify()`: while its class is made, in validators, in ground truth, in a trait."""

from __future__ import annotations

import pytest

from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.template import AnswerToVerify


def test_an_endless_loop_at_class_definition_is_a_problem_of_the_outline(strict: Sandbox, honest: str) -> None:
    outline = strict.outline(honest.replace("class Answer", "while True: pass\nclass Answer"))
    assert (outline.valid, outline.fault) == (False, "timeout")
    assert outline.first_error is not None
    assert outline.first_error.message.startswith("The template was stopped after 0.5 s")
    assert strict.outline(honest).valid


def test_an_endless_loop_at_class_definition_stops_every_answer(strict: Sandbox, honest: str) -> None:
    source = honest.replace("class Answer", "while True: pass\nclass Answer")
    verdicts = strict.verify(source, [AnswerToVerify(values={"value": value}) for value in range(3)])
    assert [verdict.fault for verdict in verdicts] == ["timeout"] * 3


def test_a_string_annotation_is_evaluated_inside_the_cell_only(strict: Sandbox, honest: str) -> None:
    outline = strict.outline(honest.replace("value: int", "value: \"__import__('os').fork() and int\""))
    assert not outline.valid
    assert outline.fault in (None, "error")
    assert strict.outline(honest).valid


def test_an_exit_at_class_definition_is_told(strict: Sandbox, honest: str) -> None:
    outline = strict.outline("import os\nos._exit(0)\n" + honest)
    assert outline.fault == "crashed"
    assert "ended its own process" in outline.problems[0].message


def test_an_endless_validator_is_stopped(strict: Sandbox, honest: str) -> None:
    source = (
        "from pydantic import field_validator\n"
        + honest
        + """
    @field_validator("value")
    @classmethod
    def forever(cls, value):
        while True: pass
"""
    )
    reply = strict.validate(source, {"value": 42})
    assert (reply.ok, reply.fault) == (False, "timeout")
    assert strict.validate(honest, {"value": 42}).values == {"value": 42}


def test_a_ground_truth_that_eats_memory_is_told(strict: Sandbox, honest: str, right: AnswerToVerify) -> None:
    (verdict,) = strict.verify(honest.replace('{"value": 42}', '{"value": bytearray(8 << 30)}'), [right])
    assert verdict.field_verification_result is None
    assert "memory" in str(verdict.error).lower()


@pytest.mark.parametrize(("stop", "fault"), [("while True: pass", "timeout"), ("os._exit(1)", "crashed")])
def test_a_trait_that_stops_for_one_text_answers_for_the_others(strict: Sandbox, stop: str, fault: str) -> None:
    source = (
        f"def mentions_dose(text):\n    import os\n    if 'boom' in text:\n        {stop}\n    return 'mg' in text\n"
    )
    outcomes = strict.trait(source, ["5 mg", "boom", "none"])
    assert [outcome.value for outcome in outcomes] == [True, None, False]
    assert outcomes[1].fault == fault
    assert outcomes[1].error


def test_a_trait_that_raises_tells_its_line(strict: Sandbox) -> None:
    (outcome,) = strict.trait("def ratio(text):\n    return 1 / 0\n", ["x"])
    assert (outcome.value, outcome.line, outcome.fault) == (None, 2, "error")
    assert "ZeroDivisionError" in str(outcome.error)
