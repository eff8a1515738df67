"""Questions that were answered several times: can it ever, does it always, and how often does the verdict change."""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
from scipy import special

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.statistics.caution import Integers
from karenina_gui.analysis.statistics.means import score_mean


@cache
def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Chance that at least one of k answers passes, from c passed of n: 1 - C(n - c, k)/C(n, k), without bias.

    Chen et al. 2021 (arXiv:2107.03374). None: there are no k answers to draw. Raises ValueError unless 0 ≤ c ≤ n.
    """
    if (ways := _ways(n, c, k)) is None:
        return None
    return (ways - _combinations(n - c, k)) / ways


@cache
def pass_all_k(n: int, c: int, k: int) -> float | None:
    """Chance that all of k answers pass (pass^k), from c passed of n: C(c, k)/C(n, k), without bias.

    Yao et al. 2024 (arXiv:2406.12045). None: there are no k answers to draw. Raises ValueError unless 0 ≤ c ≤ n.
    """
    if (ways := _ways(n, c, k)) is None:
        return None
    return _combinations(c, k) / ways


def flip_probability(n: int, c: int) -> float | None:
    """Chance that two different answers to one question differ, c passed of n: 2c(n - c)/(n(n - 1)), without bias.

    None below two answers. Raises ValueError unless 0 ≤ c ≤ n.
    """
    _checked(n, c)
    return 2 * c * (n - c) / (n * (n - 1)) if n > 1 else None


def curve(trials: Integers, successes: Integers, kind: Literal["any", "all"]) -> list[Estimate]:
    """pass@k ("any") or pass^k ("all") for k = 1 to the most answers that a question has, one estimate each.

    `trials`, `successes`: answers with a verdict and those passed, one number for each question. Each estimate is the
    mean over the questions with at least k answers, with the interval of `score_mean`. For pass^k it holds the truth in
    93 to 97% of 2,000 simulated benchmarks of 30 or more questions; pass@k may be so near 1 that few questions show
    less than all, and be held in more or fewer (`tests/benchmarks/coverage.py`). Empty: no question has an answer.
    """
    number, passed = np.asarray(trials, dtype=np.int64), np.asarray(successes, dtype=np.int64)
    chance = pass_at_k if kind == "any" else pass_all_k
    return [
        score_mean(
            np.array([chance(int(n), int(c), k) for n, c in zip(number, passed, strict=True)], dtype=np.float64),
            low=0.0,
            high=1.0,
        )
        for k in range(1, int(number.max(initial=0)) + 1)
    ]


def _ways(n: int, c: int, k: int) -> int | None:
    _checked(n, c)
    return _combinations(n, k) if 1 <= k <= n else None


def _combinations(n: int, k: int) -> int:
    return int(special.comb(n, k, exact=True))


def _checked(n: int, c: int) -> None:
    if not 0 <= c <= n:
        raise ValueError(f"{c} passed of {n} answers cannot be")
