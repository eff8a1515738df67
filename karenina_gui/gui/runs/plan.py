"""What a run would do, before it is started: how many jobs and calls, what is left out, what stands in its way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from karenina_gui.analysis.forecast import Forecast
from karenina_gui.gui.runs import agent_problems
from karenina_gui.runs.agents import ForeignHost, StartedProgram
from karenina_gui.runs.judge_calls import calls_by_purpose
from karenina_gui.runs.selection import Selection
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.config import PLAYED_BACK, ModelConfig, VerificationConfig
from karenina_gui.schemas.summaries import QuestionSummary


@dataclass(frozen=True)
class Plan:
    """One run, seen beforehand."""

    order: RunOrder
    selection: Selection
    questions: Mapping[str, QuestionSummary]
    """All questions of the benchmark that have an id, by it."""
    judged: int
    """Chosen questions whose template asks a judge, as far as their templates were looked at."""
    without_id: list[QuestionSummary] = field(default_factory=list)
    """Questions that are left out because they have no text, or are copies that nobody has edited."""
    obstacles: list[str] = field(default_factory=list)
    """Why it cannot start, one sentence each; empty: it can."""
    doubts: list[str] = field(default_factory=list)
    """Why it would hardly bring what is wanted: a person has to agree before it starts."""
    lacking_keys: list[str] = field(default_factory=list)
    """Variables of keys that somebody has to enter first."""
    refused: bool = False
    """Nothing was planned: a number has to be put right first, see `obstacles`."""
    live: bool = True
    """Whether any model is really called."""
    unknown: list[str] = field(default_factory=list)
    """Chosen questions whose template was not looked at yet: give them to `Planner.learn` and plan again."""
    in_workspaces: bool = False
    """Whether any agent gets to see a workspace."""
    root: Path | None = None
    """Of the benchmark's workspaces on this computer; None: it is not set."""
    lacking_root: bool = False
    """Whether the run cannot start before a root is set."""
    without_folder: list[str] = field(default_factory=list)
    """Chosen questions whose workspace is not there: their jobs end in an error."""
    programs: list[StartedProgram] = field(default_factory=list)
    """What it starts on this computer, unconfined."""
    forecast: Forecast | None = None
    """Tokens, cost and time; None: nothing would run, or nothing is known yet."""
    hosts: list[ForeignHost] = field(default_factory=list)
    """Addresses that traits bring along, and that are asked with the user's keys."""

    @property
    def config(self) -> VerificationConfig:
        return self.order.config

    @property
    def ready(self) -> bool:
        """Whether it can be started; what judges will have to do need not be counted yet when there is one."""
        checked = all(self.questions[each].template_valid for each in self.unknown)
        return not self.obstacles and (not self.unknown or (checked and bool(self.config.parsing_models)))

    @property
    def answers(self) -> int:
        """Answers to get: questions × models × conditions × replicates."""
        asked = len(self.config.answering_models) * max(1, len(self.config.conditions))
        return len(self.selection.chosen) * asked * self.config.replicate_count

    @property
    def jobs(self) -> int:
        """Every answer is one job for each judge and each time that it judges."""
        judges = len(self.config.parsing_models)
        return self.answers * (judges * self.config.judge_replicates if judges else 1)

    @property
    def calls_by_purpose(self) -> dict[str, int]:
        """Replies that judges give at most, by what they are for."""
        chosen = len(self.selection.chosen)
        if not self.config.parsing_models or not chosen:
            return {}
        of_each = calls_by_purpose(self.config, answers=chosen, read=self.judged, traits=self.selection.trait_calls)
        return {purpose: number * self.jobs // chosen for purpose, number in of_each.items()}

    @property
    def judge_calls(self) -> int:
        """Replies that judges give at most."""
        return sum(self.calls_by_purpose.values())

    @property
    def investigations(self) -> int:
        """How often agents look into answers, at most: for templates that ask a judge, and for traits."""
        if not self.config.parsing_models or not self.selection.chosen:
            return 0
        of_each = self.selection.investigations + self.judged * agent_problems.investigates(self.config)
        return of_each * self.jobs // len(self.selection.chosen)

    @property
    def agreed(self) -> RunOrder:
        """The order once a person has agreed to what traits of the benchmark bring along, where they do."""
        if not (self.hosts or any(program.from_trait for program in self.programs)):
            return self.order
        return replace(self.order, config=self.config.model_copy(update={"allow_programs": True}))

    @property
    def needs_judge(self) -> bool:
        config = self.config
        return config.abstention_enabled or (self.judged > 0 and config.evaluation_mode != "rubric_only")


def left_out(selection: Selection) -> Mapping[str, list[str]]:
    """Ids of the questions that will not run, by reason."""
    reasons: dict[str, list[str]] = {}
    for question_id, reason in selection.left_out:
        reasons.setdefault(reason, []).append(question_id)
    return reasons


def live_judges(config: VerificationConfig) -> list[ModelConfig]:
    """Those that are really asked, as the run asks them."""
    judges = (judge for judge in config.parsing_models if judge.interface not in PLAYED_BACK)
    return [config.judge_as_asked(judge) for judge in judges]


def is_live(config: VerificationConfig) -> bool:
    """Whether any model is really called."""
    return any(model.interface not in PLAYED_BACK for model in (*config.answering_models, *config.parsing_models))
