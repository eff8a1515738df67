"""Normal and t quantiles, clipping of intervals, and comparison of floating-point numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from karenina_gui.analysis.thresholds import BOUNDARY_SHARE_OF_SCALE, CONFIDENCE_LEVEL

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NORMAL_QUANTILE = float(special.ndtri((1 + CONFIDENCE_LEVEL) / 2))
"""z = Φ⁻¹((1 + `CONFIDENCE_LEVEL`) / 2), about 1.96."""


def drop_missing(values: Floats) -> Floats:
    """Return the values that are not NaN as a flat float array."""
    flat = np.asarray(values, dtype=np.float64).ravel()
    return flat[~np.isnan(flat)]


def all_close(values: Floats, *of: Floats) -> bool:
    """Return True if all values are equal up to rounding.

    `of`: figures that the values were computed from; they set the size of the rounding error.
    """
    # 2/3 - 1/3 and 1 - 2/3 differ in the last bit, so that exact comparison would find variance in equal differences.
    largest = max(float(np.max(np.abs(array), initial=0.0)) for array in (values, *of))
    return bool(np.ptp(values) <= 1e-9 * max(1.0, largest))


def zero_if_rounding(value: float, *of: Floats) -> float:
    """Return `value`, or 0 if it is only the rounding error of the figures it was computed from."""
    return 0.0 if all_close(np.append(0.0, value), *of) else value


def is_near_boundary(value: float, low: float | None, high: float | None) -> bool:
    """Return True if a mean is within `BOUNDARY_SHARE_OF_SCALE` of either end of its scale. False without bounds."""
    if low is None or high is None or high <= low:
        return False
    position = (value - low) / (high - low)
    return position < BOUNDARY_SHARE_OF_SCALE or position > 1 - BOUNDARY_SHARE_OF_SCALE


def t_quantile(df: int) -> float:
    """t = Student's quantile at (1 + `CONFIDENCE_LEVEL`) / 2 for `df` degrees of freedom (1 or more)."""
    return float(special.stdtrit(df, (1 + CONFIDENCE_LEVEL) / 2))


def clip_interval(
    low: float, high: float, least: float | None, greatest: float | None, value: float | None = None
) -> tuple[float, float, str]:
    """Clip an interval to the possible range; return low, high, and a remark if it was clipped.

    `value`: the estimate inside the interval. A bound is ignored if the estimate lies beyond it. None: the estimate is
    within the bounds.
    """
    # A score can lie outside its declared scale. Clipping there would exclude the estimate itself.
    if value is not None:
        least, greatest = (
            (None if least is None or value < least else least),
            (None if greatest is None or value > greatest else greatest),
        )
    cut_low = low if least is None else max(low, least)
    cut_high = high if greatest is None else min(high, greatest)
    was_cut = cut_low > low or cut_high < high
    return cut_low, cut_high, ", cut at the end of the scale" if was_cut else ""
