"""Judge replies: validation by the template."""

from __future__ import annotations

import pytest

from karenina_gui.errors import SandboxError
from karenina_gui.pipeline.template_evaluator import PreparedTemplate, ReplyChecker
from karenina_gui.sandbox import Sandbox

SOURCE = """
from pydantic import model_validator

class Answer(BaseAnswer):
    city: str = Field(description="City")

    @model_validator(mode="after")
    def whole(self):
        if self.city != "Houston":
            raise ValueError("it must be Houston")
        return self

    def verify(self):
        return True
"""


def test_what_the_authors_code_raises_is_no_feedback_for_the_judge(sandbox: Sandbox) -> None:
    checker = ReplyChecker(PreparedTemplate(SOURCE, sandbox.outline(SOURCE), sandbox), "It is in Texas.")
    with pytest.raises(SandboxError, match="it must be Houston"):
        checker.check({"city": "Rome"})
    assert checker.check({"city": 1}).errors == ("city: Input should be a valid string (given: 1).",)


def test_the_verdict_is_that_of_the_reply_which_is_taken(sandbox: Sandbox) -> None:
    source = SOURCE.replace("return True", "return self.city == 'Rome'")
    source = source.replace('self.city != "Houston"', "not self.city")
    checker = ReplyChecker(PreparedTemplate(source, sandbox.outline(source), sandbox), "It is in Texas.")
    replies = [checker.check({"city": city}) for city in ("Rome", "Houston")]
    verdicts = [checker.answer(reply).verdict for reply in replies]
    assert [verdict and verdict.field_verification_result for verdict in verdicts] == [True, False]
