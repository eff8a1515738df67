"""The groups of a run's options that are about agents: those that judge, where agents work, and how far they may go."""

from __future__ import annotations

from karenina_gui.gui.runs.option import Group, Option, Situation

NOTHING_READ = "Only traits are rated in this run: no answer is read into a template."
_NO_AGENT = (
    "No agent works in this run. One does where a model has tools of the workspace (on the Models page), where an "
    "agent judges (above) and where a trait is investigated."
)


def reads(situation: Situation) -> bool:
    return situation.reads


def investigates(situation: Situation) -> bool:
    return situation.investigates


def _trace_in_file(situation: Situation) -> bool:
    seen = situation.choice.value("agentic_judge_context") != "workspace_only"
    return situation.investigates and seen


def _keeps_trace(situation: Situation) -> bool:
    return _trace_in_file(situation) and bool(situation.choice.value("agentic_parsing_materialize_trace"))


def _rates_by_agents(situation: Situation) -> bool:
    return situation.rates_by_agents


def _in_workspaces(situation: Situation) -> bool:
    return situation.in_workspaces


def _copies(situation: Situation) -> bool:
    return situation.in_workspaces and bool(situation.choice.value("workspace_copy"))


def _unconfined(situation: Situation) -> bool:
    return situation.runs_commands and not situation.confined


JUDGING_AGENTS = Group("agents", "Agents that judge", (
    "For tasks with files: an agent finds out for itself what an answer, and the files it left, amount to.",
), "none", (
    Option(
        "agentic_parsing", "A judging agent looks into the workspace before the fields are read",
        "The judge investigates with tools, and the fields are filled from its report. It takes the place of the "
        "evidence (deep judgment) of templates. It needs a root for workspaces.",
        "before the fields are read", matters=reads,
    ),
    Option("agentic_judge_context", "What the agent sees", "", "sees {}", choices={
        "workspace_only": ("Only the files", "It finds everything out by itself; the strictest."),
        "trace_and_workspace": ("The conversation and the files", "It reads what the model did, and checks it."),
        "trace_only": ("Only the conversation", "No files: for tasks whose answer says all there is."),
    }, matters=investigates),
    Option(
        "agentic_parsing_max_turns", "Turns of the agent", "At most; no report by then makes the job an error.",
        noun="turn", told=True, matters=investigates,
    ),
    Option(
        "agentic_parsing_timeout", "Time of the agent", "For its whole investigation.", "{} s", unit="seconds",
        told=True, matters=investigates,
    ),
    Option(
        "agentic_parsing_materialize_trace", "Give it the conversation as a file to search",
        "Not in its prompt: for long conversations.", "conversation as a file", matters=_trace_in_file,
    ),
    Option(
        "agentic_parsing_persist_trace", "Keep that file in the workspace afterwards",
        "Only of use where working copies are kept.", "file is kept", matters=_keeps_trace,
    ),
    Option("agentic_rubric_strategy", "Traits that an agent investigates", "", "traits {}", choices={
        "individual": ("One by one", "An investigation for each trait: it costs more, and none colors another."),
        "shared": ("Together", "One investigation for all; where traits have models of their own, one by one."),
    }, matters=_rates_by_agents),
), lambda situation: situation.reads or situation.rates_by_agents, NOTHING_READ)  # fmt: skip

WORKSPACES = Group("workspaces", "Workspaces of agents", (), "in copies, removed afterwards", (
    Option(
        "workspace_copy", "Work in a copy of the workspace", "A fresh one for every job.", "without copies",
        matters=_in_workspaces,
    ),
    Option(
        "workspace_cleanup", "Remove copies after the job",
        "Results show what an agent changed all the same. Otherwise the copies stay beside the workspaces.",
        "copies are kept", matters=_copies,
    ),
), _in_workspaces, _NO_AGENT)  # fmt: skip

LIMITS = Group("limits", "Limits in workspaces", (
    "For each job. What is over a limit is refused or cut off, and the agent is told.",
), "as usual", (
    Option(
        "workspace_limits.command_seconds", "Time of a command", "Then it is ended.", "{} s a command",
        unit="seconds",
    ),
    Option("workspace_limits.memory_mb", "Memory", "Of a command with all its processes.", "{} MB of memory",
           unit="MB"),
    Option("workspace_limits.processes", "Processes", "At the same time within one command.",
           "{} processes"),
    Option("workspace_limits.disk_mb", "Disk", "Of the whole workspace, and of what is copied into it.",
           "{} MB on disk", unit="MB"),
    Option("workspace_limits.output_kb", "Output", "Of one call of a tool; of more, the beginning and the end.",
           "{} kB of output", unit="kB"),
    Option(
        "workspace_limits.network", "Commands reach the network",
        "Also servers of this computer. Otherwise they reach nothing.", "network",
    ),
    Option(
        "allow_unconfined_commands", "Let agents run commands although nothing confines them",
        "For this run only; no preset brings it along.", "unconfined commands", matters=_unconfined,
    ),
), _in_workspaces, _NO_AGENT)  # fmt: skip
