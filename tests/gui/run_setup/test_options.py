"""The table of a run's options: nothing that acts is missing, nothing that does not act is offered."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

import pytest

from karenina_gui.gui.pages.run_setup import setting
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.option import SettingContext
from karenina_gui.gui.pages.run_setup.option_text import further, group_summary, has_changes, setting_rows
from karenina_gui.gui.pages.run_setup.options import GROUPS, OPTIONS, WITHOUT_CONTROL, shown_groups
from karenina_gui.pipeline.unused_settings import RUN_SETTINGS
from karenina_gui.runs.call_estimate import calls_by_purpose
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.schemas.verification_config import FewShotConfig, PromptConfig, VerificationConfig
from karenina_gui.schemas.workspace import WorkspaceLimits

GROUP = {group.name: group for group in GROUPS}


def test_every_option_is_a_field_of_the_configuration_and_those_shown_act() -> None:
    for name in OPTIONS:
        setting.field(name)
    assert {option.name.partition(".")[0] for group in shown_groups() for option in group.options} <= RUN_SETTINGS


def test_every_setting_that_acts_is_an_option_or_has_a_place_of_its_own_or_is_listed_as_without_a_control() -> None:
    roots = {name.partition(".")[0] for name in OPTIONS}
    assert RUN_SETTINGS - roots - set(setting.EXCLUDED) - WITHOUT_CONTROL.keys() == set()
    assert WITHOUT_CONTROL.keys().isdisjoint(OPTIONS)
    examples = {f"few_shot_config.{name}" for name in FewShotConfig.model_fields}
    assert examples <= OPTIONS.keys()
    assert {f"prompt_config.{name}" for name in PromptConfig.model_fields} <= OPTIONS.keys()


@pytest.mark.parametrize("name", OPTIONS)
def test_every_choice_that_a_field_allows_is_offered(name: str) -> None:
    annotation = setting.field(name).annotation
    if get_origin(annotation) is Literal:
        assert set(OPTIONS[name].choices) == set(get_args(annotation))


@pytest.mark.parametrize("name", [name for name, option in OPTIONS.items() if option.kind == "number"])
def test_limits_are_those_of_the_configuration(name: str) -> None:
    limits = OPTIONS[name].limits
    assert limits is not None
    bounds = [each for each in (limits.least, limits.above, limits.most) if each is not None]
    for number in {each + step for each in bounds for step in (-1, 0, 1)}:
        if OPTIONS[name].problem(number) is None:
            RunDraft(settings=setting.with_value({}, name, number)).config({})  # the model takes it too


def test_a_number_out_of_range_is_told_with_what_would_be_right() -> None:
    said = {
        "deep_judgment_max_excerpts_per_attribute": (0, "A whole number, 1 or more. Leave it empty for 3."),
        "embedding_check_threshold": (1.5, "A number from 0 to 1. Leave it empty for 0.85."),
        "async_max_workers": (2.5, "A whole number from 1 to 64. Leave it empty for 4."),
        "request_timeout": (0, "A number above 0, 3600 at most. Leave it empty for 120."),
        "batch_timeout_seconds": (-1, "A number above 0. Leave it empty for no limit."),
        "workspace_limits.memory_mb": (1, "A whole number, 64 or more. Leave it empty for 2048."),
        "few_shot_config.pool_k": (-1, "A whole number, 0 or more. Leave it empty for 3."),
    }
    assert {name: OPTIONS[name].problem(number) for name, (number, _) in said.items()} == {
        name: sentence for name, (_, sentence) in said.items()
    }


def test_a_setting_in_a_record_is_set_and_unset_without_a_trace() -> None:
    choice = RunDraft()
    assert choice.config({}).few_shot_config is None
    choice.set("few_shot_config.source", "both")
    assert choice.config({}).few_shot_config == FewShotConfig()
    choice.set("few_shot_config.pool_k", 2)
    choice.set("few_shot_config.pool_mode", "k-shot")
    choice.set("few_shot_config.source", "disabled")
    assert choice.value("few_shot_config.pool_k") == 2  # for when they are switched on again
    choice.set("few_shot_config.pool_k", None)
    choice.set("few_shot_config.pool_mode", None)
    choice.set("prompt_config.parsing", "Be strict.")
    choice.set("prompt_config.parsing", None)
    assert choice.settings == {}


@pytest.mark.parametrize(
    "config",
    [
        VerificationConfig(few_shot_config=FewShotConfig()),
        VerificationConfig(few_shot_config=FewShotConfig(source="disabled", pool_k=1)),
        VerificationConfig(few_shot_config=FewShotConfig(global_examples=[{"question": "a", "answer": "b"}])),
        VerificationConfig(prompt_config=PromptConfig(agentic_parsing="Look at the files.", parsing="Be strict.")),
        VerificationConfig(workspace_limits=WorkspaceLimits(network=True, memory_mb=512), workspace_copy=False),
        VerificationConfig(async_enabled=False, answerer_concurrency_limits={"a": 2}, rubric_trait_names=[]),
        VerificationConfig(deep_judgment_rubric_mode="custom", deep_judgment_rubric_config={"global": {}}),
    ],
)
def test_a_configuration_comes_back_whole_from_the_choice_and_its_memory(config: VerificationConfig) -> None:
    assert RunDraft.from_memory(RunDraft.of(config).to_memory()).config({}) == config


HEADS: list[tuple[str, dict[str, Any], str]] = [
    ("evidence", {}, "None"),
    ("evidence", {"deep_judgment_mode": "full"}, "Quotes and reasoning · 3 quotes"),
    ("evidence", {"deep_judgment_mode": "reasoning_only"}, "Reasoning"),
    ("evidence", {"deep_judgment_max_excerpts_per_attribute": 1}, "None"),
    (
        "evidence",
        {
            "deep_judgment_mode": "full",
            "deep_judgment_max_excerpts_per_attribute": 1,
            "deep_judgment_search_enabled": True,
        },
        "Quotes and reasoning · 1 quote · Hallucination check",
    ),
    ("meaning", {"embedding_check_enabled": True}, "On · Threshold 0.85"),
    ("checks", {"abstention_enabled": True, "sufficiency_enabled": True}, "Refusal check · Sufficiency check"),
    ("reading", {"include_extraction_hints": False}, "No hints"),
    ("traits", {"rubric_trait_names": ["safe", "brief"]}, "Only safe, brief"),
    ("traits", {"deep_judgment_rubric_mode": "enable_all"}, "Deep judgment: All traits"),
    (
        "examples",
        {"few_shot_config": {"source": "question_pool", "pool_mode": "k-shot", "pool_k": 2}},
        "The question’s own · 2 examples per question",
    ),
    ("instructions", {"prompt_config": {"parsing": "Be strict."}}, "For field extraction"),
    ("agents", {"agentic_parsing": True}, "Investigates · 15 turns · 120 s"),
    (
        "agents",
        {"agentic_parsing": True, "agentic_judge_context": "trace_only"},
        "Investigates · Sees: Trace only · 15 turns · 120 s",
    ),
    ("workspaces", {"agentic_parsing": True, "workspace_copy": False}, "No working copies"),
    ("limits", {"agentic_parsing": True}, "Default"),
    (
        "limits",
        {"agentic_parsing": True, "workspace_limits": {"network": True, "disk_mb": 9, "processes": 1}},
        "1 process · 9 MB on disk · Network access",
    ),
    ("limits", {}, "Not applicable"),
    ("pace", {}, "4 concurrent jobs · 120 s per call"),
    (
        "pace",
        {"async_max_workers": 1, "batch_timeout_seconds": 60},
        "1 concurrent job · 120 s per call · 60 s in total",
    ),
]


@pytest.mark.parametrize(("group", "settings", "words"), HEADS)
def test_the_head_of_a_group_says_what_a_run_will_do(group: str, settings: dict[str, Any], words: str) -> None:
    assert group_summary(GROUP[group], SettingContext(RunDraft(settings=settings))) == words


def test_what_does_not_matter_is_not_said_to_differ() -> None:
    choice = RunDraft(settings={"evaluation_mode": "rubric_only", "deep_judgment_mode": "full"})
    assert not has_changes(GROUP["evidence"], SettingContext(choice))
    assert group_summary(GROUP["evidence"], SettingContext(choice)) == "Not applicable"
    assert [row for row in setting_rows(choice) if "Judge evidence" in row[0]] == []
    assert not GROUP["traits"].is_relevant(SettingContext(RunDraft(), rated=False))


def test_all_that_is_not_usual_is_said_in_full() -> None:
    config = VerificationConfig(
        deep_judgment_mode="full",
        few_shot_config=FewShotConfig(global_examples=[{"question": "Which?", "answer": "BCL2"}]),
        prompt_config=PromptConfig(parsing="Be strict.", agentic_parsing="Run it."),
        batch_timeout_seconds=60,
        task_ordering="random",
        answerer_concurrency_limits=3,
        agentic_parsing=True,
    )
    said = dict(setting_rows(RunDraft.of(config)))
    assert "Judge evidence" not in said  # the agent investigates instead
    assert said["Shared examples"] == "Which? → BCL2"
    assert said["For investigations"] == "Run it."
    assert "For field extraction" not in said  # the words for the investigation hold for what is read from its report
    assert said["Run time limit"] == "60 s"
    assert said["Job order"] == "Random"
    assert said["Concurrency by model"] == "3 per model"
    assert said["Investigate before filling fields"] == "yes"


def test_rules_for_trying_again_are_said_in_words_as_far_as_they_are_not_usual() -> None:
    usual = RetryPolicy()
    once = usual.rate_limit.model_copy(update={"max_attempts": 1, "backoff_max": 9})
    policy = RetryPolicy(rate_limit=once, connection=usual.connection.model_copy(update={"backoff_multiplier": 3}))
    said = dict(setting_rows(RunDraft.of(VerificationConfig(retry_policy=policy))))
    assert said["Retry settings"] == "Connection lost: backoff factor 3; Rate limit: retries 1, maximum delay 9 s"
    longer = RetryPolicy(timeout_escalation={"strategy": "linear"})
    said = dict(setting_rows(RunDraft.of(VerificationConfig(retry_policy=longer))))
    assert said["Retry settings"] == "longer timeouts after a timeout (not used by this version)"


def test_settings_without_a_control_are_listed_apart() -> None:
    settings = {
        "few_shot_config": {"question_configs": {"q1": {"mode": "disabled"}}},
        "prompt_config": {"parsing": "Be strict."},
        "task_ordering": "random",
        "workspace_output_mode": "full",
    }
    assert further(RunDraft(settings=settings)) == {"workspace_output_mode": "full"}


def test_tables_are_said_in_words() -> None:
    config = VerificationConfig(
        evaluation_mode="rubric_only",
        answerer_concurrency_limits={"ada": 2, "bob": 3},
        deep_judgment_rubric_mode="custom",
        deep_judgment_rubric_config={"global": {"clear": {}}, "question_specific": {"q": {"own": {}, "clear": {}}}},
        few_shot_config=FewShotConfig(question_configs={"q": {"mode": "disabled"}}),
    )
    choice = RunDraft.of(config)
    said = dict(setting_rows(choice))
    assert said["Concurrency by model"] == "ada 2, bob 3"
    assert (said["Traits with deep judgment"], said["Exceptions"]) == ("clear, own", "1 question")
    heads = {name: group_summary(GROUP[name], SettingContext(choice)) for name in ("traits", "examples", "pace")}
    assert heads["traits"] == "Deep judgment: Selected traits · 2 traits with deep judgment"
    assert heads["examples"].endswith("1 exception") and "2 models limited" in heads["pace"]


def test_a_value_that_means_the_same_as_another_is_offered_only_where_a_file_has_it() -> None:
    option = OPTIONS["deep_judgment_rubric_mode"]
    assert [*option.available_choices(RunDraft())] == ["disabled", "off", "enable_all", "custom"]
    assert "use_checkpoint" in option.available_choices(
        RunDraft(settings={"deep_judgment_rubric_mode": "use_checkpoint"})
    )


def test_judge_calls_are_counted_by_what_they_are_for() -> None:
    config = VerificationConfig(abstention_enabled=True, sufficiency_enabled=True, embedding_check_enabled=True)
    assert calls_by_purpose(config, answers=10, read=4, traits=7) == {
        "refusal": 10,
        "sufficiency": 4,
        "extraction": 4,
        "embedding": 4,
        "traits": 7,
    }
    reading = {
        mode: calls_by_purpose(VerificationConfig(deep_judgment_mode=mode), answers=1, read=1, traits=0)
        for mode in ("reasoning_only", "full")
    }
    assert [calls["extraction"] for calls in reading.values()] == [2, 5]
    searching = VerificationConfig(
        deep_judgment_mode="full", deep_judgment_excerpt_retry_attempts=0, deep_judgment_search_enabled=True
    )
    assert calls_by_purpose(searching, answers=1, read=1, traits=0) == {"extraction": 4}
    rubric = VerificationConfig(evaluation_mode="rubric_only", deep_judgment_mode="full")
    assert calls_by_purpose(rubric, answers=10, read=4, traits=0) == {}
