"""Verified fields: fields with their ground truth and the primitive to compare with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SerializeAsAny
from pydantic.fields import FieldInfo

from karenina_gui.schemas.primitives import TracePrimitive, VerificationPrimitive, primitive_from_json

VERIFICATION_KEY = "__verification__"
"""Key in a field's `json_schema_extra` that holds its ground truth. Must never reach a judge."""

DESCRIPTION_REQUIRED = "description is required for VerifiedField: the judge LLM relies on it to know what to extract."
"""Error of a field without description, in karenina's wording."""


def VerifiedField(  # noqa: N802  (used like pydantic's Field)
    description: str = "",
    *,
    ground_truth: Any,
    verify_with: VerificationPrimitive,
    weight: float = 1.0,
    extraction_hint: str | None = None,
) -> Any:
    """Declare a template field that `verify_with` compares with `ground_truth`.

    The judge reads `description`, and `extraction_hint` if given. `weight` (0 or more) counts in the partial credit.
    Raises `ValueError` for a blank description or a weight that is negative or not finite, `TypeError` if `verify_with`
    is not a primitive.
    """
    if not description.strip():
        raise ValueError(DESCRIPTION_REQUIRED)
    if isinstance(verify_with, type):
        raise TypeError(f"verify_with needs an instance: write {verify_with.__name__}(...), with parentheses.")
    if not isinstance(verify_with, VerificationPrimitive):
        raise TypeError(f"verify_with must be a primitive such as ExactMatch(), not {type(verify_with).__name__}.")
    if not 0 <= weight < inf:
        raise ValueError("weight must be 0 or more.")
    verification: Any = {
        "ground_truth": ground_truth,
        "verify_with": verify_with,
        "weight": weight,
        "extraction_hint": extraction_hint,
    }
    return Field(description=description, json_schema_extra={VERIFICATION_KEY: verification})


@dataclass(frozen=True)
class Verification:
    """Ground truth and comparison of a verified field."""

    ground_truth: Any
    """Expected value; of a conditional ground truth, its default."""
    verify_with: VerificationPrimitive
    weight: float
    extraction_hint: str | None

    @cached_property
    def is_trace(self) -> bool:
        """True if the raw answer is searched, and no judge asked."""
        return isinstance(self.verify_with, TracePrimitive)


def verification_of(field: FieldInfo) -> Verification | None:
    """Verification of a field; None for a plain field."""
    extra = field.json_schema_extra
    carried: Any = extra.get(VERIFICATION_KEY) if isinstance(extra, dict) else None
    if carried is None:
        return None
    truth, primitive = carried["ground_truth"], carried["verify_with"]
    if isinstance(truth, ConditionalGroundTruth):
        primitive = truth.default.verify_with or primitive
        truth = truth.default.value
    return Verification(truth, primitive, carried["weight"], carried["extraction_hint"])


def verified_fields(model: type[BaseModel]) -> dict[str, Verification]:
    """Verified fields of a template by name, in order."""
    verifications = {name: verification_of(field) for name, field in model.model_fields.items()}
    return {name: verification for name, verification in verifications.items() if verification is not None}


def _as_primitive(value: Any) -> Any:
    return primitive_from_json(value) if isinstance(value, dict) else value


def _as_case(value: Any) -> Any:
    # A dict with other keys is a bare value that happens to be a dict.
    is_form = isinstance(value, dict) and "value" in value and value.keys() <= {"value", "verify_with"}
    return value if is_form or isinstance(value, GroundTruthCase) else {"value": value}


class GroundTruthCase(BaseModel):
    """One possible truth; `verify_with` None keeps the field's own primitive."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: Any
    verify_with: Annotated[SerializeAsAny[VerificationPrimitive], BeforeValidator(_as_primitive)] | None = None


_Case = Annotated[GroundTruthCase, BeforeValidator(_as_case)]


class ConditionalGroundTruth(BaseModel):
    """A truth that depends on the state of a scenario: `source` names the state's entry, `cases` its values.

    A question that stands alone has no such state, so `default` applies. Cases may be given as bare values.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    cases: dict[str, _Case]
    default: _Case = GroundTruthCase(value=None)
