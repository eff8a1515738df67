"""Plan of a run before it starts: jobs and calls, skipped questions, and problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from karenina_gui.analysis.forecast import Forecast
from karenina_gui.runs.agent_safety import StartedProgram, UnagreedAccess
from karenina_gui.runs.call_estimate import calls_by_purpose
from karenina_gui.runs.problems import agents, choices
from karenina_gui.runs.selection import Selection
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.benchmark_summaries import QuestionSummary
from karenina_gui.schemas.model_config import PLAYED_BACK, ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig

REFUSES = "refuses_expected"
"""Outcome of the trial of a template that no answer passes."""


@dataclass(frozen=True)
class Plan:
    """Plan of one run."""

    order: RunOrder
    selection: Selection
    questions: Mapping[str, QuestionSummary]
    """Questions of the benchmark by id; questions without an id are omitted."""
    judged: int
    """Number of selected questions whose template calls a judge, among the checked templates."""
    without_id: list[QuestionSummary] = field(default_factory=list)
    """Skipped questions without text, and unedited copies."""
    obstacles: list[str] = field(default_factory=list)
    """Reasons why the run cannot start; empty: it can."""
    doubts: list[str] = field(default_factory=list)
    """Problems that the user must accept before the start."""
    lacking_keys: list[str] = field(default_factory=list)
    """Environment variables of missing keys."""
    refused: bool = False
    """True if a number is invalid: the plan then has only `obstacles`."""
    live: bool = True
    """True if any model is called."""
    unknown: list[str] = field(default_factory=list)
    """Selected questions whose template is unchecked: call `Planner.learn` and plan again."""
    in_workspaces: bool = False
    """True if any agent has access to a workspace."""
    root: Path | None = None
    """Workspace root on this computer, or None."""
    lacking_root: bool = False
    """True if the run needs a workspace root."""
    without_folder: list[str] = field(default_factory=list)
    """Selected questions without their workspace folder: their jobs end in errors."""
    programs: list[StartedProgram] = field(default_factory=list)
    """Programs that the run starts on this computer, unconfined."""
    forecast: Forecast | None = None
    """Forecast of tokens, cost, and time; None: no job would run, or it is unknown yet."""
    unagreed: list[UnagreedAccess] = field(default_factory=list)
    """Servers and programs to which the user has not agreed yet."""

    @property
    def config(self) -> VerificationConfig:
        return self.order.config

    @property
    def ready(self) -> bool:
        """True if the run can start, even if calls of judges are not counted yet."""
        checked = all(self.questions[question].template_valid for question in self.unknown)
        return not self.obstacles and (not self.unknown or (checked and bool(self.config.parsing_models)))

    @property
    def answers(self) -> int:
        """Number of answers: questions × models × conditions × replicates."""
        configurations = len(self.config.answering_models) * max(1, len(self.config.conditions))
        return len(self.selection.chosen) * configurations * self.config.replicate_count

    @property
    def lacks_all(self) -> bool:
        """True if no question runs, for one reason, which is an obstacle."""
        return not self.selection.chosen and len(self.selection.reasons) == 1

    @property
    def hopeless(self) -> list[str]:
        """Ids of the selected questions whose template rejects its own expected values."""
        if self.config.evaluation_mode == "rubric_only":
            return []
        return [key for key in self.selection.chosen if (row := self.questions.get(key)) and row.mutation == REFUSES]

    @property
    def jobs(self) -> int:
        """Number of jobs: one per answer, judge, and judgment."""
        judges = len(self.config.parsing_models)
        return self.answers * (judges * self.config.judge_replicates if judges else 1)

    @property
    def calls_by_purpose(self) -> dict[str, int]:
        """Maximum number of judge replies by purpose."""
        chosen = len(self.selection.chosen)
        if not self.config.parsing_models or not chosen:
            return {}
        of_each = calls_by_purpose(self.config, answers=chosen, read=self.judged, traits=self.selection.trait_calls)
        return {purpose: number * self.jobs // chosen for purpose, number in of_each.items()}

    @property
    def judge_calls(self) -> int:
        """Maximum number of judge replies."""
        return sum(self.calls_by_purpose.values())

    @property
    def investigations(self) -> int:
        """Maximum number of agent investigations: for templates that call a judge, and for traits."""
        if not self.config.parsing_models or not self.selection.chosen:
            return 0
        of_each = self.selection.investigations + self.judged * agents.investigates(self.config)
        return of_each * self.jobs // len(self.selection.chosen)

    @property
    def needs_judge(self) -> bool:
        return choices.needs_judge(self.config, self.judged)


def left_out(selection: Selection) -> Mapping[str, list[str]]:
    """Ids of skipped questions by reason."""
    reasons: dict[str, list[str]] = {}
    for question_id, reason in selection.left_out:
        reasons.setdefault(reason, []).append(question_id)
    return reasons


def live_judges(config: VerificationConfig) -> list[ModelConfig]:
    """Judges that are called, with their effective settings."""
    judges = (judge for judge in config.parsing_models if judge.interface not in PLAYED_BACK)
    return [config.judge_with_temperature(judge) for judge in judges]


def is_live(config: VerificationConfig) -> bool:
    """Check if any model is called."""
    return any(model.interface not in PLAYED_BACK for model in (*config.answering_models, *config.parsing_models))
