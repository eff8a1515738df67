"""A rubric while it is edited: what is complete is kept, what is not waits, and two windows do not undo one another."""

from __future__ import annotations

from typing import Any

from karenina_gui.gui.rubric.incomplete_traits import restore_traits, waiting_traits
from karenina_gui.gui.rubric.kinds import KINDS
from karenina_gui.gui.rubric.rubric_draft import RubricDraft, TraitDraft
from karenina_gui.schemas.rubric import Rubric

UNIT = {"name": "unit", "pattern": "mg"}
DOSE = {"name": "dose", "pattern": r"\d+"}
TONE = {"name": "tone", "kind": "boolean", "description": "Friendly?"}


def rubric(**lists: list[dict[str, Any]]) -> dict[str, Any]:
    return {f"{name}_traits": traits for name, traits in lists.items()}


def edit(draft: RubricDraft, named: str, **values: Any) -> TraitDraft:
    trait = next(trait for trait in draft.traits if trait.name == named)
    for key, value in values.items():
        trait.values[key] = value
        draft.touch(trait, key)
    return trait


def test_a_rubric_that_nobody_edits_is_kept_as_it_was() -> None:
    stored = rubric(llm=[TONE], regex=[UNIT, DOSE]) | {"dynamic": rubric(regex=[UNIT]), "unknown": 1}
    draft = RubricDraft(stored)
    assert draft.to_record() == stored
    assert not draft.changed
    assert draft.other_fields.keys() == {"dynamic", "unknown"}


def test_a_new_trait_is_kept_once_it_is_complete() -> None:
    draft = RubricDraft(None)
    trait = draft.add("regex", {"name": "", "pattern": ""})
    assert draft.to_record() is None
    trait.values |= {"name": "unit", "pattern": "mg"}
    assert draft.to_record() == rubric(regex=[UNIT])


def test_an_incomplete_edit_leaves_the_version_before_and_is_not_lost() -> None:
    draft = RubricDraft(rubric(regex=[UNIT, DOSE]))
    trait = edit(draft, "unit", pattern="mg(")
    assert draft.to_record() == rubric(regex=[UNIT, DOSE])
    assert draft.unsaved_traits() == [trait]
    edit(draft, "dose", pattern="x")
    assert draft.to_record() == rubric(regex=[UNIT, {**DOSE, "pattern": "x"}])


def test_what_is_incomplete_comes_back_after_a_restart() -> None:
    draft = RubricDraft(rubric(regex=[UNIT]))
    edit(draft, "unit", pattern="mg(")
    draft.add("llm", {"name": "", "kind": "literal"}).touched.add("name")
    waiting = waiting_traits(draft)

    again = RubricDraft(rubric(regex=[UNIT]))
    found = restore_traits(again, waiting)
    assert [trait.values.get("pattern") for trait in found] == [None, "mg("]
    assert again.to_record() == rubric(regex=[UNIT])

    changed = RubricDraft(rubric(regex=[{**UNIT, "pattern": "kg"}]))
    assert [trait.state for trait in restore_traits(changed, waiting)] == ["", "clash"]


def test_names_are_unique_across_types_and_against_the_other_rubric() -> None:
    draft = RubricDraft(rubric(regex=[UNIT], llm=[TONE]), taken={"depth": "the benchmark"})
    assert "Another trait" in draft.obstacles(edit(draft, "unit", name="tone"))["name"]
    draft.accept_remote(draft.traits[1])
    assert "the benchmark" in draft.obstacles(edit(draft, "tone", name="depth"))["name"]


def test_a_conflict_that_was_stored_already_is_shown_but_stops_no_other_edit() -> None:
    draft = RubricDraft(rubric(llm=[TONE]), taken={"tone": "the benchmark"})
    trait = edit(draft, "tone", description="Warm?")
    assert "name" in draft.problems(trait)
    assert draft.to_record() == rubric(llm=[{**TONE, "description": "Warm?"}])


def test_traits_move_within_their_type() -> None:
    draft = RubricDraft(rubric(llm=[TONE], regex=[UNIT, DOSE]))
    assert draft.move(draft.traits[2], -1)
    assert draft.to_record() == rubric(llm=[TONE], regex=[DOSE, UNIT])
    assert draft.changed
    assert not draft.move(draft.traits[1], -1)


def test_copies_get_names_of_their_own() -> None:
    draft = RubricDraft(rubric(regex=[UNIT]), taken={"unit 2": "the benchmark"})
    copy = draft.add("regex", UNIT, after=draft.traits[0])
    assert copy.name == "unit 3"
    assert [trait.name for trait in draft.traits] == ["unit", "unit 3"]


def test_edits_of_different_traits_in_two_windows_both_stand() -> None:
    draft = RubricDraft(rubric(regex=[UNIT, DOSE]))
    edit(draft, "dose", pattern="x")
    assert draft.merge(rubric(regex=[{**UNIT, "pattern": "kg"}, DOSE], llm=[TONE]))
    assert draft.to_record() == rubric(llm=[TONE], regex=[{**UNIT, "pattern": "kg"}, {**DOSE, "pattern": "x"}])


def test_edits_of_the_same_trait_are_a_clash_and_nothing_is_overwritten() -> None:
    theirs = rubric(regex=[{**UNIT, "pattern": "kg"}])
    draft = RubricDraft(rubric(regex=[UNIT]))
    trait = edit(draft, "unit", pattern="g")
    draft.merge(theirs)
    assert trait.state == "clash"
    assert draft.to_record() == theirs
    draft.keep_local(trait)
    assert draft.to_record() == rubric(regex=[{**UNIT, "pattern": "g"}])
    trait.state = "clash"
    draft.accept_remote(trait)
    assert trait.values["pattern"] == "kg"


def test_a_change_elsewhere_waits_while_somebody_is_in_the_form() -> None:
    draft = RubricDraft(rubric(regex=[UNIT]))
    trait = draft.traits[0]
    draft.merge(rubric(regex=[{**UNIT, "pattern": "kg"}]), shown=trait)
    assert (trait.state, trait.values["pattern"]) == ("waiting", "mg")
    draft.touch(trait, "pattern")
    assert trait.state == "clash"


def test_a_trait_deleted_elsewhere_goes_unless_it_is_edited_here() -> None:
    draft = RubricDraft(rubric(regex=[UNIT, DOSE]))
    edit(draft, "dose", pattern="x")
    draft.merge(None)
    assert [(trait.name, trait.state) for trait in draft.traits] == [("dose", "clash")]
    assert draft.to_record() is None
    draft.keep_local(draft.traits[0])
    assert draft.to_record() == rubric(regex=[{**DOSE, "pattern": "x"}])


def test_a_trait_renamed_elsewhere_stays_the_same_trait() -> None:
    draft = RubricDraft(rubric(regex=[UNIT, DOSE]))
    before = draft.traits[0]
    draft.merge(rubric(regex=[{**UNIT, "name": "units"}, DOSE]))
    assert draft.traits[0] is before
    assert before.name == "units"


def test_the_same_edit_in_two_windows_is_no_clash() -> None:
    draft = RubricDraft(rubric(regex=[UNIT]))
    trait = edit(draft, "unit", pattern="kg")
    draft.merge(rubric(regex=[{"pattern": "kg", "name": "unit", "case_sensitive": True}]))
    assert trait.state == ""
    assert not draft.changed


def test_every_kind_starts_as_something_that_only_lacks_what_an_author_must_say() -> None:
    for kind in KINDS:
        draft = RubricDraft(None)
        trait = draft.add(kind.type_name, {"name": "", **kind.blank})
        lacking = {"name", "pattern", "classes", "fields", "tp_instructions", "source"}
        assert draft.problems(trait).keys() <= lacking, kind


def test_whatever_is_kept_is_a_rubric() -> None:
    draft = RubricDraft(None)
    for kind in KINDS:
        trait = draft.add(kind.type_name, {"name": f"t {kind.title} {kind.type_name}", **kind.blank})
        trait.values |= {
            "pattern": {"pattern": "x"}, "classes": {"classes": [{"name": n, "description": n} for n in "ab"]},
            "fields": {"fields": [{"name": "n", "type": "integer"}]},
            "tp_instructions": {"tp_instructions": [{"text": "nausea"}]},
            "source": {"source": "def f(text): return True"},
        }.get(next(iter(draft.problems(trait)), ""), {})  # fmt: skip
    kept = draft.to_record()
    assert kept
    assert len(Rubric.model_validate(kept).traits) == len(KINDS)
