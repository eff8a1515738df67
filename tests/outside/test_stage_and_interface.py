"""The stage and the interface of the guide in a run."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.benchmark import Benchmark
from karenina_gui.gui.pages.models.fields import switch_interface, visible_fields
from karenina_gui.gui.pages.results.stage_names import describe, title
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.template_texts import FORTY_TWO

Bring = Callable[[str], ModuleType]
ECHO = ModelConfig(id="echo", model_name="parrot", interface="echo")


def test_the_interface_answers(bring: Bring, sandbox: Sandbox) -> None:
    bring("echo")
    result = run("Is it 42?", sandbox)
    assert result.passed
    assert (result.metadata.answering.display, result.answered_by) == ("echo:parrot (echo)", "parrot")
    assert run("Is it 43?", sandbox).passed is False


def test_the_application_offers_the_interface(bring: Bring) -> None:
    bring("echo")
    spec = AdapterRegistry.require("echo")
    assert spec in AdapterRegistry.specs()
    other = ModelConfig(model_name="gpt", interface="openai_endpoint", temperature=0.5)
    assert switch_interface(other, "echo", {}) == other.model_copy(update={"interface": "echo"})
    assert "model_name" in visible_fields("echo")
    with AdapterFactory(environment={}) as adapters:
        report = adapters.check(ECHO)
    assert [step.state for step in report.steps if step.part == "answer"] == ["ok"]


def test_the_stage_runs_in_its_place_and_results_keep_what_it_found(bring: Bring, sandbox: Sandbox) -> None:
    bring("echo")
    bring("length_note")
    result = run("Is it 42?", sandbox)
    names = [stage.name for stage in result.stages]
    assert names[names.index("LengthNote") - 1 :][:3] == ["TraceValidationAutoFail", "LengthNote", "ParseTemplate"]
    assert result.template is not None
    kept: dict[str, Any] = VerificationResult.model_validate_json(result.model_dump_json()).model_dump()["template"]
    assert kept["words"] >= 3
    record = next(stage for stage in result.stages if stage.name == "LengthNote")
    assert title(record) == "LengthNote"
    assert describe(record).startswith("LengthNote ran in ")
    assert any("words" in warning for warning in run("word " * 600 + "42", sandbox).metadata.warnings)


def run(question: str, sandbox: Sandbox) -> VerificationResult:
    benchmark = Benchmark.create("b")
    benchmark.add_question(question, raw_answer="42", answer_template=FORTY_TWO)
    (result,) = benchmark.run_verification(VerificationConfig(answering_models=[ECHO]), sandbox=sandbox)
    return result
