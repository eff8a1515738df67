"""Sets of traits by type, and the merging of the benchmark's and the question's."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from karenina_gui.schemas.problems import prescribed_error
from karenina_gui.schemas.rubric.agentic import AgenticRubricTrait
from karenina_gui.schemas.rubric.callable import CallableRubricTrait
from karenina_gui.schemas.rubric.llm import LLMRubricTrait
from karenina_gui.schemas.rubric.metric import MetricRubricTrait
from karenina_gui.schemas.rubric.other import AnyOtherTrait, OtherRubricTrait
from karenina_gui.schemas.rubric.regex import RegexRubricTrait
from karenina_gui.schemas.rubric.types import TRAIT_FIELDS, TRAIT_TYPES, BuiltInTrait, field_of
from karenina_gui.text import quote_list

Trait = BuiltInTrait | OtherRubricTrait

_LABELS = {"llm": "LLM", "regex": "Regex", "callable": "Callable", "metric": "Metric", "agentic": "Agentic"}


class _TraitLists(BaseModel):
    model_config = ConfigDict(extra="forbid")

    llm_traits: list[LLMRubricTrait] = Field(default_factory=list)
    regex_traits: list[RegexRubricTrait] = Field(default_factory=list)
    callable_traits: list[CallableRubricTrait] = Field(default_factory=list)
    metric_traits: list[MetricRubricTrait] = Field(default_factory=list)
    agentic_traits: list[AgenticRubricTrait] = Field(default_factory=list)
    other_traits: list[AnyOtherTrait] = Field(default_factory=list, exclude_if=lambda traits: not traits)
    """Traits of all types from outside the package; each names its own."""

    @property
    def by_type(self) -> Iterator[tuple[str, Trait]]:
        """(short name of the type, trait), type by type; types from outside come last, in their order."""
        for type_name in TRAIT_TYPES:
            for trait in self.holding(type_name):
                yield type_name, trait
        for other in self.other_traits:
            yield other.type_name, other

    @property
    def traits(self) -> list[Trait]:
        return [trait for _, trait in self.by_type]

    @property
    def names(self) -> list[str]:
        return [trait.name for trait in self.traits]

    @property
    def is_empty(self) -> bool:
        return not self.traits

    def holding(self, type_name: str) -> list[Trait]:
        """List that holds traits of this type; the list itself, not a copy."""
        traits: list[Trait] = getattr(self, field_of(type_name))
        return traits

    def get(self, name: str) -> Trait | None:
        """Trait of this name; None if there is none."""
        return next((trait for trait in self.traits if trait.name == name), None)

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        home: dict[str, str] = {}
        for type_name, trait in self.by_type:
            if "." in trait.name:
                raise prescribed_error(
                    f"{_label(type_name)} trait name {trait.name!r} contains '.', which would collide with "
                    "dot-notation keys of template traits. Use another character, such as '_'.",
                    f"The trait name “{trait.name}” contains a period. Use another character, such as _.",
                )
            other = home.setdefault(trait.name, type_name)
            if other != type_name:
                raise prescribed_error(
                    f"Duplicate trait name {trait.name!r} across different trait types. Trait names must be unique "
                    f"within a rubric ({_label(other)} and {_label(type_name)} share it).",
                    _namesakes(trait.name),
                )
        for type_name in set(home.values()):
            _refuse_repeats(type_name, [trait.name for name, trait in self.by_type if name == type_name])
        return self


class DynamicRubric(_TraitLists):
    """Traits that apply only to answers in which their concept is present. Carried along; not evaluated yet."""


class Rubric(_TraitLists):
    """Traits of a benchmark (all questions) or of one question. Names are unique over all types.

    `traits`, `names` and `is_empty` speak of the static traits; `dynamic` stands beside them.
    """

    dynamic: DynamicRubric | None = Field(default=None, exclude_if=lambda dynamic: dynamic is None)

    def only(self, names: Collection[str]) -> Rubric:
        """The rubric reduced to the traits of these names, static and dynamic."""
        dynamic = self.dynamic and self.dynamic.model_copy(update=_select(self.dynamic, names))
        return self.model_copy(update={**_select(self, names), "dynamic": dynamic})


def _select(rubric: _TraitLists, names: Collection[str]) -> dict[str, list[Trait]]:
    return {field: [trait for trait in getattr(rubric, field) if trait.name in names] for field in TRAIT_FIELDS}


def _label(type_name: str) -> str:
    return _LABELS.get(type_name, repr(type_name))


def _refuse_repeats(type_name: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise prescribed_error(
                f"Duplicate {_label(type_name)} trait name {name!r}. Trait names must be unique within a rubric.",
                _namesakes(name),
            )


def _namesakes(name: str) -> str:
    return f"Two traits are named “{name}”. Rename one of them."


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
        listed = sorted(":".join(pair) for pair in shared)
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
