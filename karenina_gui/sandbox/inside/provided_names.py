"""Names that author-written code can use without an import."""

from __future__ import annotations

import typing
from typing import Any

import pydantic

from karenina_gui.schemas import composition, primitives, verified_field
from karenina_gui.schemas.answer import BaseAnswer

INJECTED: dict[str, Any] = {
    "BaseAnswer": BaseAnswer,
    "BaseModel": pydantic.BaseModel,
    "Field": pydantic.Field,
    "VerifiedField": verified_field.VerifiedField,
    "ConditionalGroundTruth": verified_field.ConditionalGroundTruth,
    "GroundTruthCase": verified_field.GroundTruthCase,
    "SynonymMap": primitives.SynonymMap,
    **primitives.PRIMITIVES,
    **{name: getattr(composition, name) for name in ("AllOf", "AnyOf", "AtLeastN", "FieldCheck")},
    **{name: getattr(typing, name) for name in ("Any", "Dict", "List", "Literal", "Optional", "Union")},
}
