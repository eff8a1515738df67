"""How often intervals that are drawn hold the truth: `python -m tests.benchmarks.coverage`.

2,000 simulated benchmarks for each line, fixed seeds; takes minutes. What needs no drawing is held to 93 to 97 % by
`tests/analysis/test_coverage.py` at each change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.statistics.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha, raw_agreement
from karenina_gui.analysis.statistics.means import bootstrap
from karenina_gui.analysis.statistics.repeated import curve, pass_all_k

BENCHMARKS = 2000


def main() -> None:
    for questions, replicates in ((50, 3), (100, 5)):
        rows = passed(questions, replicates) / replicates
        show(f"BCa mean, {questions} questions × {replicates}", map(bootstrap, rows), 0.6)
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


def passed(questions: int, replicates: int, seed: int = 0) -> np.ndarray:
    chance = np.random.default_rng(seed)
    return chance.binomial(replicates, chance.beta(0.6, 0.4, (BENCHMARKS, questions)))


def judged(benchmarks: int, units: int, seed: int = 2) -> np.ndarray:
    """Grades 1 to 5 of two judges who are one grade off now and then; benchmarks × judges × units."""
    chance = np.random.default_rng(seed)
    grade = chance.integers(1, 6, (benchmarks, 1, units))
    return np.clip(grade + chance.choice([-1, 0, 1], (benchmarks, 2, units), p=[0.15, 0.7, 0.15]), 1, 5).astype(float)


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


def show(name: str, estimates: Iterable[Estimate], truth: float) -> None:
    found = list(estimates)
    held = [e.low is not None and e.high is not None and e.low <= truth <= e.high for e in found]
    approximate = np.mean([e.approximate for e in found])
    print(f"{name:45} {np.mean(held):6.1%} of {len(found)} (called approximate: {approximate:.0%})", flush=True)


if __name__ == "__main__":
    main()
