"""LLM traits of a template kind: a judge fills a structured score, one call for each trait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karenina_gui.rubric.llm import reference_for
from karenina_gui.rubric.prompts import form_messages
from karenina_gui.rubric.reply_form import ReplyForm, in_own_words, nullable, property_names
from karenina_gui.rubric.scores import TraitScores
from karenina_gui.rubric.task import NoReply, RubricTask
from karenina_gui.rubric.trait_settings import TraitSettings
from karenina_gui.schemas.rubric import AgenticRubricTrait, LLMRubricTrait

Field = dict[str, Any]

BOUNDS = ("minimum", "maximum")
DIRECTION = "higher_is_better"
"""Schema key of a field's direction, for readers of results. Judges never see it."""


def evaluate_llm_templates(traits: Sequence[LLMRubricTrait], task: RubricTask) -> TraitScores:
    """Scores for `llm_trait_scores`, as {`trait.field`: value}.

    A field left null has no value, unless it is nullable. An optional field left out has its default.
    """
    scores = TraitScores()
    for trait in traits:
        _fill(trait, task, scores)
    return scores


def is_form(trait: LLMRubricTrait, _terms: TraitSettings) -> bool:
    return isinstance(trait.kind, dict)


def _fill(trait: LLMRubricTrait, task: RubricTask, scores: TraitScores) -> None:
    form = FieldForm.of(trait)
    reference = reference_for(trait, task, scores) if task.judge else None
    values = task.ask(form_messages(task, trait, form.descriptions, reference), form.reply)
    if isinstance(values, NoReply):
        scores.miss([trait.name], in_own_words(values.why, form.by_property), values.category)
        return
    # Each field is a score of its own in results.
    for field, value in form.read(values, scores).items():
        scores.put("llm_trait_scores", f"{trait.name}.{field}", value)


@dataclass(frozen=True)
class FieldForm:
    """Response schema of a structured score, with property names that every provider accepts."""

    trait: str
    fields: dict[str, Field]
    by_property: dict[str, str]
    """Field by property name."""

    @classmethod
    def of(cls, trait: LLMRubricTrait | AgenticRubricTrait) -> FieldForm:
        assert isinstance(trait.kind, dict)
        fields: dict[str, Field] = trait.kind["schema"]["properties"]
        return cls(trait.name, fields, dict(zip(property_names(fields), fields, strict=True)))

    @property
    def reply(self) -> ReplyForm:
        fields = {name: _plain_schema(self.fields[field]) for name, field in self.by_property.items()}
        optional = frozenset(name for name, field in self.by_property.items() if "default" in self.fields[field])
        return ReplyForm("Form", {name: nullable(field) for name, field in fields.items()}, optional)

    @property
    def descriptions(self) -> dict[str, str]:
        """Description by property name."""
        return {name: _describe(field, self.fields[field]) for name, field in self.by_property.items()}

    def read(self, values: Mapping[str, Any], scores: TraitScores) -> dict[str, Any]:
        """Values by field. Fields without a value are reported to `scores`."""
        fields, empty = {}, []
        for name, field in self.by_property.items():
            spec, value, key = self.fields[field], values.get(name), f"{self.trait}.{field}"
            # A field left out gets its default; one set to null has no value.
            if value is None and name not in values and "default" in spec:
                value = spec["default"]
            if value is None and not _may_be_null(spec):
                empty.append(key)
                continue
            value = _normalize(spec, value)
            if value is not None and (problem := _misfit(spec, value)):
                scores.miss([key], f"the judge replied {value!r:.80}, which is {problem}.")
            elif _is_in_range(spec, value, key, scores):
                fields[field] = value
        scores.miss(empty, "the judge gave no value.")
        return fields


def _describe(name: str, field: Field) -> str:
    about = str(field.get("description") or field.get("title") or name)
    low, high = _bounds(field)
    if low is None and high is None:
        return about
    limits = f"from {low} to {high}" if None not in (low, high) else f"from {low}" if high is None else f"up to {high}"
    return f"{about}\n  Value: {limits}."


def _bounds(field: Field) -> tuple[Any, Any]:
    """Minimum and maximum of a number; None: no bound."""
    if field.get("type") not in ("integer", "number"):
        return None, None
    low, high = (field.get(bound) for bound in BOUNDS)
    return low, high


def _plain_schema(field: Field) -> Field:
    """Schema without the keys that the prompt states in words, because some providers reject bounds."""
    stated = {DIRECTION, *(BOUNDS if _bounds(field) != (None, None) else ())}
    return {key: value for key, value in field.items() if key not in stated}


def _is_in_range(field: Field, value: Any, key: str, scores: TraitScores) -> bool:
    """True if the value can be stored. One outside of the field's range is reported, and counts as missing."""
    low, high = _bounds(field)
    if value is None or ((low is None or value >= low) and (high is None or value <= high)):
        return True
    scores.problems.append(
        f"The judge gave the field {key!r} the value {value}, outside of its range. It counts as missing."
    )
    # Results store whole bounds only, so nobody could tell later that the value is outside.
    return all(bound is None or bound == int(bound) for bound in (low, high))


def _may_be_null(field: Field) -> bool:
    return any(option.get("type") == "null" for option in field.get("anyOf", ()))


def _normalize(field: Field, value: Any) -> Any:
    """Integer for a whole number with a decimal point."""
    # Some models write integers as 3.0.
    kinds = {field.get("type"), *(option.get("type") for option in field.get("anyOf", ()))}
    whole = isinstance(value, float) and value.is_integer() and "integer" in kinds
    return int(value) if whole else value


_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "boolean": (bool, "neither true nor false"),
    "integer": (int, "not a whole number"),
    "number": ((int, float), "not a number"),
    "string": (str, "not text"),
    "array": (list, "not a list"),
}


def _misfit(field: Field, value: Any) -> str | None:
    """Reason why the value is invalid for the field; None: it is valid."""
    for option in field.get("anyOf", ()):
        if option.get("type") != "null":
            return _misfit(option, value)
    python, message = _TYPES[field["type"]]
    # In Python a bool is an int as well.
    if not isinstance(value, python) or (isinstance(value, bool) and field["type"] != "boolean"):
        return message
    if isinstance(value, list):
        return _misfit_of_items(field["items"], value)
    return "not an allowed value" if "enum" in field and value not in field["enum"] else None


def _misfit_of_items(field: Field, values: list[Any]) -> str | None:
    misfits = (_misfit(field, value) for value in values)
    return next((f"a list with something that is {misfit}" for misfit in misfits if misfit), None)
