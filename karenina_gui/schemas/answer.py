"""Base class of every answer template.

There are three kinds of templates: classic (plain fields and a hand-written `verify()`), verified (verified fields,
compared automatically) and mixed. Author-written subclasses are loaded only inside a sandbox cell.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
    PrivateAttr,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)
from pydantic_core import CoreSchema, PydanticKnownError

from karenina_gui.schemas.composition import strategy_of
from karenina_gui.schemas.primitives import ComparisonPrimitive, TracePrimitive
from karenina_gui.schemas.primitives.numeric import keep_exact
from karenina_gui.schemas.trace_patterns import check_patterns
from karenina_gui.schemas.verified_field import VERIFICATION_KEY, Verification, verification_of, verified_fields
from karenina_gui.text.canonical import canonical

_NUMBERS = {int, float, Decimal}
RESERVED_NAMES = {"correct"}
_DICTS = {
    "correct": "{'target': 'BCL2'}",
    "regex": "{'year': {'pattern': r'\\d{4}', 'expected': '1969', 'match_type': 'contains'}}",
}


class BaseAnswer(BaseModel):
    """Fields that a judge extracts from an answer, and their verification.

    A template overrides `ground_truth()`, which runs for each new instance and sets `self.correct` (a dict) and, where
    patterns are to be searched in the raw answer, `self.regex`.
    """

    # `self.correct` and everything else that an author sets on `self` are extra attributes.
    model_config = ConfigDict(extra="allow", allow_inf_nan=False)

    _check_patterns: ClassVar[Callable[[Mapping[str, Any], str], dict[str, Any]]] = staticmethod(check_patterns)
    """Replaced where a search must be stopped when it takes too long."""

    id: str | None = None
    _trace: str | None = PrivateAttr(default=None)

    def ground_truth(self) -> None:
        """Set `self.correct`; in a verified template, to the fields' own ground truth."""
        verified = verified_fields(type(self))
        if verified:
            self.correct = {name: verification.ground_truth for name, verification in verified.items()}

    def verify(self) -> bool:
        """Return True if the answer passes. Automatic for verified fields, otherwise written by the author."""
        if not verified_fields(type(self)):
            raise NotImplementedError(f"{type(self).__name__} does not have a 'verify' method")
        return self._auto_verify()

    def verify_granular(self) -> float:
        """Return the partial credit of the verified fields, 0 to 1: credit = Σ weight · score / Σ weight.

        A field that the judge left open scores 0.
        """
        verified = verified_fields(type(self))
        if not verified:
            raise NotImplementedError(f"{type(self).__name__} does not have a 'verify_granular' method")
        total = sum(verification.weight for verification in verified.values())
        contributions = [
            verification.weight * (self.score_field(name) or 0.0) for name, verification in verified.items()
        ]
        return strategy_of(type(self)).credit(contributions) / total if total else 0.0

    def verify_regex(self, raw_llm_response: str) -> dict[str, Any]:
        """Search the patterns of `self.regex` in the raw answer.

        Returns `success`, and `results` and `details` by name.
        """
        return type(self)._check_patterns(self.search_patterns(), raw_llm_response)

    def search_patterns(self) -> dict[str, Any]:
        """`self.regex`; empty if the template sets none, or has a field of that name."""
        return {} if "regex" in type(self).model_fields else getattr(self, "regex", {})

    def read_trace(self, trace: str) -> None:
        """Fill the trace fields with what their primitives find in the raw answer."""
        self._trace = trace
        # Past the assignment hooks: the value replaces the placeholder that validation needed.
        for name, verification in verified_fields(type(self)).items():
            if verification.is_trace:
                assert isinstance(verification.verify_with, TracePrimitive)
                object.__setattr__(self, name, verification.verify_with.check_trace(trace))

    def verify_field(self, name: str) -> bool | None:
        """Outcome of one verified field; None if the judge left it open. Raises what its primitive raises."""
        verification = self._verification(name)
        primitive = verification.verify_with
        if isinstance(primitive, TracePrimitive):
            return primitive.check_trace(self._trace or "") == bool(verification.ground_truth)
        if self._is_open(name, verification):
            return None
        assert isinstance(primitive, ComparisonPrimitive)
        return primitive.check(getattr(self, name), verification.ground_truth)

    def score_field(self, name: str) -> float | None:
        """Partial credit of one verified field, 0 to 1; None if the judge left it open."""
        verification = self._verification(name)
        primitive = verification.verify_with
        if isinstance(primitive, TracePrimitive):
            return float(bool(self.verify_field(name)))
        if self._is_open(name, verification):
            return None
        assert isinstance(primitive, ComparisonPrimitive)
        return primitive.score(getattr(self, name), verification.ground_truth)

    @field_validator("*", mode="wrap")
    @classmethod
    def _read(cls, value: Any, convert: ValidatorFunctionWrapHandler, field: ValidationInfo) -> Any:
        """Convert as pydantic does, but keep the digits of integers, and take a choice with accents in another form.

        Rejects true and false for numbers: Python takes true for 1, but such a judge has read no number.
        """
        if field.field_name is not None:
            annotation = cls.model_fields[field.field_name].annotation
            if isinstance(value, bool) and (kinds := _kinds(annotation)) & _NUMBERS and not kinds & {bool, Any}:
                raise PydanticKnownError("int_type" if int in kinds else "float_type")
            if choices := {*_choices(annotation)}:
                value = _as_chosen(value, choices)
        return keep_exact(value, convert)

    def model_post_init(self, context: Any, /) -> None:
        self.ground_truth()

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The JSON schema without any ground truth."""
        schema: dict[str, Any] = super().model_json_schema(*args, **kwargs)
        without_verification(schema)
        return schema

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        # Another model or a TypeAdapter builds its schema through this hook, not through `model_json_schema`.
        schema = handler(core_schema)
        without_verification(handler.resolve_ref_schema(schema))
        return schema

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        taken = RESERVED_NAMES & cls.__pydantic_fields__.keys()
        if taken:
            raise ValueError(
                f"Field name(s) {taken} reserved by BaseAnswer for internal use. "
                "Please rename your field(s) to avoid collision."
            )

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _DICTS and name not in type(self).model_fields and not isinstance(value, dict):
            raise TypeError(
                f"self.{name} must be a dict such as {_DICTS[name]}, not {type(value).__name__}: {value!r:.80}"
            )
        super().__setattr__(name, value)

    def _auto_verify(self) -> bool:
        """Apply the template's strategy to its verified fields."""
        results = {name: self.verify_field(name) for name in verified_fields(type(self))}
        return strategy_of(type(self)).evaluate(results)

    def _verification(self, name: str) -> Verification:
        verification = verification_of(type(self).model_fields[name])
        if verification is None:
            raise KeyError(name)
        return verification

    def _is_open(self, name: str, verification: Verification) -> bool:
        return getattr(self, name, None) is None and verification.ground_truth is not None


def _kinds(annotation: Any) -> set[Any]:
    """Types in a union; for any other annotation, the type itself."""
    if get_origin(annotation) is Annotated:
        return _kinds(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return {kind for part in get_args(annotation) for kind in _kinds(part)}
    return {annotation} if isinstance(annotation, Hashable) else set()


def _choices(annotation: Any) -> Iterator[Any]:
    """Choices of the literals in a type."""
    parts = get_args(annotation)
    if get_origin(annotation) is Literal:
        yield from parts
    else:
        for part in parts:
            yield from _choices(part)


def _as_chosen(value: Any, choices: set[Any]) -> Any:
    if isinstance(value, list):
        return [_as_chosen(item, choices) for item in value]
    if isinstance(value, str) and value not in choices:
        return next((choice for choice in choices if canonical(choice) == canonical(value)), value)
    return value


def without_verification(schema: Any) -> None:
    """Remove all ground truth from a JSON schema, in place."""
    if isinstance(schema, dict):
        schema.pop(VERIFICATION_KEY, None)
        for part in schema.values():
            without_verification(part)
    elif isinstance(schema, list):
        for part in schema:
            without_verification(part)
