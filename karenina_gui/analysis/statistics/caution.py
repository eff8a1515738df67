"""When an interval is to be called approximate, and when figures count as equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LEVEL = 0.95
"""Of every interval."""
NORMAL_QUANTILE = float(special.ndtri((1 + LEVEL) / 2))
"""Half the width of an interval of `LEVEL`, in standard errors that are known."""
FEW_QUESTIONS = 30
"""Below so many, intervals that rest on the central limit theorem are too narrow at times (Bowyer et al. 2025,
arXiv:2503.01747)."""
FEW_GROUPS = 20
"""Below so many, the clustered standard error is too small at times."""
NEAR_AN_END = 0.1
"""Part of the range of scores within which a mean is nearly at the end."""
RESAMPLES = 9999


def scored(values: Floats) -> Floats:
    """Those that are there, as floats."""
    found = np.asarray(values, dtype=np.float64).ravel()
    return found[~np.isnan(found)]


def alike(values: Floats, *of: Floats) -> bool:
    """Whether all are equal but for rounding: 2/3 - 1/3 and 1 - 2/3 are. `of`: figures that they were computed from."""
    largest = max(float(np.max(np.abs(each), initial=0.0)) for each in (values, *of))
    return bool(np.ptp(values) <= 1e-9 * max(1.0, largest))


def cleared(value: float, *of: Floats) -> float:
    """The value, which was computed from these figures; 0 where it is nothing but their rounding."""
    return 0.0 if alike(np.append(0.0, value), *of) else value


def near_an_end(value: float, low: float | None, high: float | None) -> bool:
    """Whether a mean is within a tenth of the range from one of its ends; without two ends there is no range."""
    if low is None or high is None or high <= low:
        return False
    place = (value - low) / (high - low)
    return place < NEAR_AN_END or place > 1 - NEAR_AN_END


def t_quantile(freedom: int) -> float:
    """Half the width of an interval of `LEVEL`, in standard errors; `freedom`: degrees of freedom, 1 or more."""
    return float(special.stdtrit(freedom, (1 + LEVEL) / 2))


def within(
    low: float, high: float, least: float | None, greatest: float | None, value: float | None = None
) -> tuple[float, float, str]:
    """An interval cut at the ends of what is possible, and what is to be said of it where it was cut.

    `value`: what it is of; where that lies beyond an end, the end is none. None: it lies within.
    """
    if value is not None:
        least, greatest = (
            (None if least is None or value < least else least),
            (None if greatest is None or value > greatest else greatest),
        )
    cut_low = low if least is None else max(low, least)
    cut_high = high if greatest is None else min(high, greatest)
    was_cut = cut_low > low or cut_high < high
    return cut_low, cut_high, ", cut at the end of the scale" if was_cut else ""
