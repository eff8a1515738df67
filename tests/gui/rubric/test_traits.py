"""Traits of a stored rubric and back: what is complete is in the rubric, what is not is beside it."""

from __future__ import annotations

from typing import Any

from karenina_gui.gui.pages.rubric.kinds import KINDS
from karenina_gui.gui.pages.rubric.rubric_record import Trait, move, new_trait, read_traits, taken_names, write_traits
from karenina_gui.gui.pages.rubric.rules import problems
from karenina_gui.schemas.rubric import Rubric

UNIT = {"name": "unit", "pattern": "mg"}
DOSE = {"name": "dose", "pattern": r"\d+"}
TONE = {"name": "tone", "kind": "boolean", "description": "Friendly?"}


def rubric(**lists: list[dict[str, Any]]) -> dict[str, Any]:
    return {f"{name}_traits": traits for name, traits in lists.items()}


def test_a_rubric_that_nobody_edits_is_stored_as_it_was() -> None:
    stored = rubric(llm=[TONE], regex=[UNIT, DOSE])
    traits = read_traits(stored | {"dynamic": rubric(regex=[UNIT]), "unknown": 1}, ())
    assert write_traits(traits, {"dynamic": rubric(regex=[UNIT]), "unknown": 1}) == (
        stored | {"dynamic": rubric(regex=[UNIT]), "unknown": 1},
        None,
    )


def test_a_new_trait_is_in_the_rubric_once_it_is_complete() -> None:
    trait = new_trait("regex", {"name": "", "pattern": ""})
    assert write_traits([trait], {})[0] is None
    complete = trait.with_values({"name": "unit", "pattern": "mg"}, {})
    assert write_traits([complete], {}) == (
        rubric(regex=[UNIT]),
        [{"id": trait.id, "type": "regex", "name": "unit"}],
    )


def test_an_incomplete_edit_leaves_the_version_before_and_is_not_lost() -> None:
    unit, dose = read_traits(rubric(regex=[UNIT, DOSE]), ())
    stored = write_traits([unit.with_values({"pattern": "mg("}, {}), dose], {})
    assert stored[0] == rubric(regex=[UNIT, DOSE])
    again, _ = read_traits(stored[0], stored[1] or ())
    assert (again.id, again.values["pattern"], again.stored) == (unit.id, "mg(", UNIT)
    assert write_traits([again.with_values({"pattern": "kg"}, {}), dose], {}) == (
        rubric(regex=[{**UNIT, "pattern": "kg"}, DOSE]),
        None,
    )


def test_an_incomplete_trait_whose_complete_version_was_deleted_stays() -> None:
    unit = read_traits(rubric(regex=[UNIT]), ())[0].with_values({"pattern": "mg("}, {})
    _, edits = write_traits([unit], {})
    (again,) = read_traits(None, edits or ())
    assert (again.id, again.values["pattern"], again.stored) == (unit.id, "mg(", None)


def test_a_trait_keeps_its_id_under_another_name_and_no_other_trait_gets_it() -> None:
    (unit,) = read_traits(rubric(regex=[UNIT]), ())
    stored, edits = write_traits([unit.with_values({"name": "units"}, {})], {})
    assert stored == rubric(regex=[{**UNIT, "name": "units"}])
    traits = read_traits(rubric(regex=[{**UNIT, "name": "units"}, UNIT]), edits or ())
    assert traits[0].id == unit.id
    assert traits[1].id != unit.id


def test_names_are_unique_across_types_and_against_the_other_rubric() -> None:
    tone, unit = read_traits(rubric(regex=[UNIT], llm=[TONE]), ())
    taken = taken_names(unit, [tone, unit], {"depth": "the benchmark"})
    assert "Another trait" in problems("regex", {**unit.values, "name": "tone"}, taken)["name"]
    assert "the benchmark" in problems("regex", {**unit.values, "name": "depth"}, taken)["name"]
    assert unit.with_values({"name": "depth"}, taken).stored == UNIT


def test_a_conflict_that_was_stored_already_is_shown_but_stops_no_other_edit() -> None:
    (tone,) = read_traits(rubric(llm=[TONE]), ())
    taken = {"tone": "the benchmark"}
    assert "name" in problems("llm", tone.values, taken)
    assert tone.with_values({"description": "Warm?"}, taken).stored == {**TONE, "description": "Warm?"}


def test_traits_move_within_their_type() -> None:
    traits = read_traits(rubric(llm=[TONE], regex=[UNIT, DOSE]), ())
    assert move(traits, "regex:dose", -1)
    assert write_traits(traits, {})[0] == rubric(llm=[TONE], regex=[DOSE, UNIT])
    assert not move(traits, "regex:dose", -1)


def test_every_kind_starts_as_something_that_only_lacks_what_an_author_must_say() -> None:
    for kind in KINDS:
        trait = new_trait(kind.type_name, {"name": "", **kind.blank})
        lacking = {"name", "pattern", "classes", "fields", "tp_instructions", "source"}
        assert problems(trait.type_name, trait.values, {}).keys() <= lacking, kind


def test_whatever_is_stored_is_a_rubric() -> None:
    traits: list[Trait] = []
    for kind in KINDS:
        trait = new_trait(kind.type_name, {"name": f"t {kind.title} {kind.type_name}", **kind.blank})
        missing = {
            "pattern": {"pattern": "x"},
            "classes": {"classes": [{"name": name, "description": name} for name in "ab"]},
            "fields": {"fields": [{"name": "n", "type": "integer"}]},
            "tp_instructions": {"tp_instructions": [{"text": "nausea"}]},
            "source": {"source": "def f(text): return True"},
        }
        lacking = next(iter(problems(trait.type_name, trait.values, {})), "")
        traits.append(trait.with_values(missing.get(lacking, {}), {}))
    stored, _ = write_traits(traits, {})
    assert len(Rubric.model_validate(stored).traits) == len(KINDS)
