"""Jobs of a run as columns, compared with the same run read row by row."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.analysis.run_counting import count_run
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import (
    Failure,
    ModelIdentity,
    ResultMetadata,
    ResultRubric,
    ResultTemplate,
    TraitScale,
    VerificationResult,
)
from karenina_gui.schemas.run_counts import OfArm
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.job_columns import LONGEST_TEXT
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan
from tests.job_tables import column, columns, job_table

LONG = "ß? " * LONGEST_TEXT
JOBS = [
    Job(f"{question}/{arm}/{replicate}/{judgment}", question, "o'bob\"", "%", replicate, arm, judgment)
    for question in ("q1", "q2", "q3")
    for arm in ("plain", "with tools")
    for replicate in (1, 2)
    for judgment in (1, 2)
]
SCALE = TraitScale(kind="score", higher_is_better=True, min_score=0, max_score=3)
LAST = "q3"
"""A question without any finished job."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Run 2, with results for most jobs; run 1 has all of them, run 3 none."""
    with Library.open(tmp_path_factory.mktemp("data")) as library:
        benchmark = library.benchmarks.create(BenchmarkDocument(name="b"))
        config = VerificationConfig(answering_models=[ModelConfig(id="ada", interface="manual", manual_traces={})])
        chance = random.Random(5)
        for share in (1, 0.7, 0):
            run = library.runs.create(RunPlan(benchmark, "r", config, JOBS, "seccomp", "hash"))
            done = [job for job in JOBS if share == 1 or (job.question_id != LAST and chance.random() < share)]
            chance.shuffle(done)
            for job in done:
                library.runs.record(run, job.key, made_up(chance, job))
        yield library


def made_up(chance: random.Random, job: Job) -> VerificationResult:
    fails = chance.random() < 0.3
    rubric = ResultRubric(
        llm_trait_scores={"depth": chance.randint(0, 3), "cites": chance.random() < 0.5}
        if chance.random() < 0.8
        else {},
        trait_scales={"depth": SCALE, "cites": TraitScale(kind="boolean"), "never": SCALE},
    )
    return VerificationResult(
        metadata=ResultMetadata(
            question_id=job.question_id, template_id="t", question_text=f"{job.question_id} {LONG}",
            keywords=["a, b", job.question_id], replicate=job.replicate, execution_time=chance.randint(0, 9) / 2,
            failure=Failure(category="timeout", stage="s", reason="r") if fails else None,
            answering=ModelIdentity(interface="manual", model_name=job.answering),
        ),
        template=None if fails else ResultTemplate(verify_result=chance.random() < 0.6),
        rubric=None if fails or job.question_id == "q2" else rubric,
        completed_without_errors=not fails,
    )  # fmt: skip


def test_every_job_is_a_row_in_the_order_of_the_run(library: Library) -> None:
    for run in (1, 2, 3):
        table = library.results.table(run)
        assert len(table) == len(JOBS)
        names = ("question_id", "answering", "judge", "replicate", "condition", "judge_replicate")
        assert list(zip(*(column(table, name) for name in names), strict=True)) == [
            (job.question_id, job.answering, job.judge, job.replicate or 1, job.condition, job.judge_replicate or 1)
            for job in JOBS
        ]


def test_columns_are_the_results_read_row_by_row(library: Library) -> None:
    table, rows = library.results.table(2), {row.id: row for row in library.results.page(2).rows}
    values = columns(table)
    seen = [number for number in values["result_id"] if number is not None]
    assert sorted(seen) == sorted(rows)
    for at, number in enumerate(values["result_id"]):
        if number is None:
            continue
        row = rows[number]
        plain = ("outcome", "category", "seconds", "tokens", "condition", "question_id")
        assert [values[name][at] for name in plain] == [getattr(row, name) for name in plain]
        scores = values["traits"][at]
        assert scores == row.traits
        assert [type(score) for score in scores.values()] == [type(score) for score in row.traits.values()]


def test_a_job_without_a_result_is_a_row_of_none(library: Library) -> None:
    values = columns(library.results.table(2))
    empty = [at for at, number in enumerate(values["result_id"]) if number is None]
    assert 8 <= len(empty) < len(JOBS)
    for at in empty:
        assert [values[name][at] for name in ("outcome", "category", "seconds", "tokens")] == [None] * 4
        assert values["traits"][at] == {}
    assert set(column(library.results.table(3), "result_id")) == {None}


def test_questions_with_results_come_with_their_text_and_keywords(library: Library) -> None:
    table = library.results.table(2)
    assert table.texts == {question: f"{question} {LONG}"[:LONGEST_TEXT] for question in ("q1", "q2")}
    assert table.keywords == {question: ("a, b", question) for question in ("q1", "q2")}
    assert set(library.results.table(1).texts) == {"q1", "q2", "q3"}


def test_questions_without_results_have_the_text_of_the_benchmark(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        benchmark = library.benchmarks.create(BenchmarkDocument(name="b"))
        library.questions.add_all(
            benchmark, [BenchmarkEntry(question=Question(id="q1", question="Why?", raw_answer="x"))]
        )
        config = VerificationConfig(answering_models=[ModelConfig(id="ada", interface="manual", manual_traces={})])
        run = library.runs.create(RunPlan(benchmark, "r", config, JOBS, "seccomp", "hash"))
        assert library.results.table(run).texts == {"q1": "Why?"}


def test_the_traits_that_a_question_asks_for_are_known_from_its_results(library: Library) -> None:
    everything = frozenset({"depth", "cites", "never"})
    assert library.results.table(1).requested == {"q1": everything, "q3": everything}
    assert library.results.table(2).requested == {"q1": everything}
    assert library.results.table(3).requested == {}


def test_where_no_result_tells_the_traits_are_those_of_the_benchmark(tmp_path: Path) -> None:
    def rubric(*names: str) -> dict[str, Any]:
        return {"regex_traits": [{"name": name, "pattern": "x"} for name in names]}

    with Library.open(tmp_path) as library:
        benchmark = library.benchmarks.create(BenchmarkDocument(name="b", rubric=rubric("short")))
        questions = [
            Question(id="q1", question="Why?", raw_answer="x", question_rubric=rubric("cites", "depth")),
            Question(id="q2", question="How?", raw_answer="x"),
        ]
        library.questions.add_all(benchmark, [BenchmarkEntry(question=each) for each in questions])
        config = VerificationConfig(answering_models=[ModelConfig(id="ada", interface="manual", manual_traces={})])
        run = library.runs.create(RunPlan(benchmark, "r", config, JOBS, "seccomp", "hash"))
        by_question = {"q1": {"short", "cites", "depth"}, "q2": {"short"}}
        assert library.results.table(run).requested == by_question
        library.questions.delete(benchmark, [row.number for row in library.questions.summaries(benchmark)][1:])
        assert library.results.table(run).requested == {"q1": by_question["q1"]}


def test_a_run_that_is_not_there_is_an_empty_table(library: Library) -> None:
    assert len(library.results.table(99)) == len(job_table()) == 0


def test_scores_out_of_scale_are_in_no_mean_and_counted(tmp_path: Path) -> None:
    form = TraitScale(kind="template", fields={"n": SCALE})
    scales = {"depth": SCALE, "form": form, "tone": TraitScale(kind="literal", classes=["a", "b"])}
    identity = ModelIdentity(interface="manual", model_name="ada")
    with Library.open(tmp_path) as library:
        benchmark = library.benchmarks.create(BenchmarkDocument(name="b"))
        config = VerificationConfig(answering_models=[ModelConfig(id="ada", interface="manual", manual_traces={})])
        jobs = [Job(f"q{number}", f"q{number}", "ada", None, None) for number in range(3)]
        run = library.runs.create(RunPlan(benchmark, "r", config, jobs, "seccomp", "hash"))
        for job, depth in zip(jobs, (2, 4, -1), strict=True):
            scores = {"depth": depth, "form.n": 9, "tone": -1}
            metadata = ResultMetadata(question_id=job.question_id, template_id="t", answering=identity)
            rubric = ResultRubric(llm_trait_scores=scores, trait_scales=scales)
            library.runs.record(run, job.key, VerificationResult(metadata=metadata, rubric=rubric))
        counts = count_run(library.results.table(run))
    arm = {name: OfArm("ada", None, name) for name in ("depth", "form.n", "tone")}
    assert counts.out_of_scale == {arm["depth"]: 2, arm["form.n"]: 3}
    assert (counts.means.arms[arm["depth"]].mean, arm["form.n"] in counts.means.arms) == (2, False)
    assert [scores for _, scores, _ in counts.traits] == [{"depth": 2, "tone": -1}, {"tone": -1}]
