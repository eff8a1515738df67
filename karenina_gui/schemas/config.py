"""Configuration of a run: models, evaluation mode, replicates, checks, limits.

Names and defaults follow upstream, so that its presets load unchanged. Both classes reject unknown fields.
"""

from __future__ import annotations

from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PositiveInt,
    SecretStr,
    TypeAdapter,
    field_serializer,
    field_validator,
    model_validator,
)

from karenina_gui.schemas.condition import Condition as Condition
from karenina_gui.schemas.deep_judgment import DeepJudgmentRubricConfig
from karenina_gui.schemas.extra_kwargs import without_secrets
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.schemas.sendable import is_sendable
from karenina_gui.schemas.tool_server import ToolServer as ToolServer
from karenina_gui.schemas.workspace import (
    ClaudeCodeToolName as ClaudeCodeToolName,
    WorkspaceLimits,
    WorkspaceToolName as WorkspaceToolName,
)

EvaluationMode = Literal["template_only", "template_and_rubric", "rubric_only"]
DeepJudgmentMode = Literal["disabled", "reasoning_only", "full"]
MASK = "**********"
"""Placeholder of a masked key in files; read as no key."""

_BOOL = TypeAdapter(bool)


class ModelConfig(BaseModel):
    """One answering or judging model and how it is reached."""

    model_config = ConfigDict(
        extra="forbid", validate_assignment=True, protected_namespaces=(), hide_input_in_errors=True
    )

    id: str | None = None
    """Name of this configuration in a run; default: the model's name."""
    model_provider: str | None = None
    model_name: str | None = None
    """The provider's name of the model; default for recorded answers: `id`."""
    temperature: float | None = Field(default=0.1, ge=0, le=2)
    """None: the parameter is not sent (some models reject it)."""
    max_tokens: int = Field(default=16384, ge=1)
    """Most tokens in one reply."""
    interface: str = "langchain"
    """Name of the adapter; see `AdapterRegistry.names()`."""
    system_prompt: str | None = None
    """Sent before the question; None: only the question is sent."""
    max_retries: int = Field(default=2, ge=0)
    mcp_urls_dict: dict[str, str] | None = None
    """{name: URL} of MCP servers for the model's agent."""
    # Fields that upstream does not have are left out of dumps at their default, since its readers reject unknown ones.
    mcp_servers: dict[str, ToolServer] | None = Field(default=None, exclude_if=lambda servers: servers is None)
    """{name: entry} of MCP servers that need more than a URL."""
    mcp_tool_filter: list[str] | None = None
    """Only these tools of MCP servers are offered; None: all."""
    mcp_tool_description_overrides: dict[str, str] | None = None
    """{tool: description} that replaces the server's own."""
    mcp_http_timeout: float | None = Field(default=None, gt=0)
    """Seconds in which a server of `mcp_urls_dict` must have listed its tools; None: 30."""
    mcp_sse_read_timeout: float | None = Field(default=None, gt=0)
    """Seconds for one tool call on such a server; None: 60."""
    workspace_tools: list[WorkspaceToolName] | None = Field(default=None, exclude_if=lambda tools: tools is None)
    """Built-in tools for the question's workspace while the model answers; None: none."""
    claude_code_tools: list[ClaudeCodeToolName] | None = Field(default=None, exclude_if=lambda tools: tools is None)
    """Claude Code's own tools that it may use (interface `claude_agent_sdk`), in a sandbox around the whole program.

    Without such a sandbox on this computer they are off, unless the run allows unconfined commands. With any of them,
    Claude Code also has the tools named in `workspace_tools`, and no others. None: not chosen. It then has all
    workspace tools, and all of its own if commands cannot be confined and the run allows that.
    """
    endpoint_base_url: str | None = None
    """URL of an OpenAI-compatible server."""
    endpoint_api_key: SecretStr | None = Field(default=None, repr=False)
    anthropic_base_url: str | None = None
    anthropic_api_key: SecretStr | None = Field(default=None, repr=False)
    api_key_env: str | None = None
    """Environment variable of the key; None: the interface's usual one."""
    agent_runtime: dict[str, Any] | None = None
    """Upstream's settings of agent runtimes, preserved unchanged."""
    extra_kwargs: dict[str, Any] = Field(default_factory=dict)
    """Extra request parameters, passed to the provider unchanged."""
    manual_traces: dict[str, Any] | None = Field(default=None, repr=False, exclude=True)
    """Recorded answers by question id: a text, a message list, or a list with one of them per replicate."""
    recording: str | None = None
    """File of recorded model exchanges (interface `replay`)."""
    agent_middleware: dict[str, Any] | None = None
    max_context_tokens: int | None = None
    agent_timeout: float | None = Field(default=None, gt=0)
    """Seconds for an agent's whole loop; None: 180."""
    request_timeout: float | None = Field(default=None, gt=0)
    """Seconds for one call; None: the run's."""
    retry_policy: RetryPolicy | None = None
    """None: the run's."""

    @field_validator("endpoint_api_key", "anthropic_api_key", mode="before")
    @classmethod
    def _mask_is_no_key(cls, key: Any) -> Any:
        # Files with masked keys come from exports: the mask must not be sent as a key.
        plain = key.get_secret_value() if isinstance(key, SecretStr) else key
        return None if plain is None or not str(plain).strip("*") else key

    @field_validator("endpoint_api_key", "anthropic_api_key")
    @classmethod
    def _key_can_be_sent(cls, key: SecretStr | None) -> SecretStr | None:
        plain = key.get_secret_value().strip() if key else ""
        if not is_sendable(plain):
            raise ValueError("The key contains a line break or an unsupported character. Copy only the key again.")
        return SecretStr(plain) if plain else None

    @field_validator("extra_kwargs", mode="before")
    @classmethod
    def _none_is_empty(cls, value: Any) -> Any:
        return {} if value is None else value

    @field_validator("extra_kwargs")
    @classmethod
    def _without_secrets(cls, value: dict[str, Any]) -> dict[str, Any]:
        return without_secrets(value)

    @field_validator("endpoint_base_url", "anthropic_base_url")
    @classmethod
    def _address_without_password(cls, address: str | None) -> str | None:
        address = address.strip() if address else address
        # Addresses are shown, logged and exported, unlike keys.
        if address is not None and "@" in urlsplit(address).netloc:
            raise ValueError(
                "The base URL contains a user name or password. Remove it, put the key in an environment variable "
                "and set api_key_env to its name."
            )
        return address

    @field_validator("agent_middleware")
    @classmethod
    def _limits_are_a_table(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        limits = (value or {}).get("limits") or {}
        known = ("model_call_limit", "tool_call_limit", "token_limit")
        wrong = not isinstance(limits, dict) or any(
            not isinstance(limits[name], int) or limits[name] < 1 for name in known if limits.get(name) is not None
        )
        if wrong:
            raise ValueError("agent_middleware.limits must be a table such as {'model_call_limit': 25}.")
        return value

    @model_validator(mode="after")
    def _complete(self) -> Self:
        # `validate_assignment` would call this validator again for every assignment.
        fields = self.__dict__
        if self.interface == "manual":
            if self.mcp_urls_dict or self.mcp_servers:
                raise ValueError("Recorded answers (interface 'manual') cannot use MCP servers.")
            fields["id"] = self.id or self.model_name or "manual"
            fields["model_name"] = self.model_name or self.id
        if not self.model_name:
            raise ValueError("A model needs a name: set model_name to the provider’s name for it.")
        fields["id"] = self.id or self.model_name
        return self

    @property
    def max_turns(self) -> int:
        """Turns that an agent may take before the recursion limit is reached (default 25)."""
        return int(self._limit("model_call_limit") or 25)

    @property
    def max_tool_calls(self) -> int | None:
        """Limit on an agent's tool calls (`tool_call_limit`); None: no limit."""
        return self._limit("tool_call_limit")

    @property
    def max_agent_tokens(self) -> int | None:
        """Limit on the input and output tokens of an agent's whole loop (`token_limit`); None: no limit."""
        return self._limit("token_limit")

    @property
    def agent_seconds(self) -> float:
        """Seconds for an agent's whole loop."""
        return self.agent_timeout or 180.0

    @property
    def tool_servers(self) -> dict[str, ToolServer]:
        """All MCP servers of the model by name; an entry takes precedence over a bare URL."""
        connect, call = self.mcp_http_timeout or 30.0, self.mcp_sse_read_timeout or 60.0
        named = {
            name: ToolServer(url=url, connect_seconds=connect, call_seconds=call)
            for name, url in (self.mcp_urls_dict or {}).items()
        }
        return {**named, **(self.mcp_servers or {})}

    def _limit(self, name: str) -> int | None:
        limit = ((self.agent_middleware or {}).get("limits") or {}).get(name)
        return None if limit is None else int(limit)

    @field_serializer("endpoint_api_key", "anthropic_api_key")
    # Not even masked: a file without the field cannot be mistaken for one with a key.
    def _never_written(self, _key: SecretStr | None) -> None:
        return None


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


PLAYED_BACK = ("manual", "replay")
"""Interfaces that play back earlier replies: no model is called, and nothing is paid."""

MOST_REPLICATES = 10_000


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

    See `judge_as_asked`, `judging_seed`. The Run page of the application does so by default.
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

    def judge_as_asked(self, judge: ModelConfig) -> ModelConfig:
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
