"""Traits and template fields as calibrations see them: possible labels, and the wording that judges read."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from karenina_gui.authoring.template_form import CodeValue, FormEdits, FormError, TemplateForm, read_form
from karenina_gui.errors import InputError
from karenina_gui.schemas.calibration import CalibrationTarget, LabelScale, Wording
from karenina_gui.schemas.problems import as_sentence, first_problem
from karenina_gui.schemas.rubric import LLMRubricTrait, RegexRubricTrait, Rubric
from karenina_gui.schemas.template import TemplateOutline

Judgeable = LLMRubricTrait | RegexRubricTrait


@dataclass(frozen=True)
class OpenTarget:
    """A trait or field with everything that its calibration needs."""

    target: CalibrationTarget
    scale: LabelScale
    wording: Wording
    """Saved wording."""
    trait: Judgeable | None = None
    """None: a template field."""
    source: str = ""
    """Template of a field."""

    @property
    def is_pattern(self) -> bool:
        """True if a regular expression takes the place of a judge."""
        return isinstance(self.trait, RegexRubricTrait)


def trait_target(target: CalibrationTarget, rubric: Rubric | None) -> OpenTarget:
    """Open a trait. Raises `InputError` if it is gone, or of a kind without labels."""
    trait = rubric.get(target.name) if rubric else None
    if trait is None:
        raise InputError(f"The trait “{target.name}” no longer exists. It was renamed or deleted.")
    if not isinstance(trait, LLMRubricTrait | RegexRubricTrait):
        raise InputError("Only traits that a judge or a pattern decides can be calibrated.")
    return OpenTarget(target, trait_scale(trait), trait_wording(trait), trait)


def read_rubric(record: dict[str, Any] | None) -> Rubric | None:
    """Rubric of a question. Raises `InputError` if a file brought an invalid one."""
    try:
        return Rubric.model_validate(record) if record else None
    except ValidationError as error:
        raise InputError(f"The traits of this question don’t work: {as_sentence(first_problem(error))}") from error


def trait_scale(trait: Judgeable) -> LabelScale:
    """Labels of a trait. Raises `InputError` for a structured score."""
    if isinstance(trait, RegexRubricTrait) or trait.kind == "boolean":
        return LabelScale("boolean")
    if trait.kind == "literal":
        return LabelScale("class", classes=tuple(trait.classes or ()))
    if trait.kind == "score":
        low, high = sorted((trait.min_score, trait.max_score))
        return LabelScale("score", low, high)
    raise InputError("A structured score has no single label. Calibrate its fields as traits of their own.")


def trait_wording(trait: Judgeable) -> Wording:
    """Everything about a trait that its judge reads; the pattern of a pattern trait."""
    if isinstance(trait, RegexRubricTrait):
        return Wording(description=trait.pattern)
    return Wording(description=trait.description or "", classes=dict(trait.classes or {}))


def reworded_trait(trait: Judgeable, wording: Wording) -> Judgeable:
    """Return the trait with another wording. Raises `ValueError` if the wording is invalid for it."""
    return type(trait).model_validate({**trait.model_dump(exclude_unset=True), **trait_changes(trait, wording)})


def trait_changes(trait: Judgeable, wording: Wording) -> dict[str, Any]:
    """Fields of a trait that its wording sets."""
    if isinstance(trait, RegexRubricTrait):
        return {"pattern": wording.description}
    classes = {"classes": wording.classes} if trait.kind == "literal" else {}
    return {"description": wording.description.strip() or None, **classes}


def field_target(target: CalibrationTarget, source: str, outline: TemplateOutline) -> OpenTarget:
    """Open a template field. Raises `InputError` if it is gone, or of a type without labels."""
    field = next((field for field in outline.fields if field.name == target.name), None)
    if not outline.valid or field is None:
        raise InputError(f"The template field “{target.name}” no longer exists, or the template has an error.")
    if field.is_trace:
        raise InputError("A judge never reads this field: it is checked without one.")
    scale = field_scale(field.type)
    if scale is None:
        raise InputError("Only fields that hold a yes or no, a choice, a number, or a text can be calibrated.")
    return OpenTarget(target, scale, field_wording(source, target.name), source=source)


def field_scale(annotation: str) -> LabelScale | None:
    """Labels of a field of this type; None: it has none, as lists and dates."""
    # Judges may leave every field null, so an optional one has the same labels.
    plain = re.sub(r"^Optional\[(.*)\]$", r"\1", annotation.strip())
    plain = re.sub(r"\s*\|\s*None$", "", plain)
    kinds: dict[str, LabelScale] = {
        "bool": LabelScale("boolean", can_be_missing=True),
        "int": LabelScale("number", can_be_missing=True),
        "float": LabelScale("number", can_be_missing=True),
        "str": LabelScale("text", can_be_missing=True),
    }
    if plain in kinds:
        return kinds[plain]
    if match := re.fullmatch(r"Literal\[(.*)\]", plain, re.DOTALL):
        try:
            options = ast.literal_eval(f"({match[1]},)")
        except (ValueError, SyntaxError):
            return None
        if all(isinstance(option, str) for option in options):
            return LabelScale("class", classes=tuple(options), can_be_missing=True)
    return None


def field_wording(source: str, name: str) -> Wording:
    """Description of a field in the source of a template; empty if code makes it."""
    form = read_form(source)
    if isinstance(form, TemplateForm):
        for field in form.fields:
            if field.name == name and isinstance(field.description, str):
                return Wording(description=field.description)
    return Wording()


def reworded_template(source: str, name: str, wording: Wording) -> str:
    """Return the template with another description of a field. Raises `InputError`."""
    form = read_form(source)
    if not isinstance(form, TemplateForm):
        raise InputError(form)
    try:
        if isinstance(form.field(name).description, CodeValue):
            raise InputError("Custom code describes this field. Change it on the tab Template.")
        return FormEdits(form).set_description(name, wording.description.strip())
    except (FormError, KeyError) as error:
        raise InputError(f"The description can’t be changed here: {error}") from error
