"""Saved presets, and the models that they contain."""

from __future__ import annotations

import pytest

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.runs.presets import PresetCatalog
from karenina_gui.schemas.config import ModelConfig, VerificationConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.store.library import Library

GPT = ModelConfig(id="gpt", model_name="gpt-5", interface="openai_endpoint")


@pytest.fixture
def shelf(library: Library) -> PresetCatalog:
    return PresetCatalog(library.presets, library.models)


def preset(name: str, *models: ModelConfig, **settings: int) -> Preset:
    return Preset(name=name, config=VerificationConfig(answering_models=list(models), **settings))


def test_a_preset_is_kept_whole_and_in_order_of_names(shelf: PresetCatalog) -> None:
    first, second = preset("b", GPT, replicate_count=3, max_requeue_count=9), preset("A", GPT)
    for each in (first, second):
        shelf.kept.save(each)
    assert [each.name for each in shelf.kept.all().values()] == ["A", "b"]
    assert shelf.kept.get(first.id).config == first.config


def test_two_presets_of_one_name_are_refused_and_one_is_renewed(shelf: PresetCatalog) -> None:
    first = shelf.kept.save(preset("same"))
    with pytest.raises(InputError, match="already"):
        shelf.kept.save(preset("same"))
    renewed = shelf.kept.save(first.model_copy(update={"description": "other"}))
    assert (renewed.id, renewed.description, renewed.created_at) == (first.id, "other", first.created_at)


def test_a_deleted_preset_can_be_kept_again(shelf: PresetCatalog) -> None:
    kept = shelf.kept.save(preset("p", GPT))
    removed = shelf.kept.delete(kept.id)
    with pytest.raises(NotFoundError):
        shelf.kept.get(kept.id)
    shelf.kept.save(removed)
    assert shelf.kept.get(kept.id).config == kept.config


def test_models_come_along_once(shelf: PresetCatalog, library: Library) -> None:
    config, added = shelf.with_models(preset("p", GPT).config)
    assert (added, [model.id for model in config.answering_models]) == (["gpt"], ["gpt"])
    assert shelf.with_models(preset("p", GPT).config)[1] == []
    library.models.save("renamed", GPT)
    (gpt,) = (each for each in library.models.entries() if each.name == "gpt")
    library.models.delete(gpt.number)
    config, added = shelf.with_models(preset("p", GPT).config)
    assert (added, [model.id for model in config.answering_models]) == ([], ["renamed"])


def test_a_name_that_means_another_model_here_is_left_alone(shelf: PresetCatalog, library: Library) -> None:
    library.models.save("gpt", GPT.model_copy(update={"temperature": 1.0}))
    config, added = shelf.with_models(preset("p", GPT).config)
    assert added == ["gpt 2"]
    assert config.answering_models[0].id == "gpt 2"
    assert library.models.all()["gpt"].temperature == 1.0
    assert library.models.all()["gpt 2"].temperature == 0.1


def test_recorded_answers_stay_with_the_model_that_is_kept_here(shelf: PresetCatalog, library: Library) -> None:
    recorded = ModelConfig(id="recorded", interface="manual", manual_traces={"q": "42"})
    library.models.save("recorded", recorded)
    asked = preset("p", ModelConfig(id="recorded", interface="manual")).config
    config, added = shelf.with_models(asked)
    assert added == []
    assert config.answering_models[0].manual_traces == {"q": "42"}


def test_what_a_preset_sets_without_effect_is_said(shelf: PresetCatalog) -> None:
    assert shelf.without_effect(preset("p", GPT).config) == []
    assert "max_requeue_count" in shelf.without_effect(preset("p", GPT, max_requeue_count=9).config)[0]
