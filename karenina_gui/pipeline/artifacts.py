"""Artifacts exchanged between stages: typed keys, each with its field in the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from karenina_gui.pipeline.template_evaluator import ParsedAnswer, PreparedTemplate, TemplateEvaluator
    from karenina_gui.schemas.result import VerificationResult
    from karenina_gui.schemas.template import TemplateOutline

T = TypeVar("T")


class Key(str, Generic[T]):
    """Name of an artifact. `T` is the type of its value.

    `home`: field of `VerificationResult` that receives the value (`template.verify_result`); None: the artifact is used
    by stages only.
    """

    __slots__ = ("home",)
    home: str | None

    def __new__(cls, name: str, home: str | None = None) -> Key[T]:
        key = super().__new__(cls, name)
        key.home = home
        return key


class Contract(Protocol):
    """Reader or writer of artifacts, with its declarations."""

    name: ClassVar[str]

    def may_read(self, key: str) -> bool: ...

    def may_write(self, key: str) -> bool: ...


class ArtifactKeys:
    """All artifacts, by the stage that produces them."""

    # ValidateTemplate
    RAW_ANSWER: Key[TemplateOutline] = Key("RawAnswer")
    ANSWER: Key[PreparedTemplate] = Key("Answer")
    TEMPLATE_VALIDATION_ERROR: Key[str | None] = Key("template_validation_error")

    # GenerateAnswer
    RAW_LLM_RESPONSE: Key[str] = Key("raw_llm_response", "template.raw_llm_response")
    RECURSION_LIMIT_REACHED: Key[bool] = Key("recursion_limit_reached", "template.recursion_limit_reached")
    ANSWERING_MODEL_STR: Key[str] = Key("answering_model_str")
    ANSWERING_MCP_SERVERS: Key[list[str] | None] = Key("answering_mcp_servers", "template.answering_mcp_servers")
    WORKSPACE_PATH: Key[Path | None] = Key("workspace_path")

    # TraceValidationAutoFail
    TRACE_VALIDATION_FAILED: Key[bool] = Key("trace_validation_failed")
    TRACE_VALIDATION_ERROR: Key[str | None] = Key("trace_validation_error")
    MCP_ENABLED: Key[bool] = Key("mcp_enabled")

    # AbstentionCheck, SufficiencyCheck
    ABSTENTION_CHECK_PERFORMED: Key[bool] = Key("abstention_check_performed", "template.abstention_check_performed")
    ABSTENTION_DETECTED: Key[bool | None] = Key("abstention_detected", "template.abstention_detected")
    ABSTENTION_OVERRIDE_APPLIED: Key[bool] = Key("abstention_override_applied", "template.abstention_override_applied")
    ABSTENTION_REASONING: Key[str | None] = Key("abstention_reasoning", "template.abstention_reasoning")
    SUFFICIENCY_CHECK_PERFORMED: Key[bool] = Key("sufficiency_check_performed", "template.sufficiency_check_performed")
    SUFFICIENCY_DETECTED: Key[bool | None] = Key("sufficiency_detected", "template.sufficiency_detected")
    """True: sufficient, as in result files. False: information is missing. None: not checked."""
    SUFFICIENCY_OVERRIDE_APPLIED: Key[bool] = Key(
        "sufficiency_override_applied", "template.sufficiency_override_applied"
    )
    SUFFICIENCY_REASONING: Key[str | None] = Key("sufficiency_reasoning", "template.sufficiency_reasoning")

    # ParseTemplate
    PARSED_ANSWER: Key[ParsedAnswer] = Key("parsed_answer")
    PARSING_MODEL_STR: Key[str | None] = Key("parsing_model_str")
    TEMPLATE_EVALUATOR: Key[TemplateEvaluator | None] = Key("template_evaluator")
    DEEP_JUDGMENT_PERFORMED: Key[bool] = Key("deep_judgment_performed", "deep_judgment.deep_judgment_performed")
    EXTRACTED_EXCERPTS: Key[dict[str, list[dict[str, Any]]] | None] = Key(
        "extracted_excerpts", "deep_judgment.extracted_excerpts"
    )
    ATTRIBUTE_REASONING: Key[dict[str, str] | None] = Key("attribute_reasoning", "deep_judgment.attribute_reasoning")
    DEEP_JUDGMENT_STAGES_COMPLETED: Key[list[str] | None] = Key(
        "deep_judgment_stages_completed", "deep_judgment.deep_judgment_stages_completed"
    )
    DEEP_JUDGMENT_MODEL_CALLS: Key[int] = Key("deep_judgment_model_calls", "deep_judgment.deep_judgment_model_calls")
    DEEP_JUDGMENT_EXCERPT_RETRY_COUNT: Key[int] = Key(
        "deep_judgment_excerpt_retry_count", "deep_judgment.deep_judgment_excerpt_retry_count"
    )
    ATTRIBUTES_WITHOUT_EXCERPTS: Key[list[str] | None] = Key(
        "attributes_without_excerpts", "deep_judgment.attributes_without_excerpts"
    )
    HALLUCINATION_RISK_ASSESSMENT: Key[dict[str, Any] | None] = Key(
        "hallucination_risk_assessment", "deep_judgment.hallucination_risk_assessment"
    )

    # AgenticParseTemplate, in place of ParseTemplate
    INVESTIGATION_TRACE: Key[str | None] = Key("investigation_trace", "template.investigation_trace")
    AGENTIC_PARSING_PERFORMED: Key[bool] = Key("agentic_parsing_performed", "template.agentic_parsing_performed")

    # VerifyTemplate
    FIELD_VERIFICATION_RESULT: Key[bool | None] = Key("field_verification_result")
    REGEX_VERIFICATION_RESULTS: Key[dict[str, bool]] = Key(
        "regex_verification_results", "template.regex_validation_results"
    )
    REGEX_EXTRACTION_RESULTS: Key[dict[str, Any]] = Key("regex_extraction_results", "template.regex_extraction_results")
    VERIFY_RESULT: Key[bool | None] = Key("verify_result", "template.verify_result")
    VERIFY_GRANULAR_RESULT: Key[Any] = Key("verify_granular_result", "template.verify_granular_result")

    # EmbeddingCheck
    EMBEDDING_CHECK_PERFORMED: Key[bool] = Key("embedding_check_performed", "template.embedding_check_performed")
    EMBEDDING_SIMILARITY_SCORE: Key[float | None] = Key(
        "embedding_similarity_score", "template.embedding_similarity_score"
    )
    EMBEDDING_MODEL_USED: Key[str | None] = Key("embedding_model_used", "template.embedding_model_used")
    EMBEDDING_OVERRIDE_APPLIED: Key[bool] = Key("embedding_override_applied", "template.embedding_override_applied")

    # RubricEvaluation
    RUBRIC_RESULT: Key[dict[str, Any]] = Key("rubric_result", "rubric")
    DEEP_JUDGMENT_RUBRIC_PERFORMED: Key[bool] = Key(
        "deep_judgment_rubric_performed", "deep_judgment_rubric.deep_judgment_rubric_performed"
    )
    TRAITS_WITHOUT_VALID_EXCERPTS: Key[list[str] | None] = Key(
        "traits_without_valid_excerpts", "deep_judgment_rubric.traits_without_valid_excerpts"
    )

    # AgenticRubricEvaluation
    AGENTIC_RUBRIC_EVALUATION_PERFORMED: Key[bool] = Key("agentic_rubric_evaluation_performed")
    AGENTIC_TRAIT_SCORES: Key[dict[str, Any]] = Key("agentic_trait_scores", "rubric.agentic_trait_scores")
    AGENTIC_TRAIT_INVESTIGATION_TRACES: Key[dict[str, str | None]] = Key(
        "agentic_trait_investigation_traces", "rubric.agentic_trait_investigation_traces"
    )

    # FinalizeResult
    FINAL_RESULT: Key[VerificationResult] = Key("final_result")
