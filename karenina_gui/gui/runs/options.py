"""The table of a run's options, grouped as the configuration is nested: a new one is one row.

Defaults, limits and the kind of control follow from `VerificationConfig`; a group or an option that this version does
not act upon is not shown.
"""

from __future__ import annotations

from dataclasses import replace

from karenina_gui.gui.runs.agent_options import JUDGING_AGENTS, LIMITS, NOTHING_READ, WORKSPACES, investigates, reads
from karenina_gui.gui.runs.option import Group, Option, Situation, where
from karenina_gui.runs.aids import EMBEDDINGS, SEARCHES
from karenina_gui.runs.presets import ACTED_UPON

MODES = {
    "template_only": ("Template", "Each answer is read into the question’s template and compared with what is right."),
    "template_and_rubric": ("Template and rubric", "Templates decide, and each trait of the rubric is rated as well."),
    "rubric_only": ("Rubric", "Only traits are rated; no template is asked, so there is no right or wrong."),
}
REPLICATES = Option(
    "replicate_count", "Replicates", "How often each model answers each question. As a rule, 3 instead of 1 cut the "
    "variance of a mean by 44% and that of a comparison by 50%; 10 instead of 1 by 60% and 67%.", most=100,
)  # fmt: skip
JUDGE_REPLICATES = Option(
    "judge_replicates", "Judgments", "How often each judge judges each answer. With 2 or more, the results tell how "
    "much of the spread is the judge’s own.", most=20,
)  # fmt: skip
FIXED_JUDGES = Option(
    "fixed_judges", "Fixed judges", "Judges are asked at temperature 0, and with a seed where their provider takes "
    "one, whatever they are set to: the spread of results is the answers’ own. Repeated judgments get a seed each.",
)  # fmt: skip
MODE = Option("evaluation_mode", "What is checked", "", choices=MODES)
WORKERS = Option(
    "async_max_workers", "Jobs at the same time", "More are faster, until a provider says that it is too busy.",
    "{} at the same time", noun="job", most=64, told=True, matters=where("async_enabled", True),
)  # fmt: skip
TIME_LIMIT = Option(
    "request_timeout", "Time limit of a call", "A call that takes longer is given up, and tried again as the model’s "
    "rules say.", "{} s a call", unit="seconds", most=3600, told=True,
)  # fmt: skip

_FULL = where("deep_judgment_mode", "full")
_MEANING = where("embedding_check_enabled", True)
_POOL = where("few_shot_config.source", "question_pool", "both")
_SEARCHES = {name: (name.capitalize(), "") for name in SEARCHES}


def _trait_evidence(situation: Situation) -> bool:
    mode = situation.choice.value("deep_judgment_rubric_mode")
    return situation.deep_traits if mode == "disabled" else mode != "off"


def _searched(situation: Situation) -> bool:
    return _FULL(situation) and bool(situation.choice.value("deep_judgment_search_enabled"))


def _few_shot(situation: Situation) -> bool:
    return bool(situation.choice.value("few_shot_config.source") != "disabled")


def _some_of_pool(situation: Situation) -> bool:
    return _POOL(situation) and situation.choice.value("few_shot_config.pool_mode") == "k-shot"


def _some_evidence(situation: Situation) -> bool:
    of_fields = situation.choice.value("deep_judgment_mode") != "disabled" and not situation.investigates
    return of_fields or _trait_evidence(situation)


def _trait_passages(situation: Situation) -> bool:
    for_all = situation.choice.value("deep_judgment_rubric_mode") == "enable_all"
    quotes = not for_all or bool(situation.choice.value("deep_judgment_rubric_global_excerpts"))
    return _trait_evidence(situation) and quotes


def _rates(situation: Situation) -> bool:
    return situation.rates


def _asked(situation: Situation) -> bool:
    return situation.asked


def _plainly_read(situation: Situation) -> bool:
    return situation.reads and not situation.investigates


def _no_evidence(situation: Situation) -> str:
    by_agent = "An agent investigates instead (“Agents that judge”): its report is what the judge goes by."
    return by_agent if situation.investigates else NOTHING_READ


GROUPS: tuple[Group, ...] = (
    Group("checks", "Before reading", (), "no checks", (
        Option(
            "abstention_enabled", "Ask the judge whether the model refused",
            "One more call for each answer. A refusal is not read: it fails, and is shown as refused.", "refusal check",
        ),
        Option(
            "sufficiency_enabled", "Ask the judge whether the answer says enough",
            "One more call for each answer that a judge reads. One that says too little for it is not read: it fails.",
            "sufficiency check", matters=reads,
        ),
    )),
    Group("reading", "Reading the answer", (), "final message, with hints", (
        Option(
            "include_extraction_hints", "Give the judge the hints of templates",
            "What a template’s author wrote beside a field on how its value should be put.", "without hints",
        ),
        Option(
            "use_full_trace_for_template", "Judge the whole conversation",
            "Otherwise only its final message is read into fields.", "whole conversation",
        ),
    ), reads, NOTHING_READ),
    Group("evidence", "Evidence (deep judgment)", (
        "Before a judge fills the fields of a template, it can be made to show on what it goes by.",
    ), "none", (
        Option("deep_judgment_mode", "What the judge has to show", "", choices={
            "disabled": ("Nothing", "It fills the fields at once: 1 judge call for each answer."),
            "reasoning_only": ("Reasoning only", "It first writes what the answer says about each field: 2 calls."),
            "full": (
                "Full",
                ("It first quotes passages for each field, then reasons on them: 3 calls or more. An answer in which a "
                "field has no passage fails."),
            ),
        }),
        Option(
            "deep_judgment_max_excerpts_per_attribute", "Passages for each field", "At most.",
            noun="passage", told=True, matters=_FULL,
        ),
        Option(
            "deep_judgment_fuzzy_match_threshold", "Likeness of a passage",
            "1: it must stand in the answer word for word. 0.8: a fifth of its signs may differ.",
            "likeness {}", matters=_FULL,
        ),
        Option(
            "deep_judgment_excerpt_retry_attempts", "Further tries",
            "How often passages that are not in the answer are asked for again; each time is one more call.",
            noun="further try", matters=_FULL,
        ),
        Option(
            "deep_judgment_search_enabled", "Look passages up on the web",
            "The judge weighs what is found in one more call: how likely has the answer made this up? The passages are "
            "sent to the search service.", "web search", matters=_FULL,
        ),
        Option(
            "deep_judgment_search_tool", "Search service", "", "by {}", choices=_SEARCHES, matters=_searched,
        ),
    ), _plainly_read, _no_evidence),
    JUDGING_AGENTS,
    Group("meaning", "Meaning (embedding check)", (
        ("Where fields do not match, a small model on this computer compares what was found with what is expected. If "
        "both are alike, the judge is asked whether they say the same, and only its yes lets the answer pass. A "
        "pattern that was not found stays failed."),
        ("Similarity cannot tell a meaning from its opposite: “does not inhibit” is nearly as similar as “inhibits” "
        "(0.88), and “the tumour grew” comes out at 0.81 beside “the tumour shrank”, above many true paraphrases. "
        "Therefore the judge confirms."),
        "The judge sees the expected values in this request.",
    ), "off", (
        Option(
            "embedding_check_enabled", "Compare meanings where fields do not match",
            "At most one more call for each answer that a judge reads.", "on",
        ),
        Option(
            "embedding_check_threshold", "Similarity", "From which the judge is asked, from 0 to 1.",
            "from {}", told=True, matters=_MEANING,
        ),
        Option(
            "embedding_check_model", "Model that compares", "", "by {}",
            choices={name: (name, "") for name in EMBEDDINGS}, matters=_MEANING,
        ),
    ), reads, NOTHING_READ),
    Group("traits", "Traits", (), "all at once, on the whole conversation", (
        Option("rubric_evaluation_strategy", "How traits are rated", "", choices={
            "batch": (
                "All at once",
                "One call for each answer, and a second one for traits whose judge sees the reference answer.",
            ),
            "sequential": ("One by one", "A call for each trait: it costs more, and no trait colors another."),
        }),
        Option(
            "use_full_trace_for_rubric", "Rate traits on the whole conversation",
            "Otherwise only on its final message.", "final message only",
        ),
        Option("rubric_trait_names", "Only some traits", "None chosen: all are rated.", "only {}"),
        Option("deep_judgment_rubric_mode", "Evidence for traits", "", "evidence {}", choices={
            "disabled": (
                "As the rubric says",
                ("For traits whose form says “Judge this trait deeply”: the judge looks for passages and reasons on "
                "them before it rates."),
            ),
            "off": ("None", "The judge rates at once, also where the rubric says otherwise."),
            "enable_all": (
                "For all traits",
                ("It quotes passages for each trait and reasons on them first: several calls for each. An answer in "
                "which a trait has no passage fails, whatever its template says."),
            ),
            "use_checkpoint": ("As the rubric says (use_checkpoint)", "For traits that are to be judged deeply there."),
            "custom": ("For chosen traits", "The same, for the traits below."),
        }, begins={"custom": ("deep_judgment_rubric_config", {"global": {}})}, in_files=frozenset({"use_checkpoint"})),
        Option(
            "deep_judgment_rubric_config", "Traits with evidence", "What is set here goes before what the trait says.",
            "{} with evidence", noun="trait", matters=where("deep_judgment_rubric_mode", "custom"),
        ),
        Option(
            "deep_judgment_rubric_global_excerpts", "Quote passages for every trait",
            "Otherwise the judge only reasons, and no answer fails for want of a passage.", "without passages",
            matters=where("deep_judgment_rubric_mode", "enable_all"),
        ),
        Option(
            "deep_judgment_rubric_max_excerpts_default", "Passages for each trait",
            "At most, where the trait itself does not say.", noun="passage", matters=_trait_passages,
        ),
        Option(
            "deep_judgment_rubric_fuzzy_match_threshold_default", "Likeness of a trait’s passage",
            "From 0 to 1 (word for word), where the trait itself does not say.", "likeness {}", matters=_trait_passages,
        ),
        Option(
            "deep_judgment_rubric_excerpt_retry_attempts_default", "Further tries for a trait",
            "For passages that are not in the answer, where the trait itself does not say.",
            noun="further try", matters=_trait_passages,
        ),
        Option(
            "deep_judgment_rubric_search_tool", "Search service for traits", "Of traits whose passages are looked up.",
            "by {}", choices=_SEARCHES, matters=_trait_passages,
        ),
    ), _rates, "No trait is rated in this run. Choose “Template and rubric” above, or give the benchmark a rubric."),
    Group("examples", "Examples before the question (few-shot)", (
        "Questions with good answers that a model reads before it answers.",
    ), "none", (
        Option("few_shot_config.source", "Which examples", "", choices={
            "disabled": ("None", "Each question goes alone."),
            "question_pool": ("The question’s own", "Those that are kept with it."),
            "global": ("The same for all questions", "Those that are entered here."),
            "both": ("Both", "The question’s own first, then the same for all."),
        }),
        Option("few_shot_config.pool_mode", "How many of the question’s own", "", "", choices={
            "all": ("All", ""),
            "k-shot": ("Some of them", "Drawn by chance, the same ones in every run."),
            "custom": ("Only chosen ones", "Those that are chosen for single questions below."),
        }, matters=_POOL),
        Option(
            "few_shot_config.pool_k", "Number of examples", "A question that has fewer goes with all it has.",
            brief="{} of its own", noun="example", told=True, matters=_some_of_pool,
        ),
        Option(
            "few_shot_config.global_examples", "Examples for all questions", "", "{} for all", noun="example",
            matters=where("few_shot_config.source", "global", "both"),
        ),
        Option(
            "few_shot_config.question_configs", "Single questions", "With other examples than the rest.",
            "{} apart", noun="question", matters=_few_shot,
        ),
    ), _asked, "The chosen models only hold recorded answers, so they read no examples."),
    Group("instructions", "Instructions added to prompts", (
        "Your own words, added to what a model is told anyway. Never write what is right into them.",
    ), "none", (
        Option(
            "prompt_config.generation", "For answers", "Read by each answering model, after its system prompt.",
            matters=_asked,
        ),
        Option(
            "prompt_config.parsing", "For reading", "Read by the judge when it fills the fields of a template.",
            matters=_plainly_read,
        ),
        Option(
            "prompt_config.agentic_parsing", "For the investigation", "Read by the judge when it looks into the "
            "workspace, and when it fills the fields from its report.", matters=investigates,
        ),
        Option(
            "prompt_config.abstention_detection", "For the refusal check", "Read by the judge when it looks for a "
            "refusal.", matters=where("abstention_enabled", True),
        ),
        Option(
            "prompt_config.sufficiency_detection", "For the sufficiency check", "Read by the judge when it decides "
            "whether an answer says enough.", matters=where("sufficiency_enabled", True),
        ),
        Option(
            "prompt_config.rubric_evaluation", "For rating traits", "Read by the judge when it rates traits.",
            matters=_rates,
        ),
        Option(
            "prompt_config.deep_judgment", "For evidence", "Read by the judge when it quotes passages, reasons about "
            "them and weighs what a search found.", matters=_some_evidence,
        ),
    )),
    WORKSPACES,
    LIMITS,
    Group("retries", "Calls that are tried again", (
        "After a fault that passes, for models without rules of their own on the Models page.",
    ), "as usual", (
        Option("retry_policy", "Rules for trying again", "", "{}"),
    )),
    Group("pace", "Pace and recording", (), "", (
        Option(
            "async_enabled", "Several jobs at the same time", "Otherwise one after another.", "one job after another",
        ),
        WORKERS,
        TIME_LIMIT,
        Option(
            "max_concurrent_requests", "Calls at the same time", "Of all jobs together.", "{} at once",
            noun="call", empty="as many as there are jobs",
        ),
        Option(
            "answerer_concurrency_limits", "Answers at the same time, by model",
            "For a provider that is busy sooner than the others.", "{} limited", noun="model",
        ),
        Option(
            "batch_timeout_seconds", "Time limit of the run", "What has not begun by then is left out.",
            "{} s in all", unit="seconds", empty="no limit",
        ),
        Option("task_ordering", "Order of the jobs", "", "{}", choices={
            "auto": ("By template", "Questions with the same template one after another; usually the fastest."),
            "prefix_cache": ("By model", "One after the other; cheaper where a provider keeps what it has just read."),
            "distribute_answerers": ("Models in turn", "Spreads the calls over the providers."),
            "generation_order": ("As planned", "In the order of the questions."),
            "random": ("By chance", ""),
        }),
    )),
)  # fmt: skip

WITHOUT_CONTROL = {
    "allow_programs": "asked before each run",
    "provider_wait_seconds": "how long runs without the application wait for a provider that is away",
}
"""Settings that act, come with presets only, and have no control: what they are about. They are listed and can be
dropped."""


def shown_groups() -> list[Group]:
    """The groups with the options that this version acts upon."""
    return [replace(group, options=tuple(filter(acts, group.options))) for group in GROUPS]


def acts(option: Option) -> bool:
    return option.name.partition(".")[0] in ACTED_UPON


_ALONE = (REPLICATES, JUDGE_REPLICATES, FIXED_JUDGES, MODE)
OPTIONS = {option.name: option for option in (*_ALONE, *(each for group in GROUPS for each in group.options))}
"""All rows by name."""
