"""Table of the options of a run, grouped as the configuration is nested; an option is one row.

Defaults, limits, and the kind of control follow from `VerificationConfig`. Groups and options that this version does
not implement are hidden.
"""

from __future__ import annotations

from dataclasses import replace

from karenina_gui.gui.pages.run_setup.option import Group, Option, SettingContext, where
from karenina_gui.runs.aids import EMBEDDINGS, SEARCHES
from karenina_gui.runs.presets import RUN_SETTINGS

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


MODES = {
    "template_only": ("Template only", "Checks each answer against the question’s template."),
    "template_and_rubric": ("Template and rubric", "Templates decide pass or fail; rubric traits are rated as well."),
    "rubric_only": ("Rubric only", "Rates traits only: no templates, no pass or fail."),
}
REPLICATES = Option(
    "replicate_count",
    "Replicates",
    "Answers per question and configuration.",
    most=100,
    reason="With easy and hard questions evenly mixed (Miller 2024), three replicates reduce the variance of a mean by "
    "44% and of a comparison by 50%; ten reduce them by 60% and 67%.",
)
JUDGE_REPLICATES = Option(
    "judge_replicates",
    "Judgments",
    "How often each judge rates the same answer. 2 or more show how much of the variance comes from the judge.",
    noun="judgment",
    most=20,
)
FIXED_JUDGES = Option(
    "fixed_judges",
    "Fixed judge sampling",
    "Runs judges at temperature 0, with a fixed seed where the provider supports it. Remaining variation then comes "
    "mostly from the answers. Each repeated judgment gets a seed of its own.",
    "No fixed judge sampling",
)
MODE = Option("evaluation_mode", "Evaluation mode", "", choices=MODES)
WORKERS = Option(
    "async_max_workers",
    "Concurrent jobs",
    "More is faster, up to the provider’s rate limit.",
    noun="concurrent job",
    most=64,
    always_shown=True,
    is_relevant=where("async_enabled", True),
)
TIME_LIMIT = Option(
    "request_timeout",
    "Call timeout",
    "A call that takes longer is stopped and retried.",
    "{} s per call",
    unit="s",
    most=3600,
    always_shown=True,
)

_FULL = where("deep_judgment_mode", "full")
_MEANING = where("embedding_check_enabled", True)
_POOL = where("few_shot_config.source", "question_pool", "both")
_SEARCHES = {name: (name.capitalize(), "") for name in SEARCHES}


def _trait_evidence(situation: SettingContext) -> bool:
    mode = situation.choice.value("deep_judgment_rubric_mode")
    return situation.deep_traits if mode == "disabled" else mode != "off"


def _searches_quotes(situation: SettingContext) -> bool:
    return _FULL(situation) and bool(situation.choice.value("deep_judgment_search_enabled"))


def _few_shot(situation: SettingContext) -> bool:
    return bool(situation.choice.value("few_shot_config.source") != "disabled")


def _some_of_pool(situation: SettingContext) -> bool:
    return _POOL(situation) and situation.choice.value("few_shot_config.pool_mode") == "k-shot"


def _some_evidence(situation: SettingContext) -> bool:
    of_fields = situation.choice.value("deep_judgment_mode") != "disabled" and not situation.investigates
    return of_fields or _trait_evidence(situation)


def _trait_passages(situation: SettingContext) -> bool:
    for_all = situation.choice.value("deep_judgment_rubric_mode") == "enable_all"
    quotes = not for_all or bool(situation.choice.value("deep_judgment_rubric_global_excerpts"))
    return _trait_evidence(situation) and quotes


def _rates(situation: SettingContext) -> bool:
    return situation.rates


def _is_called(situation: SettingContext) -> bool:
    return situation.called


def _plainly_read(situation: SettingContext) -> bool:
    return situation.reads and not situation.investigates


def _no_evidence(situation: SettingContext) -> str:
    by_agent = "Agentic judging replaces deep judgment: the judge goes by the agent’s report."
    return by_agent if situation.investigates else NOTHING_READ


GROUPS: tuple[Group, ...] = (
    Group("checks", "Pre-checks", (), "None", (
        Option(
            "abstention_enabled", "Check for refusals",
            "One more judge call per answer. Refusals count as not answered.", "Refusal check",
        ),
        Option(
            "sufficiency_enabled", "Check for sufficient answers",
            "One more judge call per answer. Answers that say too little count as not answered.", "Sufficiency check",
            is_relevant=reads,
        ),
    )),
    Group("reading", "Field extraction", (), "Final message, with hints", (
        Option(
            "include_extraction_hints", "Include hints",
            "Each field’s hint for the judge, by the template’s author.", "No hints",
        ),
        Option(
            "use_full_trace_for_template", "Use full trace",
            "Of model and tools, without messages of a user. Otherwise the judge sees only the final message.",
            "Full trace",
        ),
    ), reads, NOTHING_READ),
    Group("evidence", "Deep judgment", (
        "Has the judge give evidence before it fills the template’s fields.",
    ), "None", (
        Option("deep_judgment_mode", "Judge evidence", "", choices={
            "disabled": ("None", "Fills the fields directly: 1 judge call per answer."),
            "reasoning_only": ("Reasoning", "First explains what the answer says about each field: 2 calls."),
            "full": (
                "Quotes and reasoning",
                ("First quotes the answer for each field, then explains: 3 or more calls. Answers without a quote for "
                "a field fail."),
            ),
        }),
        Option(
            "deep_judgment_max_excerpts_per_attribute", "Quotes per field", "Maximum.",
            noun="quote", always_shown=True, is_relevant=_FULL,
        ),
        Option(
            "deep_judgment_fuzzy_match_threshold", "Quote match threshold",
            "1 = exact quote. 0.8 = up to 20% of characters may differ.", "Match threshold {}", is_relevant=_FULL,
        ),
        Option(
            "deep_judgment_excerpt_retry_attempts", "Quote retries",
            "How often the judge is asked again for quotes that aren’t in the answer. Each retry is one more call.",
            noun="quote retry", is_relevant=_FULL,
        ),
        Option(
            "deep_judgment_search_enabled", "Check quotes for hallucinations",
            "Searches the web for each quote; one more judge call rates how likely it is "
            "invented. Sends quotes to the search service.",
            "Hallucination check", is_relevant=_FULL,
        ),
        Option(
            "deep_judgment_search_tool", "Search service", "", choices=_SEARCHES, is_relevant=_searches_quotes,
        ),
    ), _plainly_read, _no_evidence),
    JUDGING_AGENTS,
    Group("meaning", "Embedding check", (
        ("If fields don’t match, a small model on this computer compares the found value with the expected one. If "
        "they are similar, the judge decides whether they mean the same. A regex without a match still fails."),
        ("Similarity can’t distinguish a meaning from its opposite: “does not inhibit” is almost as similar as "
        "“inhibits” (0.88), and “the tumor grew” scores 0.81 against “the tumor shrank”, above many true paraphrases. "
        "That’s why the judge confirms."),
        "The judge sees the expected values in this request.",
    ), "Off", (
        Option(
            "embedding_check_enabled", "Compare mismatches by meaning",
            "At most one more judge call per answer.", "On",
        ),
        Option(
            "embedding_check_threshold", "Similarity threshold", "From 0 to 1. The judge is asked from this value up.",
            "Threshold {}", always_shown=True, is_relevant=_MEANING,
        ),
        Option(
            "embedding_check_model", "Embedding model", "",
            choices={name: (name, "") for name in EMBEDDINGS}, is_relevant=_MEANING,
        ),
    ), reads, NOTHING_READ),
    Group("traits", "Traits", (), "All at once, on the full trace", (
        Option("rubric_evaluation_strategy", "Trait rating", "", choices={
            "batch": (
                "All at once",
                ("One call per answer, plus one for traits whose judge sees the reference answer, and one for each "
                "structured-score trait and each precision-and-recall trait."),
            ),
            "sequential": ("One by one", "One call per trait: costs more, but traits don’t influence each other."),
        }),
        Option(
            "use_full_trace_for_rubric", "Use full trace for traits",
            "Otherwise only the final message is rated.", "Final message only",
        ),
        Option("rubric_trait_names", "Selected traits", "None selected: all are rated.", "Only {}"),
        Option("deep_judgment_rubric_mode", "Deep judgment for traits", "", "Deep judgment: {}", choices={
            "disabled": (
                "As in the rubric",
                "For traits with deep judgment turned on, the judge quotes and reasons before it rates.",
            ),
            "off": ("Off", "Rates directly, even where the rubric turns deep judgment on."),
            "enable_all": (
                "All traits",
                ("Quotes and reasoning for each trait first: several calls each. An answer without a quote for a trait "
                "fails, even if it passes its template."),
            ),
            "use_checkpoint": ("As in the rubric (karenina preset)", "Does the same as “As in the rubric”."),
            "custom": ("Selected traits", "The same, for the traits below."),
        }, begins={"custom": ("deep_judgment_rubric_config", {"global": {}})}, in_files=frozenset({"use_checkpoint"})),
        Option(
            "deep_judgment_rubric_config", "Traits with deep judgment", "Overrides the trait’s own settings.",
            "{} with deep judgment", noun="trait", is_relevant=where("deep_judgment_rubric_mode", "custom"),
        ),
        Option(
            "deep_judgment_rubric_global_excerpts", "Quote for every trait",
            "Otherwise the judge only reasons, and missing quotes don’t fail an answer.", "No quotes",
            is_relevant=where("deep_judgment_rubric_mode", "enable_all"),
        ),
        Option(
            "deep_judgment_rubric_max_excerpts_default", "Quotes per trait",
            "Maximum, unless the trait sets its own.", noun="quote", is_relevant=_trait_passages,
        ),
        Option(
            "deep_judgment_rubric_fuzzy_match_threshold_default", "Trait quote match threshold",
            "From 0 to 1 (exact quote), unless the trait sets its own.", "Match threshold {}",
            is_relevant=_trait_passages,
        ),
        Option(
            "deep_judgment_rubric_excerpt_retry_attempts_default", "Trait quote retries",
            "For quotes that aren’t in the answer, unless the trait sets its own.",
            noun="quote retry", is_relevant=_trait_passages,
        ),
        Option(
            "deep_judgment_rubric_search_tool", "Trait search service", "For traits whose quotes are looked up.",
            choices=_SEARCHES, is_relevant=_trait_passages,
        ),
    ), _rates, "This run rates no traits. Choose “Template and rubric” above, or add a rubric to the benchmark."),
    Group("examples", "Few-shot examples", (
        "Questions with good answers that a model reads before it answers.",
    ), "None", (
        Option("few_shot_config.source", "Example source", "", choices={
            "disabled": ("None", "Each question is sent alone."),
            "question_pool": ("The question’s own", "Examples saved with the question."),
            "global": ("Shared", "The same examples for all questions, entered here."),
            "both": ("Both", "The question’s own first, then the shared ones."),
        }),
        Option("few_shot_config.pool_mode", "Examples per question", "", "", choices={
            "all": ("All", ""),
            "k-shot": ("Random selection", "Drawn once, so every run gets the same ones."),
            "custom": ("Selected only", "Those selected for individual questions below."),
        }, is_relevant=_POOL),
        Option(
            "few_shot_config.pool_k", "Number of examples", "Questions with fewer use all they have.",
            brief="{} per question", noun="example", always_shown=True, is_relevant=_some_of_pool,
        ),
        Option(
            "few_shot_config.global_examples", "Shared examples", "", noun="shared example",
            is_relevant=where("few_shot_config.source", "global", "both"),
        ),
        Option(
            "few_shot_config.question_configs", "Exceptions", "Questions with a different choice of examples.",
            noun="exception", is_relevant=_few_shot,
        ),
    ), _is_called, "The selected models have recorded answers, so they read no examples."),
    Group("instructions", "Additional instructions", (
        "Added to the built-in prompts. Don’t include expected answers.",
    ), "None", (
        Option(
            "prompt_config.generation", "For answers", "Sent to each answering model, after its system prompt.",
            is_relevant=_is_called,
        ),
        Option(
            "prompt_config.parsing", "For field extraction", "Sent to the judge when it fills the template’s fields.",
            is_relevant=_plainly_read,
        ),
        Option(
            "prompt_config.agentic_parsing", "For investigations", "Sent to the judge when it investigates, "
            "and when it fills the fields from its report.", is_relevant=investigates,
        ),
        Option(
            "prompt_config.abstention_detection", "For refusal checks", "Sent to the judge.",
            is_relevant=where("abstention_enabled", True),
        ),
        Option(
            "prompt_config.sufficiency_detection", "For sufficiency checks", "Sent to the judge.",
            is_relevant=where("sufficiency_enabled", True),
        ),
        Option(
            "prompt_config.rubric_evaluation", "For trait ratings", "Sent to the judge.", is_relevant=_rates,
        ),
        Option(
            "prompt_config.deep_judgment", "For deep judgment", "Sent to the judge when it quotes, reasons, and weighs "
            "search results.", is_relevant=_some_evidence,
        ),
    )),
    WORKSPACES,
    LIMITS,
    Group("retries", "Retries", (
        "After temporary errors, for models without retry settings of their own (Models page).",
    ), "Default", (
        Option("retry_policy", "Retry settings", ""),
    )),
    Group("pace", "Concurrency and recording", (), "", (
        Option(
            "async_enabled", "Run jobs concurrently", "Otherwise one after another.", "One job at a time",
        ),
        WORKERS,
        TIME_LIMIT,
        Option(
            "max_concurrent_requests", "Concurrent calls", "Across all jobs.",
            noun="concurrent call", empty="as many as there are jobs",
        ),
        Option(
            "answerer_concurrency_limits", "Concurrency by model",
            "For answering models of providers with lower rate limits; judges are not limited here.",
            "{} limited", noun="model",
        ),
        Option(
            "batch_timeout_seconds", "Run time limit", "Jobs that haven’t started by then are skipped.",
            "{} s in total", unit="s", empty="no limit",
        ),
        Option("cluster", "Run on the cluster", "", "On {}"),
        Option("task_ordering", "Job order", "", choices={
            "auto": ("By template", "Questions with the same template one after another; usually fastest."),
            "prefix_cache": ("By model", "One model after another; cheaper with prompt caching."),
            "distribute_answerers": ("Models in turn", "Spreads the calls over the providers."),
            "generation_order": ("As planned", "In the order of the questions."),
            "random": ("Random", ""),
        }),
    )),
)  # fmt: skip

WITHOUT_CONTROL = {
    "allow_programs": "asked before each run",
    "provider_wait_seconds": "how long command-line runs wait for an unavailable provider",
}
"""Subjects of effective settings that come only with presets; the page lists them and can reset them."""


def shown_groups() -> list[Group]:
    """Return the groups with the options that this version implements."""
    return [replace(group, options=tuple(filter(is_effective, group.options))) for group in GROUPS]


def is_effective(option: Option) -> bool:
    return option.name.partition(".")[0] in RUN_SETTINGS


_ALONE = (REPLICATES, JUDGE_REPLICATES, FIXED_JUDGES, MODE)
OPTIONS = {option.name: option for option in (*_ALONE, *(option for group in GROUPS for option in group.options))}
"""Options by name."""
