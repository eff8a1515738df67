"""Simulated runs for chart tests: complete, sparse and broken ones."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import product

from karenina_gui.analysis.run_data import RunData
from karenina_gui.schemas.job_table import floats
from karenina_gui.schemas.outcome import Outcome
from karenina_gui.schemas.result import TraitScale
from tests.job_tables import job_table

SCALES = {
    "depth": TraitScale(kind="score", higher_is_better=True, min_score=1, max_score=5),
    "hedges": TraitScale(kind="boolean", higher_is_better=False),
    "tone": TraitScale(kind="literal", higher_is_better=None, classes=["casual", "<b>formal</b>", "legal"]),
    "recall": TraitScale(kind="metric", higher_is_better=True),
}


@dataclass(frozen=True)
class Plan:
    """Parameters of a simulated run."""

    questions: int = 12
    arms: int = 2
    replicates: int = 3
    judges: tuple[str | None, ...] = ("judge",)
    judgments: int = 1
    conditions: bool = True
    failed: float = 0.0
    """Share of jobs that ended in an error."""
    alike: bool = False
    run: bool = True
    """True if jobs have run."""
    partly: bool = False
    """True if only every second question has a template, and only every third the traits."""
    told: bool = True
    """True if providers report tokens and prices are known."""


SITUATIONS = {
    "ordinary": Plan(),
    "one arm": Plan(arms=1),
    "twelve arms": Plan(arms=12, questions=24),
    "one question": Plan(questions=1),
    "one question, one arm, one replicate": Plan(questions=1, arms=1, replicates=1),
    "all equal": Plan(alike=True, judges=("judge", "other")),
    "one third failed": Plan(failed=1 / 3, judgments=2),
    "all failed": Plan(failed=1.0),
    "no judge": Plan(judges=(None,)),
    "no conditions": Plan(conditions=False),
    "one replicate": Plan(replicates=1),
    "two judges": Plan(judges=("judge", "other")),
    "three judges, twice each": Plan(judges=("judge", "other", "third"), judgments=2, failed=0.1),
    "many replicates": Plan(replicates=25, questions=5),
    "some questions without template or traits": Plan(partly=True, judges=("judge", "other"), failed=0.1),
    "nothing told": Plan(told=False),
    "nothing has run": Plan(run=False),
    "no jobs": Plan(questions=0),
}


def material(plan: Plan, seed: int = 1) -> RunData:
    chance = random.Random(seed)
    judgments = [(judge, number) for judge in plan.judges for number in range(1, plan.judgments + 1)]
    places = range(plan.arms)
    arms = [(f"model {at // 3}", f"way {at % 3}") if plan.conditions else (f"model {at}", None) for at in places]
    difficulty = [chance.random() for _ in range(plan.questions)]
    jobs = [
        (question, arm, replicate, judge, chance.random())
        for question, arm, replicate in product(range(plan.questions), arms, range(1, plan.replicates + 1))
        for judge in judgments
    ]
    ran = [plan.run and at % 29 != 28 for at in range(len(jobs))] if len(jobs) > 29 else [plan.run] * len(jobs)
    broke = [chance.random() < plan.failed for _ in jobs]
    outcomes: list[Outcome | None] = [
        None if not has else "error" if fails else _outcome(plan, job[0], difficulty[job[0]], job[-1])
        for job, has, fails in zip(jobs, ran, broke, strict=True)
    ]
    scored = [(job, outcome not in (None, "error")) for job, outcome in zip(jobs, outcomes, strict=True)]
    table = job_table(
        result_id=[at if has else None for at, has in enumerate(ran)],
        question_id=[f"q{job[0]}" for job in jobs],
        answering=[job[1][0] for job in jobs],
        condition=[job[1][1] for job in jobs],
        judge=[job[3][0] for job in jobs],
        replicate=[job[2] if plan.replicates > 1 else None for job in jobs],
        judge_replicate=[job[3][1] if plan.judgments > 1 else None for job in jobs],
        outcome=outcomes,
        category=["timeout" if outcome == "error" else None for outcome in outcomes],
        seconds=[1.0 + job[-1] if plan.told and has else None for job, has in zip(jobs, ran, strict=True)],
        tokens=[100 + job[0] if plan.told and has else None for job, has in zip(jobs, ran, strict=True)],
        traits=[
            _traits(plan, job[-1], difficulty[job[0]]) if has and not (plan.partly and job[0] % 3) else {}
            for job, has in scored
        ],
        keywords={f"q{at}": (f"word {at // 3}",) for at in range(plan.questions)},
        texts={f"q{at}": f"Question {at}: is <i>this</i> & that so?" for at in range(plan.questions)},
    )
    spent = floats([0.01 + at / 1e5 if has and plan.told else None for at, has in enumerate(ran)])
    return RunData(table, SCALES, spent)


def _outcome(plan: Plan, question: int, difficulty: float, chance: float) -> Outcome:
    if plan.partly and question % 2:
        return "unscored"
    if plan.alike:
        return "passed"
    if chance > 0.96:
        return "abstained"
    return "passed" if chance < 1 - difficulty else "wrong"


def _traits(plan: Plan, chance: float, difficulty: float) -> dict[str, bool | int | float]:
    if plan.alike:
        return {"depth": 3, "hedges": False, "tone": 1, "recall": 0.5, "length": 7.25}
    return {
        "depth": 1 + int(5 * chance * (1 - difficulty / 3)),
        "hedges": chance > 0.7,
        "tone": int(4 * chance) - 1,
        "recall": min(1.0, chance * (1.2 - difficulty)),
        "length": 1000 * chance,
    }
