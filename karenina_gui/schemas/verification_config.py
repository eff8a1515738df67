"""Configuration of a run: models, evaluation mode, replicates, checks, limits.

Names and defaults follow upstream, so that its presets load unchanged. Unknown fields are rejected.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PositiveInt,
    TypeAdapter,
    field_validator,
    model_validator,
)

from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.deep_judgment import DeepJudgmentRubricConfig
from karenina_gui.schemas.model_config import PLAYED_BACK, ModelConfig
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.schemas.workspace import WorkspaceLimits

EvaluationMode = Literal["template_only", "template_and_rubric", "rubric_only"]
DeepJudgmentMode = Literal["disabled", "reasoning_only", "full"]
MOST_REPLICATES = 10_000

_BOOL = TypeAdapter(bool)


class FewShotExampleConfig(BaseModel):
    """Few-shot examples of one question, overriding the run's mode."""

    model_config = ConfigDict(extra="forbid")

    mode: Literal["inherit", "disabled", "all", "k-shot", "custom"] = "inherit"
    k: int | None = Field(default=None, ge=0)
    selected_examples: list[int | str] | None = None
    """Indices of the question's examples, or the MD5 of an example's question."""
    excluded_examples: list[int | str] | None = None


class FewShotConfig(BaseModel):
    """Choice of the example pairs that precede a question."""

    model_config = ConfigDict(extra="forbid")

    source: Literal["both", "disabled", "question_pool", "global"] = "both"
    pool_mode: Literal["all", "k-shot", "custom"] = "all"
    pool_k: int = Field(default=3, ge=0)
    question_configs: dict[str, FewShotExampleConfig] = Field(default_factory=dict)
    global_examples: list[dict[str, str]] = Field(default_factory=list)


class PromptConfig(BaseModel):
    """Instructions that the user adds to the prompts, by purpose."""

    model_config = ConfigDict(extra="forbid")

    generation: str | None = None
    parsing: str | None = None
    abstention_detection: str | None = None
    sufficiency_detection: str | None = None
    rubric_evaluation: str | None = None
    agentic_parsing: str | None = None
    deep_judgment: str | None = None


class VerificationConfig(BaseModel):
    """Everything that one run needs in addition to the benchmark."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, hide_input_in_errors=True)

    answering_models: list[ModelConfig] = Field(default_factory=list)
    parsing_models: list[ModelConfig] = Field(default_factory=list)
    """Judges; may be empty if no template and no trait needs one."""
    replicate_count: int = Field(default=1, ge=1, le=MOST_REPLICATES)
    """Number of answers of each model to each question.

    Every replicate is a separate job, planned before the first call, so a typing error must not create a billion of
    them. Configurations from Python may ask for far more than the Run page offers (100), where people still want to
    look through the answers.
    """
    conditions: list[Condition] = Field(default_factory=list, exclude_if=lambda conditions: not conditions)
    """Alternatives that are compared on every question with every answering model, the baseline first; empty: none."""
    judge_replicates: int = Field(default=1, ge=1, le=MOST_REPLICATES, exclude_if=lambda number: number == 1)
    """Number of judgments of each answer by each judge, which shows how much of a difference is the judge's own."""
    fixed_judges: bool = Field(default=False, exclude_if=lambda fixed: not fixed)
    """Judge at temperature 0, and with a seed if the provider accepts one, whatever the models' own settings.

    See `judge_with_temperature`, `judging_seed`. The Run page of the application does so by default.
    """
    parsing_only: bool = False
    rubric_trait_names: list[str] | None = None
    """Only these traits are evaluated; None: all."""
    rubric_evaluation_strategy: Literal["batch", "sequential"] = "batch"
    evaluation_mode: EvaluationMode = "template_only"
    use_full_trace_for_template: bool = False
    use_full_trace_for_rubric: bool = True
    allow_partial_trace_scoring: bool = True
    abstention_enabled: bool = False
    sufficiency_enabled: bool = False
    include_extraction_hints: bool = True
    embedding_check_enabled: bool = False
    embedding_check_model: str = "all-MiniLM-L6-v2"
    embedding_check_threshold: float = Field(default=0.85, ge=0, le=1)
    async_enabled: bool = True
    async_max_workers: int = Field(default=2, ge=1)
    """Concurrent jobs (if `async_enabled`)."""
    max_concurrent_requests: int | None = Field(default=None, ge=1)
    """Concurrent model calls over all workers; None: as many as there are workers."""
    cluster: str | None = Field(default=None, exclude_if=lambda address: address is None)
    """Address of the scheduler of a Dask cluster whose workers verify the jobs; None: this process does."""
    batch_timeout_seconds: float | None = Field(default=None, gt=0)
    """Seconds for the whole run; None: no limit."""
    provider_wait_seconds: float | None = Field(default=600.0, ge=0, exclude_if=lambda seconds: seconds == 600.0)
    """Seconds that jobs wait for the end of an outage: a provider that is down, a rejected key, an empty account.

    Jobs that still could not be asked end with errors. None: they wait until the outage is over; 0: they do not wait.
    Runs of the application always wait, since the user can see why, act and resume, or cancel.
    """
    task_ordering: Literal["auto", "prefix_cache", "distribute_answerers", "generation_order", "random"] = "auto"
    answerer_concurrency_limits: PositiveInt | dict[str, PositiveInt] | None = None
    """Concurrent answers of one answering model, for all models or by the model's id."""
    deep_judgment_mode: DeepJudgmentMode = "disabled"
    deep_judgment_max_excerpts_per_attribute: int = Field(default=3, ge=1)
    deep_judgment_fuzzy_match_threshold: float = Field(default=0.8, ge=0, le=1)
    """Least similarity of an excerpt to a passage of the answer (see `evidence.quotes.similarity`)."""
    deep_judgment_excerpt_retry_attempts: int = Field(default=2, ge=0)
    """Further rounds for excerpts that are not in the answer."""
    deep_judgment_search_enabled: bool = False
    """Search for the excerpts, and judge by what is found; in mode `full` only."""
    deep_judgment_search_tool: str = "tavily"
    deep_judgment_rubric_max_excerpts_default: int = Field(default=7, ge=1)
    deep_judgment_rubric_fuzzy_match_threshold_default: float = Field(default=0.8, ge=0, le=1)
    deep_judgment_rubric_excerpt_retry_attempts_default: int = Field(default=2, ge=0)
    deep_judgment_rubric_search_tool: str = "tavily"
    deep_judgment_rubric_mode: Literal["disabled", "enable_all", "use_checkpoint", "custom", "off"] = "disabled"
    """LLM traits that are judged deeply.

    Those whose own settings say so (`disabled`, which adds no others, and `use_checkpoint`), every scalar one
    (`enable_all`), those of `deep_judgment_rubric_config` (`custom`), or none (`off`).
    """
    deep_judgment_rubric_global_excerpts: bool = True
    """Ask for excerpts in mode `enable_all`."""
    deep_judgment_rubric_config: DeepJudgmentRubricConfig | None = None
    """Settings of mode `custom` by trait."""
    few_shot_config: FewShotConfig | None = None
    prompt_config: PromptConfig | None = None
    agentic_parsing: bool = False
    """Let a judging agent inspect the workspace before the template is filled (stage 7b instead of 7a)."""
    agentic_parsing_trigger: Literal["always", "dynamic"] = "always"
    agentic_judge_context: Literal["workspace_only", "trace_and_workspace", "trace_only"] = "workspace_only"
    """Input of that agent."""
    agentic_parsing_max_turns: int = Field(default=15, ge=1)
    agentic_parsing_timeout: float = Field(default=120.0, gt=0)
    """Seconds for its whole investigation."""
    agentic_parsing_materialize_trace: bool = False
    agentic_parsing_persist_trace: bool = False
    agentic_rubric_strategy: Literal["individual", "shared"] = "individual"
    """One investigation for each agentic trait, or one for all of them."""
    agentic_rubric_parallel: bool = False
    workspace_copy: bool = True
    """Run agents in a copy of the workspace; False: in the workspace itself, which they may change."""
    workspace_cleanup: bool = True
    """Delete the copies after the job."""
    workspace_limits: WorkspaceLimits = Field(
        default_factory=WorkspaceLimits, exclude_if=lambda limits: limits == WorkspaceLimits()
    )
    allow_unconfined_commands: bool = Field(default=False, exclude_if=lambda allowed: not allowed)
    """Run agents' commands although this computer cannot confine them. Only a user may allow that, for a run."""
    allow_programs: bool = Field(default=False, exclude_if=lambda allowed: not allowed)
    """Let models of the benchmark's traits start their programs, and send requests with the user's keys to their hosts.

    Only a user may allow that, for a run.
    """
    workspace_output_mode: Literal["none", "full", "produced"] = "none"
    workspace_output_dir: str | None = None
    workspace_output_exclude_patterns: list[str] = Field(default_factory=list)
    db_config: dict[str, Any] | None = None
    request_timeout: float = Field(default=120.0, gt=0)
    """Seconds for one model call."""
    scenario_turn_limit: int = 20
    replay_parse_on_hydration_mismatch: str = "fall_through"
    retry_policy: RetryPolicy = Field(default_factory=RetryPolicy)
    custom_error_patterns: list[dict[str, Any]] = Field(default_factory=list)
    max_requeue_count: int = 5

    @model_validator(mode="before")
    @classmethod
    def _accept_other_spellings(cls, data: Any) -> Any:
        """Accept `deep_judgment_enabled` of the specification, and the computed `rubric_enabled` of saved presets."""
        if not isinstance(data, dict):
            return data
        data = {k: v for k, v in data.items() if k != "rubric_enabled"}
        enabled = data.pop("deep_judgment_enabled", None)
        if enabled is not None:
            data.setdefault("deep_judgment_mode", "full" if _BOOL.validate_python(enabled) else "disabled")
        return data

    @field_validator("conditions")
    @classmethod
    def _names_are_unique(cls, conditions: list[Condition]) -> list[Condition]:
        names = [condition.name for condition in conditions]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"Two conditions are named “{twice}”. Each needs its own name.")
        return conditions

    @model_validator(mode="after")
    def _custom_mode_has_config(self) -> Self:
        if self.deep_judgment_rubric_mode == "custom" and self.deep_judgment_rubric_config is None:
            raise ValueError(
                "deep_judgment_rubric_mode 'custom' needs deep_judgment_rubric_config, such as "
                "{'global': {'a trait': {'max_excerpts': 3}}}."
            )
        return self

    def judge_with_temperature(self, judge: ModelConfig) -> ModelConfig:
        """The judge with the temperature at which this run asks it.

        A judge without a temperature, because it rejects one, stays so; so do recorded replies.
        """
        if not self.fixed_judges or not judge.temperature or judge.interface in PLAYED_BACK:
            return judge
        return judge.model_copy(update={"temperature": 0.0})

    def judging_seed(self, judge_replicate: int | None) -> int | None:
        """Seed for a judgment, sent if the provider accepts one; None: no seed.

        1, and 2, 3, ... for repeated judgments of one answer: with equal seeds their variation could not be measured.
        """
        return (judge_replicate or 1) if self.fixed_judges else None

    @property
    def deep_judgment_enabled(self) -> bool:
        return self.deep_judgment_mode != "disabled"

    @property
    def rubric_enabled(self) -> bool:
        return self.evaluation_mode != "template_only"

    @property
    def workers(self) -> int:
        return self.async_max_workers if self.async_enabled else 1
