"""A set of traits, by type."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from karenina_gui.schemas.rubric.agentic import AgenticRubricTrait
from karenina_gui.schemas.rubric.callable import CallableRubricTrait
from karenina_gui.schemas.rubric.llm import LLMRubricTrait
from karenina_gui.schemas.rubric.metric import MetricRubricTrait
from karenina_gui.schemas.rubric.regex import RegexRubricTrait

Trait = LLMRubricTrait | RegexRubricTrait | CallableRubricTrait | MetricRubricTrait | AgenticRubricTrait

TRAIT_TYPES: dict[str, type[Trait]] = {
    "llm": LLMRubricTrait,
    "regex": RegexRubricTrait,
    "callable": CallableRubricTrait,
    "metric": MetricRubricTrait,
    "agentic": AgenticRubricTrait,
}
"""{short name: class}; a rubric keeps the traits of a type in its field `<short name>_traits`."""

_LABELS = {"llm": "LLM", "regex": "Regex", "callable": "Callable", "metric": "Metric", "agentic": "Agentic"}


class _TraitLists(BaseModel):
    model_config = ConfigDict(extra="forbid")

    llm_traits: list[LLMRubricTrait] = Field(default_factory=list)
    regex_traits: list[RegexRubricTrait] = Field(default_factory=list)
    callable_traits: list[CallableRubricTrait] = Field(default_factory=list)
    metric_traits: list[MetricRubricTrait] = Field(default_factory=list)
    agentic_traits: list[AgenticRubricTrait] = Field(default_factory=list)

    @property
    def by_type(self) -> Iterator[tuple[str, Trait]]:
        """(short name of the type, trait), type by type."""
        for type_name in TRAIT_TYPES:
            for trait in self.of_type(type_name):
                yield type_name, trait

    @property
    def traits(self) -> list[Trait]:
        return [trait for _, trait in self.by_type]

    @property
    def names(self) -> list[str]:
        return [trait.name for trait in self.traits]

    @property
    def is_empty(self) -> bool:
        return not self.traits

    def of_type(self, type_name: str) -> list[Trait]:
        """The traits of one type, by its short name in `TRAIT_TYPES`; the list itself, not a copy."""
        found: list[Trait] = getattr(self, f"{type_name}_traits")
        return found

    def get(self, name: str) -> Trait | None:
        """The trait of this name, or None."""
        return next((trait for trait in self.traits if trait.name == name), None)

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        home: dict[str, str] = {}
        for type_name, trait in self.by_type:
            if "." in trait.name:
                raise ValueError(
                    f"{_LABELS[type_name]} trait name {trait.name!r} contains '.', which would collide with "
                    "dot-notation keys of template traits. Use another sign, such as '_'."
                )
            other = home.setdefault(trait.name, type_name)
            if other != type_name:
                raise ValueError(
                    f"Duplicate trait name {trait.name!r} across different trait types. Trait names must be unique "
                    f"within a rubric ({_LABELS[other]} and {_LABELS[type_name]} share it)."
                )
        for type_name in TRAIT_TYPES:
            _refuse_repeats(type_name, [trait.name for trait in self.of_type(type_name)])
        return self


class DynamicRubric(_TraitLists):
    """Traits that apply only to answers in which their concept is present. Carried along; not evaluated yet."""


class Rubric(_TraitLists):
    """Traits of a benchmark (all questions) or of one question. Names are unique over all types.

    `traits`, `names` and `is_empty` speak of the static traits; `dynamic` stands beside them.
    """

    dynamic: DynamicRubric | None = Field(default=None, exclude_if=lambda dynamic: dynamic is None)

    def only(self, names: Collection[str]) -> Rubric:
        """The same rubric with the traits of these names alone, static and dynamic."""
        dynamic = self.dynamic and self.dynamic.model_copy(update=_kept(self.dynamic, names))
        return self.model_copy(update={**_kept(self, names), "dynamic": dynamic})


def _kept(rubric: _TraitLists, names: Collection[str]) -> dict[str, list[Trait]]:
    return {f"{t}_traits": [trait for trait in rubric.of_type(t) if trait.name in names] for t in TRAIT_TYPES}


def _refuse_repeats(type_name: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"Duplicate {_LABELS[type_name]} trait name {name!r}. Trait names must be unique within a rubric."
            )
