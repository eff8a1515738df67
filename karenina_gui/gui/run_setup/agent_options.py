"""Option groups about agents: agentic judging, workspaces, and limits."""

from __future__ import annotations

from karenina_gui.gui.run_setup.option import Group, Option, SettingContext

NOTHING_READ = "This run only rates traits, so no answer is checked against a template."
_NO_AGENT = (
    "This run uses no agents. To use one, give a model workspace tools (Models page), turn on agentic judging, or add "
    "an agent trait."
)


def reads(situation: SettingContext) -> bool:
    return situation.reads


def investigates(situation: SettingContext) -> bool:
    return situation.investigates


def _trace_in_file(situation: SettingContext) -> bool:
    seen = situation.choice.value("agentic_judge_context") != "workspace_only"
    return situation.investigates and seen


def _keeps_trace(situation: SettingContext) -> bool:
    return _trace_in_file(situation) and bool(situation.choice.value("agentic_parsing_materialize_trace"))


def _rates_by_agents(situation: SettingContext) -> bool:
    return situation.rates_by_agents


def _in_workspaces(situation: SettingContext) -> bool:
    return situation.in_workspaces


def _copies(situation: SettingContext) -> bool:
    return situation.in_workspaces and bool(situation.choice.value("workspace_copy"))


def _can_run_unconfined(situation: SettingContext) -> bool:
    return situation.runs_commands and not situation.confined


JUDGING_AGENTS = Group("agents", "Agentic judging", (
    "For tasks with files: an agent investigates the answer and the files it left.",
), "Off", (
    Option(
        "agentic_parsing", "Investigate before filling fields",
        "The judge investigates with tools, then fills the fields from its report. Replaces deep judgment for "
        "templates. Needs a workspace root.",
        "Investigates", is_relevant=reads,
    ),
    Option("agentic_judge_context", "Agent context", "", "Sees: {}", choices={
        "workspace_only": ("Files only", "The agent must check everything itself. The strictest choice."),
        "trace_and_workspace": ("Trace and files", "The agent reads what the model did, and checks it."),
        "trace_only": ("Trace only", "For tasks without files."),
    }, is_relevant=investigates),
    Option(
        "agentic_parsing_max_turns", "Agent turn limit", "Without a report by then, the job ends in an error.",
        noun="turn", always_shown=True, is_relevant=investigates,
    ),
    Option(
        "agentic_parsing_timeout", "Agent time limit", "For the whole investigation.", "{} s",
        unit="s", always_shown=True, is_relevant=investigates,
    ),
    Option(
        "agentic_parsing_materialize_trace", "Provide trace as file",
        "For long traces: the agent searches the file, and the prompt stays short.", "Trace as file",
        is_relevant=_trace_in_file,
    ),
    Option(
        "agentic_parsing_persist_trace", "Keep trace file",
        "Only useful if working copies aren’t removed.", "Keeps trace file", is_relevant=_keeps_trace,
    ),
    Option("agentic_rubric_strategy", "Agent traits", "", "Agent traits: {}", choices={
        "individual": ("One by one", "One investigation per trait: costs more, but traits don’t influence each other."),
        "shared": ("Together", "One investigation for all, except traits that name their own model."),
    }, is_relevant=_rates_by_agents),
), lambda situation: situation.reads or situation.rates_by_agents, NOTHING_READ)  # fmt: skip

WORKSPACES = Group("workspaces", "Agent workspaces", (), "Working copies, removed after the job", (
    Option(
        "workspace_copy", "Use working copies", "A fresh copy of the workspace for every job.", "No working copies",
        is_relevant=_in_workspaces,
    ),
    Option(
        "workspace_cleanup", "Remove working copies",
        "After the job; results still show what an agent changed. Otherwise copies stay next to the workspaces.",
        "Keeps working copies", is_relevant=_copies,
    ),
), _in_workspaces, _NO_AGENT)  # fmt: skip

LIMITS = Group("limits", "Workspace limits", (
    "Per job. Anything over a limit is blocked or cut off, and the agent is informed.",
), "Default", (
    Option(
        "workspace_limits.command_seconds", "Command timeout", "Longer commands are stopped.", "{} s per command",
        unit="s",
    ),
    Option("workspace_limits.memory_mb", "Memory", "Per command, with all its processes.", "{} MB of memory",
           unit="MB"),
    Option("workspace_limits.processes", "Processes", "At the same time, per command.", noun="process"),
    Option("workspace_limits.disk_mb", "Disk", "For the whole workspace, and for what is copied into it.",
           "{} MB on disk", unit="MB"),
    Option("workspace_limits.output_kb", "Output", "Per tool call; longer output is cut in the middle.",
           "{} kB of output", unit="kB"),
    Option(
        "workspace_limits.network", "Network access",
        "Includes servers on this computer. Otherwise commands have no network.", "Network access",
    ),
    Option(
        "allow_unconfined_commands", "Allow unsandboxed commands",
        "For this run only; never saved in presets.", "Unsandboxed commands", is_relevant=_can_run_unconfined,
    ),
), _in_workspaces, _NO_AGENT)  # fmt: skip
