"""Templates whose fields have simple types, judged without a pydantic class.

Creating the class of a template takes longer than judging one answer with it, and most templates judge one answer per
run. This module therefore holds the JSON schema of each simple type and the values that pydantic accepts unchanged. All
other types, and every value that does not fit, are left to the class.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Self, Union, cast, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_jsonable_python

from karenina_gui.sandbox.inside.data_template import setting_constants
from karenina_gui.sandbox.inside.json_values import as_json
from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
from karenina_gui.sandbox.inside.methods import method_apart, patterns_checked_apart
from karenina_gui.sandbox.inside.source_map import SourceMap
from karenina_gui.sandbox.inside.template_data import STRATEGY, FieldData, TemplateData
from karenina_gui.schemas.answer import BaseAnswer, refuse_attribute
from karenina_gui.schemas.composition import StrategyNode, strategy_of
from karenina_gui.schemas.primitives import ComparisonPrimitive
from karenina_gui.schemas.template import RegexVerdict, TemplateVerdict
from karenina_gui.schemas.verified_field import Verification
from karenina_gui.text.surrogates import has_utf8_form

_SCHEMAS: dict[Any, dict[str, Any]] = {
    bool: {"type": "boolean"},
    float: {"type": "number"},
    int: {"type": "integer"},
    str: {"type": "string"},
}
_NO_REGEX = RegexVerdict()
"""Shared by all brief verdicts, since to create one takes as long as a comparison."""
_NO_RESULT: Any = object()
"""In place of a comparison that raised an error."""
_EXACT = 2**53
"""Largest range in which every integer has an exact float."""
_SET_BY_TEMPLATE = {"correct", "regex"}


class PlainAnswer:
    """Verification methods of `BaseAnswer` on plain attributes, without validation."""

    model_fields: ClassVar[dict[str, FieldInfo]] = {}
    _verified: ClassVar[Mapping[str, Verification]] = {}
    """Read from `model_fields` once: a verdict asks for them a dozen times."""
    _check_patterns = staticmethod(BaseAnswer._check_patterns)
    _trace: str | None = None
    id: str | None = None

    ground_truth = BaseAnswer.ground_truth
    verify = BaseAnswer.verify
    verify_granular = BaseAnswer.verify_granular
    verify_regex = BaseAnswer.verify_regex
    search_patterns = BaseAnswer.search_patterns
    read_trace = BaseAnswer.read_trace
    verify_field = BaseAnswer.verify_field
    score_field = BaseAnswer.score_field
    _auto_verify = BaseAnswer._auto_verify
    _is_open = BaseAnswer._is_open

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        answer = cls()
        vars(answer).update(values)
        answer.ground_truth()  # type: ignore[misc]  # borrowed
        return answer

    @classmethod
    def model_validate(cls, values: Mapping[str, Any]) -> Self:
        """Construct from values that `fits` accepted."""
        return cls.model_construct(
            **{name: _convert(cls.model_fields[name].annotation, value) for name, value in values.items()}
        )

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        """The schema that pydantic would generate, with keys in the same order."""
        own = {name: info for name, info in cls.model_fields.items() if name not in BaseAnswer.model_fields}
        return {
            "additionalProperties": True,
            "properties": {name: _property(name, info) for name, info in own.items()},
            **({"required": [*own]} if own else {}),
            "title": cls.__name__,
            "type": "object",
        }

    @classmethod
    def _verified_fields(cls) -> Mapping[str, Verification]:
        return cls._verified

    def _verification(self, name: str) -> Verification:
        return self._verified[name]

    def __setattr__(self, name: str, value: Any) -> None:
        refuse_attribute(type(self).model_fields, name, value)
        object.__setattr__(self, name, value)


@dataclass
class PlainTemplate(LoadedTemplate):
    """A template whose answer class is a `PlainAnswer`."""

    nullable: frozenset[str] = frozenset()
    """Fields that a judge may leave null."""

    @cached_property
    def annotations(self) -> dict[str, Any]:
        """Types of the fields, by name."""
        assert self.answer is not None
        return {name: self.answer.model_fields[name].annotation for name in self.fields}

    def fits(self, values: Any, nulls: Sequence[str] = ()) -> bool:
        """True if exactly the declared fields are present, and pydantic would accept each value unchanged.

        `nulls`: fields that the judge left null.
        """
        if not isinstance(values, dict) or values.keys() != self.annotations.keys():
            return False
        return all(
            name in self.nullable if value is None else takes(self.annotations[name], value)
            for name, value in values.items()
        ) and all(values.get(name, ...) is None for name in nulls)

    @cached_property
    def fits_itself(self) -> bool:
        truths = {name: as_json(rule.ground_truth) for name, rule in self.verified.items()}
        return all(truth is None or takes(self.annotations[name], truth) for name, truth in truths.items())

    def decide(self, answers: Sequence[Mapping[str, Any]]) -> list[TemplateVerdict | None]:
        """Brief verdicts on values that `fits` accepted; None for one that needs an answer, as errors and methods do.

        The fields are compared as `PlainAnswer` would, but no answer is created: a test bench asks for a dozen
        verdicts per template, and most of their time would be that of their answers. Answers with the same results
        share a verdict.
        """
        if self.overridden or not self.verified:
            return [None] * len(answers)
        columns = [
            self._compare_all(name, rule, [values[name] for values in answers]) for name, rule in self.verified.items()
        ]
        known: dict[tuple[bool | None, ...], TemplateVerdict | None] = {}
        verdicts = []
        for results in zip(*columns, strict=True):
            if results not in known:
                known[results] = self._verdict(results)
            verdicts.append(known[results])
        return verdicts

    def _verdict(self, results: Sequence[bool | None]) -> TemplateVerdict | None:
        """Verdict on the results of the fields, in order; None: one has no result."""
        if _NO_RESULT in results:
            return None
        by_field = dict(zip(self.verified, results, strict=True))
        try:
            passed = self._strategy.evaluate(by_field)
        except Exception:  # `_verify` says which
            return None
        return TemplateVerdict(
            field_verification_result=passed,
            field_results=by_field,
            composition_strategy=self._strategy.label,
            regex=_NO_REGEX,
        )

    @cached_property
    def _strategy(self) -> StrategyNode:
        assert self.answer is not None
        return strategy_of(self.answer)

    def _compare_all(self, name: str, rule: Verification, values: Sequence[Any]) -> list[bool | None]:
        """Compare a field's values of many answers."""
        # Most made-up answers differ in one field and share the objects of the others.
        known: dict[int, bool | None] = {}
        for value in values:
            if id(value) not in known:
                known[id(value)] = self._compare(name, rule, value)
        return [known[id(value)] for value in values]

    def _compare(self, name: str, rule: Verification, value: Any) -> bool | None:
        if value is None and rule.ground_truth is not None:
            return None
        assert isinstance(rule.verify_with, ComparisonPrimitive)
        try:
            return rule.verify_with.check(_convert(self.annotations[name], value), rule.ground_truth)
        # Comparisons may raise anything over an author's values.
        except Exception:
            return cast(None, _NO_RESULT)

    def with_open(self, nulls: Sequence[str]) -> type[BaseAnswer]:
        """The answer class itself, in which a field without a value is None."""
        assert self.answer is not None
        return self.answer


def plain_template(source: str, data: TemplateData) -> PlainTemplate | None:
    """The template with a `PlainAnswer` as its class; None if it has fields that are not simple."""
    if data.doubts or any(map(_is_of_class, data.attributes)):
        return None
    plain: dict[str, FieldInfo] = {}
    for each in data.fields:
        info = _info(each)
        if info is None or not _is_plain(each.name, info, data.verified.get(each.name)):
            return None
        plain[each.name] = info
    made: type[PlainAnswer] = type(data.name, (PlainAnswer,), _members(data, plain))
    # Methods need not expect None, so they are left to the class.
    nullable = frozenset(() if data.methods else data.verified)
    answer = cast(type[BaseAnswer], made)
    template = PlainTemplate(source, SourceMap(data.tree), {}, answer=answer, nullable=nullable)
    template.fields, template.verified = [*plain], data.verified  # known already
    return template


def _is_of_class(name: str) -> bool:
    """True for an attribute that means something to pydantic or to `BaseAnswer`, so that no method may set it."""
    return name.startswith("_") or hasattr(BaseAnswer, name)


def _members(data: TemplateData, fields: Mapping[str, FieldInfo]) -> dict[str, Any]:
    """Members of the template's class."""
    members: dict[str, Any] = {name: method_apart(name, data.attributes) for name in data.methods}
    members["model_fields"] = {**BaseAnswer.model_fields, **fields}
    members["_verified"] = data.verified
    if not data.methods:
        members |= dict.fromkeys(fields)
    else:
        members["_check_patterns"] = staticmethod(patterns_checked_apart)
    if data.strategy is not None:
        members[STRATEGY] = type(STRATEGY, (), {"verify_strategy": data.strategy})
    if data.constants:
        members["ground_truth"] = setting_constants(data)
    return members


def _info(field: FieldData) -> FieldInfo | None:
    """Field information; None if the field has a default that is not a `FieldInfo`."""
    if not field.has_value:
        return FieldInfo.from_annotation(field.annotation)
    if not isinstance(field.value, FieldInfo):
        return None
    # Not a copy, which would take as long as the comparison: it was read for this field alone.
    field.value.annotation = field.annotation
    return field.value


def _is_plain(name: str, info: FieldInfo, verification: Verification | None) -> bool:
    if name in _SET_BY_TEMPLATE or _schema(info.annotation) is None:
        return False
    if not info.is_required() or info.metadata or info.title is not None or info.examples is not None:
        return False
    if verification is not None and verification.is_trace:
        return False
    try:
        to_jsonable_python(info.json_schema_extra)  # as pydantic does, to leave it out of a judge's schema later
    except (PydanticSerializationError, ValueError):
        return False
    return True


def _schema(annotation: Any) -> dict[str, Any] | None:
    """JSON schema as pydantic generates it; None if this is not a simple type."""
    if isinstance(annotation, type) and annotation in _SCHEMAS:
        return _SCHEMAS[annotation]
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal and all(type(each) is str and has_utf8_form(each) for each in inner):
        return {"const": inner[0], "type": "string"} if len(inner) == 1 else {"enum": [*inner], "type": "string"}
    if origin is list and inner and inner[0] in _SCHEMAS:
        return {"items": _SCHEMAS[inner[0]], "type": "array"}
    if origin in (Union, UnionType) and len(inner) == 2 and inner[1] is NoneType and inner[0] in _SCHEMAS:
        return {"anyOf": [_SCHEMAS[inner[0]], {"type": "null"}]}
    return None


def _property(name: str, info: FieldInfo) -> dict[str, Any]:
    told = {"title": name.title().replace("_", " ").strip(), **(_schema(info.annotation) or {})}
    if info.description is not None:
        told["description"] = info.description
    return dict(sorted(told.items()))


def takes(annotation: Any, value: Any) -> bool:
    if annotation is float:
        # Type checks are exact: bool is a subclass of int, and pydantic would convert one to the other.
        return (type(value) is float and math.isfinite(value)) or (type(value) is int and -_EXACT < value < _EXACT)
    if annotation is str:
        return type(value) is str and has_utf8_form(value)
    if annotation in (bool, int):
        return type(value) is annotation
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return type(value) is str and value in inner
    if origin is list:
        return type(value) is list and all(type(each) is inner[0] and takes(inner[0], each) for each in value)
    return takes(inner[0], value)


def _convert(annotation: Any, value: Any) -> Any:
    """The value as pydantic would keep it: an integer becomes a float where a float is asked for."""
    return float(value) if type(value) is int and float in (annotation, *get_args(annotation)) else value
