"""Addresses of the calibration of a trait or a template field."""

from __future__ import annotations

from urllib.parse import urlencode

from karenina_gui.schemas.calibration import CalibrationTarget


def calibration_address(target: CalibrationTarget) -> str:
    """Address of the page on which answers are labeled and compared."""
    question = {} if target.number is None else {"question": str(target.number)}
    return f"/benchmarks/{target.benchmark_id}/calibration?" + urlencode({target.kind: target.name, **question})


def owner_address(target: CalibrationTarget) -> str:
    """Address of the page on which the trait or field is edited."""
    if target.number is None:
        return f"/benchmarks/{target.benchmark_id}/rubric"
    tab = "template" if target.kind == "field" else "rubric"
    return f"/benchmarks/{target.benchmark_id}/questions/{target.number}?tab={tab}"
