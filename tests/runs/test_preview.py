"""The preview of requests equals the requests of the run, without a call."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.errors import InputError
from karenina_gui.runs.preview import SEARCH_RESULTS, Preview, fitting
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from tests.pipeline.scripted_peer import Peer

JUDGED = """
class Answer(BaseAnswer):
    gene: str = Field(description="The gene that is named")

    def ground_truth(self):
        self.correct = {"gene": "TP53-SECRET"}

    def verify(self):
        return self.gene == self.correct["gene"]
"""
TRAITS = {
    "llm_traits": [
        {"name": "cites", "description": "Are sources named?", "kind": "boolean"},
        {"name": "depth", "description": "How deep is it?", "kind": "score", "min_score": 1, "max_score": 5},
    ]
}


@pytest.fixture
def document(document: BenchmarkDocument) -> BenchmarkDocument:
    for entry in document.entries:
        entry.question.answer_template = JUDGED
    return document.model_copy(update={"rubric": Rubric.model_validate(TRAITS)})


def look(service: RunService, library: Library, document: BenchmarkDocument, **options: Any) -> Preview:
    models = {"answering_models": [model("ada", system_prompt="Be brief.")], "parsing_models": [model("umpire")]}
    config = VerificationConfig.model_validate({**models, "evaluation_mode": "template_and_rubric", **options})
    number = library.benchmarks.create(document)
    setting = "ada", "umpire" if config.parsing_models else None, None
    return service.preview(
        RunOrder(number, config), document.entries[0].id, setting, "It is TP53, as Lane (1992) wrote."
    )


def model(name: str, **more: Any) -> ModelConfig:
    return ModelConfig(id=name, interface="openrouter", model_name=f"{name}-1", **more)


def test_every_request_of_the_run_is_shown_in_its_order(
    service: RunService, library: Library, document: BenchmarkDocument
) -> None:
    found = look(service, library, document, abstention_enabled=True, sufficiency_enabled=True)
    assert found.error is None
    steps = ["answer_generation", "abstention_check", "sufficiency_check", "parsing", "rubric_evaluation"]
    assert [sent.purpose for sent in found.requests] == steps
    first, *judged = found.requests
    assert (first.model, [message.role for message in first.messages]) == ("ada", ["system", "user"])
    assert document.entries[0].question.question in first.messages[-1].text
    assert {sent.model for sent in judged} == {"umpire"}
    for sent in judged:
        assert sent.json_schema is not None
        assert "It is TP53" in sent.messages[-1].text


def test_traits_one_by_one_are_shown_one_by_one(
    service: RunService, library: Library, document: BenchmarkDocument
) -> None:
    found = look(service, library, document, rubric_evaluation_strategy="sequential")
    assert [sent.purpose for sent in found.requests].count("rubric_evaluation") == 2


def test_deep_judgment_is_followed_to_its_end(
    service: RunService, library: Library, document: BenchmarkDocument
) -> None:
    found = look(service, library, document, deep_judgment_mode="full", evaluation_mode="template_only")
    steps = [sent.purpose for sent in found.requests]
    assert {"deep_judgment_excerpts", "deep_judgment_reasoning", "parsing"} <= set(steps)


def test_the_one_request_with_the_expected_values_is_shown_where_meanings_are_compared(
    service: RunService, library: Library, document: BenchmarkDocument
) -> None:
    found = look(service, library, document, embedding_check_enabled=True, evaluation_mode="template_only")
    assert [sent.purpose for sent in found.requests if "TP53-SECRET" in str(sent)] == ["embedding_check"]


def test_what_a_search_finds_is_weighed_in_a_request_of_its_own(
    service: RunService, library: Library, document: BenchmarkDocument
) -> None:
    deep = {"deep_judgment_mode": "full", "deep_judgment_search_enabled": True, "evaluation_mode": "template_only"}
    found = look(service, library, document, **deep)
    weighed = [sent for sent in found.requests if sent.purpose == "deep_judgment_hallucination_assessment"]
    assert len(weighed) == 1
    assert SEARCH_RESULTS in weighed[0].messages[-1].text


def test_no_request_has_the_reference_answer(
    service: RunService, library: Library, document: BenchmarkDocument
) -> None:
    found = look(service, library, document, abstention_enabled=True, sufficiency_enabled=True)
    assert "TP53-SECRET" not in str(found.requests)


def test_steps_that_ask_nobody_say_why(service: RunService, library: Library, document: BenchmarkDocument) -> None:
    found = look(service, library, document, parsing_models=[], evaluation_mode="template_only")
    assert [sent.purpose for sent in found.requests] == ["answer_generation"]
    assert found.error
    assert [each.reason for each in found.stages if each.status == "skipped"]


def test_a_pair_that_is_not_in_the_configuration_is_refused(
    service: RunService, library: Library, document: BenchmarkDocument
) -> None:
    number = library.benchmarks.create(document)
    with pytest.raises(InputError, match="answering model"):
        service.preview(RunOrder(number, VerificationConfig()), document.entries[0].id, ("ada", None, None), "")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$ref": "#/$defs/a", "$defs": {"a": {"enum": ["x", "y"]}}}, "x"),
        ({"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]}, 3),
        ({"type": ["string", "null"]}, "said"),
        ({"type": "array", "items": {"type": "number"}}, [0.0]),
        ({"properties": {"abstention_detected": {"type": "boolean"}, "b": {"type": "boolean"}}},
         {"abstention_detected": False, "b": True}),
        ({"const": 7}, 7),
        ({}, "said"),
    ],
)  # fmt: skip
def test_a_made_up_reply_fits_its_form(schema: dict[str, Any], value: Any) -> None:
    assert fitting(schema, "said") == value


def test_an_investigation_is_shown_with_what_the_agent_is_told(
    service: RunService, library: Library, document: BenchmarkDocument, interfaces: None
) -> None:
    agent = {"name": "clean", "kind": "boolean", "higher_is_better": True, "context_mode": "trace_only"}
    document.rubric = Rubric.model_validate({"agentic_traits": [agent]})
    peer = Peer()
    peer.register()
    settings = {
        "agentic_parsing": True, "agentic_judge_context": "trace_only", "parsing_models": [peer.config("umpire")],
    }  # fmt: skip
    found = look(service, library, document, **settings)
    assert found.error is None
    assert [sent.purpose for sent in found.requests] == [
        "answer_generation", "agentic_parsing_investigation", "agentic_parsing_extraction",
        "agentic_rubric_investigation", "agentic_rubric_extraction",
    ]  # fmt: skip
    looked = look(service, library, document, **settings | {"agentic_judge_context": "workspace_only"}).requests[1]
    assert {"list_files", "read_file", "search_files"} <= set(looked.tools)
    assert "Workspace directory: /workspace" in looked.messages[1].text
    investigation = found.requests[1]
    assert (investigation.model, investigation.tools, investigation.json_schema) == ("umpire", (), None)
    assert "The gene that is named" in investigation.messages[0].text
    assert "as Lane (1992) wrote." in investigation.messages[1].text
    assert "SECRET" not in "".join(message.text for sent in found.requests for message in sent.messages)
