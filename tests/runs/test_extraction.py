"""Extraction methods of judges: saved with results, and reported if they changed during a run."""

from __future__ import annotations

import json

from karenina_gui.analysis.costs import Cost
from karenina_gui.analysis.rates import summarise
from karenina_gui.analysis.run_counting import count_run
from karenina_gui.gui.pages.results.sections import tokens
from karenina_gui.gui.pages.runs.overview import overview
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from tests.template_texts import NUMBER
from tests.twin import Asked, Reply, Script, Twin

QUESTIONS = 6


def results_of(library: Library, service: RunService, script: Script) -> list[VerificationResult]:
    """Results of a run with one judge and one worker."""
    document = BenchmarkDocument(name="numbers")
    for number in range(QUESTIONS):
        document.add(Question(question=f"Text {number}?", raw_answer="42", answer_template=NUMBER))
    benchmark = library.benchmarks.create(document)
    with Twin(script) as twin:
        ada, judge = (
            ModelConfig(id=name, model_name=name, interface="openai_endpoint", endpoint_base_url=twin.address)
            for name in ("ada", "judge")
        )
        config = VerificationConfig(answering_models=[ada], parsing_models=[judge], async_max_workers=1)
        run = service.start(RunOrder(benchmark, config))
        assert service.wait(run, 60)
    return [service.library.results.get(row.id).result for row in service.library.results.page(run).rows]


def told(service: RunService) -> str:
    """The overview of the last run."""
    (run,) = service.library.runs.all()
    return str(overview(summarise(count_run(service.library.results.table(run.id))), [], Cost()))


def test_a_judge_that_replies_badly_once_is_still_held_to_the_schema(library: Library, service: RunService) -> None:
    asked_for: list[bool] = []

    def script(asked: Asked) -> Reply:
        if asked.model == "ada":
            return Reply(text="It is 42.")
        asked_for.append(asked.schema is not None)
        return Reply(text="Well.") if asked.number < 3 else Reply(data={"number": 42})

    first, *others = results_of(library, service, script)
    assert first.metadata.failure is not None and first.metadata.failure.category == "parsing"
    assert first.extractions == {"parsing": {"schema": 2}}
    assert [each.extractions for each in others] == [{"parsing": {"schema": 1}}] * (QUESTIONS - 1)
    assert all(asked_for)
    assert "not always asked" not in told(service)


def test_a_run_whose_judge_was_asked_in_several_ways_says_so(library: Library, service: RunService) -> None:
    def script(asked: Asked) -> Reply:
        if asked.model == "ada":
            return Reply(text="It is 42.")
        if asked.number > 2 and asked.schema is not None:
            return Reply(status=400, message="response_format is not supported")
        return Reply(text=json.dumps({"number": 42}))

    results = results_of(library, service, script)
    assert all(each.passed for each in results)
    methods = [method for each in results for method in (each.extractions or {})["parsing"]]
    assert methods == ["schema"] * 2 + ["json"] * (QUESTIONS - 2)
    assert "JSON mode for 4, enforced schema for 2" in told(service)
    assert "JSON mode" in str(tokens(results[-1], {}))
