"""Check of a whole rubric by the rules of the trait forms."""

from __future__ import annotations

from collections.abc import Mapping

from karenina_gui.gui.rubric import rules
from karenina_gui.gui.rubric.kinds import Record
from karenina_gui.gui.rubric.rubric_record import read_traits, taken_names
from karenina_gui.schemas.review import CheckItem


def check_traits(rubric: Record | Mapping[str, object], taken: Mapping[str, str]) -> list[CheckItem]:
    """Problems and doubts of all traits. `taken`: {name of a trait of the other rubric of a run: its owner}."""
    # Most questions have no traits of their own.
    if not rubric:
        return []
    items = []
    traits = read_traits(dict(rubric), ())
    for trait in traits:
        name, target = trait.name or "(unnamed)", f"trait:{trait.name}"
        problems = rules.problems(trait.type_name, trait.values, taken_names(trait, traits, taken))
        for problem in problems.values():
            items.append(CheckItem("missing", f"Trait “{name}”: {problem}", "rubric", target))
        for doubt in rules.doubts(trait.type_name, trait.values).values():
            items.append(CheckItem("advice", f"Trait “{name}”: {doubt}", "rubric", target))
    return items
