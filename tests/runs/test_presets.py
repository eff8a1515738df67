"""Saved presets, and the models that they contain."""

from __future__ import annotations

import pytest

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.pipeline.unused_settings import unused_settings
from karenina_gui.runs.presets import with_saved_models
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library

GPT = ModelConfig(id="gpt", model_name="gpt-5", interface="openai_endpoint")


def preset(name: str, *models: ModelConfig, **settings: int) -> Preset:
    return Preset(name=name, config=VerificationConfig(answering_models=list(models), **settings))


def test_a_preset_is_kept_whole_and_in_order_of_names(library: Library) -> None:
    first, second = preset("b", GPT, replicate_count=3, max_requeue_count=9), preset("A", GPT)
    for each in (first, second):
        library.presets.save(each)
    assert [each.name for each in library.presets.all().values()] == ["A", "b"]
    assert library.presets.get(first.id).config == first.config


def test_two_presets_of_one_name_are_refused_and_one_is_renewed(library: Library) -> None:
    first = library.presets.save(preset("same"))
    with pytest.raises(InputError, match="already"):
        library.presets.save(preset("same"))
    renewed = library.presets.save(first.model_copy(update={"description": "other"}))
    assert (renewed.id, renewed.description, renewed.created_at) == (first.id, "other", first.created_at)


def test_a_deleted_preset_can_be_kept_again(library: Library) -> None:
    kept = library.presets.save(preset("p", GPT))
    removed = library.presets.delete(kept.id)
    with pytest.raises(NotFoundError):
        library.presets.get(kept.id)
    library.presets.save(removed)
    assert library.presets.get(kept.id).config == kept.config


def test_models_come_along_once(library: Library) -> None:
    config, added = with_saved_models(preset("p", GPT).config, library.models)
    assert (added, [model.id for model in config.answering_models]) == (["gpt"], ["gpt"])
    assert with_saved_models(preset("p", GPT).config, library.models)[1] == []
    library.models.save("renamed", GPT)
    (gpt,) = (each for each in library.models.entries() if each.name == "gpt")
    library.models.delete(gpt.number)
    config, added = with_saved_models(preset("p", GPT).config, library.models)
    assert (added, [model.id for model in config.answering_models]) == ([], ["renamed"])


def test_a_name_that_means_another_model_here_is_left_alone(library: Library) -> None:
    library.models.save("gpt", GPT.model_copy(update={"temperature": 1.0}))
    config, added = with_saved_models(preset("p", GPT).config, library.models)
    assert added == ["gpt 2"]
    assert config.answering_models[0].id == "gpt 2"
    assert library.models.all()["gpt"].temperature == 1.0
    assert library.models.all()["gpt 2"].temperature == 0.1


def test_recorded_answers_stay_with_the_model_that_is_kept_here(library: Library) -> None:
    recorded = ModelConfig(id="recorded", interface="manual", manual_traces={"q": "42"})
    library.models.save("recorded", recorded)
    asked = preset("p", ModelConfig(id="recorded", interface="manual")).config
    config, added = with_saved_models(asked, library.models)
    assert added == []
    assert config.answering_models[0].manual_traces == {"q": "42"}


def test_what_a_preset_sets_without_effect_is_said() -> None:
    assert unused_settings(preset("p", GPT).config) == []
    assert "max_requeue_count" in unused_settings(preset("p", GPT, max_requeue_count=9).config)[0]
