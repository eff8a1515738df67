"""The library of traits and templates: saved, found with ready-made ones, removed, and undone."""

from __future__ import annotations

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.ready_traits import READY_TRAITS
from karenina_gui.authoring.trait_catalog import TraitCatalog
from karenina_gui.errors import NotFoundError
from karenina_gui.schemas.command import Actor, sentence
from karenina_gui.schemas.rubric import trait_type
from karenina_gui.store.actors import acting
from karenina_gui.store.library import Library
from tests.calibrated import judged_benchmark

ADA = Actor("ada", "Ada")
SAFE = {"name": "safe", "description": "Is it safe?", "kind": "boolean"}


@pytest.fixture
def catalog(editor: BenchmarkEditor) -> TraitCatalog:
    return TraitCatalog(editor)


def test_the_library_comes_first_and_ready_made_traits_last(catalog: TraitCatalog, library: Library) -> None:
    judged_benchmark(library)
    assert catalog.shelve("llm", SAFE, "Ada") == "safe"
    found = catalog.find("", apart_from=(0, None))
    assert [each.origin for each in found] == ["library", *["rubric"] * 2, *["ready"] * len(READY_TRAITS)]
    assert [(each.name, each.trait["description"]) for each in catalog.find("SAFE?", apart_from=(0, None))] == [
        ("safe", "Is it safe?")
    ]


def test_an_equal_trait_is_saved_once_and_another_of_the_name_gets_a_number(
    catalog: TraitCatalog, library: Library
) -> None:
    names = [catalog.shelve("llm", each, "") for each in (SAFE, SAFE, {**SAFE, "description": "Really?"})]
    assert names == ["safe", "safe", "safe 2"]
    found = [each.trait for each in catalog.find("safe", apart_from=(0, None)) if each.origin == "library"]
    assert [(each["name"], each["description"]) for each in found] == [("safe", "Is it safe?"), ("safe 2", "Really?")]
    assert [each.name for each in library.shelf.all("template")] == []


def test_removal_is_undone(catalog: TraitCatalog, editor: BenchmarkEditor, library: Library) -> None:
    with acting(ADA):
        catalog.shelve("llm", SAFE, "Ada")
    (item,) = library.shelf.all("trait")
    with acting(ADA):
        catalog.unshelve([item.id])
    assert library.shelf.all("trait") == []
    with pytest.raises(NotFoundError):
        catalog.unshelve([item.id])
    reversal = editor.history.undo_last("benchmarks", ADA.person)
    assert reversal is not None
    assert sentence(reversal.command) == "Deleted the saved trait or template “safe”"
    assert library.shelf.all("trait") == [item]


@pytest.mark.parametrize(("type_name", "trait"), READY_TRAITS, ids=lambda each: str(each)[:20])
def test_ready_made_traits_are_valid_and_say_what_they_mean(type_name: str, trait: dict[str, object]) -> None:
    made = trait_type(type_name).model_validate(trait)
    assert made.description and len(made.description) > 30
