"""Problems of a run as cases, with the numbers and names that matter; `sentences` renders them.

Messages of other rooms, such as the reason why a file cannot be read, are part of a case as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from karenina_gui.runs.problems.problem import Doubt as Doubt, Obstacle as Obstacle, Problem as Problem

# Settings and conditions


@dataclass(frozen=True)
class InvalidSetting(Obstacle):
    title: str
    message: str


@dataclass(frozen=True)
class InvalidCondition(Obstacle):
    condition: str
    message: str


@dataclass(frozen=True)
class InvalidUnnamedCondition(Obstacle):
    number: int
    """From 1."""
    message: str


@dataclass(frozen=True)
class ConditionNamesAlike(Obstacle):
    """Names that differ only in case."""

    first: str
    second: str


@dataclass(frozen=True)
class UnchangeableModel(Obstacle):
    """Recorded answers, which no condition can change."""

    model: str


@dataclass(frozen=True)
class UnusableConditionTools(Obstacle):
    model: str
    """Label with the conditions that add tools."""


@dataclass(frozen=True)
class RequiredToolMissing(Obstacle):
    """Condition that requires MCP tool calls of models without an MCP server."""

    condition: str
    models: tuple[str, ...]


@dataclass(frozen=True)
class IgnoredConditionSettings(Doubt):
    """Settings of a condition that the model's interface cannot set."""

    model: str
    titles: tuple[str, ...]
    condition: str


@dataclass(frozen=True)
class IdenticalConditions(Doubt):
    """Conditions under which models receive the same requests."""

    first: str
    second: str
    models: tuple[str, ...]


@dataclass(frozen=True)
class UnusedSettings(Doubt):
    """Settings that this version ignores, with the warning that each result has, too."""

    message: str


# Questions


class NoQuestions(Obstacle):
    """Empty benchmark."""


class NothingSelected(Obstacle):
    """No keyword or question chosen."""


class NothingFinished(Obstacle):
    """No question marked as finished."""


class NoTemplates(Obstacle):
    """Finished questions without a template."""


class InvalidTemplates(Obstacle):
    """Finished questions whose templates all have errors."""


class MissingQuestions(Obstacle):
    """Selection of questions that no longer exist."""


class NothingRunnable(Obstacle):
    """No question left at the start, after the plan was made or without one."""


@dataclass(frozen=True)
class InvalidRubric(Obstacle):
    """Traits of a question that cannot be evaluated."""

    question: str
    """Beginning of its text."""
    message: str


# Models


class NoAnsweringModel(Obstacle):
    """No model selected to answer."""


@dataclass(frozen=True)
class NoJudge(Obstacle):
    templates: int
    """Number of selected templates that need a judge."""


class NoJudgeForRefusals(Obstacle):
    """No judge for the refusal check."""


@dataclass(frozen=True)
class DeletedModel(Doubt):
    model: str


class ModelFault(Problem):
    """Known reason why a model cannot do its part. The model is named beside it."""


class NoRecording(ModelFault):
    """Model that replays, without a file."""


class NoRecordedAnswers(ModelFault):
    """Model with recorded answers, without any."""


@dataclass(frozen=True)
class NoKey(ModelFault):
    variable: str


@dataclass(frozen=True)
class Unavailable(ModelFault):
    """Missing interface, package, or setting, or an unreadable recording."""

    message: str


@dataclass(frozen=True)
class UnusableTools(ModelFault):
    """Tools of a model whose interface cannot use any."""

    tools: tuple[str, ...]


class RecordedJudge(ModelFault):
    """Recorded answers instead of a judge."""


@dataclass(frozen=True)
class FaultyModel(Obstacle):
    model: str
    fault: ModelFault


# Recordings and judges


@dataclass(frozen=True)
class MissingRecording(Doubt):
    """Answering model whose recording lacks some of its answers."""

    model: str
    missing: int
    asked: int
    """Answers that the run needs from it: questions × affected conditions × replicates."""


@dataclass(frozen=True)
class UnrecordedTemplates(Doubt):
    """Replayed judges whose recording lacks these templates; `first`: text of the first question."""

    judges: tuple[str, ...]
    questions: int
    first: str


@dataclass(frozen=True)
class UnrecordedChecks(Doubt):
    """Replayed judges whose recording has no reply for these checks; `checks`: their titles in lower case."""

    judges: tuple[str, ...]
    checks: tuple[str, ...]


@dataclass(frozen=True)
class ReplayedJudges(Doubt):
    """Replayed judges of answers that were not recorded with them; `models`: those with new answers."""

    judges: tuple[str, ...]
    models: tuple[str, ...]


@dataclass(frozen=True)
class RepeatedReplays(Doubt):
    """Replayed judges that would have to judge each answer repeatedly."""

    judges: tuple[str, ...]


class UnscoredTraits(Doubt):
    """Traits that need a judge, without one."""


@dataclass(frozen=True)
class NoSearchKey(Doubt):
    """Hallucination check without web search."""

    variable: str


@dataclass(frozen=True)
class NoEmbeddingModel(Doubt):
    """Embedding check without its packages."""

    command: str
    """Installs them."""


# Agents


class NoRootForJudging(Obstacle):
    """Agentic judging without a workspace root."""


class NoRootForAgents(Obstacle):
    """Agents with workspaces, without a workspace root."""


@dataclass(frozen=True)
class MissingRoot(Obstacle):
    """Workspace root that is no folder."""

    root: Path


@dataclass(frozen=True)
class AgenticJudgingUnavailable(Obstacle):
    """Agentic judging by models that cannot be agents."""

    judges: tuple[str, ...]


@dataclass(frozen=True)
class MissingFolders(Doubt):
    questions: int
    """Number of questions without their workspace folder."""


@dataclass(frozen=True)
class TraitModelWithoutAgent(Doubt):
    trait: str
    model: str


@dataclass(frozen=True)
class UnreachableTraitModel(Doubt):
    trait: str
    model: str
    message: str


@dataclass(frozen=True)
class TraitModelWithoutKey(Doubt):
    trait: str
    model: str
    variable: str


@dataclass(frozen=True)
class InvalidTraitModel(Doubt):
    trait: str
    message: str


@dataclass(frozen=True)
class AgentTraitsUnavailable(Doubt):
    """Agent traits for a judge that cannot be an agent."""

    judge: str


@dataclass(frozen=True)
class UnsandboxedCommands(Doubt):
    models: tuple[str, ...]
    traits: tuple[str, ...]
    """Traits whose own models may run commands."""


@dataclass(frozen=True)
class BlockedCommands(Doubt):
    models: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class UnsandboxedOwnTools(Doubt):
    """Claude Code with its own tools, outside a sandbox."""

    models: tuple[str, ...]


@dataclass(frozen=True)
class BlockedOwnTools(Doubt):
    """Claude Code without the own tools that were chosen for it."""

    models: tuple[str, ...]


@dataclass(frozen=True)
class UnsetVariables(Doubt):
    """Agent whose MCP servers need environment variables that are not set."""

    model: str
    variables: tuple[str, ...]


@dataclass(frozen=True)
class UnagreedReach(Doubt):
    """Server or program that a model reaches, and to which the user has not agreed."""

    user: str
    access: str


# Files that matter to a run but are not read


@dataclass(frozen=True)
class UnreadFiles(Doubt):
    questions: int
    first: str
    """Text of the first question."""


class UnseenWorkspaces(UnreadFiles):
    """Questions with a workspace, in a run without any agent that sees files."""


class FilesUnreadByJudge(UnreadFiles):
    """Questions about files that agents leave, in a run whose judge sees only the answer."""


class FilesUnreadByAgent(UnreadFiles):
    """Questions about files that agents leave, in a run whose judging agent sees only the trace."""


@dataclass(frozen=True)
class UnchangedFiles(Doubt):
    """Models that cannot change files, for a judging agent that sees nothing else."""

    models: tuple[str, ...]
