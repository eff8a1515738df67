"""What is incomplete in a rubric waits in the library, through reloads and crashes, until it is complete."""

from __future__ import annotations

from typing import Any

from karenina_gui.gui.rubric.draft import RubricDraft, TraitDraft
from karenina_gui.gui.rubric.kinds import Record
from karenina_gui.gui.rubric.values import same


def written_down(rubric: RubricDraft) -> list[Record]:
    """Everything that the forms hold and the store has not, as plain JSON."""
    return [
        {"type": trait.type_name, "values": trait.values, "over": trait.stored}
        for trait in rubric.unkept()
        if trait.state != "waiting" and (trait.touched or trait.name)
    ]


def taken_up(rubric: RubricDraft, waiting: Any) -> list[TraitDraft]:
    """Put what `written_down` gave back into the forms; what was changed elsewhere since is a clash."""
    found = []
    for item in waiting if isinstance(waiting, list) else ():
        over: Record | None = item.get("over")
        trait = _stored_as(rubric, item["type"], over) if over else None
        if trait is None:
            trait = rubric.add(item["type"], {})
            trait.state = "clash" if over else ""
        elif not same(trait.type_name, trait.stored, over):
            trait.state = "clash"
        trait.values = item["values"]
        trait.touched = set(trait.values)
        found.append(trait)
    return found


def _stored_as(rubric: RubricDraft, type_name: str, over: Record) -> TraitDraft | None:
    return next(
        (
            trait
            for trait in rubric.traits
            if trait.type_name == type_name and trait.stored and trait.stored.get("name") == over.get("name")
        ),
        None,
    )
