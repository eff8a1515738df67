"""Check of a whole rubric by the rules of the trait forms."""

from __future__ import annotations

from collections.abc import Mapping

from karenina_gui.gui.rubric import rules
from karenina_gui.gui.rubric.kinds import Record
from karenina_gui.gui.rubric.rubric_draft import RubricDraft
from karenina_gui.schemas.review import CheckItem


def check_traits(rubric: Record | Mapping[str, object], taken: Mapping[str, str]) -> list[CheckItem]:
    """Problems and doubts of all traits. `taken`: {name of a trait of the other rubric of a run: its owner}."""
    # Most questions have no traits of their own.
    if not rubric:
        return []
    draft = RubricDraft(dict(rubric), taken)
    found = []
    for trait in draft.traits:
        name, place = trait.name or "(unnamed)", f"trait:{trait.name}"
        for words in draft.problems(trait).values():
            found.append(CheckItem("missing", f"Trait “{name}”: {words}", "rubric", place))
        for words in rules.doubts(trait.type_name, trait.values).values():
            found.append(CheckItem("advice", f"Trait “{name}”: {words}", "rubric", place))
    return found
