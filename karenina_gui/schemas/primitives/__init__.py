"""The 23 primitives that compare an answer with the truth, and their table by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karenina_gui.schemas.primitives.dates import DateMatch, DateRange, DateTolerance
from karenina_gui.schemas.primitives.graded import NumericGraded, NumericRangeGraded, NumericThresholdGraded
from karenina_gui.schemas.primitives.lists import OrderedMatch, SetContainment
from karenina_gui.schemas.primitives.normalizers import Normalizer, SynonymMap
from karenina_gui.schemas.primitives.numeric import (
    NumericExact,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericTolerance,
)
from karenina_gui.schemas.primitives.primitive import ComparisonPrimitive, TracePrimitive, VerificationPrimitive
from karenina_gui.schemas.primitives.text import (
    BooleanMatch,
    ContainsAll,
    ContainsAny,
    ExactMatch,
    LiteralMatch,
    RegexMatch,
    SemanticMatch,
)
from karenina_gui.schemas.primitives.trace import TraceContains, TraceLength, TraceRegex

_ALL: tuple[type[VerificationPrimitive], ...] = (
    BooleanMatch,
    ContainsAll,
    ContainsAny,
    DateMatch,
    DateRange,
    DateTolerance,
    ExactMatch,
    LiteralMatch,
    NumericExact,
    NumericGraded,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericRangeGraded,
    NumericThresholdGraded,
    NumericTolerance,
    OrderedMatch,
    RegexMatch,
    SemanticMatch,
    SetContainment,
    TraceContains,
    TraceLength,
    TraceRegex,
)

PRIMITIVES: dict[str, type[VerificationPrimitive]] = {primitive.__name__: primitive for primitive in _ALL}
"""Primitives by class name."""


def primitive_from_json(form: Mapping[str, Any]) -> VerificationPrimitive:
    """Create the primitive of a JSON form such as `{"type": "NumericTolerance", "tolerance": 0.05}`.

    Raises `ValueError` for an unknown or missing type, and pydantic's `ValidationError` for invalid settings.
    """
    primitive = PRIMITIVES.get(form.get("type", ""))
    if primitive is None:
        raise ValueError(f"unknown primitive {form.get('type')!r}: `type` must be one of {', '.join(PRIMITIVES)}")
    return primitive.model_validate({key: value for key, value in form.items() if key != "type"})


__all__ = [
    "PRIMITIVES",
    "BooleanMatch",
    "ComparisonPrimitive",
    "ContainsAll",
    "ContainsAny",
    "DateMatch",
    "DateRange",
    "DateTolerance",
    "ExactMatch",
    "LiteralMatch",
    "Normalizer",
    "NumericExact",
    "NumericGraded",
    "NumericMaximum",
    "NumericMinimum",
    "NumericRange",
    "NumericRangeGraded",
    "NumericThresholdGraded",
    "NumericTolerance",
    "OrderedMatch",
    "RegexMatch",
    "SemanticMatch",
    "SetContainment",
    "SynonymMap",
    "TraceContains",
    "TraceLength",
    "TracePrimitive",
    "TraceRegex",
    "VerificationPrimitive",
    "primitive_from_json",
]
