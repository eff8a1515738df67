"""Jobs with a verdict whose trait judge failed: counted, and retried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.errors import InputError, ParseError, ProviderError
from karenina_gui.runs.resume import RemainingJobs
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.rubric import LLMRubricTrait, MetricRubricTrait, RegexRubricTrait, Rubric
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from karenina_gui.store.replies import forget_replies
from tests.template_texts import NUMBER

WAIT = 20
_NONE = RetryBudget(max_attempts=0)
AT_ONCE = RetryPolicy(connection=_NONE, timeout=_NONE, rate_limit=_NONE, server_error=_NONE)
CLEAR = LLMRubricTrait(name="clear", kind="boolean")
RUBRIC = Rubric(
    llm_traits=[CLEAR, LLMRubricTrait(name="depth", kind="score")],
    metric_traits=[MetricRubricTrait(name="names", metrics=["recall"], tp_instructions=["42"])],
    regex_traits=[RegexRubricTrait(name="cites", pattern=r"\[\d+\]")],
)
Say = Callable[[LLMRequest], str]


@pytest.fixture
def benchmark_id(library: Library, document: BenchmarkDocument) -> int:
    del document.entries[2:]
    document.rubric = RUBRIC
    for entry in document.entries:
        entry.question.answer_template = NUMBER
    return library.benchmarks.create(document)


def answers(request: LLMRequest) -> str:
    """Gives right answers, and valid replies as a judge."""
    asked = set((request.json_schema or {}).get("properties", ()))
    if request.purpose == "answer_generation":
        return "It is 42."
    if request.purpose == "parsing":
        return '{"number": 42}'
    return '{"tp": ["42"], "fn": [], "fp": []}' if "tp" in asked else '{"clear": true, "depth": 3}'


def failing(fault: Exception, *, of: str, question: str = "Text 1?") -> Say:
    """`answers`, except for the judge's requests for this property of this question."""

    def say(request: LLMRequest) -> str:
        sent = request.messages[-1].text
        if request.purpose != "answer_generation" and question in sent and of in str(request.json_schema):
            raise fault
        return answers(request)

    return say


def config(model: Any, **fields: Any) -> VerificationConfig:
    return VerificationConfig(
        answering_models=[model.config()],
        parsing_models=[model.config("jim")],
        async_enabled=False,
        retry_policy=AT_ONCE,
        **fields,
    )


def down(category: Any = "connection") -> ProviderError:
    return ProviderError("nobody there", category=category)


def first_try(service: RunService, benchmark_id: int, model: Any, say: Say, **fields: Any) -> int:
    model.say = say
    run = service.start(RunOrder(benchmark_id, config(model, **fields)))
    assert service.wait(run, WAIT)
    model.asked.clear()
    return run


def try_again(service: RunService, run: int, model: Any, say: Say) -> None:
    model.say = say
    service.resume(run)
    assert service.wait(run, WAIT)


def forget_replies_of(library: Library, run: int) -> None:
    """Delete saved replies, as in a run of an earlier version."""
    with library._database.writing() as session:
        forget_replies(session, run)


def rubric(service: RunService, run: int) -> Any:
    """Rubric section of the second question's result."""
    return [result.rubric for result in service.library.results.each(run)][1]


@pytest.mark.parametrize("category", ["connection", "timeout", "rate_limit", "server_error", "authentication"])
def test_a_trait_whose_judge_could_not_be_reached_is_tried_again(
    service: RunService, benchmark_id: int, model: Any, category: str
) -> None:
    run = first_try(service, benchmark_id, model, failing(down(category), of="clear"))
    assert service.library.runs.summary(run).outcomes == {"passed": 2}
    assert rubric(service, run).trait_faults == {"clear": category, "depth": category}
    assert rubric(service, run).llm_trait_scores is None
    assert rubric(service, run).regex_trait_scores == {"cites": False}
    assert service.remaining(run) == RemainingJobs(unscored=1, answers=1)

    try_again(service, run, model, answers)
    assert Counter(request.purpose for request in model.asked) == {"rubric_evaluation": 1}
    assert service.remaining(run) == RemainingJobs()
    summary = service.library.runs.summary(run)
    assert (summary.status, summary.done, summary.outcomes) == ("completed", 2, {"passed": 2})
    assert rubric(service, run).trait_faults is None
    assert rubric(service, run).llm_trait_scores == {"clear": True, "depth": 3}


@pytest.mark.parametrize(
    ("of", "settings", "lacking"),
    [
        ("tp", {}, ["names"]),
        ("clear", {"rubric_evaluation_strategy": "sequential"}, ["clear"]),
        ("clear", {"deep_judgment_rubric_mode": "enable_all"}, ["clear"]),
        ("clear", {"evaluation_mode": "rubric_only"}, ["clear", "depth"]),
    ],
    ids=["metric", "sequential", "deep", "without a template"],
)
def test_every_way_to_ask_about_a_trait_leaves_what_failed_as_data(
    service: RunService, benchmark_id: int, model: Any, of: str, settings: dict[str, Any], lacking: list[str]
) -> None:
    run = first_try(service, benchmark_id, model, failing(down(), of=f"'{of}'"), **settings)
    faults = rubric(service, run).trait_faults
    assert {name: faults[name] for name in lacking} == dict.fromkeys(lacking, "connection")
    assert service.remaining(run).again == 0
    assert service.remaining(run).unscored >= 1


def test_a_trait_whose_judge_talks_nonsense_is_tried_again(service: RunService, benchmark_id: int, model: Any) -> None:
    run = first_try(service, benchmark_id, model, failing(ParseError("no JSON"), of="clear"))
    assert rubric(service, run).trait_faults == {"clear": "parsing", "depth": "parsing"}
    assert service.remaining(run) == RemainingJobs(unscored=1, answers=1)
    with pytest.raises(InputError, match="Nothing left to do"):
        service.resume(run, ["calls"])
    try_again(service, run, model, answers)
    assert Counter(request.purpose for request in model.asked) == {"rubric_evaluation": 1}
    assert rubric(service, run).llm_trait_scores == {"clear": True, "depth": 3}
    assert service.remaining(run) == RemainingJobs()


@pytest.mark.parametrize(
    "again",
    [
        failing(down(), of="number"),
        failing(ParseError("no JSON"), of="number"),
        failing(down("timeout"), of="'"),
    ],
    ids=["its template is not read", "its template is misread", "nothing is reached"],
)
def test_the_verdict_stays_where_the_second_try_fails_too(
    service: RunService, library: Library, benchmark_id: int, model: Any, again: Say
) -> None:
    run = first_try(service, benchmark_id, model, failing(down(), of="clear"))
    forget_replies_of(library, run)
    before = [result.metadata.result_id for result in service.library.results.each(run)]
    try_again(service, run, model, again)
    assert "answer_generation" not in {request.purpose for request in model.asked}
    summary = service.library.runs.summary(run)
    assert (summary.status, summary.done, summary.outcomes) == ("completed", 2, {"passed": 2})
    assert [result.metadata.result_id for result in service.library.results.each(run)] == before
    assert service.remaining(run) == RemainingJobs(unscored=1, answers=1)

    try_again(service, run, model, answers)
    assert service.remaining(run) == RemainingJobs()
    assert rubric(service, run).llm_trait_scores == {"clear": True, "depth": 3}


def test_a_second_try_that_loses_another_trait_takes_no_score_away(
    service: RunService, library: Library, benchmark_id: int, model: Any
) -> None:
    run = first_try(service, benchmark_id, model, failing(down(), of="'tp'"))
    forget_replies_of(library, run)
    try_again(service, run, model, failing(down(), of="clear"))
    assert rubric(service, run).llm_trait_scores == {"clear": True, "depth": 3}
    assert rubric(service, run).trait_faults == {"names": "connection"}


def test_progress_counts_a_verdict_that_stays_as_what_it_is(
    service: RunService, library: Library, benchmark_id: int, model: Any
) -> None:
    run = first_try(service, benchmark_id, model, failing(down(), of="clear"))
    forget_replies_of(library, run)
    seen: list[dict[str, int]] = []
    service.changed.subscribe(lambda each: seen.append(dict(service.progress(each).outcomes)))
    try_again(service, run, model, failing(down(), of="number"))
    assert seen[-1] == {"passed": 2}
    assert all("error" not in outcomes for outcomes in seen)


def test_jobs_without_a_verdict_and_jobs_without_a_trait_are_done_in_one_go(
    service: RunService, benchmark_id: int, model: Any
) -> None:
    def say(request: LLMRequest) -> str:
        return failing(down(), of="number", question="Text 0?")(request) and failing(down(), of="clear")(request)

    run = first_try(service, benchmark_id, model, say)
    assert service.library.runs.summary(run).outcomes == {"passed": 1, "error": 1}
    assert service.remaining(run) == RemainingJobs(again=1, unscored=1, answers=2)
    try_again(service, run, model, answers)
    assert service.library.runs.summary(run).outcomes == {"passed": 2}
    assert service.remaining(run) == RemainingJobs()
