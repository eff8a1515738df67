"""Trait types from outside the package: their base class, their table, and traits whose type is missing.

A trait of such a type is serialized as its fields and `type_name`.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    ConfigDict,
    Field,
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
    model_serializer,
)

from karenina_gui.plugins import PLUGINS
from karenina_gui.schemas.problems import as_sentence, first_problem
from karenina_gui.schemas.result import TraitScale
from karenina_gui.schemas.rubric.trait import RubricTrait
from karenina_gui.schemas.rubric.types import TRAIT_TYPES, BuiltInTrait


class OtherRubricTrait(RubricTrait):
    """Base of a trait type from outside, which names itself: `type_name: Literal["word_count"] = "word_count"`.

    People see the title and the docstring of the class, and a form with the titles and descriptions of its fields.
    """

    type_name: str = Field(min_length=1)
    higher_is_better: bool | None = True
    """Direction for analysis, never for scoring; None: neither."""

    def score_scale(self) -> TraitScale:
        """Meaning of the trait's scores: yes or no, unless a type overrides this."""
        return TraitScale(kind="boolean", higher_is_better=self.higher_is_better)

    @field_validator("type_name")
    @classmethod
    def _not_built_in(cls, name: str) -> str:
        if name in TRAIT_TYPES:
            raise ValueError(f"{name!r} is a type of this package; its traits belong in '{name}_traits'")
        return name

    @model_serializer(mode="wrap")
    def _serialize(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Also in dumps without defaults.
        return {"type_name": self.type_name, **dump(self)}


class KeptRubricTrait(OtherRubricTrait):
    """A trait that no installed type takes (see `misfit_of_type`). It is kept as it is and never scored."""

    model_config = ConfigDict(extra="allow")

    @model_serializer(mode="wrap")
    def _serialize(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in self if name in self.model_fields_set}


_TYPES: dict[str, type[OtherRubricTrait]] = {}


def add_type(kind: type[OtherRubricTrait]) -> None:
    """Add a type to the table. Raises `ValueError` if it has no name, or that of another type."""
    name = kind.model_fields["type_name"].default
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f'{kind.__name__} needs a name: type_name: Literal["a_name"] = "a_name".')
    other = _TYPES.get(name) or TRAIT_TYPES.get(name)
    # The same class may be registered again after its module was reloaded.
    if other is not None and (other.__module__, other.__qualname__) != (kind.__module__, kind.__qualname__):
        raise ValueError(f"The trait type {name!r} is taken by {other.__module__}.{other.__qualname__}.")
    _TYPES[name] = kind


def other_types() -> dict[str, type[OtherRubricTrait]]:
    """{name: class} of all types from outside."""
    PLUGINS.load()
    return dict(_TYPES)


def trait_type(type_name: str) -> type[BuiltInTrait | OtherRubricTrait]:
    """Class for traits of this type; `KeptRubricTrait` if it is not installed."""
    # Built-in types first: looking for packages of others takes time.
    return TRAIT_TYPES.get(type_name) or _TYPES.get(type_name) or other_types().get(type_name, KeptRubricTrait)


def misfit_of_type(record: dict[str, Any]) -> str | None:
    """Reason, as a sentence, why no installed type accepts this serialized trait; None: one does."""
    name = str(record.get("type_name"))
    kind = trait_type(name)
    if kind is KeptRubricTrait:
        missing = f"Traits of the type {name!r} come from a package that is not installed here."
        return " ".join([missing, *PLUGINS.load()])
    try:
        kind.model_validate(record)
    except ValidationError as fault:
        return f"Its settings don’t match its type {name!r}: {as_sentence(first_problem(fault))}"
    return None


def trait_of(record: dict[str, Any]) -> OtherRubricTrait:
    """Load a serialized trait; one that no installed type accepts is kept. Raises `ValueError` if it is not a trait."""
    kind = KeptRubricTrait if misfit_of_type(record) else trait_type(str(record.get("type_name")))
    try:
        trait = kind.model_validate(record)
    except ValidationError as fault:
        raise ValueError(first_problem(fault)) from fault
    assert isinstance(trait, OtherRubricTrait)
    return trait


def _resolve(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    # Its type may have been installed since.
    if isinstance(value, KeptRubricTrait):
        value = value.model_dump()
    return check(trait_of(value) if isinstance(value, dict) else value)


AnyOtherTrait = Annotated[SerializeAsAny[OtherRubricTrait], WrapValidator(_resolve)]
"""In a rubric: a trait of a type from outside, or its serialized form."""
