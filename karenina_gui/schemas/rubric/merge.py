"""Merging of the benchmark's and the question's rubric."""

from __future__ import annotations

from karenina_gui.schemas.problems import prescribed_error
from karenina_gui.schemas.rubric.rubric import DynamicRubric, Rubric
from karenina_gui.schemas.rubric.types import TRAIT_FIELDS
from karenina_gui.text import quote_list


def merge_rubrics(global_: Rubric | None, question: Rubric | None) -> tuple[Rubric | None, dict[str, str] | None]:
    """Both rubrics as one, and the origin of each trait: {name: `global` | `question_specific`}.

    (None, None) if there is neither. Raises `ValueError` if both have a trait of the same name and type.
    """
    if global_ is None and question is None:
        return None, None
    first, second = global_ or Rubric(), question or Rubric()
    _refuse_conflicts(first, second)
    merged = Rubric(dynamic=_merge_dynamic(first.dynamic, second.dynamic), **_concatenate(first, second))
    provenance = dict.fromkeys(first.names, "global") | dict.fromkeys(second.names, "question_specific")
    return merged, provenance


def _refuse_conflicts(first: Rubric, second: Rubric) -> None:
    theirs = {(type_name, trait.name) for type_name, trait in second.by_type}
    shared = [(type_name, trait.name) for type_name, trait in first.by_type if (type_name, trait.name) in theirs]
    if shared:
        listed = sorted(":".join(each) for each in shared)
        raise prescribed_error(
            f"Same-type trait name conflicts between global and question rubrics: {listed}",
            _shared_names([name for _, name in shared]),
        )


def _shared_names(names: list[str]) -> str:
    traits, remedy = ("a trait", "one of them") if len(names) == 1 else ("traits", "one of each")
    return f"The benchmark and this question both have {traits} named {quote_list(names)}. Rename {remedy}."


def _concatenate(first: Rubric | DynamicRubric, second: Rubric | DynamicRubric) -> dict[str, list]:  # type: ignore[type-arg]
    return {field: [*getattr(first, field), *getattr(second, field)] for field in TRAIT_FIELDS}


def _merge_dynamic(first: DynamicRubric | None, second: DynamicRubric | None) -> DynamicRubric | None:
    if first is None or second is None:
        return first or second
    return DynamicRubric(**_concatenate(first, second))
