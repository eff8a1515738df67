"""How often intervals that are drawn hold the truth: `python -m tests.benchmarks.coverage`.

2,000 simulated benchmarks for each line, fixed seeds; takes minutes. What needs no drawing is held to 93 to 97 % by
`tests/analysis/test_coverage.py` at each change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from scipy.special import beta

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import VERDICT
from karenina_gui.analysis.statistics.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha, raw_agreement
from karenina_gui.analysis.statistics.intraclass import absolute_agreement
from karenina_gui.analysis.statistics.means import arm_mean, bootstrap, mean_of_questions
from karenina_gui.analysis.statistics.repeated import curve, pass_all_k
from tests.scored import scored

BENCHMARKS = 2000


def main() -> None:
    for questions, replicates, a, b in ((50, 3, 0.6, 0.4), (50, 10, 0.6, 0.4), (100, 5, 2, 1), (20, 3, 4, 0.4)):
        rows, what = passed(questions, replicates, a=a, b=b), f"{questions} questions × {replicates} ({a:g}, {b:g})"
        show(f"BCa mean, {what}", (bootstrap(row / replicates) for row in rows), a / (a + b))
        number = np.full(questions, replicates)
        show(f"percentile mean, {what}", (curve(number, row, "any")[0] for row in rows), a / (a + b))
    for questions, replicates, a, b in (
        (20, 3, 4, 0.4),
        (20, 10, 4, 0.4),
        (30, 3, 4, 0.4),
        (50, 3, 4, 0.4),
        (50, 3, 9, 1),
    ):
        rows, what = passed(questions, replicates, a=a, b=b) / replicates, f"{questions} × {replicates} ({a:g}, {b:g})"
        show(f"t near an end, {what}", (mean_of_questions(row, low=0, high=1) for row in rows), a / (a + b))
        each = (arm_mean(scored(row[:, None, None, None], VERDICT), 0) for row in rows)
        show(f"mean of an arm near an end, {what}", each, a / (a + b))
    skewed = np.random.default_rng(1).exponential(1, (BENCHMARKS, 100))
    show("BCa mean, 100 exponential scores", map(bootstrap, skewed), 1)
    show("BCa median, 100 exponential scores", (bootstrap(row, np.median) for row in skewed), np.log(2))
    all_of_two = float(np.mean([pass_all_k(3, int(c), 2) or 0 for c in passed(1000, 3, seed=9).ravel()]))
    show("pass^2, 50 questions × 3", (curve(np.full(50, 3), row, "all")[1] for row in passed(50, 3)), all_of_two)
    for units in (30, 100, 300):
        for name, measure in AGREEMENT.items():
            truth = measure(judged(1, 50_000)[0]).value
            assert truth is not None
            show(f"{name}, {units} units", map(measure, judged(BENCHMARKS, units, seed=3)), truth)
    for questions, answers in ((30, 12), (50, 6), (100, 6)):
        rows, clusters = nested(BENCHMARKS, questions, answers, seed=5)
        for name, inside in NESTED.items():
            truth = inside(nested(1, 60_000, answers)[0][0], None).value
            assert truth is not None
            what = f"{name}, {questions} questions × {answers}"
            show(what, (inside(row, clusters) for row in rows), truth)
            show("   drawn answer by answer", (inside(row, None) for row in rows), truth)
    for questions, replicates in ((50, 3), (100, 5)):
        two_stages(questions, replicates)


def two_stages(questions: int, replicates: int, draws: int = 999) -> None:
    """Questions drawn, against questions drawn and then the replicates of each (percentile intervals of both)."""
    chance, rows = np.random.default_rng(0), passed(questions, replicates, seed=1)
    chances = {f"pass^{k}": [pass_all_k(replicates, c, k) for c in range(replicates + 1)] for k in (1, 2, replicates)}
    for name, of_passed in chances.items():
        table, k = np.array(of_passed, dtype=float), int(name.removeprefix("pass^"))
        truth, held = beta(0.6 + k, 0.4) / beta(0.6, 0.4), np.zeros(2)
        for row in rows:
            drawn = row[chance.integers(0, questions, (draws, questions))]
            again = chance.binomial(replicates, drawn / replicates)
            ends = [np.quantile(table[each].mean(axis=1), (0.025, 0.975)) for each in (drawn, again)]
            held += [low <= truth <= high for low, high in ends]
        one, two = held / len(rows)
        print(
            f"{name}, {questions} × {replicates}: questions {one:.1%}, questions and replicates {two:.1%}", flush=True
        )


def passed(questions: int, replicates: int, seed: int = 0, a: float = 0.6, b: float = 0.4) -> np.ndarray:
    """Passed answers of each question, whose chance is drawn from a beta distribution: benchmarks × questions."""
    chance = np.random.default_rng(seed)
    return chance.binomial(replicates, chance.beta(a, b, (BENCHMARKS, questions)))


def judged(benchmarks: int, units: int, seed: int = 2) -> np.ndarray:
    """Grades 1 to 5 of two judges who are one grade off now and then; benchmarks × judges × units."""
    chance = np.random.default_rng(seed)
    grade = chance.integers(1, 6, (benchmarks, 1, units))
    return np.clip(grade + chance.choice([-1, 0, 1], (benchmarks, 2, units), p=[0.15, 0.7, 0.15]), 1, 5).astype(float)


def nested(benchmarks: int, questions: int, answers: int, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Grades of two judges for answers to questions of which some are much harder to judge than others.

    Benchmarks × judges × all answers, and the question of each answer.
    """
    chance, shape = np.random.default_rng(seed), (benchmarks, questions, answers)
    grade, harder = (
        chance.integers(1, 6, (benchmarks, questions, 1)),
        chance.choice([0.05, 0.6], (benchmarks, questions, 1)),
    )
    answer = np.clip(grade + chance.choice([-1, 0, 1], shape, p=[0.2, 0.6, 0.2]), 1, 5)
    off = (chance.random((2, *shape)) < harder) * chance.choice([-1, 1], (2, *shape))
    ratings = np.clip(answer + off, 1, 5).astype(float).transpose(1, 0, 2, 3)
    return ratings.reshape(benchmarks, 2, -1), np.repeat(np.arange(questions), answers)


def counted(ratings: np.ndarray) -> np.ndarray:
    return (ratings.T[:, :, None] == np.arange(1, 6)).sum(axis=1)


AGREEMENT: dict[str, Callable[[np.ndarray], Estimate]] = {
    "Krippendorff's alpha, nominal": lambda ratings: krippendorff_alpha(ratings, "nominal"),
    "Krippendorff's alpha, ordinal": lambda ratings: krippendorff_alpha(ratings, "ordinal"),
    "Cohen's kappa": lambda ratings: cohen_kappa(*ratings),
    "Cohen's kappa, quadratic": lambda ratings: cohen_kappa(*ratings, weights="quadratic"),
    "Fleiss' kappa": lambda ratings: fleiss_kappa(counted(ratings)),
    "raw agreement": raw_agreement,
}

NESTED: dict[str, Callable[[np.ndarray, np.ndarray | None], Estimate]] = {
    "alpha, nominal": lambda ratings, clusters: krippendorff_alpha(ratings, "nominal", clusters=clusters),
    "alpha, ordinal": lambda ratings, clusters: krippendorff_alpha(ratings, "ordinal", clusters=clusters),
    "Cohen's kappa": lambda ratings, clusters: cohen_kappa(*ratings, clusters=clusters),
    "Cohen's kappa, quadratic": lambda ratings, clusters: cohen_kappa(*ratings, weights="quadratic", clusters=clusters),
    "Fleiss' kappa": lambda ratings, clusters: fleiss_kappa(counted(ratings), clusters=clusters),
    "ICC(A,1)": lambda ratings, clusters: absolute_agreement(ratings, clusters=clusters),
    "raw agreement": lambda ratings, clusters: raw_agreement(ratings, clusters=clusters),
}
"""Of judgments nested in questions."""


def show(name: str, estimates: Iterable[Estimate], truth: float) -> None:
    found = list(estimates)
    held = [e.low is not None and e.high is not None and e.low <= truth <= e.high for e in found]
    approximate = np.mean([e.approximate for e in found])
    print(f"{name:45} {np.mean(held):6.1%} of {len(found)} (called approximate: {approximate:.0%})", flush=True)


if __name__ == "__main__":
    main()
