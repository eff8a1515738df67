"""Saved models: permanent numbers, changeable names."""

from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.store.library import Library
from karenina_gui.store.models import Models

GPT = ModelConfig(model_name="gpt-5", interface="openai_endpoint")
RECORDED = ModelConfig(id="old", model_name="old", interface="manual", manual_traces={"q": "42"})


@pytest.fixture
def models(library: Library) -> Models:
    return library.models


def test_a_renamed_model_keeps_its_number_and_its_answers(models: Models) -> None:
    number = models.add("first", RECORDED).number
    models.rename(number, "second")
    renamed = models.get(number)
    assert (renamed.name, renamed.config.id, renamed.config.model_name) == ("second", "second", "second")
    assert renamed.config.manual_traces == {"q": "42"}
    assert list(models.all()) == ["second"]


def test_a_name_belongs_to_one_model(models: Models) -> None:
    assert [models.add("gpt", GPT).name for _ in range(3)] == ["gpt", "gpt 2", "gpt 3"]
    last = models.entries()[-1]
    with pytest.raises(InputError, match="Another model has this name"):
        models.rename(last.number, "gpt")
    assert models.get(last.number) == last


def test_the_number_of_a_deleted_model_finds_no_other_also_after_a_restart(models: Models, library: Library) -> None:
    deleted = models.add("gone", GPT)
    models.delete(deleted.number)
    library.close()
    with Library.open(Path(library.folder)) as reopened:
        assert reopened.models.add("next", GPT).number != deleted.number
        for write in (reopened.models.get, lambda n: reopened.models.update(n, RECORDED), reopened.models.delete):
            with pytest.raises(NotFoundError):
                write(deleted.number)
        assert [each.config.model_name for each in reopened.models.entries()] == ["gpt-5"]


def test_a_restored_model_has_its_number_and_a_free_name(models: Models) -> None:
    deleted = models.delete(models.add("gpt", GPT).number)
    models.add("gpt", GPT)
    restored = models.restore(deleted)
    assert (restored.number, restored.name, restored.config.id) == (deleted.number, "gpt 2", "gpt 2")
    models.rename(restored.number, "mine")
    assert models.restore(deleted).name == "mine"
