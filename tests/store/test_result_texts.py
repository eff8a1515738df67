"""What a search finds in results, and where it looks in large runs."""

from __future__ import annotations

import json

import pytest

from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import ModelIdentity, ResultMetadata, ResultTemplate, VerificationResult
from karenina_gui.schemas.result_summaries import ResultFilter
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store import results
from karenina_gui.store.library import Library
from karenina_gui.store.result_texts import says
from karenina_gui.store.runs import RunPlan

RESULT = VerificationResult(
    metadata=ResultMetadata(
        question_id="q", template_id="t", question_text="Which?", keywords=["Früh", "dose"], execution_time=1.0,
        answering=ModelIdentity(interface="manual", model_name="ada"),
    ),
    template=ResultTemplate(
        raw_llm_response="It binds\n\"covalently\" to BCL2.", verify_result=False,
        parsed_llm_response={"final": False, "drugs": ["A", "b"], "dose": 40.0},
        parsed_gt_response={"final": True, "drugs": ["A", "b"]},
        field_results={"final": False, "drugs": True},
        regex_validation_details={"code": {"matches_found": ["A10BB01"], "expected": "A10BA02"}},
    ),
)  # fmt: skip


def found(text: str) -> bool:
    keywords = json.dumps(RESULT.metadata.keywords)
    return says(text.casefold(), RESULT.model_dump_json(), keywords, "wrong", "judge-1", "plain", None)


@pytest.mark.parametrize(
    "text",
    [
        *("final = no", "final = no, expected yes.", "drugs = “A”, “b”", "dose = 40", "BINDS", "covalently to bcl2"),
        *("früh", "judge-1", "plain", "Wrong", "the pattern “code” found “A10BB01”, expected “A10BA02”."),
    ],
)
def test_a_search_finds_what_answers_reasons_and_labels_say(text: str) -> None:
    assert found(text)


@pytest.mark.parametrize("text", ["final = yes", "parsed_llm_response", "wron", "final = no, expected no"])
def test_a_search_finds_nothing_else(text: str) -> None:
    assert not found(text)


def test_documents_of_large_runs_are_not_searched(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = library.benchmarks.create(BenchmarkDocument(name="b"))
    config = VerificationConfig(answering_models=[ModelConfig(id="ada", interface="manual", manual_traces={})])
    run = library.runs.create(RunPlan(benchmark, "r", config, [Job("q", "q", "ada")], "seccomp", "hash"))
    library.runs.record(run, "q", RESULT)
    for most, totals in ((1, [1, 1]), (0, [0, 1])):
        monkeypatch.setattr(results, "MOST_SEARCHED", most)
        assert [library.results.page(run, ResultFilter(text=text)).total for text in ("BCL2", "which")] == totals
