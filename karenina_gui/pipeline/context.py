"""Mutable state of one job, shared by its stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, overload

from karenina_gui.adapters.ports import CallUsage, Embedder, OwnTools, Ports, Purpose
from karenina_gui.errors import InputError, ParseError, PortError
from karenina_gui.evidence.risk import Search
from karenina_gui.judging.investigation import JudgingView
from karenina_gui.judging.judge import Judge, category_of, model_error_text
from karenina_gui.pipeline.artifacts import Contract, Key
from karenina_gui.pipeline.few_shot import Examples
from karenina_gui.pipeline.generated_answer import GeneratedAnswer, Generation, OnAnswer
from karenina_gui.pipeline.workspaces import JobWorkspaces
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import GROUP_OF, Failure, FailureCategory, StageRecord
from karenina_gui.schemas.result_evidence import Investigation
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.tools import Tool
from karenina_gui.schemas.usage import DOLLARS, count_long_request
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.schemas.workspace import ClaudeCodeToolName
from karenina_gui.text.truncation import shortened_reason

T = TypeVar("T")


OpenView = Callable[[Path], AbstractContextManager[JudgingView]]
"""Opens a judge's view of a folder."""
OpenNamedTools = Callable[[Path, Collection[str]], Sequence[Tool]]
OpenOwnTools = Callable[[Sequence[ClaudeCodeToolName] | None], OwnTools | None]


def _do_nothing() -> None:
    pass


def _view_without_tools(folder: Path) -> AbstractContextManager[JudgingView]:
    return nullcontext(JudgingView(folder))


def _no_named_tools(_folder: Path, _names: Collection[str]) -> Sequence[Tool]:
    return ()


def _no_own_tools(_chosen: Sequence[ClaudeCodeToolName] | None) -> OwnTools | None:
    return None


@dataclass(frozen=True)
class PipelineTools:
    """External services used by stages."""

    ports: Ports
    sandbox: Sandbox
    search: Search | None = None
    """Web search for quotes; None: no search."""
    embedder: Embedder | None = None
    """Embedding model of the embedding check; None: switched off."""
    rubric_search: Search | None = None
    """Web search for quotes of traits; None: `search` is used."""
    answering_tools: OpenNamedTools = _no_named_tools
    """Opens built-in tools by name for an answering agent in a workspace."""
    own_tools: OpenOwnTools = _no_own_tools
    """Opens the chosen tools of an agent runtime; returns None if it has none here."""
    judging_view: OpenView = _view_without_tools
    """Opens a folder for one investigation."""
    workspaces: JobWorkspaces | None = None
    """Creates the workspaces of jobs; None: none are created, and agents are shown a fictional path."""
    end_calls: Callable[[], None] = _do_nothing
    """Ends the model calls in flight, for a run that is cancelled."""


class RunSetting(Generic[T]):
    """Context field that reads and writes a setting of `config`, so that the two cannot differ."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, context: None, owner: type) -> Self: ...
    @overload
    def __get__(self, context: VerificationContext, owner: type) -> T: ...
    def __get__(self, context: VerificationContext | None, owner: type) -> Self | T:
        if context is None:
            return self  # dataclasses pass this default to `__set__`, which ignores it
        value: T = getattr(context.config, self._name)
        return value

    def __set__(self, context: VerificationContext, value: T | Self) -> None:
        if not isinstance(value, RunSetting):
            own = context.config.model_copy()  # other jobs of the run share the original
            setattr(own, self._name, value)
            context.config = own


NO_JOB = Job("", "", "")
"""Job outside a run."""
IDENTITY = frozenset({"question_id", "template_id", "question_text", "template_code"})
"""Fields that identify the job."""

OnStep = Callable[[str, int | None], None]
"""Called on worker threads with a stage name, and the turn of its agent from 1 (None: the stage begins)."""


@dataclass
class VerificationContext:
    """Identity, configuration, artifacts, result fields and error state of one job.

    Sections as in `verification-pipeline.md` 3.4. The identity is immutable. `tools` may be None for a context that is
    only inspected.
    """

    question_id: str
    template_id: str
    question_text: str
    template_code: str
    answering_model: ModelConfig
    parsing_model: ModelConfig | None = None
    rubric: Rubric | None = None
    config: VerificationConfig = field(default_factory=VerificationConfig)
    agentic_parsing: RunSetting[bool] = RunSetting()
    """This and the next six fields are settings of `config`. A value given here overrides it."""
    agentic_judge_context: RunSetting[str] = RunSetting()
    agentic_parsing_max_turns: RunSetting[int] = RunSetting()
    agentic_parsing_timeout: RunSetting[float] = RunSetting()
    agentic_rubric_strategy: RunSetting[str] = RunSetting()
    workspace_copy: RunSetting[bool] = RunSetting()
    workspace_cleanup: RunSetting[bool] = RunSetting()
    raw_answer: str | None = None
    """Reference answer, for the result only. No prompt contains it, except for traits with `include_ground_truth`."""
    examples: Examples = field(default_factory=Examples)
    """Few-shot examples in front of the question."""
    keywords: list[str] | None = None
    job: Job = NO_JOB
    run_name: str | None = None
    trait_provenance: dict[str, str] | None = None
    trusted: bool = False
    """True: the benchmark's code may run on a computer without a sandbox for it."""
    workspace_root: Path | None = None
    question_workspace_path: str | None = None
    """Path of the question's workspace below the root; None: agents start in an empty folder."""
    workspace_path: Path | None = None
    """Folder of this job's agents, set by GenerateAnswer."""
    workspace_is_copy: bool = False
    """True if the folder was created for this job and may be removed."""
    tools: PipelineTools | None = None
    cached_answer_data: Generation | None = None
    """Answer (or failure) generated for another judge, which GenerateAnswer reuses."""
    answer_counted: bool = False
    """True if another job's result includes the tokens of that answer."""
    on_answer: OnAnswer | None = None
    """Called with an answer generated here, before it is processed."""
    on_step: OnStep | None = None
    """Called when a stage begins, and for each turn of its agent."""

    generation: Generation | None = None
    artifacts: dict[str, Any] = field(default_factory=dict)
    result_fields: dict[str, Any] = field(default_factory=dict)
    """Values by `section.field` of the result."""
    error: str | None = None
    failed_stage: str | None = None
    failure: Failure | None = None
    warnings: list[str] = field(default_factory=list)
    caveats: list[str] = field(default_factory=list)
    stages: list[StageRecord] = field(default_factory=list)
    usage: dict[str, dict[str, Any]] = field(default_factory=dict)
    extractions: dict[str, Counter[str]] = field(default_factory=dict)
    """Extraction methods of structured replies, as {purpose: {method: replies}}."""
    retries: Counter[str] = field(default_factory=Counter)
    models_called: bool = False
    execution_time: float = 0.0
    _running: Contract | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        if name in IDENTITY and name in vars(self):
            raise AttributeError(f"{name} says which job this is: it cannot be changed. Make another context.")
        super().__setattr__(name, value)

    @property
    def replicate(self) -> int | None:
        """1-based; None: the run has one replicate."""
        return self.job.replicate

    @property
    def condition(self) -> Condition | None:
        """Already applied to `answering_model`; None: the run has no conditions."""
        return next((condition for condition in self.config.conditions if condition.name == self.job.condition), None)

    @property
    def generated(self) -> GeneratedAnswer | None:
        """The answer; None: not generated, or generation failed."""
        return self.generation if isinstance(self.generation, GeneratedAnswer) else None

    @property
    def only_thought(self) -> bool:
        """True if the model wrote its thoughts, but no answer."""
        return self.generated is not None and self.generated.only_thought

    @property
    def completed_without_errors(self) -> bool:
        return self.error is None

    @property
    def world(self) -> PipelineTools:
        """The tools. Raises `RuntimeError` if the context was built without them."""
        if self.tools is None:
            raise RuntimeError("This context was built without tools, so no stage can run on it.")
        return self.tools

    def judge(self, model: ModelConfig) -> Judge:
        """Judge with this model and the judge settings of the run. Its calls are counted in this context."""
        return Judge(self.config.judge_with_temperature(model), self.world.ports, self)

    @contextmanager
    def judging_view(self, folder: Path) -> Iterator[JudgingView]:
        """View of a folder for one investigation. A problem with it becomes a warning."""
        with self.world.judging_view(folder) as view:
            if view.problem is not None:
                self.warnings.append(view.problem)
            yield view

    @property
    def seed(self) -> int | None:
        """Seed of all judge calls; None: no seed."""
        return self.config.judging_seed(self.job.judge_replicate)

    # ---------------------------------------------------------------- artifacts
    def __getitem__(self, key: Key[T]) -> T:
        self._check(key, reading=True)
        value: T = self.artifacts[key]
        return value

    def __setitem__(self, key: Key[T], value: T) -> None:
        self._check(key, reading=False)
        self.artifacts[key] = value
        if key.home is not None:
            self.result_fields[key.home] = value

    def __contains__(self, key: Key[Any]) -> bool:
        self._check(key, reading=True)
        return key in self.artifacts

    def get_artifact(self, key: Key[T], default: T | None = None) -> T | None:
        """Value of the artifact, or `default` if no stage has produced it."""
        if key not in self:
            return default
        return self[key]

    def set_artifact(self, key: Key[T], value: T) -> None:
        self[key] = value

    def set_result_field(self, key: str, value: Any) -> None:
        """Set a result field that is not an artifact. `key`: `section.field`, or a key with a home."""
        self.result_fields[getattr(key, "home", None) or key] = value

    def get_result_field(self, key: str, default: Any = None) -> Any:
        """Present value of a result field, or `default`. `key`: as in `set_result_field`."""
        return self.result_fields.get(getattr(key, "home", None) or key, default)

    def set_artifact_and_result(self, key: Key[T], value: T) -> None:
        """Set an artifact and its result field. For a key with a home, `set_artifact` does the same."""
        self[key] = value
        self.set_result_field(key, value)

    # ---------------------------------------------------------------- outcomes
    def mark_error(
        self, message: str, category: FailureCategory = "unexpected_error", details: str | None = None
    ) -> None:
        """Record an error. Later stages are skipped; the job still gets a result."""
        self.error = message
        self.failed_stage = self._running.name if self._running else None
        self.failure = self._failure(category, message, details)

    def keep_investigation(self, investigation: Investigation) -> None:
        """Add the log of a judging agent to the result."""
        self.result_fields.setdefault("investigations", []).append(investigation)

    def mark_failure(self, category: FailureCategory, reason: str, details: str | None = None) -> None:
        """Record an expected bad outcome. The first one is kept, but an auto-fail replaces a wrong answer.

        The order is that of upstream's failure classifier.
        """
        if self.failure is None or (self.failure.group == "content" and GROUP_OF[category] == "autofail"):
            self.failure = self._failure(category, reason, details)

    def retract_failure(self, category: FailureCategory) -> None:
        """Remove a failure of this category, because a later check found the answer right."""
        if self.failure is not None and self.failure.category == category:
            self.failure = None

    def mark_port_error(self, error: PortError | InputError, model: ModelConfig) -> None:
        """Record that a model could not be called, or that its reply or configuration is unusable."""
        reply = error.raw_response if isinstance(error, ParseError) else None
        self.mark_error(model_error_text(model, error), category_of(error), reply or None)

    def count_failed(self, error: PortError | InputError, model: ModelConfig, purpose: Purpose) -> None:
        """Count tokens and retries of failed calls."""
        if isinstance(error, PortError):
            self.count(purpose, model, tuple(error.usages), error.retries)

    def count(
        self, purpose: Purpose, model: ModelConfig, usages: tuple[CallUsage, ...], retries: dict[str, int]
    ) -> None:
        """Add the tokens of one or more calls under their purpose. Unknown counts stay unknown."""
        self.models_called = True
        self.retries.update(retries)
        for usage in usages:
            if usage.method is not None:
                self.extractions.setdefault(purpose, Counter())[usage.method] += 1
            if usage.total_tokens is None:
                self.set_result_field("template.usage_unavailable", True)
                continue
            entry = self.usage.setdefault(
                purpose,
                {
                    "input_tokens": 0,
                    "output_tokens": 0,
                    "total_tokens": 0,
                    "model": f"{model.interface}:{model.model_name}",
                },
            )
            entry["total_tokens"] += usage.total_tokens
            _add_usage(entry, usage)

    def turn(self, number: int) -> None:
        """Report that an agent begins turn `number`, from 1."""
        if self.on_step is not None and self._running is not None:
            self.on_step(self._running.name, number)

    def note_dollars(self, purpose: Purpose, dollars: float | None) -> None:
        """Save the cost in US dollars reported by an agent runtime with its tokens."""
        if dollars is not None and purpose in self.usage:
            self.usage[purpose][DOLLARS] = dollars

    # ---------------------------------------------------------------- the contract
    @contextmanager
    def running(self, stage: Contract) -> Iterator[None]:
        """Restrict reads and writes to the declarations of `stage` while it runs."""
        self._running = stage
        if self.on_step is not None:
            self.on_step(stage.name, None)
        try:
            yield
        finally:
            self._running = None

    def _check(self, key: str, *, reading: bool) -> None:
        stage = self._running
        # No stage is running while the context is prepared or inspected.
        if stage is None:
            return
        if not (stage.may_read(key) if reading else stage.may_write(key)):
            verb = "reads" if reading else "writes"
            raise RuntimeError(f"Stage {stage.name} {verb} the artifact {key!r} without declaring it.")

    def _failure(self, category: FailureCategory, reason: str, details: str | None = None) -> Failure:
        stage = self._running.name if self._running else ""
        return Failure(
            category=category, stage=stage, reason=shortened_reason(reason), details=details, group=GROUP_OF[category]
        )


def _add_usage(entry: dict[str, Any], usage: CallUsage) -> None:
    """Add input and output tokens of a call to the entry of its step, with their details and long requests."""
    entry["input_tokens"] += usage.input_tokens or 0
    entry["output_tokens"] += usage.output_tokens or 0
    for name in ("input_token_details", "output_token_details"):
        if details := getattr(usage, name):
            entry[name] = dict(Counter(entry.get(name, {})) + Counter(details))
    for request in usage.requests or (usage,):
        count_long_request(entry, request.input_tokens or 0, request.output_tokens or 0, request.input_token_details)
