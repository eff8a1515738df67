"""Formatting of means, differences and intervals with the precision that their interval justifies."""

from __future__ import annotations

from math import floor, log10

from karenina_gui.analysis.estimate import Estimate, PairedDifference
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.thresholds import (
    CONFIDENCE_LEVEL,
)
from karenina_gui.text import plural

INTERVAL_LABEL = f"{CONFIDENCE_LEVEL:.0%} CI"
"""Label of every interval."""


def decimals(value: float, low: float | None, high: float | None, metric: Metric) -> int:
    """Return the decimals (0 to 4) that the width of the interval justifies, or two significant digits."""
    width = abs(high - low) / 5 if low is not None and high is not None and high != low else abs(value) / 10
    scaled = width * 100 if metric.kind == "binary" else width
    most = 1 if metric.kind == "binary" else 4
    return 0 if scaled <= 0 else min(most, max(0, -floor(log10(scaled) + 1e-9)))


def format_number(value: float, digits: int, metric: Metric) -> str:
    """Format a value without unit: `6`, `0.4`, `1,204`; never `-0`, and 0 only for exactly 0."""
    scaled = value * 100 if metric.kind == "binary" else value
    for more in range(digits, digits + 3):
        text = f"{scaled:,.{more}f}"
        if float(text.replace(",", "")) != 0:
            return text.rstrip("0").rstrip(".") if "." in text else text
    return f"<{10.0 ** -(digits + 2):.{digits + 2}f}" if abs(scaled) > 1e-9 else "0"


def format_size(size: float, digits: int, metric: Metric) -> str:
    """Format the size of a difference: `6 percentage points`, `0.4`, `0.4 (scale 1 to 5)`."""
    scale = format_scale(metric)
    return with_unit(format_number(size, digits, metric), metric) + (f" ({scale})" if scale else "")


def with_unit(number: str, metric: Metric) -> str:
    """Append the unit to a formatted value."""
    return f"{number} {plural(1 if number == '1' else 2, 'percentage point')}" if metric.kind == "binary" else number


def unit_of(metric: Metric) -> str:
    return " percentage points" if metric.kind == "binary" else ""


def format_difference(value: float, digits: int, metric: Metric) -> str:
    """Format a signed difference: `+6 percentage points`, `−0.4`."""
    return f"{_sign(value)}{with_unit(format_number(abs(value), digits, metric), metric)}"


def _sign(value: float) -> str:
    return "+" if value > 0 else "−" if value < 0 else ""


def format_difference_interval(difference: PairedDifference, digits: int, metric: Metric) -> str:
    """Format a signed interval: `95% CI −4 to +11`; empty: no interval."""
    if difference.low is None or difference.high is None or difference.low == difference.high:
        return ""
    low, high = (f"{_sign(end)}{format_number(abs(end), digits, metric)}" for end in (difference.low, difference.high))
    return f"{INTERVAL_LABEL} {low} to {high}"


def format_interval(estimate: Estimate, digits: int, metric: Metric) -> str:
    """Format an interval: `95% CI 58–83%`, `95% CI 3.1 to 3.7`; empty: no interval."""
    if estimate.low is None or estimate.high is None:
        return ""
    low, high = (format_number(end, digits, metric) for end in (estimate.low, estimate.high))
    if low == high:
        return ""
    return f"{INTERVAL_LABEL} {low}–{high}%" if metric.kind == "binary" else f"{INTERVAL_LABEL} {low} to {high}"


def format_mean(value: float, digits: int, metric: Metric) -> str:
    """Format a mean: `72%`, `3.4`."""
    number = format_number(value, digits, metric)
    if metric.kind != "binary":
        return number
    return ">99.9%" if number == "100" and value < 1 - 1e-9 else f"{number}%"


def format_scale(metric: Metric) -> str:
    """Format the scale; empty for rates and unbounded scores."""
    if metric.kind == "binary" or metric.low is None or metric.high is None:
        return ""
    return f"scale {metric.low:g} to {metric.high:g}"
