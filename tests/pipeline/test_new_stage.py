"""A stage from another package: one class and one row."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.pipeline import orchestrator
from karenina_gui.pipeline.artifacts import ArtifactKeys
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.stage import Stage


class LengthCheck(Stage):
    """Counts the words of the answer."""

    name = "LengthCheck"
    requires = [ArtifactKeys.RAW_LLM_RESPONSE]

    def execute(self, context: VerificationContext) -> None:
        context.set_result_field("template.words", len(context[ArtifactKeys.RAW_LLM_RESPONSE].split()))


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orchestrator, "PROGRAM", list(orchestrator.PROGRAM))


def test_a_new_stage_runs_in_its_place_and_its_field_is_in_the_result(program: None, check: Any) -> None:
    orchestrator.register(LengthCheck, before="AbstentionCheck", included=lambda of: of.template)
    result = check(None, "three words here", evaluation_mode="rubric_only")
    assert "LengthCheck" not in [stage.name for stage in result.stages]
    template = "class Answer(BaseAnswer):\n    def verify(self):\n        return True\n"
    result = check(template, "three words here")
    names = [stage.name for stage in result.stages]
    assert names[names.index("LengthCheck") - 1 :][:3] == ["TraceValidationAutoFail", "LengthCheck", "ParseTemplate"]
    assert result.template.model_dump()["words"] == 3


def test_a_place_that_is_not_there_names_those_that_are(program: None) -> None:
    with pytest.raises(ValueError, match="Choose one of: ValidateTemplate"):
        orchestrator.register(LengthCheck, before="Nowhere")
