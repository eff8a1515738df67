"""Runs with known truth, of any size: what charts and statistics are tested and measured with.

    scores = Scores.of(Simulation(questions=50, conditions=2).table(), VERDICT)     # without a library
    benchmark, run = fill(library, Simulation(questions=200, replicates=5))         # as a run that pages can show

The same simulation is the same run each time. From the command line, into a data folder (10,000 jobs without figures):

    python -m tests.simulated_run FOLDER [QUESTIONS MODELS CONDITIONS REPLICATES JUDGES JUDGE_REPLICATES FAILURES]
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sqlmodel import insert, select, update

from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.job import Job, expand
from karenina_gui.schemas.model_config import ModelConfig
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
from karenina_gui.store.results import document_of, light_columns
from karenina_gui.store.runs import RunPlan

if TYPE_CHECKING:
    from karenina_gui.schemas.job_table import JobTable

MODELS = ("alder", "birch", "cedar", "dogwood", "elm", "fir")
JUDGES = ("judge one", "judge two", "judge three", "judge four")
CONDITIONS = ("baseline", "with tools", "with sources", "short", "long", "step by step")
KEYWORDS = ("dosing", "mechanism", "interaction", "history", "classification")

CITES, CLARITY, TONE = "cites a source", "clarity", "tone"
"""Traits: a boolean by regex; 1 to 5 by the judge; a class by the judge."""
TONES = ("curt", "neutral", "warm")
SCALES = {
    CITES: TraitScale(kind="boolean", higher_is_better=True),
    CLARITY: TraitScale(kind="score", higher_is_better=True, min_score=1, max_score=5),
    TONE: TraitScale(kind="literal", higher_is_better=None, classes=list(TONES)),
}


@dataclass(frozen=True)
class Simulation:
    """Parameters of a run. The probability of a right answer depends on question, model and condition."""

    questions: int = 12
    models: int = 2
    conditions: int = 2
    """0: the run has no conditions."""
    replicates: int = 3
    judges: int = 1
    """0: no judge, so that there are only the regex trait and the verdict."""
    judge_replicates: int = 1
    failures: float = 0.0
    """Share of failed answers, whose judgments have no score."""
    not_run: float = 0.0
    """Share of jobs without a result: the last ones."""
    all_equal: bool = False
    """True: every answer passes with the same scores, so that there is no variance."""
    seed: int = 1
    rate: float = 0.6
    """Mean probability of the first model under the first condition."""
    model_gain: float = 0.1
    """Difference between one model and the next."""
    condition_gain: float = 0.05
    """Difference between one condition and the next."""
    between_questions: float = 0.25
    """Standard deviation of the questions' probabilities before they are clipped to 0..1."""
    interaction: float = 0.1
    """Standard deviation of the interaction of questions with models and conditions."""
    misjudged: float = 0.05
    """Share of judgments with an inverted verdict."""

    @cached_property
    def config(self) -> VerificationConfig:
        return VerificationConfig(
            answering_models=[_model(name) for name in _names(MODELS, self.models)],
            parsing_models=[_model(name) for name in _names(JUDGES, self.judges)],
            conditions=[Condition(name=name) for name in _names(CONDITIONS, self.conditions)],
            replicate_count=self.replicates,
            judge_replicates=self.judge_replicates,
            evaluation_mode="template_and_rubric",
        )

    @cached_property
    def asked(self) -> list[Question]:
        chance = random.Random(f"{self.seed} questions")
        return [
            Question(
                question=f"Simulated question number {number} about {word}?",
                raw_answer=f"Answer {number}",
                keywords=sorted({word, chance.choice(KEYWORDS)}),
            )
            for number in range(1, self.questions + 1)
            for word in [chance.choice(KEYWORDS)]
        ]

    @cached_property
    def jobs(self) -> list[Job]:
        return expand([question.id for question in self.asked], self.config)

    @cached_property
    def drawn(self) -> list[Drawn | None]:
        """Outcome of each job, in the order of jobs; None: not executed."""
        truth = _Truth(self)
        run = len(self.jobs) - round(self.not_run * len(self.jobs))
        return [truth.judgment(job) if at < run else None for at, job in enumerate(self.jobs)]

    def table(self) -> JobTable:
        """Job table equal to `library.results.table` of the filled library. Results are numbered 1, 2, 3."""
        from tests.job_tables import job_table  # imports NumPy

        rows = [drawn or Drawn(None, None, None, None, {}) for drawn in self.drawn]
        ran = {job.question_id for job, drawn in zip(self.jobs, self.drawn, strict=True) if drawn}
        told = [question for question in self.asked if question.id in ran]
        return job_table(
            result_id=[at if drawn else None for at, drawn in enumerate(self.drawn, 1)],
            question_id=[job.question_id for job in self.jobs],
            answering=[job.answering for job in self.jobs],
            condition=[job.condition for job in self.jobs],
            judge=[job.judge for job in self.jobs],
            replicate=[job.replicate for job in self.jobs],
            judge_replicate=[job.judge_replicate for job in self.jobs],
            outcome=[row.outcome for row in rows],
            category=[row.category for row in rows],
            seconds=[row.seconds for row in rows],
            tokens=[row.tokens for row in rows],
            answer_tokens=[None for _ in rows],
            traits=[row.traits for row in rows],
            texts={question.id: question.question for question in told},
            keywords={question.id: tuple(question.keywords) for question in told},
            requested={question.id: frozenset({CITES, CLARITY, TONE}) for question in told},
        )


@dataclass(frozen=True)
class Drawn:
    """Outcome of one job."""

    outcome: Outcome | None
    category: Reason | None
    seconds: float | None
    tokens: int | None
    traits: dict[str, bool | int | float]


class _Truth:
    """Random effects by level: questions, questions by arm, answers, judgments."""

    def __init__(self, simulation: Simulation) -> None:
        self._of = simulation
        config = simulation.config
        names = [
            [model.id for model in config.answering_models],
            [condition.name for condition in config.conditions],
            [model.id for model in config.parsing_models],
        ]
        self._models, self._conditions, self._judges = ({name: at for at, name in enumerate(each)} for each in names)

    def judgment(self, job: Job) -> Drawn:
        answer = self._answer(job)
        if answer is None:
            return Drawn("error", "timeout", 120.0, None, {})
        if self._of.all_equal:
            return _drawn(True, answer, {CITES: True, CLARITY: 4, TONE: 1}, bool(self._of.judges))
        chance = self._chance("judgment", job.key)
        right = answer.right != (bool(self._of.judges) and chance.random() < self._of.misjudged)
        strictness = -0.3 * self._judges.get(job.judge, 0)
        clarity = round(answer.clarity + strictness + chance.gauss(0, 0.4))
        tone = answer.tone if chance.random() < 0.85 else chance.randrange(len(TONES))
        scores: dict[str, bool | int | float] = {CITES: answer.cites, CLARITY: min(5, max(1, clarity)), TONE: tone}
        return _drawn(right, answer, scores, bool(self._of.judges))

    def _answer(self, job: Job) -> _Answer | None:
        """Answer of a job; None: it failed."""
        of, chance = self._of, self._chance("answer", job.answer_key)
        if chance.random() < of.failures:
            return None
        if of.all_equal:
            return _Answer(True, True, 4.0, 1, 2.0, 500)
        question, arm = job.question_id, (self._models[job.answering], self._conditions.get(job.condition, 0))
        ease = self._chance("question", question).gauss(0, of.between_questions)
        own = self._chance("arm", question, *arm).gauss(0, of.interaction) if arm != (0, 0) else 0.0
        gain = of.model_gain * arm[0] + of.condition_gain * arm[1]
        return _Answer(
            right=chance.random() < of.rate + ease + own + gain,
            cites=chance.random() < 0.3 + 0.15 * arm[1],
            clarity=3.2 + 2 * ease + gain + chance.gauss(0, 0.6),
            tone=chance.choices(range(len(TONES)), [2, 5, 1 + arm[0]])[0],
            seconds=round(1 + arm[0] + chance.expovariate(0.5), 3),
            tokens=chance.randint(200, 600) * (1 + arm[0]),
        )

    def _chance(self, *key: object) -> random.Random:
        """Generator with the same numbers for the same key, whatever was drawn before."""
        return random.Random("\t".join(map(str, (self._of.seed, *key))))


@dataclass(frozen=True)
class _Answer:
    right: bool
    cites: bool
    clarity: float
    tone: int
    seconds: float
    tokens: int


def fill(library: Library, simulation: Simulation, name: str = "Simulated") -> tuple[int, int]:
    """Save a benchmark and the run in the library without the engine; returns their ids."""
    entries = [BenchmarkEntry(question=question) for question in simulation.asked]
    benchmark = library.benchmarks.create(BenchmarkDocument(name=name, entries=entries))
    return benchmark, fill_run(library, benchmark, simulation, name)


def fill_run(library: Library, benchmark: int, simulation: Simulation, name: str = "Simulated") -> int:
    """Save another run of an existing benchmark; returns its id."""
    run = library.runs.create(RunPlan(benchmark, name, simulation.config, simulation.jobs, "seccomp", "0" * 64))
    _record(library, run, simulation)
    ended = all(simulation.drawn)
    library.runs.finish(run, "completed" if ended else "cancelled", None if ended else "It was cancelled.")
    return run


def _record(library: Library, run: int, simulation: Simulation) -> None:
    """Save the results as `Runs.record` does, in one transaction."""
    asked = {question.id: question for question in simulation.asked}
    with library._database.writing() as session:
        jobs = session.exec(
            select(tables.JobRow).where(tables.JobRow.run_id == run).order_by(tables.JobRow.position)
        ).all()
        done = [(job, drawn) for job, drawn in zip(jobs, simulation.drawn, strict=True) if drawn]
        results = [_result(job, drawn, asked[job.question_id]) for job, drawn in done]
        rows = [light_columns(job, result) for (job, _), result in zip(done, results, strict=True)]
        if rows:
            session.execute(insert(tables.ResultRow), rows)
            written = (
                select(tables.ResultRow.id).where(tables.ResultRow.run_id == run).order_by(tables.ResultRow.position)
            )
            numbers = session.exec(written).all()
            bulk = [{"result_id": n, "document": document_of(r)} for n, r in zip(numbers, results, strict=True)]
            session.execute(insert(tables.PayloadRow), bulk)
            of_run = tables.JobRow.run_id == run
            session.execute(
                update(tables.JobRow).where(of_run, tables.JobRow.position < len(rows)).values(status="done")
            )
        outcomes = dict(Counter(row["outcome"] for row in rows))
        session.execute(update(tables.RunRow).where(tables.RunRow.id == run).values(done=len(rows), outcomes=outcomes))


def _result(job: tables.JobRow, drawn: Drawn, question: Question) -> VerificationResult:
    failed, scores = drawn.outcome == "error", drawn.traits
    reason = "no answer within 120 s" if failed else "The answer differs from the reference."
    failure = Failure(category=drawn.category, stage="GenerateAnswer", reason=reason) if drawn.category else None
    identity = ModelIdentity(interface="openai_endpoint", model_name=job.answering, config_id=job.answering)
    metadata = ResultMetadata(
        question_id=question.id, template_id="0" * 32, question_text=question.question, raw_answer=question.raw_answer,
        keywords=question.keywords, answering=identity, execution_time=drawn.seconds or 0.0, replicate=job.replicate,
        timestamp="2026-01-01 12:00:00", failure=failure,
        parsing=ModelIdentity(interface="openai_endpoint", model_name=job.judge) if job.judge else None,
    )  # fmt: skip
    template = ResultTemplate(
        raw_llm_response=None if failed else question.raw_answer,
        verify_result=None if failed else drawn.outcome == "passed",
        template_verification_performed=not failed,
        usage_metadata=None if failed else {"total": {"total_tokens": drawn.tokens}},
    )
    return VerificationResult(
        metadata=metadata, template=template, rubric=_rubric(scores) if scores else None, condition=job.condition,
        judge_replicate=job.judge_replicate, completed_without_errors=not failed,
        error="No answer came within 120 s." if failed else None,
    )  # fmt: skip


def _rubric(scores: dict[str, bool | int | float]) -> ResultRubric:
    judged = {name: score for name, score in scores.items() if name != CITES}
    return ResultRubric(
        rubric_evaluation_performed=True,
        llm_trait_scores=judged or None,
        llm_trait_labels={TONE: TONES[int(judged[TONE])]} if judged else None,
        regex_trait_scores={CITES: bool(scores[CITES])},
        trait_scales={name: SCALES[name] for name in scores},
    )


def _drawn(right: bool, answer: _Answer, scores: dict[str, bool | int | float], judged: bool) -> Drawn:
    kept = scores if judged else {CITES: scores[CITES]}
    return Drawn("passed" if right else "wrong", None if right else "content", answer.seconds, answer.tokens, kept)


def _model(name: str) -> ModelConfig:
    return ModelConfig(id=name, model_name=name, interface="openai_endpoint")


def _names(names: tuple[str, ...], number: int) -> list[str]:
    """The first `number` names, numbered if there are too few."""
    return [
        names[at] if at < len(names) else f"{names[at % len(names)]} {at // len(names) + 1}" for at in range(number)
    ]


if __name__ == "__main__":
    sizes = [*map(int, sys.argv[2:8])] or [250, 2, 2, 5, 2, 1]
    plan = Simulation(*sizes, failures=float((sys.argv[8:] or ["0.02"])[0]))
    with Library.open(Path(sys.argv[1])) as opened:
        print(json.dumps(dict(zip(("benchmark", "run"), fill(opened, plan), strict=True)) | {"jobs": len(plan.jobs)}))
