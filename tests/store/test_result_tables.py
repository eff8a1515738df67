"""Counts, filters and sorting in SQL, compared with row-by-row computation on values that are hard for SQL."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest

from karenina_gui.analysis.rates import cells, comparison_key, summarise
from karenina_gui.analysis.run_counting import count_run
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import (
    Failure,
    FailureCategory,
    ModelIdentity,
    ResultMetadata,
    ResultRubric,
    ResultTemplate,
    TraitScale,
    VerificationResult,
)
from karenina_gui.schemas.result_summaries import QuestionSort, ResultFilter, ResultSort, ResultSummary
from karenina_gui.schemas.run_counts import ComparisonKey, QuestionMeans, RunCounts, RunMeans
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan
from tests.row_by_row import counted

HOSTILE = [
    "plain",
    "with 'quotes\"",
    "100%_sure",
    "back\\slash",
    "Größe",
    "ß",
    "[1, 2]",
    "a, b",
    "$.x",
    "\u2028 line",
    "",
]
COMMON = "nearly 'everywhere\""
QUESTIONS = [f"q{number}" for number in range(9)]
MODELS = ["ada", "o'bob\"", "%"]
JUDGES = [None, "umpire", "other, judge"]
SAMPLES = [(1, "plain", 1), (2, "plain", 2), (1, "it's · %", 1)]
"""(replicate, condition, judgment)"""
CATEGORIES: list[FailureCategory | None] = [None, "content", "timeout", "refusal", "recursion_limit"]
SCALE = TraitScale(kind="score", higher_is_better=False, min_score=0, max_score=3)
RUN = 2
"""A second run, whose results must never appear among those of the first."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(tmp_path_factory.mktemp("data")) as library:
        benchmark = library.benchmarks.create(BenchmarkDocument(name="b"))
        config = VerificationConfig(answering_models=[ModelConfig(id="ada", interface="manual", manual_traces={})])
        jobs = [
            Job("/".join(map(str, (question, model, judge, *sample))), question, model, judge, *sample)
            for question in QUESTIONS
            for model in MODELS
            for judge in JUDGES
            for sample in SAMPLES
        ]
        chance = random.Random(3)
        for share in (0.3, 0.9):
            run = library.runs.create(RunPlan(benchmark, "r", config, jobs, "seccomp", "hash"))
            for job in chance.sample(jobs, int(share * len(jobs))):
                library.runs.record(run, job.key, made_up(chance, job))
        yield library


@pytest.fixture(scope="module")
def rows(library: Library) -> list[ResultSummary]:
    found = library.results.page(RUN).rows
    assert [row.position for row in found] == sorted(row.position for row in found)
    return found


def made_up(chance: random.Random, job: Job) -> VerificationResult:
    category = chance.choice(CATEGORIES)
    failure = None if category is None else Failure(category=category, stage="s", reason="r")
    fixed = random.Random(job.question_id)
    metadata = ResultMetadata(
        question_id=job.question_id, template_id="t", question_text=f"{fixed.choice(HOSTILE)} {job.question_id}?",
        keywords=fixed.sample(HOSTILE, fixed.randint(0, 4)), failure=failure, replicate=job.replicate,
        answering=ModelIdentity(interface="manual", model_name=job.answering), execution_time=chance.randint(0, 9) / 2,
    )  # fmt: skip
    scores = {name: chance.choice([True, False, 3, 0, 0.5]) for name in chance.sample(HOSTILE, chance.randint(0, 3))}
    if chance.random() < 0.9:
        scores[COMMON] = chance.random() < 0.8
    tokens = {} if chance.random() < 0.3 else {"usage_metadata": {"total": {"total_tokens": chance.randint(0, 5)}}}
    verdict = None if category == "timeout" else category is None and chance.random() < 0.6
    return VerificationResult(
        metadata=metadata,
        template=ResultTemplate(verify_result=verdict, **tokens),
        rubric=ResultRubric(llm_trait_scores=scores, trait_scales=dict.fromkeys(scores, SCALE)) if scores else None,
        error=chance.choice(HOSTILE) if category == "timeout" else None,
        completed_without_errors=category != "timeout",
    )


def test_figures_are_the_same_from_columns_and_from_rows(library: Library, rows: list[ResultSummary]) -> None:
    by_column, by_row = (
        summarise(_rounded(counts)) for counts in (count_run(library.results.table(RUN)), counted(rows))
    )
    assert by_column == by_row
    assert list(by_column.by_model) == list(by_row.by_model)
    assert sum(by_column.outcomes.values()) == len(rows)
    assert by_column.by_trait


def _rounded(counts: RunCounts) -> RunCounts:
    """Rounds, because sums of thirds differ by rounding errors."""
    found = {
        part.name: {key: QuestionMeans(round(mean.total, 9), mean.questions) for key, mean in of.items()}
        for part in fields(counts.means)
        for of in [getattr(counts.means, part.name)]
    }
    return replace(counts, means=RunMeans(**found))


def test_what_scores_mean_is_found_for_every_trait_by_its_name(library: Library, rows: list[ResultSummary]) -> None:
    names = {name for row in rows for name in row.traits}
    assert library.results.scales(RUN, sorted(names)) == dict.fromkeys(names, SCALE)
    assert library.results.scales(RUN, ["nowhere"]) == {}


def test_what_scores_mean_is_told_by_the_results_themselves(library: Library, rows: list[ResultSummary]) -> None:
    with_traits = next(row for row in rows if row.traits)
    assert library.results.scales_of([with_traits.id]) == dict.fromkeys(with_traits.traits, SCALE)
    names = {name for row in rows for name in row.traits}
    assert library.results.scales_of([row.id for row in rows]) == dict.fromkeys(names, SCALE)
    assert library.results.scales_of([]) == {}


WANTED = [
    *(ResultFilter(text=text) for text in [*HOSTILE, "GRÖSSE", "ss", "Q3?", "O'BOB", "  q1  ", "\n", "nowhere"]),
    *(ResultFilter(keyword=word) for word in [*HOSTILE, "quotes", "nowhere"]),
    *(ResultFilter(trait=name, trait_is=yes) for name in [*HOSTILE, "nowhere"] for yes in (None, True, False)),
    *(
        ResultFilter(trait=name, trait_is=yes, trait_or_none=True, answering=model)
        for name in ["plain", "nowhere"]
        for yes in (True, False)
        for model in (None, MODELS[0])
    ),
    *(ResultFilter(answering=model, judge=judge) for model in MODELS for judge in JUDGES),
    ResultFilter(outcomes=("wrong", "error"), replicate=2, category="timeout"),
    ResultFilter(text="q", keyword="ß", trait="ß", trait_is=True, question_id="q1", outcomes=("passed",)),
]


@pytest.mark.parametrize("wanted", WANTED, ids=str)
def test_a_filter_lets_pass_what_fits_and_nothing_else(
    library: Library, rows: list[ResultSummary], wanted: ResultFilter
) -> None:
    fitting = [row for row in rows if fits(row, wanted)]
    page = library.results.page(RUN, wanted, limit=7)
    assert (page.rows, page.total) == (fitting[:7], len(fitting))
    later = library.results.page(RUN, wanted, ResultSort("seconds", descending=True), offset=5, limit=7).rows
    assert later == sorted(fitting, key=lambda row: -row.seconds)[5:12]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("yes", [None, True, False])
@pytest.mark.parametrize("name", [COMMON, "plain", "nowhere"])
def test_a_trait_that_many_have_and_one_that_few_have_are_cut_alike(
    library: Library, rows: list[ResultSummary], name: str, yes: bool | None, descending: bool
) -> None:
    wanted, sort = ResultFilter(trait=name, trait_is=yes), ResultSort("position", descending)
    fitting = sorted((row for row in rows if fits(row, wanted)), key=lambda row: row.position, reverse=descending)
    for offset in range(0, len(fitting) + 10, 10):
        page = library.results.page(RUN, wanted, sort, offset, 10)
        assert (page.rows, page.total) == (fitting[offset : offset + 10], len(fitting))
    whole = library.results.page(RUN, wanted, sort)
    assert (whole.rows, whole.total) == (fitting, len(fitting))


def fits(row: ResultSummary, wanted: ResultFilter) -> bool:
    labels = [row.judge or "", row.condition or "", *row.keywords]
    searched = "\n".join([row.question_text, row.question_id, row.answering, row.error or "", *labels]).casefold()
    plain = ("answering", "judge", "replicate", "question_id", "category")
    score = row.traits.get(wanted.trait) if wanted.trait is not None else None
    return (
        wanted.text.strip().casefold() in searched
        and (not wanted.outcomes or row.outcome in wanted.outcomes)
        and (wanted.keyword is None or wanted.keyword in row.keywords)
        and (wanted.trait is None or score is not None or wanted.trait_or_none)
        and (wanted.trait_is is None or score is wanted.trait_is or (wanted.trait_or_none and score is None))
        and all(getattr(wanted, name) in (None, getattr(row, name)) for name in plain)
    )


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    "key", ["position", "question", "answering", "judge", "replicate", "outcome", "category", "seconds", "tokens"]
)
def test_every_order_keeps_equal_rows_in_the_order_of_the_run(
    library: Library, rows: list[ResultSummary], key: str, descending: bool
) -> None:
    def value(row: ResultSummary) -> tuple[bool, object]:
        if key == "question":
            return True, row.question_text.casefold()
        found = getattr(row, key)
        return found is not None, found if found is not None else 0

    sort = ResultSort(key, descending)  # type: ignore[arg-type]
    pages = [library.results.page(RUN, None, sort, start, 40).rows for start in range(0, len(rows) + 40, 40)]
    found = [row for page in pages for row in page]
    assert [value(row) for row in found] == sorted(map(value, rows), reverse=descending)
    if key != "question":  # where models come in between
        assert found == sorted(rows, key=value, reverse=descending)
    near = library.results.neighbours(RUN, found[10].id, None, sort)
    assert (near.previous, near.next, near.number, near.total) == (found[9].id, found[11].id, 11, len(rows))


def test_questions_come_with_all_their_results_page_by_page(library: Library, rows: list[ResultSummary]) -> None:
    first = library.results.questions(RUN, QuestionSort(), 0, 4)
    rest = library.results.questions(RUN, QuestionSort(), 4, 100)
    assert first.question_ids + rest.question_ids == list(dict.fromkeys(row.question_id for row in rows))
    assert first.total == rest.total == len(QUESTIONS)
    assert sorted(first.rows + rest.rows, key=lambda row: row.position) == rows
    assert first.models == list(dict.fromkeys(comparison_key(row) for row in rows))
    assert {row.question_id for row in first.rows} == set(first.question_ids)


@pytest.mark.parametrize(
    "model",
    [
        ComparisonKey(model, judge, condition)
        for model in MODELS
        for judge in JUDGES
        for condition in ("plain", "it's · %")
    ],
)
def test_questions_are_put_in_order_by_the_share_of_a_model_s_answers_that_passed(
    library: Library, rows: list[ResultSummary], model: ComparisonKey
) -> None:
    rates = {cell.question_id: cell.rate for cell in cells(rows) if cell.key == model}
    shares = {question: each.passed / each.judged if each.judged else None for question, each in rates.items()}

    def share(question_id: str) -> float:
        value = shares.get(question_id)
        return -1 if value is None else value

    sort = QuestionSort("share", answering=model.answering, judge=model.judge, condition=model.condition)
    as_they_ran = list(dict.fromkeys(row.question_id for row in rows))
    for descending in (False, True):
        page = library.results.questions(RUN, replace(sort, descending=descending), 0, 100)
        assert page.question_ids == sorted(as_they_ran, key=share, reverse=descending)


def test_questions_are_put_in_order_by_the_mean_of_a_trait(library: Library, rows: list[ResultSummary]) -> None:
    trait = next(name for row in rows for name in row.traits)
    of = comparison_key(next(row for row in rows if trait in row.traits))
    scores = {cell.question_id: cell.scores(trait) for cell in cells(rows) if cell.key == of}

    def mean(question_id: str) -> float:
        found = scores.get(question_id)
        return sum(found) / len(found) if found else -1

    sort = QuestionSort("share", True, of.answering, of.judge, of.condition, trait)
    as_they_ran = list(dict.fromkeys(row.question_id for row in rows))
    assert library.results.questions(RUN, sort, 0, 100).question_ids == sorted(as_they_ran, key=mean, reverse=True)


def test_a_run_without_results_has_no_questions_and_empty_figures(library: Library, tmp_path: Path) -> None:
    page = library.results.questions(99, QuestionSort("question"), 0, 10)
    assert (page.question_ids, page.rows, page.total, page.models) == ([], [], 0, [])
    assert summarise(count_run(library.results.table(99))) == summarise(counted([]))


def test_exported_results_are_those_of_the_table_in_its_order(library: Library, rows: list[ResultSummary]) -> None:
    wanted = ResultFilter(answering="ada")
    exported = [result.metadata for result in library.results.each(RUN, wanted)]
    fitting = [row for row in rows if row.answering == "ada"]
    assert [(each.question_id, each.replicate) for each in exported] == [(r.question_id, r.replicate) for r in fitting]
