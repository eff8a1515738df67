"""How often intervals hold the truth: `python -m tests.benchmarks.coverage`.

2,000 simulated benchmarks for each line, fixed seeds; takes minutes. That the intervals of the application do so 93 to
97% of the time with 30 questions or more is held by `tests/analysis/test_coverage.py` at each change; here is how it
is with fewer, with other intervals, and with what is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import numpy as np
from scipy.stats import betabinom

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.statistics.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha, raw_agreement
from karenina_gui.analysis.statistics.intraclass import absolute_agreement
from karenina_gui.analysis.statistics.means import bootstrap, mean_of_questions, score_mean
from karenina_gui.analysis.statistics.pass_at_k import curve, pass_all_k, pass_at_k
from karenina_gui.analysis.thresholds import RESAMPLES_OF_MANY_INTERVALS

BENCHMARKS = 2000


def main() -> None:
    for questions, replicates, a, b in MEANS:
        rows, what = passed(questions, replicates, a=a, b=b) / replicates, f"{questions} × {replicates} ({a:g}, {b:g})"
        show(f"mean, {what}", (score_mean(row, low=0, high=1) for row in rows), a / (a + b))
        show("   by Student's t", (mean_of_questions(row, low=0, high=1) for row in rows), a / (a + b))
    for questions, replicates, a, b in MEANS[:3]:
        for kind in ("any", "all"):
            curves(questions, replicates, a, b, kind)
    for questions in (30, 50, 100, 300):
        for worst in (0.02, 0.05, 0.1):
            chances = (worst, 0.03, 1 - worst - 0.03)
            rows = np.random.default_rng(7).choice((1.0, 4.0, 5.0), (BENCHMARKS, questions), p=chances)
            truth = float(np.dot((1.0, 4.0, 5.0), chances))
            show(f"grades, {questions}, {worst:.0%} the worst", (score_mean(row, low=1, high=5) for row in rows), truth)
            show("   by Student's t", (mean_of_questions(row, low=1, high=5) for row in rows), truth)
    for questions in (20, 50, 100, 300, 1000):
        skewed = np.random.default_rng(1).exponential(1, (BENCHMARKS, questions))
        resampled = (bootstrap(row, draws=RESAMPLES_OF_MANY_INTERVALS) for row in skewed)
        show(f"cost, BCa, {questions} exponential", resampled, 1)
        show("   by Student's t", map(mean_of_questions, skewed), 1)
    for units in (12, 20, 30, 100):
        for name, measure in AGREEMENT.items():
            truth = measure(judged(1, 50_000)[0]).value
            assert truth is not None
            show(f"{name}, {units} units", map(measure, judged(BENCHMARKS, units, seed=3)), truth)
    for questions, answers in ((12, 6), (20, 6), (30, 12), (100, 6)):
        rows, clusters = nested(BENCHMARKS, questions, answers, seed=5)
        for name, inside in NESTED.items():
            truth = inside(nested(1, 60_000, answers)[0][0], None).value
            assert truth is not None
            what = f"{name}, {questions} questions × {answers}"
            show(what, (inside(row, clusters) for row in rows), truth)
            show("   left out answer by answer", (inside(row, None) for row in rows), truth)


MEANS = (
    *((20, 3, 4, 0.4), (30, 3, 4, 0.4), (50, 3, 0.6, 0.4), (10, 3, 4, 0.4), (20, 10, 4, 0.4), (50, 3, 4, 0.4)),
    *((30, 5, 4, 0.4), (50, 3, 9, 1), (30, 3, 30, 5), (100, 3, 4, 0.4), (100, 5, 2, 1), (20, 3, 0.6, 0.4)),
)
"""Questions, replicates, and the beta distribution that the chances of questions come from."""


def curves(questions: int, replicates: int, a: float, b: float, kind: Literal["any", "all"]) -> None:
    measure, number = {"any": pass_at_k, "all": pass_all_k}[kind], np.full(questions, replicates)
    likely = betabinom.pmf(np.arange(replicates + 1), replicates, a, b)
    found = [curve(number, row, kind) for row in passed(questions, replicates, a=a, b=b)]
    for k in range(1, replicates + 1):
        truth = float(likely @ [measure(replicates, c, k) or 0.0 for c in range(replicates + 1)])
        name = {"any": "pass@", "all": "pass^"}[kind]
        show(f"{name}{k}, {questions} × {replicates} ({a:g}, {b:g})", (each[k - 1] for each in found), truth)


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
    "Krippendorff’s alpha, nominal": lambda ratings: krippendorff_alpha(ratings, "nominal"),
    "Krippendorff’s alpha, ordinal": lambda ratings: krippendorff_alpha(ratings, "ordinal"),
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
