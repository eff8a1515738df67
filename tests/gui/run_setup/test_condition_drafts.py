"""Conditions as they are written on the Run page: what is kept, what is told, in what they differ."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.gui.pages.models.agent_fields import SERVER_FIELD
from karenina_gui.gui.pages.presets.page import config_summary, setting_rows
from karenina_gui.gui.pages.run_setup.condition_differences import difference_view, differences, in_words
from karenina_gui.gui.pages.run_setup.condition_draft import (
    WITHOUT_PROMPT,
    ConditionDraft,
    free_name,
    name_problem,
    problems,
    with_and_without_prompt,
    with_and_without_tools,
)
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.schemas.condition import AnsweringSettings, Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig

SERVERS = SERVER_FIELD.name
GRAPH = ToolServer(url="http://127.0.0.1:8000/mcp")
PLAIN = Condition(name="plain")
PROMPTED = ModelConfig(model_name="m", system_prompt="Be brief.", mcp_servers={"papers": GRAPH})
BARE = ModelConfig(model_name="n")
FULL = Condition(
    name="with graph",
    description="All of it",
    system_prompt="Use the graph.",
    mcp_servers={"graph": GRAPH, "local": ToolServer(type="stdio", command="uvx", args=["a b"], tools=["x"])},
    settings=AnsweringSettings(temperature=None, max_tokens=5, workspace_tools=["read_file"], extra_kwargs={"seed": 1}),
    require_mcp_tool_use=True,
    require_mcp_tool_success=True,
)
NOTHING = Condition(name="nothing", system_prompt="", mcp_servers={}, settings=AnsweringSettings(workspace_tools=None))


@pytest.mark.parametrize("condition", [PLAIN, FULL, NOTHING])
def test_a_condition_comes_back_whole_from_its_draft_and_the_memory_of_the_page(condition: Condition) -> None:
    assert ConditionDraft.of(condition).condition == condition
    config = VerificationConfig(conditions=[condition], replicate_count=3)
    again = RunDraft.from_memory(RunDraft.of(config).to_memory())
    assert again.config({}).model_dump() == {**config.model_dump(), "async_max_workers": 2}


def test_only_settings_that_are_given_act_even_where_they_are_given_as_none() -> None:
    assert NOTHING.apply_to(ModelConfig(model_name="m", workspace_tools=["read_file"])).workspace_tools is None
    assert PLAIN != NOTHING
    assert AnsweringSettings(temperature=None) != AnsweringSettings()


def test_further_parameters_of_a_condition_leave_the_other_ones_of_the_model() -> None:
    model = ModelConfig(model_name="m", extra_kwargs={"endpoint_base_url_mode": "raw", "seed": 7})
    assert FULL.apply_to(model).extra_kwargs == {"endpoint_base_url_mode": "raw", "seed": 1}
    with pytest.raises(ValueError, match="looks like an API key"):
        AnsweringSettings(extra_kwargs={"api_key": "abc"})


def test_the_rows_of_servers_lead_back_to_the_servers() -> None:
    draft = ConditionDraft.of(FULL)
    assert draft.write_servers(draft.servers) is None
    assert draft.condition == FULL


def test_a_text_that_was_written_is_there_when_it_is_chosen_again() -> None:
    draft = ConditionDraft.of(FULL)
    for name in ("system_prompt", SERVERS):
        draft.choose(name, "none")
        assert draft.mode(name) == "none"
        draft.choose(name, "own")
        assert draft.mode(name) == "own"
        draft.choose(name, "these")
    assert draft.condition == FULL


def test_what_is_wrong_is_told_with_the_name_of_its_condition() -> None:
    drafts = [ConditionDraft("a "), ConditionDraft("a"), ConditionDraft(" "), ConditionDraft("x" * 101)]
    drafts[0].choose("system_prompt", "these")
    drafts[0].set_setting("temperature", 3)
    drafts[1].choose(SERVERS, "these")
    twice = "Another condition has this name. Choose a different one."
    assert problems(drafts) == [
        f"Condition “a”: {twice}",
        "Condition “a”: Enter a system prompt, or choose “None”.",
        "Condition “a”: Enter a number from 0 to 2. Leave it empty to send no temperature.",
        "Condition “a”: Add a server, or choose “None”.",
        "Condition 3: Enter a name. Results and charts use it.",
        f"Condition “{'x' * 100}”: Use at most 100 characters.",
    ]
    assert [each.name for each in RunDraft(conditions=drafts).config({}).conditions] == ["a", "x" * 100]


def test_names_that_differ_in_capitals_only_are_one_name() -> None:
    drafts = [ConditionDraft("baseline"), ConditionDraft(" Baseline  ")]
    alike = "Another condition’s name differs only in capitals. Choose a different one."
    assert problems(drafts) == [f"Condition “baseline”: {alike}", f"Condition “Baseline”: {alike}"]
    assert [each.name for each in RunDraft(conditions=drafts).config({}).conditions] == ["baseline"]


def test_a_name_that_turns_the_direction_of_writing_is_refused_at_its_card() -> None:
    draft = ConditionDraft("with\u202egraph")
    wrong = name_problem(draft, [draft])
    assert wrong is not None and "an invisible character (U+202E)" in wrong
    assert draft.condition.name == "with?graph"


def test_a_long_name_is_cut_between_joined_signs_and_stays_a_name() -> None:
    draft = ConditionDraft("x" * 98 + "\U0001f469\u200d\U0001f4bb")
    assert name_problem(draft, [draft]) == "Use at most 100 characters."
    assert draft.condition.name == "x" * 98 + "\U0001f469?"


def test_what_may_hold_a_key_is_written_nowhere_while_it_is_refused() -> None:
    draft = ConditionDraft("a")
    wrong = draft.write_servers([{"name": "g", "url": "http://h/mcp", "headers": "Authorization=sk-12345678abc"}])
    assert wrong is not None
    assert "looks like an API key" in wrong
    draft.set_setting("extra_kwargs", [{"name": "token", "value": "sk-12345678abc"}])
    draft.set_setting("max_tokens", 0)
    assert "sk-" not in str(draft.to_memory())
    again = ConditionDraft.from_memory(draft.to_memory())
    assert again is not None
    assert list(again.refused) == ["max_tokens"]


def test_a_prompt_that_is_still_to_be_written_is_asked_for_again() -> None:
    draft = with_and_without_prompt([])[1]
    again = ConditionDraft.from_memory(draft.to_memory())
    assert again is not None
    assert problems([again]) == [f"Condition “with system prompt”: {WITHOUT_PROMPT}"]


@pytest.mark.parametrize("memory", [3, {"kept": 3}, {"kept": {"mcp_servers": {"a": {}}}}, {"kept": {"wonder": 1}}])
def test_a_remembered_condition_that_no_longer_fits_is_forgotten(memory: Any) -> None:
    assert ConditionDraft.from_memory(memory) is None


def test_the_difference_to_the_baseline_is_that_of_the_models_as_they_are_asked() -> None:
    def said(condition: Condition, *models: ModelConfig) -> list[str]:
        return [each.phrase for each in differences(PLAIN, condition, models)]

    assert said(FULL, PROMPTED) == [
        "system prompt",
        "servers +graph +local −papers",
        "temperature 0.1 → not sent",
        "max output tokens 16384 → 5",
        "workspace tools none → read_file",
        "seed not sent → 1",
        "requires an MCP tool call",
        "requires a successful call",
    ]
    assert said(NOTHING, PROMPTED) == ["without a system prompt", "servers −papers"]
    assert said(NOTHING, BARE) == []
    assert said(NOTHING, PROMPTED, BARE) == ["system prompt", "servers"]
    same = Condition(name="same", system_prompt="Be brief.")
    assert said(same, PROMPTED) == []
    assert said(same) == ["with a system prompt"]


def test_a_filter_of_tools_is_a_difference_only_where_other_tools_are_offered() -> None:
    model = PROMPTED.model_copy(update={"mcp_tool_filter": ["find"]})
    more = Condition(name="more", mcp_servers={"papers": GRAPH, "graph": GRAPH})
    unfiltered = Condition(name="all", settings=AnsweringSettings(mcp_tool_filter=None))
    filtered = more.model_copy(update={"settings": AnsweringSettings(mcp_tool_filter=["get"])})
    said = [[each.phrase for each in differences(PLAIN, each, [model])] for each in (more, unfiltered, filtered)]
    assert said == [
        ["servers +graph"],
        ["allowed server tools find → all"],
        ["servers +graph", "allowed server tools find → get"],
    ]


def test_changed_texts_stand_side_by_side_with_the_change_marked() -> None:
    longer = Condition(name="b", system_prompt="Be brief and exact.")
    view = difference_view(PLAIN, differences(PLAIN, longer, [PROMPTED]))
    assert "<mark> and exact</mark>" in view
    assert "Differs from “plain”" in view
    assert "Same as “plain”" in difference_view(PLAIN, [])
    assert difference_view(Condition(name="<b>"), []).count("<b>") == 0


def test_ready_pairs_begin_with_the_condition_that_has_nothing() -> None:
    for made, of in ((with_and_without_tools, SERVERS), (with_and_without_prompt, "system_prompt")):
        assert [draft.mode(of) for draft in made([PROMPTED])] == ["none", "own"]
        assert [draft.mode(of) for draft in made([BARE])] == ["none", "these"]
        assert problems(made([PROMPTED])) == []


def test_a_free_name_never_grows_beyond_what_a_name_may_be() -> None:
    assert free_name("a", ["A", "a 2"]) == "a 3"
    assert len(free_name("x" * 100, ["x" * 100])) <= 100


def test_a_preset_says_its_conditions_and_how_often_is_judged() -> None:
    config = VerificationConfig(
        conditions=[NOTHING, FULL], judge_replicates=2, parsing_models=[BARE], answering_models=[BARE]
    )
    assert config_summary(config) == "1 model · 1 judge · 2 conditions · 1 replicate · Template only"
    rows = dict(setting_rows(config))
    assert rows["Condition “nothing”"] == "no system prompt · no MCP servers · Workspace tools: none"
    assert rows["Judgments"] == "2"
    assert in_words(PLAIN) == "models’ own settings"
    assert in_words(FULL).startswith(
        "All of it · system prompt “Use the graph.” · MCP servers: graph, local · Temperature: not"
    )
