"""LLM traits of a template kind: a judge fills in a form about the answer, in a call of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karenina_gui.rubric.llm import reference_for
from karenina_gui.rubric.prompts import form_messages
from karenina_gui.rubric.reply_form import ReplyForm, nullable, property_names
from karenina_gui.rubric.scores import TraitScores
from karenina_gui.rubric.task import NoReply, RubricTask
from karenina_gui.rubric.terms import Terms
from karenina_gui.schemas.rubric import LLMRubricTrait

Field = dict[str, Any]


def evaluate_llm_templates(traits: Sequence[LLMRubricTrait], task: RubricTask) -> TraitScores:
    """`llm_trait_scores`: {`trait.field`: value}. A field that the judge left null has no value, unless it may be
    null; an optional field that it left out has its default.
    """
    scores = TraitScores()
    for trait in traits:
        _fill(trait, task, scores)
    return scores


def is_form(trait: LLMRubricTrait, _terms: Terms) -> bool:
    return isinstance(trait.kind, dict)


def _fill(trait: LLMRubricTrait, task: RubricTask, scores: TraitScores) -> None:
    assert isinstance(trait.kind, dict)
    fields: dict[str, Field] = trait.kind["schema"]["properties"]
    by_property = dict(zip(property_names(fields), fields, strict=True))
    form = ReplyForm("Form", {name: nullable(fields[field]) for name, field in by_property.items()})
    asked = {name: _asked(field, fields[field]) for name, field in by_property.items()}
    reference = reference_for(trait, task, scores) if task.judge else None
    values = task.ask(form_messages(task, trait, asked, reference), form)
    if isinstance(values, NoReply):
        scores.miss([trait.name], values.why, values.category)
        return
    empty = []
    for name, field in by_property.items():
        value, key = values.get(name), f"{trait.name}.{field}"
        if value is None and name not in values and "default" in fields[field]:
            value = fields[field]["default"]
        if value is None and not _may_be_null(fields[field]):
            empty.append(key)
            continue
        value = _plain(fields[field], value)
        if value is not None and (problem := _unfit(fields[field], value)):
            scores.miss([key], f"the judge replied {value!r:.80}, which is {problem}.")
        else:
            scores.put("llm_trait_scores", key, value)
    scores.miss(empty, "the judge gave no value.")


def _asked(name: str, field: Field) -> str:
    return str(field.get("description") or field.get("title") or name)


def _may_be_null(field: Field) -> bool:
    return any(option.get("type") == "null" for option in field.get("anyOf", ()))


def _plain(field: Field, value: Any) -> Any:
    """A whole number that was written with a decimal point is one."""
    kinds = {field.get("type"), *(option.get("type") for option in field.get("anyOf", ()))}
    whole = isinstance(value, float) and value.is_integer() and "integer" in kinds
    return int(value) if whole else value


_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "boolean": (bool, "neither true nor false"),
    "integer": (int, "no whole number"),
    "number": ((int, float), "no number"),
    "string": (str, "no text"),
    "array": (list, "no list"),
}


def _unfit(field: Field, value: Any) -> str | None:
    """Why a value is none of this field; None: it is one."""
    for option in field.get("anyOf", ()):
        if option.get("type") != "null":
            return _unfit(option, value)
    python, words = _TYPES[field["type"]]
    if not isinstance(value, python) or (isinstance(value, bool) and field["type"] != "boolean"):
        return words
    if isinstance(value, list):
        return next((f"a list with something that is {p}" for v in value if (p := _unfit(field["items"], v))), None)
    return "none of what the field allows" if "enum" in field and value not in field["enum"] else None
