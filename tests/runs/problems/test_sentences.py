"""Every problem of a run has one sentence, which names what is wrong and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.gui.run_setup.agent_options import JUDGING_AGENTS
from karenina_gui.runs.problems import cases
from karenina_gui.runs.problems.cases import Doubt, ModelFault, Obstacle, Problem
from karenina_gui.runs.problems.sentences import SENTENCES, sentence

TOLD: list[tuple[Problem, str]] = [
    (
        cases.InvalidSetting("Replicates", "A whole number from 1 to 100."),
        "Replicates: A whole number from 1 to 100.",
    ),
    (cases.InvalidCondition("hot", "Use at most 100 characters."), "Condition “hot”: Use at most 100 characters."),
    (cases.InvalidUnnamedCondition(3, "Enter a name."), "Condition 3: Enter a name."),
    (
        cases.ConditionNamesAlike("baseline", "Baseline"),
        "The conditions “baseline” and “Baseline” differ only in capitals. Rename one.",
    ),
    (
        cases.UnchangeableModel("old"),
        "old has recorded answers, which conditions can’t change. Remove it, or run it without conditions.",
    ),
    (
        cases.UnusableConditionTools("ada under “tools”"),
        (
            "ada under “tools”: its interface can’t use tools. Select another answering model, or a condition without "
            "MCP servers and tools."
        ),
    ),
    (
        cases.RequiredToolMissing("strict", ("ada",)),
        (
            "The condition “strict” requires an MCP tool call, but ada has no MCP server in it. Add a server, or turn "
            "off that rule."
        ),
    ),
    (
        cases.RequiredToolMissing("strict", ("ada", "bob", "cy")),
        (
            "The condition “strict” requires an MCP tool call, but ada, bob, and cy have no MCP server in it. Add a "
            "server, or turn off that rule."
        ),
    ),
    (
        cases.IgnoredConditionSettings("claude", ("Temperature", "Max output tokens"), "hot"),
        "claude ignores “Temperature” and “Max output tokens” of the condition “hot”: its interface can’t set it.",
    ),
    (
        cases.IdenticalConditions("plain", "told", ("ada", "bob")),
        (
            "“plain” and “told” send the same requests to ada and bob, so results will only differ at random. Change "
            "the system prompt, tools, or settings of one of them."
        ),
    ),
    (cases.UnusedSettings("The run: this version ignores a."), "The run: this version ignores a."),
    (cases.NoQuestions(), "This benchmark has no questions yet. Add one first."),
    (cases.NothingSelected(), "Select keywords or questions to run."),
    (cases.NothingFinished(), "Only finished questions run. Mark one as finished first."),
    (cases.NoTemplates(), "Finished questions have no answer template. Add one first."),
    (cases.InvalidTemplates(), "The templates of all finished questions have errors. Fix one first."),
    (cases.MissingQuestions(), "The selected questions no longer exist. Select others."),
    (
        cases.NothingRunnable(),
        "No questions can run. Mark a question with an answer template as finished first.",
    ),
    (
        cases.InvalidRubric("Why?", "the pattern {x} is missing"),
        "The rubric of the question “Why?” is invalid: the pattern {x} is missing",
    ),
    (cases.NoAnsweringModel(), "Select at least one answering model."),
    (cases.NoJudge(1), "Select a judge: 1 template needs one."),
    (cases.NoJudge(1200), "Select a judge: 1,200 templates need one."),
    (cases.NoJudgeForRefusals(), "Select a judge: the refusal check needs one."),
    (
        cases.DeletedModel("gone"),
        "“gone” is no longer on the Models page (deleted or renamed), so the run won’t use it.",
    ),
    (
        cases.FaultyModel("new", cases.NoRecording()),
        "new: no recording. Enter the path of one under Recording on the Models page.",
    ),
    (cases.NoRecording(), "no recording. Enter the path of one under Recording on the Models page."),
    (cases.NoRecordedAnswers(), "no recorded answers. Import them on the Models page."),
    (
        cases.NoKey("OPENAI_API_KEY"),
        (
            "no API key. Enter OPENAI_API_KEY on the API keys page, or set the environment variable and restart the "
            "application."
        ),
    ),
    (cases.Unavailable("The package isn’t installed."), "The package isn’t installed."),
    (
        cases.UnusableTools(("papers", "read_file")),
        (
            "its interface can’t use tools (papers, read_file). Select another answering model, or remove its tools on "
            "the Models page."
        ),
    ),
    (cases.RecordedJudge(), "recorded answers only, so it can’t judge. Select another judge."),
    (
        cases.MissingRecording("careful", missing=1200, asked=4800),
        (
            "careful replays a recording that lacks 1,200 of 4,800 answers: those jobs will end in errors. The "
            "questions, prompts, or number of replicates differ from the recording."
        ),
    ),
    (
        cases.UnrecordedChecks(("judge",), ("sufficiency check", "quotes")),
        (
            "judge has no recorded replies for sufficiency check and quotes: jobs will skip them or end in errors. "
            "Turn them off in the options, or select a judge without a recording."
        ),
    ),
    (
        cases.UnrecordedTemplates(("judge", "other"), questions=1, first="What is the dose?"),
        (
            "judge and other have no recorded judgments for 1 template as it is now: jobs of this question will end in "
            "errors. Undo edits of the fields, or select another judge. Question: “What is the dose?”."
        ),
    ),
    (
        cases.ReplayedJudges(("judge",), models=("ada",)),
        (
            "judge replays recorded judgments, so jobs with new answers from ada end in errors. Select a judge "
            "without a recording."
        ),
    ),
    (
        cases.RepeatedReplays(("judge", "other")),
        (
            "judge and other replay recorded judgments: jobs with more judgments than recorded end in errors. Select a "
            "judge without a recording, or set 1 judgment."
        ),
    ),
    (
        cases.UnscoredTraits(),
        "Some traits need a judge, and none is selected: they get no score. Select a judge to rate them.",
    ),
    (
        cases.NoSearchKey("TAVILY_API_KEY"),
        "The hallucination check needs an API key for web search. Enter TAVILY_API_KEY on the API keys page.",
    ),
    (
        cases.NoEmbeddingModel("pip install x"),
        "The embedding check will be skipped: its model isn’t installed. Install it with: pip install x",
    ),
    (cases.NoRootForJudging(), "Agentic judging needs a workspace root. Set it in Benchmark details."),
    (cases.NoRootForAgents(), "Agents need a workspace root. Set it in Benchmark details."),
    (
        cases.MissingRoot(Path("/tasks")),
        "The workspace root /tasks doesn’t exist. Restore the folder, or set another root in Benchmark details.",
    ),
    (
        cases.AgenticJudgingUnavailable(("old", "older")),
        "old and older can’t be used as an agent, so agentic judging isn’t possible. Select another judge.",
    ),
    (cases.MissingFolders(2), "Jobs of 2 questions will end in errors: workspace folder missing."),
    (
        cases.TraitModelWithoutAgent("clean", "m"),
        "The trait “clean” gets no score: its own model m can’t be used as an agent.",
    ),
    (
        cases.UnreachableTraitModel("clean", "m", "Unknown interface."),
        "The trait “clean” gets no score: its own model m can’t be reached: Unknown interface.",
    ),
    (
        cases.TraitModelWithoutKey("clean", "m", "OPENAI_API_KEY"),
        "The trait “clean” gets no score: its own model m has no API key. Enter OPENAI_API_KEY on the API keys page.",
    ),
    (
        cases.InvalidTraitModel("clean", "top_p: missing"),
        (
            "The trait “clean” gets no score: its own model has an invalid setting (top_p: missing). Select another "
            "model in the rubric."
        ),
    ),
    (
        cases.AgentTraitsUnavailable("old"),
        "old can’t be used as an agent, so it can’t score agent traits. Select another judge.",
    ),
    (
        cases.UnsandboxedCommands(("code", "plain"), traits=("clean",)),
        (
            "code, plain, and the trait “clean” may run unsandboxed commands: they can read, change, and delete "
            "anything that you can."
        ),
    ),
    (
        cases.BlockedCommands(("runner",), "Nothing confines commands here."),
        (
            "All commands of runner will be blocked. Nothing confines commands here. Remove the tool on the Models "
            "page, or allow unsandboxed commands under Workspace limits."
        ),
    ),
    (
        cases.UnsandboxedOwnTools(("code",)),
        (
            "code: Claude Code then uses its own tools unsandboxed: they can read, change, and delete anything that "
            "you can."
        ),
    ),
    (
        cases.BlockedOwnTools(("code", "own")),
        (
            "code and own: Claude Code’s own tools stay off, because this computer can’t sandbox them. Remove them on "
            "the Models page, or allow unsandboxed commands under Workspace limits."
        ),
    ),
    (
        cases.UnsetVariables("served", ("TOKEN",)),
        "served: its MCP servers need TOKEN. Enter it on the API keys page, or set the environment variable.",
    ),
    (
        cases.UnsetVariables("served", ("A", "B")),
        "served: its MCP servers need A and B. Enter them on the API keys page, or set the environment variables.",
    ),
    (
        cases.UnagreedReach("The trait “clean”", "start the program evil --now"),
        (
            "The trait “clean” would start the program evil --now. Continue only if you trust where it came from; "
            "you are asked once."
        ),
    ),
    (
        cases.UnseenWorkspaces(1, "How many\n  genes?"),
        (
            "1 question with a workspace, but no model in this run can see files. Give an answering model workspace "
            "tools on the Models page. Question: “How many genes?”."
        ),
    ),
    (
        cases.FilesUnreadByJudge(2, f"{'x' * 78} , y"),
        (
            "2 questions about files that the agent leaves, but the judge sees only the answer. Turn on “Agentic "
            f"judging”, or have the template ask about the answer. First: “{'x' * 78}…”."
        ),
    ),
    (
        cases.FilesUnreadByAgent(1, "x" * 80),
        (
            "1 question about files that the agent leaves, but the judging agent sees only the trace. Include files "
            f"under “Agentic judging”, or have the template ask about the answer. Question: “{'x' * 80}”."
        ),
    ),
    (
        cases.UnchangedFiles(("plain",)),
        (
            "plain can’t change files, and the judging agent sees only the files. Give this model workspace tools on "
            "the Models page, or include the trace."
        ),
    ),
    (
        cases.UnchangedFiles(("plain", "told")),
        (
            "plain and told can’t change files, and the judging agent sees only the files. Give these models workspace "
            "tools on the Models page, or include the trace."
        ),
    ),
]


@pytest.mark.parametrize(("problem", "expected"), TOLD, ids=lambda each: type(each).__name__)
def test_a_problem_is_told_in_one_sentence(problem: Problem, expected: str) -> None:
    assert sentence(problem) == expected


def test_each_case_has_a_sentence_and_a_severity() -> None:
    leaves = _leaves(Problem)
    assert SENTENCES.keys() == leaves == {type(problem) for problem, _ in TOLD}
    assert all(issubclass(case, (Obstacle, Doubt, ModelFault)) for case in leaves)


def test_controls_are_called_by_their_titles() -> None:
    assert f"“{JUDGING_AGENTS.title}”" in sentence(cases.FilesUnreadByJudge(1, "Why?"))


def _leaves(case: type[Problem]) -> set[type[Problem]]:
    below = case.__subclasses__()
    return set[type[Problem]]().union(*map(_leaves, below)) if below else {case}
