from __future__ import annotations

from karenina_gui.authoring.desk import Desk
from karenina_gui.authoring.template_bench import TemplateBench
from karenina_gui.sandbox import Limits, Sandbox

VERIFIED = """class Answer(BaseAnswer):
    target: str = VerifiedField(description="The target", ground_truth="BCL2", verify_with=ExactMatch())
    count: int = VerifiedField(description="How many", ground_truth=3, verify_with=NumericExact())
"""
REGEX = r"""class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"cites": {"pattern": r"\[\d+\]", "expected": "[1]", "match_type": "contains"}}
"""


def test_a_checked_template_says_what_it_declares(desk: Desk) -> None:
    outline = desk.templates.check(VERIFIED)
    assert outline.valid
    assert [(field.name, field.ground_truth) for field in outline.fields] == [("target", "BCL2"), ("count", 3)]


def test_a_problem_is_at_its_line(desk: Desk) -> None:
    problem = desk.templates.check("class Answer(BaseAnswer):\n    x: int = nothing_of_this_name").first_error
    assert problem is not None
    assert problem.line == 2


def test_fields_are_judged_one_by_one(desk: Desk) -> None:
    verdict = desk.templates.try_answer(VERIFIED, "BCL2, four times", {"target": "BCL2", "count": 4})
    assert verdict.field_verification_result is False
    assert verdict.field_results == {"target": True, "count": False}


def test_a_value_that_does_not_fit_its_field_is_explained(desk: Desk) -> None:
    verdict = desk.templates.try_answer(VERIFIED, "", {"target": "BCL2", "count": "several"})
    assert verdict.field_verification_result is None
    assert "count" in (verdict.error or "")


def test_an_answer_alone_is_enough_where_no_judge_is_asked(desk: Desk) -> None:
    assert desk.templates.try_answer(REGEX, "As shown [1].").regex.success
    assert not desk.templates.try_answer(REGEX, "As shown.").regex.success


def test_an_endless_template_ends_with_a_message() -> None:
    endless = REGEX + "    def verify(self):\n        while True: pass\n"
    with Sandbox(slots=1, limits=Limits(wall_s=0.5)) as sandbox:
        verdict = TemplateBench(sandbox).try_answer(endless, "anything", {})
    assert (verdict.field_verification_result, verdict.fault) in [(None, "timeout"), (None, "cpu")]
    assert verdict.error
