"""Runs drawn at random, as unlike one another as runs are: errors, refusals, missing scores, judges, a run in progress.

run = RandomRun(seed)       # the same seed is the same run
number = fill(library, run)
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sqlmodel import insert, select, update

from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.job import Job, expand
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.model_labels import labels
from karenina_gui.schemas.outcome import Outcome, Reason
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
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store import tables
from karenina_gui.store.library import Library
from karenina_gui.store.results import document_of, light_columns, token_counts
from karenina_gui.store.runs import RunPlan

CITES, CLARITY, TONE = "cites a source", "clarity", "tone"
SCALES = {
    CITES: TraitScale(kind="boolean", higher_is_better=True),
    CLARITY: TraitScale(kind="score", higher_is_better=True, min_score=1, max_score=5),
    TONE: TraitScale(kind="literal", higher_is_better=None, classes=["curt", "neutral", "warm"]),
}
KEYWORDS = ("dosing", "mechanism", "history")


@dataclass(frozen=True)
class Row:
    """One job, with what became of it."""

    question: str
    keywords: tuple[str, ...]
    answering: str
    condition: str | None
    judge: str | None
    replicate: int
    judgment: int
    outcome: Outcome | None
    """None: it has not run."""
    category: Reason | None
    scores: dict[str, bool | int | float]
    asked: frozenset[str]
    """Traits of its question."""
    answer_tokens: int
    judge_tokens: int
    counts_answer: bool
    """Whether its tokens are those of the answer, too: the first judgment of an answer counts it."""
    seconds: float


class RandomRun:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        draw = self._draw = random.Random(seed)
        self.questions = draw.choice((1, 2, 3, 5, 8, 12))
        self.models = draw.choice((1, 1, 2, 3))
        self.conditions = draw.choice((0, 0, 1, 2, 3))
        self.replicates = draw.choice((1, 2, 3, 5))
        self.judges = draw.choice((0, 1, 1, 2, 3))
        self.judgments = draw.choice((1, 1, 2)) if self.judges else 1
        self.only_traits = draw.random() < 0.12
        self.errors = draw.choice((0, 0.05, 0.3))
        self.unread = draw.choice((0, 0, 0.15))
        """Share of judgments that could not be read."""
        self.refusals = draw.choice((0, 0.1, 0.3))
        self.unscored = draw.choice((0, 0.1, 0.5))
        """Share of trait scores that are missing."""
        self.done = draw.choice((1, 1, 1, 0.9, 0.4, 0.05))
        """Share of jobs that have run."""

    @cached_property
    def config(self) -> VerificationConfig:
        return VerificationConfig(
            answering_models=[_model(name) for name in ("alder", "birch", "cedar")[: self.models]],
            parsing_models=[_model(name) for name in ("judge one", "judge two", "judge three")[: self.judges]],
            conditions=[Condition(name=name) for name in ("baseline", "with tools", "short")[: self.conditions]],
            replicate_count=self.replicates,
            judge_replicates=self.judgments,
            evaluation_mode="template_and_rubric",
        )

    @cached_property
    def asked(self) -> list[Question]:
        return [
            Question(
                question=f"Question number {number} of the run {self.seed}?",
                raw_answer=f"Answer {number}",
                keywords=sorted({word for word in KEYWORDS if (number + len(word)) % 3 == 0}),
            )
            for number in range(1, self.questions + 1)
        ]

    @cached_property
    def jobs(self) -> list[Job]:
        return expand([question.id for question in self.asked], self.config)

    @cached_property
    def rows(self) -> list[Row]:
        """In the order of the jobs."""
        draw = self._draw
        ran = set(draw.sample(range(len(self.jobs)), round(self.done * len(self.jobs))))
        answers: dict[str, tuple[bool, str, int]] = {}
        traits = {question.id: self._traits_of(draw) for question in self.asked}
        words = {question.id: tuple(question.keywords) for question in self.asked}
        rows = []
        for place, job in enumerate(self.jobs):
            ease = random.Random(f"{self.seed} {job.question_id}").random()
            if job.answer_key not in answers:
                ended = draw.choices(("came", "failed", "refused"), (1, self.errors, self.refusals))[0]
                answers[job.answer_key] = (draw.random() < ease, ended, draw.randint(20, 400))
            right, ended, tokens = answers[job.answer_key]
            row = Row(
                job.question_id, words[job.question_id], job.answering, job.condition, job.judge,
                job.replicate or 1, job.judge_replicate or 1, None, None, {}, traits[job.question_id], tokens,
                draw.randint(200, 2000) if job.judge is not None else 0, self._counts_answer(job),
                round(draw.uniform(0.1, 9), 3),
            )  # fmt: skip
            rows.append(self._ended(draw, row, right, ended) if place in ran else row)
        return rows

    def _counts_answer(self, job: Job) -> bool:
        first = next(iter(labels(self.config.parsing_models)), None)
        return job.judge == first and job.judge_replicate in (None, 1)

    def _traits_of(self, draw: random.Random) -> frozenset[str]:
        every = [CITES, CLARITY, TONE] if self.judges else [CITES]
        return frozenset(name for name in every if draw.random() < 0.85)

    def _ended(self, draw: random.Random, row: Row, right: bool, ended: str) -> Row:
        if ended == "failed":
            return replace(row, outcome="error", category=draw.choice(("timeout", "connection")), judge_tokens=0)
        if self.judges and draw.random() < self.unread:
            return replace(row, outcome="error", category="parsing")
        if ended == "refused" and not self.only_traits:
            return replace(row, outcome="abstained", category="abstention", scores=self._scores(draw, row))
        if self.only_traits:
            return replace(row, outcome="unscored", scores=self._scores(draw, row))
        if draw.random() < 0.03:
            return replace(row, outcome="autofail", category="recursion_limit")
        good = right != (draw.random() < 0.1)
        return replace(
            row, outcome="passed" if good else "wrong", category=None if good else "content",
            scores=self._scores(draw, row),
        )  # fmt: skip

    def _scores(self, draw: random.Random, row: Row) -> dict[str, bool | int | float]:
        drawn = {CITES: draw.random() < 0.6, CLARITY: draw.randint(1, 5), TONE: draw.randrange(3)}
        return {name: score for name, score in drawn.items() if name in row.asked and not draw.random() < self.unscored}


def fill(library: Library, run: RandomRun, results: int | None = None) -> int:
    """Puts the run into the library, past the engine; its number. A run of which jobs are left is still going.

    `results`: how many of its results are there already; None: all.
    """
    rubrics = {row.question: _rubric_of(row.asked) for row in run.rows}
    entries = [
        BenchmarkEntry(question=question.model_copy(update={"question_rubric": rubrics[question.id]}))
        for question in run.asked
    ]
    benchmark = library.benchmarks.create(BenchmarkDocument(name=f"Drawn {run.seed}", entries=entries))
    number = library.runs.create(RunPlan(benchmark, f"Drawn {run.seed}", run.config, run.jobs, "seccomp", "0" * 64))
    library.runs.start(number)
    record(library, number, run, 0, results)
    if results is None and all(row.outcome for row in run.rows):
        library.runs.finish(number, "completed")
    return number


def _rubric_of(traits: Iterable[str]) -> dict[str, Any]:
    scales = {name: SCALES[name] for name in sorted(traits)}
    return {
        "llm_traits": [
            {"name": name, "kind": scale.kind, "min_score": scale.min_score, "max_score": scale.max_score}
            | ({"classes": dict.fromkeys(scale.classes, "?")} if scale.classes else {})
            for name, scale in scales.items()
        ]
    }


def record(library: Library, number: int, run: RandomRun, start: int, end: int | None = None) -> None:
    """Results as `Runs.record` writes them, all in one step."""
    asked = {question.id: question for question in run.asked}
    with library._database.writing() as session:
        of_run = tables.JobRow.run_id == number
        jobs = session.exec(select(tables.JobRow).where(of_run).order_by(tables.JobRow.position)).all()
        done = [(job, row) for job, row in zip(jobs, run.rows, strict=True) if row.outcome][:end]
        new = done[start:]
        found = [result(job, row, asked[job.question_id]) for job, row in new]
        for (job, _), each in zip(new, found, strict=True):
            row = tables.ResultRow(**light_columns(job, each))
            session.add(row)
            session.flush()
            session.execute(insert(tables.PayloadRow), [{"result_id": row.id, "document": document_of(each)}])
            if used := token_counts(row.id or 0, number, each):
                session.execute(insert(tables.TokenCountRow), used)
            job.status = "done"
        outcomes = dict(Counter(row.outcome for _, row in done))
        session.execute(
            update(tables.RunRow).where(tables.RunRow.id == number).values(done=len(done), outcomes=outcomes)
        )


def result(job: tables.JobRow, row: Row, question: Question) -> VerificationResult:
    broke = row.outcome == "error"
    reason = {"timeout": "no answer within 120 s", "parsing": "the judge's reply could not be read"}
    failure = (
        Failure(category=row.category, stage="VerifyTemplate", reason=reason.get(row.category, "it came out so"))
        if row.category
        else None
    )
    metadata = ResultMetadata(
        question_id=question.id, template_id="0" * 32, question_text=question.question, raw_answer=question.raw_answer,
        keywords=question.keywords, execution_time=row.seconds, replicate=job.replicate,
        timestamp="2026-01-01 12:00:00", failure=failure,
        answering=ModelIdentity(interface="openai_endpoint", model_name=job.answering, config_id=job.answering),
        parsing=ModelIdentity(interface="openai_endpoint", model_name=job.judge) if job.judge else None,
    )  # fmt: skip
    verdict = None if broke or row.outcome == "unscored" else row.outcome == "passed"
    template = ResultTemplate(
        raw_llm_response=None if broke else question.raw_answer, verify_result=verdict,
        template_verification_performed=verdict is not None, usage_metadata=_usage(row),
    )  # fmt: skip
    return VerificationResult(
        metadata=metadata, template=template, rubric=None if broke else _rubric(row), condition=job.condition,
        judge_replicate=job.judge_replicate, completed_without_errors=not broke,
        error="It broke." if broke else None,
    )  # fmt: skip


def _usage(row: Row) -> dict[str, dict[str, int | str]]:
    used: dict[str, dict[str, int | str]] = {}
    if row.counts_answer:
        used["answer_generation"] = _tokens(row.answering, row.answer_tokens)
    if row.judge_tokens:
        used["parsing"] = _tokens(row.judge or "", row.judge_tokens)
    total = sum(int(each["total_tokens"]) for each in used.values())
    return used | {"total": {"total_tokens": total}}


def _tokens(model: str, number: int) -> dict[str, int | str]:
    return {
        "model": f"openai_endpoint:{model}", "input_tokens": number // 2, "output_tokens": number - number // 2,
        "total_tokens": number,
    }  # fmt: skip


def _rubric(row: Row) -> ResultRubric:
    judged = {name: score for name, score in row.scores.items() if name != CITES}
    missing = sorted(row.asked - row.scores.keys())
    return ResultRubric(
        rubric_evaluation_performed=True,
        llm_trait_scores=judged or None,
        regex_trait_scores={CITES: bool(row.scores[CITES])} if CITES in row.scores else None,
        trait_scales={name: SCALES[name] for name in sorted(row.asked)},
        trait_faults=dict.fromkeys(missing, "parsing") or None,
    )


def _model(name: str) -> ModelConfig:
    return ModelConfig(id=name, model_name=name, interface="openai_endpoint")
