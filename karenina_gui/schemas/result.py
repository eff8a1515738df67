"""Result of a verification: one `VerificationResult` per job.

Field names follow upstream's result files. Our additions are next to `metadata`, at the root, because upstream rejects
unknown keys inside it. Unknown keys of a file are preserved.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from karenina_gui.schemas.result_evidence import Investigation, ResultDeepJudgment, ResultDeepJudgmentRubric
from karenina_gui.schemas.template import TemplateExecution
from karenina_gui.schemas.workspace import ResultWorkspace

FailureCategory = Literal[
    "content",
    "recursion_limit",
    "trace_validation",
    "deep_judgment",
    "deep_judgment_rubric",
    "timeout",
    "connection",
    "rate_limit",
    "server_error",
    "authentication",
    "rejected",
    "recording",
    "cancelled",
    "refusal",
    "abstention",
    "sufficiency",
    "template_validation",
    "parsing",
    "unexpected_error",
    "tools_unused",
    "tools_failed",
]
FailureGroup = Literal["content", "autofail", "retry", "abstained", "system", "provider"]

_CATEGORIES: dict[FailureGroup, tuple[FailureCategory, ...]] = {
    "content": ("content",),
    "autofail": ("recursion_limit", "trace_validation", "deep_judgment", "deep_judgment_rubric"),
    "retry": ("timeout", "connection", "rate_limit", "server_error"),
    "provider": ("authentication", "rejected", "recording", "cancelled"),
    "abstained": ("refusal", "abstention", "sufficiency"),
    "system": ("template_validation", "parsing", "unexpected_error", "tools_unused", "tools_failed"),
}
GROUP_OF: dict[str, FailureGroup] = {
    category: group for group, categories in _CATEGORIES.items() for category in categories
}

StageStatus = Literal["ran", "skipped", "failed"]

# Files of newer versions and of upstream keep what this version does not know.
_KEEPS_MORE = ConfigDict(extra="allow")


class StageRecord(BaseModel):
    """Record of one stage. `reason`: the rule that skipped it, or the error; None if it ran."""

    name: str
    status: StageStatus
    reason: str | None = None
    seconds: float = 0.0


class Failure(BaseModel):
    """Reason why the result did not pass."""

    model_config = _KEEPS_MORE

    category: FailureCategory
    stage: str
    reason: str = Field(max_length=500)
    details: str | None = None
    group: FailureGroup | None = None


class ModelIdentity(BaseModel):
    """A model with its interface and tools."""

    model_config = ConfigDict(protected_namespaces=(), extra="allow")

    interface: str
    model_name: str
    tools: list[str] = Field(default_factory=list)
    config_id: str | None = None
    """Id of the configuration if it differs from the model's name."""

    @property
    def display(self) -> str:
        config = f" ({self.config_id})" if self.config_id else ""
        tools = f" +[{', '.join(self.tools)}]" if self.tools else ""
        return f"{self.interface}:{self.model_name}{config}{tools}"

    @property
    def label(self) -> str:
        """Name for readers: the configuration's id, or the model's name."""
        return self.config_id or self.model_name

    @property
    def canonical(self) -> str:
        # Part of `make_result_id`: any change of this form would give all results other ids.
        return f"{self.interface}:{self.model_name}:{self.config_id or ''}" + (
            f":{'|'.join(sorted(self.tools))}" if self.tools else ""
        )


class ResultMetadata(BaseModel):
    """Identity of the job and of everything that took part."""

    model_config = ConfigDict(extra="forbid")

    question_id: str
    template_id: str
    failure: Failure | None = None
    caveats: list[str] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    partial_content: str | None = None
    retry_counts: dict[str, dict[str, int]] | None = None
    """{category: {used, budget}}; None: no model was called."""
    question_text: str = ""
    raw_answer: str | None = None
    keywords: list[str] | None = None
    answering: ModelIdentity
    parsing: ModelIdentity | None = None
    """None: no judge was configured."""
    answering_system_prompt: str | None = None
    parsing_system_prompt: str | None = None
    execution_time: float = 0.0
    """Wall-clock time in seconds."""
    timestamp: str = ""
    """Local time, `YYYY-MM-DD HH:MM:SS`."""
    result_id: str = ""
    run_name: str | None = None
    replicate: int | None = None
    """1-based; None if the run has one replicate."""
    few_shot_enabled: bool = False
    few_shot_example_count: int = 0
    evaluation_mode: str | None = None
    scenario_id: str | None = None
    scenario_node: str | None = None
    scenario_turn: int | None = None
    scenario_path: Any = None


class ResultTemplate(BaseModel):
    """The answer, its parsed fields, and the template's verdict."""

    model_config = _KEEPS_MORE

    raw_llm_response: str | None = None
    trace_messages: list[dict[str, Any]] = Field(default_factory=list)
    conversation_context: list[dict[str, Any]] = Field(default_factory=list)
    """Messages sent to the answering model."""
    parsed_gt_response: dict[str, Any] | None = None
    parsed_llm_response: dict[str, Any] | None = None
    template_verification_performed: bool = False
    verify_result: bool | None = None
    """None: no verdict (the job failed before one, or no template was evaluated)."""
    verify_granular_result: Any = None
    field_verification_error: str | None = None
    field_results: dict[str, bool | None] | None = None
    field_scores: dict[str, float | None] | None = None
    field_acceptance: dict[str, str] | None = Field(default=None, exclude_if=lambda value: value is None)
    """Numbers that pass by field, such as `accepts 66.5 to 73.5`; None: no field compares numbers."""
    composition_strategy: str | None = None
    template_execution: TemplateExecution | None = Field(default=None, exclude_if=lambda way: way is None)
    """Execution of the template; None: it was not judged, or the result is older than this field."""
    embedding_check_performed: bool = False
    embedding_similarity_score: float | None = None
    embedding_override_applied: bool = False
    embedding_model_used: str | None = None
    regex_validations_performed: bool = False
    regex_validation_results: dict[str, bool] | None = None
    regex_validation_details: dict[str, Any] | None = None
    regex_overall_success: bool | None = None
    regex_extraction_results: dict[str, Any] | None = None
    recursion_limit_reached: bool = False
    response_timeout_partial: bool = False
    usage_unavailable: bool = False
    investigation_trace: str | None = None
    agentic_parsing_performed: bool = False
    agentic_extraction_recovery: str | None = None
    agentic_extraction_error: str | None = None
    dynamic_parsing_performed: bool = False
    dynamic_parse_decision: str | None = None
    dynamic_decision_reasoning: str | None = None
    abstention_check_performed: bool = False
    abstention_detected: bool | None = None
    abstention_override_applied: bool = False
    abstention_reasoning: str | None = None
    sufficiency_check_performed: bool = False
    sufficiency_detected: bool | None = None
    sufficiency_override_applied: bool = False
    sufficiency_reasoning: str | None = None
    answering_mcp_servers: list[str] | None = None
    usage_metadata: dict[str, Any] | None = None
    agent_metrics: dict[str, Any] | None = None


TRAIT_KINDS = ("llm", "regex", "callable", "metric", "agentic", "other")
"""Kinds of traits whose scores a result keeps apart, each as `{kind}_trait_scores`."""

UNTYPED_SCORES = "untyped_trait_scores"
"""Key in a result's rubric, present only if a table did not tell the types of its traits."""
_SCORE_ATTRIBUTES = (*((kind, f"{kind}_trait_scores") for kind in TRAIT_KINDS), ("untyped", "untyped_scores"))


class TraitScale(BaseModel):
    """Meaning of a trait's scores."""

    model_config = _KEEPS_MORE

    kind: Literal["boolean", "score", "literal", "template", "metric"]
    higher_is_better: bool | None = None
    """True if yes, a higher score or a later class is better; None: neither."""
    min_score: int | None = None
    max_score: int | None = None
    """Range of a score; None: it has no such bound, or is not a score."""
    classes: list[str] | None = None
    """Classes of a literal trait, in the order of their scores."""
    type_name: str | None = Field(default=None, exclude_if=lambda name: name is None)
    """Trait type from outside the package; None for built-in types."""
    fields: dict[str, TraitScale] | None = Field(default=None, exclude_if=lambda fields: fields is None)
    """Scales of a form's fields, as far as more than their type is known."""


def scale_of(name: str, scales: Mapping[str, TraitScale]) -> TraitScale | None:
    """Return the scale of the field of a form, otherwise that of its trait; None: unknown."""
    trait, _, field = name.partition(".")
    scale = scales.get(name) or scales.get(trait)
    return (scale.fields or {}).get(field, scale) if scale else None


class ResultRubric(BaseModel):
    """Trait scores by trait type."""

    model_config = _KEEPS_MORE

    rubric_evaluation_performed: bool = False
    rubric_evaluation_strategy: str | None = None
    llm_trait_scores: dict[str, Any] | None = None
    llm_trait_labels: dict[str, str] | None = None
    regex_trait_scores: dict[str, bool] | None = None
    callable_trait_scores: dict[str, Any] | None = None
    metric_trait_scores: dict[str, dict[str, float]] | None = None
    metric_trait_confusion_lists: dict[str, dict[str, list[str]]] | None = None
    agentic_trait_scores: dict[str, Any] | None = None
    """Includes traits without a score, as None."""
    agentic_trait_investigation_traces: dict[str, str | None] | None = None
    agentic_trait_extraction_metadata: dict[str, Any] | None = None
    other_trait_scores: dict[str, Any] | None = Field(default=None, exclude_if=lambda scores: scores is None)
    """Scores of all trait types from outside the package; see `TraitScale.type_name`."""
    dynamic_rubric_skipped_traits: dict[str, Any] | None = None
    dynamic_rubric_promoted_traits: list[str] | None = None
    trait_provenance: dict[str, str] | None = None
    """{trait: global | question_specific | dynamic}"""
    trait_scales: dict[str, TraitScale] | None = Field(default=None, exclude_if=lambda scales: scales is None)
    """Scales of all traits that were to be scored; None: the source of the result has none."""
    trait_faults: dict[str, FailureCategory] | None = Field(default=None, exclude_if=lambda faults: faults is None)
    """Traits without a score because of a failure, with its category; None: nothing failed."""

    @property
    def untyped_scores(self) -> dict[str, Any]:
        """{trait: score} from a table that does not tell the types of its traits."""
        scores = (self.model_extra or {}).get(UNTYPED_SCORES)
        return scores if isinstance(scores, dict) else {}

    @property
    def scores_by_kind(self) -> dict[str, dict[str, Any]]:
        """{kind: {trait: score}} of each kind with scores; last come the untyped ones, as `untyped`."""
        every = ((kind, getattr(self, attribute)) for kind, attribute in _SCORE_ATTRIBUTES)
        return {kind: scores for kind, scores in every if scores}

    @property
    def single_scores(self) -> dict[str, Any]:
        """{trait: score} of all but metric traits; a field of a form is `trait.field`."""
        kinds = self.scores_by_kind.items()
        return {trait: score for kind, scores in kinds if kind != "metric" for trait, score in scores.items()}

    @property
    def out_of_scale(self) -> list[str]:
        """Names of scores outside of the range of their trait: they count as missing in every mean."""
        scales = self.trait_scales or {}
        return [name for name, score in self.single_scores.items() if _is_outside(score, scale_of(name, scales))]

    @property
    def without_score(self) -> list[str]:
        """Traits that were to be scored but have no score, or one out of scale."""
        # A field of a form may be null; a whole trait may not.
        scores = self.single_scores.items()
        scored = {name for name, score in scores if score is not None or "." in name} | self.metric_figures.keys()
        roots = {name.partition(".")[0] for name in scored}
        missing = [name for name in self.trait_scales or {} if name not in scored | roots]
        return [*missing, *self.out_of_scale]

    @property
    def metric_figures(self) -> dict[str, float]:
        """{`trait.metric`: value} of metric traits."""
        scores = self.metric_trait_scores or {}
        return {f"{trait}.{name}": value for trait, figures in scores.items() for name, value in figures.items()}


def _is_outside(score: Any, scale: TraitScale | None) -> bool:
    if scale is None or scale.kind != "score" or isinstance(score, bool) or not isinstance(score, int | float):
        return False
    low, high = scale.min_score, scale.max_score
    if low is not None and high is not None:
        low, high = min(low, high), max(low, high)
    return (low is not None and score < low) or (high is not None and score > high)


class VerificationResult(BaseModel):
    """Outcome of one job. Sections are None if the evaluation mode does not use them."""

    model_config = _KEEPS_MORE

    metadata: ResultMetadata
    template: ResultTemplate | None = None
    rubric: ResultRubric | None = None
    deep_judgment: ResultDeepJudgment | None = None
    deep_judgment_rubric: ResultDeepJudgmentRubric | None = None
    evaluation_input: str | None = None
    """Text that a judge read for the template; None: nothing, or its agent investigated by itself."""
    used_full_trace: bool = True
    trace_extraction_error: str | None = None
    traits_read: Literal["trace", "message"] | None = Field(default=None, exclude_if=lambda read: read is None)
    """Text from which the traits were scored, the whole trace or the final message; None: no traits, or unknown."""

    error: str | None = None
    """Error message for the user; None: nothing failed (a wrong answer is not an error)."""
    completed_without_errors: bool = True
    stages: list[StageRecord] = Field(default_factory=list)
    answered_by: str | None = None
    """Name of the model that answered, according to the provider; None: not reported."""
    condition: str | None = Field(default=None, exclude_if=lambda condition: condition is None)
    """Name of the condition; None: the run had none."""
    judge_replicate: int | None = Field(default=None, exclude_if=lambda number: number is None)
    """1-based number of this judgment of the answer by the judge; None: there is only one."""
    workspace: ResultWorkspace | None = Field(default=None, exclude_if=lambda workspace: workspace is None)
    """Changes that the answering agent made in its workspace; None: there was none."""
    investigations: list[Investigation] | None = Field(default=None, exclude_if=lambda value: value is None)
    """Traces of judging agents; None: there were none."""
    extractions: dict[str, dict[str, int]] | None = Field(default=None, exclude_if=lambda value: value is None)
    """Methods by which judges were asked for data.

    {step: {`schemas.extraction.ExtractionMethod`: replies}}; None: unknown.
    """
    sandbox_level: str | None = None
    """Confinement of author-written code."""
    recording_label: str | None = None
    """Label of the recording that was played back, such as `sample recording`; None: live calls."""

    @property
    def passed(self) -> bool | None:
        """The verdict; None if there is none, so that it never counts as a wrong answer."""
        # A job that failed has no verdict, even if the template was evaluated before the failure.
        return self.template.verify_result if self.template and self.completed_without_errors else None


def make_result_id(
    *,
    answering: ModelIdentity,
    parsing: ModelIdentity | None,
    question_id: str,
    replicate: int | None,
    timestamp: str,
    judge_replicate: int | None = None,
) -> str:
    """First 16 hexadecimal digits of SHA-256 over the identity of a result (upstream's formula).

    Upstream has no judgments: if an answer is judged several times, their number is part of the identity as well.
    """
    identity = {
        "answering": answering.canonical,
        "parsing": parsing.canonical if parsing else "",
        "question_id": question_id,
        "replicate": replicate,
        "scenario_id": None,
        "scenario_node": None,
        "scenario_turn": None,
        "timestamp": timestamp,
    }
    # Only then, so that ids of all other results equal upstream's.
    if judge_replicate is not None:
        identity["judge_replicate"] = judge_replicate
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]
