"""What is incomplete in a rubric survives everything, also two windows of one person."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.gui.rubric.incomplete_traits import IncompleteTraits, waiting_traits
from karenina_gui.gui.rubric.rubric_draft import RubricDraft, TraitDraft
from karenina_gui.gui.rubric.rubric_owner import RubricOwner
from karenina_gui.sandbox import Sandbox
from karenina_gui.store.library import Library

UNIT = {"name": "unit", "pattern": "mg"}
STORED = {"regex_traits": [UNIT]}


@pytest.fixture
def editor(library: Library, sandbox: Sandbox) -> BenchmarkEditor:
    return BenchmarkEditor(library, sandbox)


class Opened:
    """The rubric in one window of ada."""

    def __init__(self, editor: BenchmarkEditor, stored: dict[str, Any] | None = None) -> None:
        self.rubric = RubricDraft(STORED if stored is None else stored)
        self.unkept = IncompleteTraits(editor.library.drafts, RubricOwner(1), "ada")
        self.unkept.restore_incomplete(self.rubric)

    def edit(self, trait: TraitDraft, **values: Any) -> None:
        for key, value in values.items():
            trait.values[key] = value
            self.rubric.touch(trait, key)
            self.unkept.save(waiting_traits(self.rubric))

    def names(self) -> list[str]:
        return [trait.name for trait in self.rubric.traits]


def test_every_letter_of_an_incomplete_trait_is_written_down(editor: BenchmarkEditor) -> None:
    window = Opened(editor)
    dose = window.rubric.add("regex", {"name": ""})
    for typed in ("d", "do", "dose"):
        window.edit(dose, name=typed)
    window.edit(dose, pattern="mg(")
    again = Opened(editor)
    assert [(trait.name, trait.values["pattern"]) for trait in again.rubric.traits] == [("unit", "mg"), ("dose", "mg(")]
    again.edit(again.rubric.traits[1], pattern="mg((")
    assert Opened(editor).rubric.traits[1].values["pattern"] == "mg(("


def test_two_windows_leave_different_things_incomplete(editor: BenchmarkEditor) -> None:
    one, two = Opened(editor), Opened(editor)
    one.edit(one.rubric.add("regex", {"name": ""}), name="dose")
    two.edit(two.rubric.traits[0], pattern="mg(")
    assert Opened(editor).names() == ["unit", "dose"]
    two.edit(two.rubric.traits[0], pattern="g")
    assert Opened(editor).names() == ["unit", "dose"]


def test_a_trait_that_was_completed_in_another_window_is_not_there_twice(editor: BenchmarkEditor) -> None:
    one = Opened(editor)
    dose = one.rubric.add("regex", {"name": ""})
    one.edit(dose, name="dose")
    two = Opened(editor)
    one.edit(dose, pattern=r"\d+")
    kept = one.rubric.to_record()
    one.rubric.mark_saved(kept, one.rubric.records())
    one.unkept.save(waiting_traits(one.rubric))
    two.rubric.merge(kept)
    two.unkept.catch_up(two.rubric)
    assert two.names() == ["unit", "dose"]
    assert two.rubric.traits[1].stored is not None
    assert Opened(editor, kept).names() == ["unit", "dose"]


def test_what_was_typed_into_it_in_two_windows_stays_until_it_is_decided(editor: BenchmarkEditor) -> None:
    one = Opened(editor)
    dose = one.rubric.add("regex", {"name": ""})
    one.edit(dose, name="dose")
    two = Opened(editor)
    two.edit(two.rubric.traits[1], pattern="mg(")
    one.edit(dose, pattern=r"\d+")
    kept = one.rubric.to_record()
    two.rubric.merge(kept)
    two.unkept.catch_up(two.rubric)
    assert [trait.values["pattern"] for trait in two.rubric.traits] == ["mg", r"\d+", "mg("]
    assert len(Opened(editor, kept).names()) == 3


def test_an_edit_that_was_completed_in_another_window_is_shown_as_it_stands(editor: BenchmarkEditor) -> None:
    one = Opened(editor)
    one.edit(one.rubric.traits[0], pattern="mg(")
    two = Opened(editor)
    one.edit(one.rubric.traits[0], pattern="kg")
    kept = one.rubric.to_record()
    two.rubric.merge(kept)
    two.unkept.catch_up(two.rubric)
    assert (two.rubric.traits[0].values["pattern"], two.rubric.traits[0].state) == ("kg", "")
