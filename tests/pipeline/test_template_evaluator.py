"""A judge's reply on its way through the template."""

from __future__ import annotations

import pytest

from karenina_gui.errors import SandboxError
from karenina_gui.pipeline.template_evaluator import PreparedTemplate
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
    template = PreparedTemplate(SOURCE, sandbox.outline(SOURCE), sandbox)
    with pytest.raises(SandboxError, match="it must be Houston"):
        template.check({"city": "Rome"})
    assert template.check({"city": 1}).errors == ("city: Input should be a valid string (given: 1).",)
