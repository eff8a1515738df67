"""The options on the Run page: each control changes the configuration that a run gets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User, UserInteraction

from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.form import RunForm
from karenina_gui.gui.pages.run_setup.option_controls import short
from karenina_gui.gui.pages.run_setup.options import OPTIONS, shown_groups
from karenina_gui.gui.pages.run_setup.planner import Planner
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.agent_safety import ConfinementSummary
from karenina_gui.schemas.verification_config import FewShotExampleConfig, VerificationConfig
from tests.gui.conftest import Start
from tests.gui.run_pages import visit_groups
from tests.saved_models import start_run
from tests.until import until

Opened = Callable[..., Any]
SAVED = 1.0
"""Seconds after which what was typed is kept, or told."""
CONTROLS = (ui.checkbox, ui.number, ui.radio, ui.select, ui.textarea)


@pytest.fixture(scope="module")
def application(started: Start) -> Iterator[Application]:
    with started() as application:
        application.runs.command_confinement = ConfinementSummary(False, "Nothing confines commands here.")
        trait = {
            "llm_traits": [{"name": "informed", "kind": "boolean"}],
            "agentic_traits": [{"name": "checked", "kind": "boolean", "higher_is_better": True}],
        }
        question = application.library.questions.summaries(1)[0].number
        application.editor.edit(1, question, {"question_rubric": trait})
        application.editor.edit_benchmark(1, {"rubric": {"regex_traits": [{"name": "brief", "pattern": "x"}]}})
        yield application


@pytest.fixture
async def opened(user: User, application: Application) -> Callable[..., Any]:
    """Open the Run page of the example with a choice, and expand each group of options once."""

    async def open_form(choice: RunDraft) -> RunForm:
        forms: list[RunForm] = []

        @ui.page("/")
        def page() -> None:
            form = RunForm(Window(application.services()), 1, choice)
            form.draw()
            forms.append(form)

        await user.open("/")
        visit_groups(user)
        return forms[-1]

    return open_form


def control(user: User, name: str) -> Any:
    """The control of an option."""
    (made,) = controls(user, name)
    return made


def controls(user: User, name: str) -> list[Any]:
    """Its control where it can be seen."""
    every = [each for kind in CONTROLS for each in user.find(kind=kind).elements]
    return [each for each in every if each.props.get("aria-label") == OPTIONS[name].title]


EVERYTHING_MATTERS: dict[str, Any] = {
    "evaluation_mode": "template_and_rubric",
    "abstention_enabled": True,
    "sufficiency_enabled": True,
    "deep_judgment_mode": "full",
    "deep_judgment_search_enabled": True,
    "embedding_check_enabled": True,
    "few_shot_config": {"source": "both", "pool_mode": "k-shot"},
    "deep_judgment_rubric_mode": "enable_all",
    "cluster": "tcp://127.0.0.1:8786",
}
ENTERED: list[tuple[str, Any, Any]] = [
    # the option; what is entered; what the configuration has then, if not the same
    ("replicate_count", 5.0, 5),
    ("cluster", False, None),
    ("cluster", True, "tcp://127.0.0.1:8786"),
    ("include_extraction_hints", False, ...),
    ("use_full_trace_for_template", True, ...),
    ("deep_judgment_max_excerpts_per_attribute", 1.0, 1),
    ("deep_judgment_fuzzy_match_threshold", 0.9, ...),
    ("deep_judgment_excerpt_retry_attempts", 0.0, 0),
    ("embedding_check_threshold", 0.9, ...),
    ("rubric_evaluation_strategy", "sequential", ...),
    ("use_full_trace_for_rubric", False, ...),
    ("rubric_trait_names", ["informed"], ...),
    ("rubric_trait_names", [], None),
    ("deep_judgment_rubric_max_excerpts_default", 2.0, 2),
    ("deep_judgment_rubric_fuzzy_match_threshold_default", 0.7, ...),
    ("deep_judgment_rubric_excerpt_retry_attempts_default", 1.0, 1),
    ("few_shot_config.pool_k", 2.0, 2),
    ("prompt_config.generation", "Be brief.", ...),
    ("prompt_config.generation", "", None),
    ("prompt_config.parsing", "Be strict.", ...),
    ("prompt_config.abstention_detection", "Doubt is none.", ...),
    ("prompt_config.sufficiency_detection", "Be lenient.", ...),
    ("prompt_config.rubric_evaluation", "Be kind.", ...),
    ("prompt_config.deep_judgment", "Quote little.", ...),
    ("async_max_workers", 9.0, 9),
    ("async_max_workers", None, 4),
    ("request_timeout", 30.5, ...),
    ("max_concurrent_requests", 3.0, 3),
    ("max_concurrent_requests", None, ...),
    ("batch_timeout_seconds", 90.0, ...),
    ("task_ordering", "random", ...),
    ("async_enabled", False, ...),
    ("async_enabled", True, ...),
    ("agentic_parsing", True, ...),
    ("agentic_judge_context", "trace_only", ...),
    ("agentic_parsing_max_turns", 4.0, 4),
    ("agentic_parsing_timeout", 33.5, ...),
    ("agentic_parsing_materialize_trace", True, ...),
    ("agentic_parsing_persist_trace", True, ...),
    ("agentic_rubric_strategy", "shared", ...),
    ("workspace_cleanup", False, ...),
    ("workspace_copy", False, ...),
    ("workspace_limits.command_seconds", 5.0, ...),
    ("workspace_limits.memory_mb", 512.0, 512),
    ("workspace_limits.processes", 8.0, 8),
    ("workspace_limits.disk_mb", 16.0, 16),
    ("workspace_limits.output_kb", 4.0, 4),
    ("workspace_limits.network", True, ...),
    ("allow_unconfined_commands", True, ...),
    ("prompt_config.agentic_parsing", "Run it.", ...),
    ("agentic_parsing", False, ...),
    # what others depend on
    ("abstention_enabled", False, ...),
    ("sufficiency_enabled", False, ...),
    ("embedding_check_enabled", False, ...),
    ("deep_judgment_search_enabled", False, ...),
    ("deep_judgment_mode", "reasoning_only", ...),
    ("deep_judgment_rubric_global_excerpts", False, ...),
    ("deep_judgment_rubric_mode", "use_checkpoint", ...),
    ("few_shot_config.pool_mode", "all", ...),
    ("few_shot_config.source", "global", ...),
    ("evaluation_mode", "rubric_only", ...),
]
ONE_CHOICE = {"deep_judgment_search_tool", "deep_judgment_rubric_search_tool", "embedding_check_model"}
"""Options with only one thing to choose yet."""
TABLES = {
    "answerer_concurrency_limits", "retry_policy", "deep_judgment_rubric_config", "few_shot_config.question_configs",
}  # fmt: skip
"""Options with several controls each, tried apart."""


async def test_what_is_entered_is_in_the_configuration_of_the_run(user: User, opened: Opened) -> None:
    tried = {name for name, _, _ in ENTERED} | ONE_CHOICE | TABLES | {"few_shot_config.global_examples"}
    shown = {option.name for group in shown_groups() for option in group.options}
    assert shown <= tried
    form = await opened(RunDraft(settings=EVERYTHING_MATTERS))
    for name, entered, kept in ENTERED:
        if name not in shown | {"replicate_count", "evaluation_mode"}:
            continue  # this version ignores  it
        control(user, name).set_value(entered)
        value: Any = form.choice.config({})
        for part in name.split("."):
            value = None if value is None else getattr(value, part)
        assert (name, value) == (name, entered if kept is ... else kept)
    assert form.choice.refused == {}


async def test_what_is_out_of_range_is_said_stays_and_keeps_the_run_from_starting(user: User, opened: Opened) -> None:
    form = await opened(RunDraft(models=["sample-careful"], settings={"embedding_check_enabled": True}))
    name = "embedding_check_threshold"
    control(user, name).set_value(1.5)
    await user.should_see("A number from 0 to 1. Leave it empty for 0.85.")
    await user.should_see("Embedding check, Similarity threshold: A number from 0 to 1.", retries=200)
    (fold,) = (each for each in user.find(ui.expansion).elements if each.text == "Embedding check")
    assert fold.props["caption"] == "Needs fixing"
    assert not fold.value
    assert form.choice.config({}).embedding_check_threshold == 0.85
    await opened(RunDraft.from_memory(form.choice.to_memory()))
    assert control(user, name).value == 1.5
    (fold,) = (each for each in user.find(ui.expansion).elements if each.text == "Embedding check")
    assert fold.value  # whoever comes to a form that has to be put right sees where
    await user.should_see("A number from 0 to 1. Leave it empty for 0.85.")
    control(user, "embedding_check_enabled").set_value(False)
    await user.should_not_see("Embedding check, Similarity threshold", retries=50)


async def test_options_are_drawn_when_their_group_is_expanded(user: User, application: Application) -> None:
    chosen = RunDraft(settings={"embedding_check_enabled": True, "embedding_check_threshold": 0.9})

    @ui.page("/")
    def page() -> None:
        RunForm(Window(application.services()), 1, chosen).draw()

    await user.open("/")
    names = ("embedding_check_enabled", "embedding_check_threshold", "abstention_enabled")
    assert [len(controls(user, name)) for name in names] == [0, 0, 0]
    (fold,) = (each for each in user.find(ui.expansion).elements if each.text == "Embedding check")
    for _ in range(2):
        fold.set_value(True)
        assert [len(controls(user, name)) for name in names] == [1, 1, 0]
        fold.set_value(False)
    assert control(user, "embedding_check_threshold").value == 0.9
    control(user, "embedding_check_enabled").set_value(False)
    assert not controls(user, "embedding_check_threshold")


async def test_options_that_do_not_matter_are_not_shown(user: User, opened: Opened) -> None:
    await opened(RunDraft())
    limits = "deep_judgment_max_excerpts_per_attribute"
    assert not controls(user, limits)
    control(user, "deep_judgment_mode").set_value("full")
    assert controls(user, limits)
    assert not controls(user, "deep_judgment_search_tool")
    control(user, "evaluation_mode").set_value("rubric_only")
    assert not controls(user, limits)
    await user.should_see("This run only rates traits")
    control(user, "evaluation_mode").set_value("template_only")
    assert controls(user, limits)


async def test_the_heads_follow_what_is_chosen(user: User, opened: Opened) -> None:
    await opened(RunDraft())

    def head(title: str) -> str:
        (fold,) = (each for each in user.find(ui.expansion).elements if each.text == title)
        return str(fold.props["caption"])

    assert head("Deep judgment") == "None"
    control(user, "deep_judgment_mode").set_value("full")
    control(user, "deep_judgment_max_excerpts_per_attribute").set_value(2)
    assert head("Deep judgment") == "Quotes and reasoning · 2 quotes"
    control(user, "few_shot_config.source").set_value("global")
    assert head("Few-shot examples") == "Shared"


async def test_examples_for_all_questions_are_entered_line_by_line(user: User, opened: Opened) -> None:
    form = await opened(RunDraft(settings={"few_shot_config": {"source": "global"}}))
    user.find("Add example").click()
    lines = {each.props["aria-label"]: each for each in user.find(ui.textarea).elements}
    lines["Question, line 1"].set_value("Which?")
    await user.should_see("Add a question and an answer, or this example is skipped.", retries=10)
    lines["Answer, line 1"].set_value("BCL2")
    await asyncio.sleep(0.8)
    examples = form.choice.config({}).few_shot_config
    assert examples is not None
    assert examples.global_examples == [{"question": "Which?", "answer": "BCL2"}]


async def test_the_search_says_whether_its_key_is_there_and_never_the_key(
    user: User, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    searching = {"deep_judgment_mode": "full", "deep_judgment_search_enabled": True}
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    await opened(RunDraft(settings=searching))
    await user.should_see("TAVILY_API_KEY is not set.")
    await user.should_see("The hallucination check needs an API key for web search.", retries=30)
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret")
    await opened(RunDraft(settings=searching))
    await user.should_see("TAVILY_API_KEY is set as an environment variable.")
    await user.should_not_see("tvly-secret")


async def test_what_came_with_a_preset_and_has_no_control_can_be_dropped(user: User, opened: Opened) -> None:
    config = VerificationConfig(
        max_requeue_count=2,
        workspace_output_mode="full",
    )
    form = await opened(RunDraft.of(config))
    await user.should_see("no effect in this version")
    assert form.choice.config({}) == config
    for name in ("Max requeue count", "Workspace output mode"):
        drop = {each for each in user.find(ui.button).elements if each.props.get("aria-label") == f"Remove {name}"}
        UserInteraction(user, drop, None).click()
    await user.should_not_see("Other settings")
    assert form.choice.config({}) == VerificationConfig()


async def test_a_run_goes_by_what_is_chosen_and_another_one_begins_with_it(
    user: User, opened: Opened, application: Application
) -> None:
    form = await opened(RunDraft(models=["sample-careful"], judges=["sample-judge"]))
    control(user, "deep_judgment_mode").set_value("reasoning_only")
    control(user, "prompt_config.parsing").set_value("Be strict.")
    control(user, "few_shot_config.source").set_value("both")
    run = start_run(application, Planner(application.services(), 1).plan(form.choice).order)
    application.runs.cancel(run)
    config = application.library.runs.config(run)
    assert config == form.choice.config(application.library.models.all())
    assert config.deep_judgment_mode == "reasoning_only"
    await opened(RunDraft.of(config))
    assert control(user, "deep_judgment_mode").value == "reasoning_only"
    assert control(user, "prompt_config.parsing").value == "Be strict."
    assert control(user, "few_shot_config.source").value == "both"


def made(user: User, label: str) -> Any:
    """The control with this label."""
    found = [each for kind in CONTROLS for each in user.find(kind=kind).elements]
    (one,) = [each for each in found if label in (each.props.get("aria-label"), each.props.get("label"))]
    return one


async def test_limits_are_set_for_each_model_that_is_chosen(user: User, opened: Opened) -> None:
    form = await opened(RunDraft(models=["sample-careful", "sample-hasty"]))
    title = OPTIONS["answerer_concurrency_limits"].title
    made(user, f"{title}: sample-careful").set_value(2.0)
    made(user, f"{title}: sample-hasty").set_value(3.0)
    assert form.choice.config({}).answerer_concurrency_limits == {"sample-careful": 2, "sample-hasty": 3}
    form._set_choice("models", ["sample-hasty"])
    made(user, f"{title}: sample-hasty").set_value(None)
    assert form.choice.config({}).answerer_concurrency_limits == {"sample-careful": 2}  # for when it is chosen again


async def test_a_number_of_a_table_out_of_range_is_said_and_not_applied(user: User, opened: Opened) -> None:
    pool = {"source": "question_pool", "question_configs": {"q": {"mode": "k-shot", "k": 2}}}
    custom = {"deep_judgment_rubric_mode": "custom", "deep_judgment_rubric_config": {"global": {"informed": {}}}}
    form = await opened(RunDraft(models=["a"], settings={"few_shot_config": pool, **custom}))
    before = form.choice.config({})
    limit = f"{OPTIONS['answerer_concurrency_limits'].title}: a"
    wrong = {limit: (0, "1 or more"), "Maximum quotes: informed": (1.5, "1 or more"), "Number": (-1, "0 or more")}
    for label, (number, range_) in wrong.items():
        made(user, label).set_value(number)
        await user.should_see(f"A whole number, {range_}.")
        assert form.choice.config({}) == before
        made(user, label).set_value(None)
        await user.should_not_see("A whole number")
        before = form.choice.config({})


async def test_a_single_limit_of_a_preset_is_shown_for_every_model(user: User, opened: Opened) -> None:
    form = await opened(RunDraft(models=["a", "b"], settings={"answerer_concurrency_limits": 4}))
    title = OPTIONS["answerer_concurrency_limits"].title
    assert [made(user, f"{title}: {name}").value for name in "ab"] == [4, 4]
    made(user, f"{title}: b").set_value(1.0)
    assert form.choice.config({}).answerer_concurrency_limits == {"a": 4, "b": 1}


async def test_rules_for_trying_again_are_kept_once_they_can_be(user: User, opened: Opened) -> None:
    form = await opened(RunDraft())
    box = made(user, "Rate limit: Retries")
    box.set_value(2.0)
    await until(lambda: form.choice.config({}).retry_policy.rate_limit.max_attempts == 2)
    made(user, "Rate limit: Initial delay (s)").set_value(90.0)
    await asyncio.sleep(SAVED)
    await user.should_see("The maximum delay must be at least the initial delay.")
    assert form.choice.config({}).retry_policy.rate_limit.backoff_min == 5


async def test_traits_with_evidence_are_chosen_one_by_one(user: User, opened: Opened, application: Application) -> None:
    question = application.library.questions.summaries(1)[0]
    form = await opened(RunDraft(settings={"evaluation_mode": "template_and_rubric"}))
    control(user, "deep_judgment_rubric_mode").set_value("custom")
    assert form.choice.config({}).deep_judgment_rubric_config is not None
    adder = made(user, "Add trait")
    assert adder.options["informed"] == "informed (1 question)"
    adder.set_value("informed")
    made(user, "Quotes: informed").set_value(False)
    made(user, "Maximum quotes: informed").set_value(4.0)
    table = form.choice.config({}).deep_judgment_rubric_config
    assert table is not None and table.model_dump() == {
        "global": {},
        "question_specific": {question.id: {"informed": {"excerpt_enabled": False, "max_excerpts": 4}}},
    }
    remove = {each for each in user.find(ui.button).elements if each.props.get("aria-label") == "Remove informed"}
    UserInteraction(user, remove, None).click()
    assert form.choice.config({}).deep_judgment_rubric_config.model_dump() == {"global": {}}


async def test_single_questions_have_examples_of_their_own_choice(
    user: User, opened: Opened, application: Application
) -> None:
    row = application.library.questions.summaries(1)[1]
    pairs = [{"question": f"Example {n}?", "answer": str(n)} for n in range(3)]
    application.editor.edit(1, row.number, {"few_shot_examples": pairs})
    try:
        form = await opened(RunDraft(settings={"few_shot_config": {"source": "question_pool"}}))
        made(user, "Add question").set_value(row.id)
        title = short(row.text)
        made(user, f"Examples of {title}").set_value("custom")
        made(user, "Examples").set_value([2, 0])
        config = form.choice.config({}).few_shot_config
        assert config is not None
        assert config.question_configs[row.id] == FewShotExampleConfig(mode="custom", selected_examples=[0, 2])
        made(user, f"Examples of {title}").set_value("k-shot")
        made(user, "Number").set_value(2.0)
        config = form.choice.config({}).few_shot_config
        assert config is not None
        assert (config.question_configs[row.id].mode, config.question_configs[row.id].k) == ("k-shot", 2)
    finally:
        application.editor.edit(1, row.number, {"few_shot_examples": None})
