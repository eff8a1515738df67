"""The Run page's choices become a run configuration, and are remembered."""

from __future__ import annotations

import pytest

from karenina_gui import example
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.option import SettingContext
from karenina_gui.gui.pages.run_setup.planner import invalid_settings
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig

MODELS = {
    "careful": ModelConfig(interface="replay", model_name="sample-careful", recording="example"),
    "judge": ModelConfig(interface="replay", model_name="sample-judge", recording="example"),
}


def test_named_models_carry_their_name_into_the_run() -> None:
    config = RunDraft(models=["careful"], judges=["judge"], settings={"replicate_count": 3}).config(MODELS)
    assert [(m.id, m.model_name) for m in config.answering_models] == [("careful", "sample-careful")]
    assert [m.id for m in config.parsing_models] == ["judge"]
    assert config.replicate_count == 3


def test_a_model_that_was_deleted_is_left_out() -> None:
    assert RunDraft(models=["gone", "careful"]).config(MODELS).answering_models[0].id == "careful"


def test_a_choice_comes_back_as_it_was() -> None:
    settings = {"async_max_workers": 2, "evaluation_mode": "rubric_only"}
    choice = RunDraft(scope="keywords", keywords=["onc"], models=["careful"], settings=settings, name="a")
    assert RunDraft.from_memory(choice.to_memory()) == choice


def test_a_memory_that_no_longer_fits_falls_back_to_the_defaults() -> None:
    settings = {"evaluation_mode": "magic", "async_max_workers": "many", "replicate_count": 5, "wonder": 2}
    memory = {"scope": "everything", "record": "yes", "settings": settings, "unknown": 1}
    assert RunDraft.from_memory(memory) == RunDraft(settings={"replicate_count": 5})


@pytest.mark.parametrize("configuration", [example.run_configuration(), example.agents.run_configuration()])
def test_runs_of_the_examples_have_the_usual_concurrency(configuration: VerificationConfig) -> None:
    assert RunDraft.of(configuration).is_default("async_max_workers")


def test_settings_that_the_page_does_not_show_survive_it() -> None:
    config = VerificationConfig(
        task_ordering="random", rubric_trait_names=["tone"], async_max_workers=8, replicate_count=1
    )
    choice = RunDraft.of(config)
    assert choice.settings == {
        "task_ordering": "random",
        "rubric_trait_names": ["tone"],
        "async_max_workers": 8,
        "replicate_count": 1,
        "fixed_judges": False,
    }
    assert RunDraft.from_memory(choice.to_memory()).config({}) == config


def test_remembered_settings_that_a_newer_version_refuses_are_forgotten() -> None:
    memory = {"settings": {"deep_judgment_rubric_mode": "custom"}, "judges": ["judge"]}
    assert RunDraft.from_memory(memory) == RunDraft(judges=["judge"])


def test_a_number_beyond_the_limits_of_the_page_is_kept_and_told() -> None:
    choice = RunDraft.of(VerificationConfig(replicate_count=5000, async_max_workers=64))
    again = RunDraft.from_memory(choice.to_memory())
    assert again.value("replicate_count") == 5000
    (invalid,) = invalid_settings(SettingContext(again, rated=False))
    assert invalid.startswith("Replicates: ")
