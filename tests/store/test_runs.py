from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import (
    UNTYPED_SCORES,
    Failure,
    ModelIdentity,
    ResultMetadata,
    ResultRubric,
    ResultTemplate,
    VerificationResult,
)
from karenina_gui.schemas.result_summaries import Neighbours, ResultFilter, ResultSort
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan

JOBS = [
    Job(f"{question}/{model}/{replicate}", question, model, None, replicate)
    for question in ("q1", "q2", "q3")
    for model in ("ada", "bob")
    for replicate in (1, 2)
]


def config() -> VerificationConfig:
    traces = {"q1": ["yes", "no"]}
    return VerificationConfig(
        answering_models=[
            ModelConfig(id="ada", interface="manual", manual_traces=traces),
            ModelConfig(id="bob", model_name="b-1", interface="openai_endpoint", endpoint_api_key="sk-very-secret"),
        ],
        replicate_count=2,
    )


def result(job: Job, passed: bool | None, **root: object) -> VerificationResult:
    failure = root.pop("failure", None)
    metadata = ResultMetadata(
        question_id=job.question_id,
        template_id="t",
        question_text=f"Text of {job.question_id}, ß",
        keywords=[job.question_id, "all"],
        answering=ModelIdentity(interface="manual", model_name=job.answering),
        replicate=job.replicate,
        execution_time=float(len(job.key)),
        failure=failure,
    )
    rubric = ResultRubric(
        regex_trait_scores={"cites 'x'": bool(passed)},
        llm_trait_scores={"clarity": 4},
        metric_trait_scores={"m": {"f1": 1}},
    )
    template = ResultTemplate(verify_result=passed, usage_metadata={"total": {"total_tokens": 7}})
    return VerificationResult(metadata=metadata, template=template, rubric=rubric, **root)


@pytest.fixture
def plan(library: Library) -> RunPlan:
    benchmark = library.benchmarks.create(BenchmarkDocument(name="b"))
    return RunPlan(benchmark, "first", config(), JOBS, "seccomp", "abc")


Fill = Callable[[int], None]


@pytest.fixture
def fill(library: Library) -> Fill:
    """Record a result for every job: ada is right, bob wrong, and bob's second answer to q3 is missing."""

    def fill(run: int) -> None:
        broken = Failure(category="timeout", stage="GenerateAnswer", reason="no answer within 1 s")
        for job in reversed(JOBS):
            if job.key == "q3/bob/2":
                outcome = result(job, None, failure=broken, error="No answer came.", completed_without_errors=False)
            else:
                outcome = result(job, job.answering == "ada")
            library.runs.record(run, job.key, outcome)

    return fill


def test_all_jobs_are_planned_before_the_first_result(library: Library, plan: RunPlan) -> None:
    run = library.runs.create(plan)
    summary = library.runs.summary(run)
    assert (summary.status, summary.total, summary.done, summary.outcomes) == ("planned", 12, 0, {})
    assert [job.key for job in library.runs.jobs_left(run)] == [job.key for job in JOBS]


def test_a_configuration_comes_back_with_recorded_answers_and_without_keys(library: Library, plan: RunPlan) -> None:
    run = library.runs.create(plan)
    back = library.runs.config(run)
    assert back.answering_models[0].manual_traces == {"q1": ["yes", "no"]}
    assert back.answering_models[1].endpoint_api_key is None


def test_no_key_is_in_the_file(library: Library, plan: RunPlan, fill: Fill, tmp_path: Path) -> None:
    fill(library.runs.create(plan))
    library.models.save("bob", plan.config.answering_models[1])
    library.close()
    assert all(b"sk-very-secret" not in file.read_bytes() for file in (tmp_path / "data").iterdir())


def test_results_job_states_and_counts_agree(library: Library, plan: RunPlan, fill: Fill) -> None:
    run = library.runs.create(plan)
    fill(run)
    library.runs.finish(run, "completed")
    summary = library.runs.summary(run)
    assert (summary.status, summary.done) == ("completed", 12)
    assert summary.outcomes == {"passed": 6, "wrong": 5, "error": 1}
    assert [(job.key, job.outcome) for job in library.runs.jobs_left(run)] == [("q3/bob/2", "error")]


def test_a_job_recorded_again_replaces_its_result(library: Library, plan: RunPlan, fill: Fill) -> None:
    run = library.runs.create(plan)
    fill(run)
    last = JOBS[-1]
    library.runs.record(run, last.key, result(last, True))
    assert library.runs.summary(run).outcomes == {"passed": 7, "wrong": 5}
    assert library.results.page(run).total == 12


def test_results_come_in_the_planned_order_whatever_order_they_finished_in(
    library: Library, plan: RunPlan, fill: Fill
) -> None:
    run = library.runs.create(plan)
    fill(run)
    rows = library.results.page(run).rows
    assert [f"{row.question_id}/{row.answering}/{row.replicate}" for row in rows] == [job.key for job in JOBS]
    assert [r.metadata.question_id for r in library.results.each(run)] == [job.question_id for job in JOBS]
    assert rows[0].traits == {"cites 'x'": True, "clarity": 4, "m.f1": 1}
    assert library.results.trait_names(run) == ["clarity", "cites 'x'", "m.f1"]
    assert (rows[0].tokens, rows[0].keywords, rows[-1].category) == (7, ("q1", "all"), "timeout")


@pytest.mark.parametrize(
    ("wanted", "total"),
    [
        (ResultFilter(), 12),
        (ResultFilter(outcomes=("wrong", "error")), 6),
        (ResultFilter(answering="ada", replicate=1), 3),
        (ResultFilter(keyword="q2"), 4),
        (ResultFilter(text="TEXT of q2, SS"), 4),
        (ResultFilter(text="no answer CAME"), 1),
        (ResultFilter(category="timeout"), 1),
        (ResultFilter(question_id="q9"), 0),
        (ResultFilter(trait="cites 'x'"), 12),
        (ResultFilter(trait="cites 'x'", trait_is=True), 6),
        (ResultFilter(trait="cites 'x'", trait_is=False, answering="ada"), 0),
        (ResultFilter(trait="m"), 0),
    ],
)
def test_results_are_filtered(library: Library, plan: RunPlan, fill: Fill, wanted: ResultFilter, total: int) -> None:
    run = library.runs.create(plan)
    fill(run)
    page = library.results.page(run, wanted, limit=2)
    assert (page.total, len(page.rows)) == (total, min(total, 2))


def test_results_are_sorted_and_paged(library: Library, plan: RunPlan, fill: Fill) -> None:
    run = library.runs.create(plan)
    fill(run)
    order = ResultSort("answering", descending=True)
    rows = [row for start in (0, 5, 10) for row in library.results.page(run, sort=order, offset=start, limit=5).rows]
    assert [row.answering for row in rows] == ["bob"] * 6 + ["ada"] * 6
    assert [row.position for row in rows[:6]] == sorted(row.position for row in rows[:6])


def test_neighbours_follow_the_filter_of_the_table(library: Library, plan: RunPlan, fill: Fill) -> None:
    run = library.runs.create(plan)
    fill(run)
    wrong = ResultFilter(outcomes=("wrong",))
    ids = [row.id for row in library.results.page(run, wrong).rows]
    assert library.results.neighbours(run, ids[0], wrong) == Neighbours(None, ids[1], 1, 5)
    assert library.results.neighbours(run, ids[2], wrong) == Neighbours(ids[1], ids[3], 3, 5)
    passed = library.results.page(run, ResultFilter(outcomes=("passed",))).rows[0]
    assert library.results.neighbours(run, passed.id, wrong) == Neighbours()


def test_a_whole_result_comes_back(library: Library, plan: RunPlan) -> None:
    run = library.runs.create(plan)
    whole = result(JOBS[0], True, recording_label="sample recording", sandbox_level="seccomp")
    number = library.runs.record(run, JOBS[0].key, whole)
    stored = library.results.get(number)
    assert stored.result == whole
    assert (stored.summary.run_id, stored.summary.outcome) == (run, "passed")
    assert library.runs.summary(run).recording_label == "sample recording"


def test_a_result_with_figures_that_are_no_numbers_is_kept_and_found(library: Library, plan: RunPlan) -> None:
    """SQLite's JSON functions reject a document with NaN, and with it every query over its neighbors."""
    run = library.runs.create(plan)
    odd = result(JOBS[0], False)
    assert odd.template is not None
    odd.template.parsed_llm_response = {"dose": float("nan"), "doses": [float("inf"), 2.0]}
    scores = {"llm_trait_scores": {"clear": True}, UNTYPED_SCORES: {"odd": float("nan")}}
    odd.rubric = ResultRubric.model_validate({"rubric_evaluation_performed": True, **scores})
    number = library.runs.record(run, JOBS[0].key, odd)
    template = library.results.grounds([number])[number].template
    assert template is not None
    assert template.parsed_llm_response == {"dose": None, "doses": [None, 2.0]}
    assert library.results.page(run, ResultFilter(trait="clear")).total == 1


def test_a_run_that_only_a_judge_s_recording_played_in_is_not_called_a_recording(
    library: Library, plan: RunPlan
) -> None:
    judge = ModelConfig(id="umpire", model_name="u", interface="replay", recording="example")
    mixed = replace(plan, config=plan.config.model_copy(update={"parsing_models": [judge]}))
    run = library.runs.create(mixed)
    library.runs.record(run, JOBS[0].key, result(JOBS[0], True, recording_label="sample recording"))
    assert library.runs.summary(run).recording_label == "sample recording of umpire"
    assert library.runs.count() == len(library.runs.all()) == 1


def test_a_run_that_lost_its_process_is_interrupted_and_keeps_its_results(library: Library, plan: RunPlan) -> None:
    run = library.runs.create(plan)
    library.runs.start(run)
    library.runs.record(run, JOBS[0].key, result(JOBS[0], True))
    assert library.runs.mark_interrupted() == [run]
    summary = library.runs.summary(run)
    assert (summary.status, summary.done) == ("interrupted", 1)
    assert library.runs.mark_interrupted() == []


def test_a_finished_run_is_deleted_with_its_results_and_a_running_one_is_not(
    library: Library, plan: RunPlan, fill: Fill
) -> None:
    run = library.runs.create(plan)
    fill(run)
    with pytest.raises(InputError, match="still running"):
        library.runs.erase(run)
    library.runs.finish(run, "cancelled", "stopped by hand")
    number = library.results.page(run).rows[0].id
    library.runs.erase(run)
    with pytest.raises(NotFoundError):
        library.results.get(number)


def test_runs_are_listed_by_benchmark_newest_first(library: Library, plan: RunPlan) -> None:
    first, second = library.runs.create(plan), library.runs.create(replace(plan, name="again"))
    assert [(run.id, run.name) for run in library.runs.all(plan.benchmark_id)] == [(second, "again"), (first, "first")]
    assert library.runs.all(plan.benchmark_id + 1) == []
    assert library.benchmarks.summaries()[0].runs == 2


def test_a_saved_model_is_replaced_under_its_name(library: Library) -> None:
    model = config().answering_models[0]
    first = library.models.save("mine", model)
    again = library.models.save("mine", model.model_copy(update={"system_prompt": "Be brief."}))
    (kept,) = library.models.all().values()
    assert (kept.system_prompt, kept.manual_traces) == ("Be brief.", {"q1": ["yes", "no"]})
    assert again.number == first.number


def test_answers_are_kept_for_as_long_as_something_may_be_judged_on_them(
    library: Library, plan: RunPlan, fill: Fill
) -> None:
    run = library.runs.create(plan)
    library.answers.save(run, "q1\tada", {"text": "42"})
    library.runs.finish(run, "cancelled")
    assert library.answers.keys(run)
    fill(run)
    library.runs.finish(run, "completed")
    assert library.answers.keys(run)
    (broken,) = (job for job in JOBS if job.key == "q3/bob/2")
    library.runs.record(run, broken.key, result(broken, True))
    library.runs.finish(run, "completed")
    assert library.answers.keys(run) == set()


def test_a_run_that_has_gone_on_since_it_was_seen_is_not_taken_up(library: Library, plan: RunPlan) -> None:
    run = library.runs.create(plan)
    library.runs.finish(run, "cancelled")
    seen = library.runs.summary(run)
    library.runs.reopen(seen)
    library.runs.record(run, JOBS[0].key, result(JOBS[0], True))
    library.runs.finish(run, "cancelled")
    with pytest.raises(InputError, match="resumed elsewhere"):
        library.runs.reopen(seen)
    library.runs.reopen(library.runs.summary(run))


def test_a_run_of_a_deleted_benchmark_is_in_no_list_but_is_there_for_who_looks_at_it(
    library: Library, plan: RunPlan
) -> None:
    run = library.runs.create(plan)
    library.benchmarks.delete(plan.benchmark_id)
    assert (library.runs.all(), library.runs.all(plan.benchmark_id), library.runs.count()) == ([], [], 0)
    assert library.runs.summary(run).benchmark_deleted
    library.benchmarks.restore(plan.benchmark_id)
    assert [each.benchmark_deleted for each in library.runs.all()] == [False]
