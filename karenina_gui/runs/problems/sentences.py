"""Sentences of a run's problems, for review: one row for each case.

Placeholders are the fields of the case:

- `{models}`: a list in words, `a, b, and c`; a number with separators; a text as it is; a fault as its own sentence
- `{models:quoted}`, `{models:plain}`: `“a” and “b”`; `a, b`
- `{questions:# question}`: the number with its noun, `1 question`, `1,200 questions`
- `{models:has|have}`: the form for one and for several
- `{first:shortened}`: at most `SHOWN` characters on one line
"""

from __future__ import annotations

from string import Formatter
from typing import Any

from karenina_gui.runs.problems import cases
from karenina_gui.runs.problems.cases import Problem
from karenina_gui.text import join_list, quantity, quote_list, verb

SHOWN = 80
"""Maximum number of characters of a quoted question."""

UNSANDBOXED_CLAUDE_CODE = (
    "Claude Code then uses its own tools unsandboxed: they can read, change, and delete anything that you can."
)
_FIRST = " {questions:Question|First}: “{first:shortened}”."

SENTENCES: dict[type[Problem], str] = {
    # Settings and conditions
    cases.InvalidSetting: "{title}: {message}",
    cases.InvalidCondition: "Condition “{condition}”: {message}",
    cases.InvalidUnnamedCondition: "Condition {number}: {message}",
    cases.ConditionNamesAlike: "The conditions “{first}” and “{second}” differ only in capitals. Rename one.",
    cases.UnchangeableModel: (
        "{model} has recorded answers, which conditions can’t change. Remove it, or run it without conditions."
    ),
    cases.UnusableConditionTools: (
        "{model}: its interface can’t use tools. Select another answering model, or a condition without MCP servers "
        "and tools."
    ),
    cases.RequiredToolMissing: (
        "The condition “{condition}” requires an MCP tool call, but {models} {models:has|have} no MCP server in it. "
        "Add a server, or turn off that rule."
    ),
    cases.IgnoredConditionSettings: (
        "{model} ignores {titles:quoted} of the condition “{condition}”: its interface can’t set it."
    ),
    cases.IdenticalConditions: (
        "“{first}” and “{second}” send the same requests to {models}, so results will only differ at random. Change "
        "the system prompt, tools, or settings of one of them."
    ),
    cases.UnusedSettings: "{message}",
    # Questions
    cases.NoQuestions: "This benchmark has no questions yet. Add one first.",
    cases.NothingSelected: "Select keywords or questions to run.",
    cases.NothingFinished: "Only finished questions run. Mark one as finished first.",
    cases.NoTemplates: "Finished questions have no answer template. Add one first.",
    cases.InvalidTemplates: "The templates of all finished questions have errors. Fix one first.",
    cases.MissingQuestions: "The selected questions no longer exist. Select others.",
    cases.NothingRunnable: "No questions can run. Mark a question with an answer template as finished first.",
    cases.InvalidRubric: "The rubric of the question “{question}” is invalid: {message}",
    # Models
    cases.NoAnsweringModel: "Select at least one answering model.",
    cases.NoJudge: "Select a judge: {templates:# template} {templates:needs|need} one.",
    cases.NoJudgeForRefusals: "Select a judge: the refusal check needs one.",
    cases.DeletedModel: "“{model}” is no longer on the Models page (deleted or renamed), so the run won’t use it.",
    cases.FaultyModel: "{model}: {fault}",
    cases.NoRecording: "no recording. Enter the path of one under Recording on the Models page.",
    cases.NoRecordedAnswers: "no recorded answers. Import them on the Models page.",
    cases.NoKey: (
        "no API key. Enter {variable} on the API keys page, or set the environment variable and restart the "
        "application."
    ),
    cases.Unavailable: "{message}",
    cases.UnusableTools: (
        "its interface can’t use tools ({tools:plain}). Select another answering model, or remove its tools on the "
        "Models page."
    ),
    cases.RecordedJudge: "recorded answers only, so it can’t judge. Select another judge.",
    # Recordings and judges
    cases.MissingRecording: (
        "{model} replays a recording that lacks {missing} of {asked:# answer}: those jobs will end in errors. The "
        "questions, prompts, or number of replicates differ from the recording."
    ),
    cases.UnrecordedTemplates: (
        "{judges} {judges:has|have} no recorded judgments for {questions:# template} as {questions:it is|they are} "
        "now: jobs of {questions:this question|these questions} will end in errors. Undo edits of the fields, or "
        f"select another judge.{_FIRST}"
    ),
    cases.UnrecordedChecks: (
        "{judges} {judges:has|have} no recorded replies for {checks}: jobs will skip {checks:it|them} or end in "
        "errors. Turn {checks:it|them} off in the options, or select a judge without a recording."
    ),
    cases.ReplayedJudges: (
        "{judges} {judges:replays|replay} recorded judgments, so jobs with new answers from {models} end in errors. "
        "Select a judge without a recording."
    ),
    cases.RepeatedReplays: (
        "{judges} {judges:replays|replay} recorded judgments: jobs with more judgments than recorded end in errors. "
        "Select a judge without a recording, or set 1 judgment."
    ),
    cases.UnscoredTraits: (
        "Some traits need a judge, and none is selected: they get no score. Select a judge to rate them."
    ),
    cases.NoSearchKey: (
        "The hallucination check needs an API key for web search. Enter {variable} on the API keys page."
    ),
    cases.NoEmbeddingModel: (
        "The embedding check will be skipped: its model isn’t installed. Install it with: {command}"
    ),
    # Agents
    cases.NoRootForJudging: "Agentic judging needs a workspace root. Set it in Benchmark details.",
    cases.NoRootForAgents: "Agents need a workspace root. Set it in Benchmark details.",
    cases.MissingRoot: (
        "The workspace root {root} doesn’t exist. Restore the folder, or set another root in Benchmark details."
    ),
    cases.AgenticJudgingUnavailable: (
        "{judges} can’t be used as an agent, so agentic judging isn’t possible. Select another judge."
    ),
    cases.MissingFolders: "Jobs of {questions:# question} will end in errors: workspace folder missing.",
    cases.TraitModelWithoutAgent: (
        "The trait “{trait}” gets no score: its own model {model} can’t be used as an agent."
    ),
    cases.UnreachableTraitModel: (
        "The trait “{trait}” gets no score: its own model {model} can’t be reached: {message}"
    ),
    cases.TraitModelWithoutKey: (
        "The trait “{trait}” gets no score: its own model {model} has no API key. Enter {variable} on the API keys "
        "page."
    ),
    cases.InvalidTraitModel: (
        "The trait “{trait}” gets no score: its own model has an invalid setting ({message}). Select another model in "
        "the rubric."
    ),
    cases.AgentTraitsUnavailable: (
        "{judge} can’t be used as an agent, so it can’t score agent traits. Select another judge."
    ),
    cases.UnsandboxedCommands: (
        "{agents} may run unsandboxed commands: they can read, change, and delete anything that you can."
    ),
    cases.BlockedCommands: (
        "All commands of {models} will be blocked. {message} Remove the tool on the Models page, or allow unsandboxed "
        "commands under Workspace limits."
    ),
    cases.UnsandboxedOwnTools: f"{{models}}: {UNSANDBOXED_CLAUDE_CODE}",
    cases.BlockedOwnTools: (
        "{models}: Claude Code’s own tools stay off, because this computer can’t sandbox them. Remove them on the "
        "Models page, or allow unsandboxed commands under Workspace limits."
    ),
    cases.UnsetVariables: (
        "{model}: its MCP servers need {variables}. Enter {variables:it|them} on the API keys page, or set "
        "{variables:the environment variable|the environment variables}."
    ),
    cases.UnagreedReach: ("{user} would {access}. Continue only if you trust where it came from; you are asked once."),
    # Files that matter to a run but are not read
    cases.UnseenWorkspaces: (
        "{questions:# question} with a workspace, but no model in this run can see files. Give an answering model "
        f"workspace tools on the Models page.{_FIRST}"
    ),
    cases.FilesUnreadByJudge: (
        "{questions:# question} about files that the agent leaves, but the judge sees only the answer. Turn on "
        f"“Agentic judging”, or have the template ask about the answer.{_FIRST}"
    ),
    cases.FilesUnreadByAgent: (
        "{questions:# question} about files that the agent leaves, but the judging agent sees only the trace. Include "
        f"files under “Agentic judging”, or have the template ask about the answer.{_FIRST}"
    ),
    cases.UnchangedFiles: (
        "{models} can’t change files, and the judging agent sees only the files. Give {models:this model|these models} "
        "workspace tools on the Models page, or include the trace."
    ),
}


def sentence(problem: Problem) -> str:
    """Render a problem. Those of a model (`ModelFault`) begin in lowercase, because the model is named before them."""
    words = dict(vars(problem))
    if isinstance(problem, cases.UnsandboxedCommands):
        words["agents"] = (*problem.models, *(f"the trait “{name}”" for name in problem.traits))
    return _WORDS.vformat(SENTENCES[type(problem)], (), words)


class _Words(Formatter):
    """Placeholders as described above."""

    def format_field(self, value: Any, format_spec: str) -> str:
        number = value if isinstance(value, int) else len(value) if isinstance(value, tuple) else 1
        if "|" in format_spec:
            return verb(number, *format_spec.split("|"))
        if format_spec.startswith("# "):
            return quantity(number, format_spec.removeprefix("# "))
        return _FORMS[format_spec](value)


def _in_words(value: Any) -> str:
    if isinstance(value, Problem):
        return sentence(value)
    if isinstance(value, tuple):
        return join_list(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _shorten(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= SHOWN else f"{words[: SHOWN - 1].rstrip(' ,;:')}…"


_FORMS = {
    "": _in_words,
    "plain": ", ".join,
    "quoted": quote_list,
    "shortened": _shorten,
}
_WORDS = _Words()
