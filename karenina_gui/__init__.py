"""karenina_gui: write benchmarks for language models, run them, and read the results.

The names below are the public API. They are imported on first use, so that importing a single module
(`karenina_gui.schemas.question`) does not load the application, a database or a provider's client library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import Field as Field

    from karenina_gui.adapters.registry import AdapterRegistry as AdapterRegistry, AdapterSpec as AdapterSpec
    from karenina_gui.benchmark import Benchmark as Benchmark
    from karenina_gui.pipeline.artifacts import ArtifactKeys as ArtifactKeys
    from karenina_gui.pipeline.context import VerificationContext as VerificationContext
    from karenina_gui.pipeline.orchestrator import StageOrchestrator as StageOrchestrator
    from karenina_gui.schemas.answer import BaseAnswer as BaseAnswer
    from karenina_gui.schemas.composition import (
        AllOf as AllOf,
        AnyOf as AnyOf,
        AtLeastN as AtLeastN,
        FieldCheck as FieldCheck,
    )
    from karenina_gui.schemas.condition import AnsweringSettings as AnsweringSettings, Condition as Condition
    from karenina_gui.schemas.model_config import ModelConfig as ModelConfig
    from karenina_gui.schemas.primitives import (
        BooleanMatch as BooleanMatch,
        ContainsAll as ContainsAll,
        ContainsAny as ContainsAny,
        DateMatch as DateMatch,
        DateRange as DateRange,
        DateTolerance as DateTolerance,
        ExactMatch as ExactMatch,
        LiteralMatch as LiteralMatch,
        NumericExact as NumericExact,
        NumericGraded as NumericGraded,
        NumericMaximum as NumericMaximum,
        NumericMinimum as NumericMinimum,
        NumericRange as NumericRange,
        NumericRangeGraded as NumericRangeGraded,
        NumericThresholdGraded as NumericThresholdGraded,
        NumericTolerance as NumericTolerance,
        OrderedMatch as OrderedMatch,
        RegexMatch as RegexMatch,
        SemanticMatch as SemanticMatch,
        SetContainment as SetContainment,
        SynonymMap as SynonymMap,
        TraceContains as TraceContains,
        TraceLength as TraceLength,
        TraceRegex as TraceRegex,
    )
    from karenina_gui.schemas.question import Question as Question
    from karenina_gui.schemas.result import VerificationResult as VerificationResult
    from karenina_gui.schemas.rubric import (
        AgenticRubricTrait as AgenticRubricTrait,
        CallableRubricTrait as CallableRubricTrait,
        LLMRubricTrait as LLMRubricTrait,
        MetricRubricTrait as MetricRubricTrait,
        RegexRubricTrait as RegexRubricTrait,
        Rubric as Rubric,
    )
    from karenina_gui.schemas.tool_server import ToolServer as ToolServer
    from karenina_gui.schemas.verification_config import VerificationConfig as VerificationConfig
    from karenina_gui.schemas.verified_field import (
        ConditionalGroundTruth as ConditionalGroundTruth,
        GroundTruthCase as GroundTruthCase,
        VerifiedField as VerifiedField,
    )

__version__ = "0.1.0"

_HOMES = {
    "karenina_gui.adapters.registry": "AdapterRegistry AdapterSpec",
    "karenina_gui.benchmark": "Benchmark",
    "karenina_gui.pipeline.artifacts": "ArtifactKeys",
    "karenina_gui.pipeline.context": "VerificationContext",
    "karenina_gui.pipeline.orchestrator": "StageOrchestrator",
    "pydantic": "Field",
    "karenina_gui.schemas.answer": "BaseAnswer",
    "karenina_gui.schemas.composition": "AllOf AnyOf AtLeastN FieldCheck",
    "karenina_gui.schemas.condition": "AnsweringSettings Condition",
    "karenina_gui.schemas.model_config": "ModelConfig",
    "karenina_gui.schemas.primitives": """
        BooleanMatch ContainsAll ContainsAny DateMatch DateRange DateTolerance ExactMatch
        LiteralMatch NumericExact NumericGraded NumericMaximum NumericMinimum NumericRange
        NumericRangeGraded NumericThresholdGraded NumericTolerance OrderedMatch RegexMatch
        SemanticMatch SetContainment SynonymMap TraceContains TraceLength TraceRegex
    """,
    "karenina_gui.schemas.question": "Question",
    "karenina_gui.schemas.result": "VerificationResult",
    "karenina_gui.schemas.rubric": """
        AgenticRubricTrait CallableRubricTrait LLMRubricTrait MetricRubricTrait RegexRubricTrait
        Rubric
    """,
    "karenina_gui.schemas.tool_server": "ToolServer",
    "karenina_gui.schemas.verification_config": "VerificationConfig",
    "karenina_gui.schemas.verified_field": "ConditionalGroundTruth GroundTruthCase VerifiedField",
}
"""Public names by module."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    # Cached, so that this function is called once for each name.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
