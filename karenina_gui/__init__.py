"""Benchmarks for language models: written, run and understood.

The names below are the public face. They are loaded when first used, so that importing one noun
(`karenina_gui.schemas.question`) does not load the application, a database or a provider's library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import Field as Field

    from karenina_gui.adapters.registry import (
        AdapterRegistry as AdapterRegistry,
    )
    from karenina_gui.adapters.registry import (
        AdapterSpec as AdapterSpec,
    )
    from karenina_gui.benchmark import (
        Benchmark as Benchmark,
    )
    from karenina_gui.pipeline.artifacts import (
        ArtifactKeys as ArtifactKeys,
    )
    from karenina_gui.pipeline.context import (
        VerificationContext as VerificationContext,
    )
    from karenina_gui.pipeline.orchestrator import (
        StageOrchestrator as StageOrchestrator,
    )
    from karenina_gui.schemas.answer import (
        BaseAnswer as BaseAnswer,
    )
    from karenina_gui.schemas.composition import (
        AllOf as AllOf,
    )
    from karenina_gui.schemas.composition import (
        AnyOf as AnyOf,
    )
    from karenina_gui.schemas.composition import (
        AtLeastN as AtLeastN,
    )
    from karenina_gui.schemas.composition import (
        FieldCheck as FieldCheck,
    )
    from karenina_gui.schemas.config import (
        ModelConfig as ModelConfig,
    )
    from karenina_gui.schemas.config import (
        VerificationConfig as VerificationConfig,
    )
    from karenina_gui.schemas.primitives import (
        BooleanMatch as BooleanMatch,
    )
    from karenina_gui.schemas.primitives import (
        ContainsAll as ContainsAll,
    )
    from karenina_gui.schemas.primitives import (
        ContainsAny as ContainsAny,
    )
    from karenina_gui.schemas.primitives import (
        DateMatch as DateMatch,
    )
    from karenina_gui.schemas.primitives import (
        DateRange as DateRange,
    )
    from karenina_gui.schemas.primitives import (
        DateTolerance as DateTolerance,
    )
    from karenina_gui.schemas.primitives import (
        ExactMatch as ExactMatch,
    )
    from karenina_gui.schemas.primitives import (
        LiteralMatch as LiteralMatch,
    )
    from karenina_gui.schemas.primitives import (
        NumericExact as NumericExact,
    )
    from karenina_gui.schemas.primitives import (
        NumericGraded as NumericGraded,
    )
    from karenina_gui.schemas.primitives import (
        NumericMaximum as NumericMaximum,
    )
    from karenina_gui.schemas.primitives import (
        NumericMinimum as NumericMinimum,
    )
    from karenina_gui.schemas.primitives import (
        NumericRange as NumericRange,
    )
    from karenina_gui.schemas.primitives import (
        NumericRangeGraded as NumericRangeGraded,
    )
    from karenina_gui.schemas.primitives import (
        NumericThresholdGraded as NumericThresholdGraded,
    )
    from karenina_gui.schemas.primitives import (
        NumericTolerance as NumericTolerance,
    )
    from karenina_gui.schemas.primitives import (
        OrderedMatch as OrderedMatch,
    )
    from karenina_gui.schemas.primitives import (
        RegexMatch as RegexMatch,
    )
    from karenina_gui.schemas.primitives import (
        SemanticMatch as SemanticMatch,
    )
    from karenina_gui.schemas.primitives import (
        SetContainment as SetContainment,
    )
    from karenina_gui.schemas.primitives import (
        SynonymMap as SynonymMap,
    )
    from karenina_gui.schemas.primitives import (
        TraceContains as TraceContains,
    )
    from karenina_gui.schemas.primitives import (
        TraceLength as TraceLength,
    )
    from karenina_gui.schemas.primitives import (
        TraceRegex as TraceRegex,
    )
    from karenina_gui.schemas.question import (
        Question as Question,
    )
    from karenina_gui.schemas.result import (
        VerificationResult as VerificationResult,
    )
    from karenina_gui.schemas.rubric import (
        AgenticRubricTrait as AgenticRubricTrait,
    )
    from karenina_gui.schemas.rubric import (
        CallableRubricTrait as CallableRubricTrait,
    )
    from karenina_gui.schemas.rubric import (
        LLMRubricTrait as LLMRubricTrait,
    )
    from karenina_gui.schemas.rubric import (
        MetricRubricTrait as MetricRubricTrait,
    )
    from karenina_gui.schemas.rubric import (
        RegexRubricTrait as RegexRubricTrait,
    )
    from karenina_gui.schemas.rubric import (
        Rubric as Rubric,
    )
    from karenina_gui.schemas.verified_field import (
        ConditionalGroundTruth as ConditionalGroundTruth,
    )
    from karenina_gui.schemas.verified_field import (
        GroundTruthCase as GroundTruthCase,
    )
    from karenina_gui.schemas.verified_field import (
        VerifiedField as VerifiedField,
    )

__version__ = "0.1.0"

_HOMES: dict[str, tuple[str, ...]] = {
    "karenina_gui.adapters.registry": (
        "AdapterRegistry",
        "AdapterSpec",
    ),
    "karenina_gui.benchmark": ("Benchmark",),
    "karenina_gui.pipeline.artifacts": ("ArtifactKeys",),
    "karenina_gui.pipeline.context": ("VerificationContext",),
    "karenina_gui.pipeline.orchestrator": ("StageOrchestrator",),
    "pydantic": ("Field",),
    "karenina_gui.schemas.answer": ("BaseAnswer",),
    "karenina_gui.schemas.composition": (
        "AllOf",
        "AnyOf",
        "AtLeastN",
        "FieldCheck",
    ),
    "karenina_gui.schemas.config": (
        "ModelConfig",
        "VerificationConfig",
    ),
    "karenina_gui.schemas.primitives": (
        "BooleanMatch",
        "ContainsAll",
        "ContainsAny",
        "DateMatch",
        "DateRange",
        "DateTolerance",
        "ExactMatch",
        "LiteralMatch",
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
        "TraceRegex",
    ),
    "karenina_gui.schemas.question": ("Question",),
    "karenina_gui.schemas.result": ("VerificationResult",),
    "karenina_gui.schemas.rubric": (
        "AgenticRubricTrait",
        "CallableRubricTrait",
        "LLMRubricTrait",
        "MetricRubricTrait",
        "RegexRubricTrait",
        "Rubric",
    ),
    "karenina_gui.schemas.verified_field": (
        "ConditionalGroundTruth",
        "GroundTruthCase",
        "VerifiedField",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AdapterRegistry",
    "AdapterSpec",
    "AgenticRubricTrait",
    "AllOf",
    "AnyOf",
    "ArtifactKeys",
    "AtLeastN",
    "BaseAnswer",
    "Benchmark",
    "BooleanMatch",
    "CallableRubricTrait",
    "ConditionalGroundTruth",
    "ContainsAll",
    "ContainsAny",
    "DateMatch",
    "DateRange",
    "DateTolerance",
    "ExactMatch",
    "Field",
    "FieldCheck",
    "GroundTruthCase",
    "LLMRubricTrait",
    "LiteralMatch",
    "MetricRubricTrait",
    "ModelConfig",
    "NumericExact",
    "NumericGraded",
    "NumericMaximum",
    "NumericMinimum",
    "NumericRange",
    "NumericRangeGraded",
    "NumericThresholdGraded",
    "NumericTolerance",
    "OrderedMatch",
    "Question",
    "RegexMatch",
    "RegexRubricTrait",
    "Rubric",
    "SemanticMatch",
    "SetContainment",
    "StageOrchestrator",
    "SynonymMap",
    "TraceContains",
    "TraceLength",
    "TraceRegex",
    "VerificationConfig",
    "VerificationContext",
    "VerificationResult",
    "VerifiedField",
    "__version__",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
