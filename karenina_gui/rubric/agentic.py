"""Agent traits: an agent investigates, then the judge extracts a score from its report.

`agentic-rubric-evaluation.md`, section 2. A stage of its own scores them, so they have no row in `evaluators.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from karenina_gui.adapters.ports import ParseTarget, Purpose
from karenina_gui.errors import InputError, PortError, RunCancelled
from karenina_gui.evidence.prompts import PromptContext
from karenina_gui.judging.investigation import Findings, InvestigationSpec, JudgingView, investigate
from karenina_gui.judging.judge import Judge, category_of, model_error_text
from karenina_gui.judging.trace_file import TraceFile
from karenina_gui.rubric.llm import reading
from karenina_gui.rubric.llm_template import FieldForm
from karenina_gui.rubric.prompts import agent_messages, extraction_messages, form_extraction_messages
from karenina_gui.rubric.reply_form import ReplyForm, nullable
from karenina_gui.rubric.scores import TraitScores
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import FailureCategory
from karenina_gui.schemas.result_evidence import Investigation
from karenina_gui.schemas.rubric import AgenticRubricTrait

log = logging.getLogger(__name__)

Score = bool | int | dict[str, Any]
"""Score of a trait; a dict contains the fields of a structured score."""

_EXTRACTION: Purpose = "agentic_rubric_extraction"

_FORMS = {
    "boolean": ("SingleBooleanScore", "result"),
    "score": ("SingleNumericScore", "score"),
    "literal": ("SingleLiteralClassification", "classification"),
}
"""(title of the response schema, its only property) by scalar kind."""


@dataclass(frozen=True)
class AgenticTask:
    """Answer to investigate, with everything an agent may need."""

    question: str
    trace: str
    """Trace of the answering agent."""
    judge: Callable[[ModelConfig], Judge]
    view: Callable[[Path], AbstractContextManager[JudgingView]]
    """Opens a folder for one investigation."""
    workspace: Path | None = None
    instructions: str | None = None
    """Additional instructions of the user."""

    def hides_all_from(self, trait: AgenticRubricTrait) -> bool:
        """True if an agent of this trait would see only the question."""
        return trait.context_mode == "workspace_only" and self.workspace is None


class NoReport(Exception):
    """Investigation without a report. `trace`: partial trace; None: it failed."""

    def __init__(self, why: str, category: FailureCategory | None, trace: str | None = None) -> None:
        super().__init__(why)
        self.category: FailureCategory | None = category
        self.trace = trace


class AgenticTraitEvaluator:
    """Investigates and scores traits with one model.

    Problems are collected in `scores`, logs in `investigations`. Raises `RunCancelled` only, except for
    `run_shared_investigation`.
    """

    def __init__(self, model: ModelConfig, task: AgenticTask) -> None:
        self.model = model
        self.task = task
        self.scores = TraitScores()
        """Problems and failures. The scores themselves are returned by the methods."""
        self.investigations: list[Investigation] = []
        self._judge = task.judge(model)

    def evaluate_trait(
        self, trait: AgenticRubricTrait, trace_file: TraceFile | None = None
    ) -> tuple[Score | None, str | None]:
        """Score and trace of the investigation.

        (None, None): the investigation failed. (None, trace): it reached a limit, or its report has no score.
        """
        try:
            trace = self._run_investigation(trait, trace_file)
        except RunCancelled:
            raise
        except Exception as error:
            log.warning("The investigation of the trait %r came to nothing", trait.name, exc_info=True)
            has_reason = isinstance(error, NoReport)
            self._miss(trait, str(error) if has_reason else f"its investigation stopped unexpectedly: {error}", error)
            return None, error.trace if isinstance(error, NoReport) else None
        return self.run_extraction(trait, trace), trace

    def run_extraction(self, trait: AgenticRubricTrait, trace: str) -> Score | None:
        """Score of this trait according to the report; None: no score can be extracted."""
        try:
            return self._extract_template(trait, trace) if isinstance(trait.kind, dict) else self._extract(trait, trace)
        except RunCancelled:
            raise
        except Exception as error:
            log.warning("No score of the trait %r could be read from its investigation", trait.name, exc_info=True)
            message = model_error_text(self.model, error) if isinstance(error, PortError | InputError) else str(error)
            self._miss(trait, f"it couldn’t be read from the investigation. {message}", error)
            return None

    def run_shared_investigation(self, traits: Sequence[AgenticRubricTrait], trace_file: TraceFile | None) -> Findings:
        """Investigate all of these traits together, within the highest limits of any. The log is kept."""
        return self._investigate(traits, trace_file, shared=True)

    def _run_investigation(self, trait: AgenticRubricTrait, trace_file: TraceFile | None) -> str:
        """Trace with the report. Raises `NoReport`, and errors that are not a port's."""
        if self.task.hides_all_from(trait):
            raise NoReport("it needs a workspace, but there is none.", None)
        findings = self._investigate([trait], trace_file)
        if findings.problem is not None:
            broke = findings.error is not None
            why = findings.problem + ("" if broke or not findings.limit else f" {_MORE}")
            raise NoReport(why, findings.category, None if broke else findings.trace) from findings.error
        return findings.trace or ""

    def _investigate(
        self, traits: Sequence[AgenticRubricTrait], trace_file: TraceFile | None, shared: bool = False
    ) -> Findings:
        """Investigate with all material that any of the traits may see, within the highest limits of any."""
        showing = [trait for trait in traits if trait.context_mode != "workspace_only"]
        file = trace_file if any(trait.materialize_trace for trait in showing) else None
        workspace = self._workspace_for(traits)
        folder = workspace
        file_name: str | None = None
        if file is not None:
            folder = folder or file.path.parent
            file_name = file.seen_from(folder)
        messages = agent_messages(
            self._prompt_context,
            traits,
            # In the file instead of the prompt, which it might exceed.
            trace=self.task.trace if showing and file is None else None,
            trace_file=file_name,
            workspace=workspace is not None,
            shared=shared,
        )
        assignment = InvestigationSpec(
            "agentic_rubric_investigation",
            messages,
            max_turns=max(trait.max_turns for trait in traits),
            seconds=max(trait.timeout_seconds for trait in traits),
        )
        if folder is None:
            findings = investigate(self._judge, assignment)
        else:
            with self.task.view(folder) as view:
                findings = investigate(self._judge, replace(assignment, folder=view.folder, tools=view.tools))
        # Before the scores are read, so that a failed extraction keeps the log.
        self.investigations.append(findings.record(self.model.id, "traits", [trait.name for trait in traits]))
        return findings

    def _extract(self, trait: AgenticRubricTrait, trace: str) -> Score | None:
        form, name = scalar_form(trait), _FORMS[str(trait.kind)][1]
        value = self._ask(extraction_messages(self._prompt_context, trait, trace), form).get(name)
        if value is None:
            self.scores.miss([trait.name], "the investigation gave no value.")
            return None
        parsed = reading(trait, value)
        if parsed.problem is not None:
            self.scores.problems.append(parsed.problem)
        return self._resolve_literal_index(trait, str(value)) if trait.kind == "literal" else parsed.score

    @staticmethod
    def _resolve_literal_index(trait: AgenticRubricTrait, classification: str) -> int:
        """Index of a class of the trait; -1: unknown class."""
        return int(reading(trait, classification).score or 0)

    def _extract_template(self, trait: AgenticRubricTrait, trace: str) -> dict[str, Any] | None:
        form = FieldForm.of(trait)
        values = self._ask(form_extraction_messages(self._prompt_context, trait, trace, form.descriptions), form.reply)
        return form.read(values, self.scores) or None

    def _workspace_for(self, traits: Sequence[AgenticRubricTrait]) -> Path | None:
        return self.task.workspace if any(trait.context_mode != "trace_only" for trait in traits) else None

    def _ask(self, messages: tuple[Message, ...], form: ParseTarget) -> dict[str, Any]:
        return self._judge.ask(_EXTRACTION, messages, form)

    @property
    def _prompt_context(self) -> PromptContext:
        return PromptContext(self.task.question, self.model.system_prompt, self.task.instructions)

    def _miss(self, trait: AgenticRubricTrait, why: str, error: Exception) -> None:
        self.scores.miss([trait.name], why, _category(error))


_MORE = "Increase the trait’s turns or time limit, or choose another judge."


def _category(error: Exception) -> FailureCategory | None:
    if isinstance(error, NoReport):
        return error.category
    return category_of(error) if isinstance(error, PortError | InputError) else "unexpected_error"


def scalar_form(trait: AgenticRubricTrait) -> ReplyForm:
    """Response schema for the value of a trait of a scalar kind."""
    title, name = _FORMS[str(trait.kind)]
    low, high = sorted((trait.min_score, trait.max_score))
    kinds: dict[str, dict[str, Any]] = {
        "boolean": {"type": "boolean", "description": trait.name},
        "score": {"type": "integer", "description": f"{trait.name}, from {low} to {high}"},
        "literal": {"type": "string", "enum": list(trait.classes or ()), "description": trait.name},
    }
    return ReplyForm(title, {name: nullable(kinds[str(trait.kind)])})
