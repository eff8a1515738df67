"""A template's answer class, however it was created, and its most used properties."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import create_model

from karenina_gui.sandbox.inside.source_map import SourceMap
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.template import TemplateProblem
from karenina_gui.schemas.verified_field import Verification, verified_fields

MODULE_NAME = "answer_template"
_SET_BY_TEMPLATE = {"correct", "regex"}
"""Attributes that `ground_truth()` sets."""


@dataclass
class LoadedTemplate:
    """A template that was run or read. `answer` is None if `problems` has errors."""

    source: str
    places: SourceMap
    namespace: dict[str, Any]
    answer: type[BaseAnswer] | None = None
    problems: list[TemplateProblem] = field(default_factory=list)

    @cached_property
    def verified(self) -> dict[str, Verification]:
        return verified_fields(self.answer) if self.answer else {}

    @cached_property
    def fields(self) -> list[str]:
        """Fields that the author has declared, without the base class's own `id`."""
        if self.answer is None:
            return []
        return [
            name
            for name in self.answer.model_fields
            if name not in BaseAnswer.model_fields or self.places.field_line(self.answer, name) is not None
        ]

    @cached_property
    def reserved(self) -> set[str]:
        """Names that only the template or the trace may set, never a judge's reply."""
        own = (_SET_BY_TEMPLATE | BaseAnswer.model_fields.keys()) - set(self.fields)
        return own.union(self.traced)

    @cached_property
    def traced(self) -> list[str]:
        """Fields that the trace fills."""
        return [name for name, verification in self.verified.items() if verification.is_trace]

    @cached_property
    def overridden(self) -> set[str]:
        """Methods of `BaseAnswer` that the author has written."""
        if self.answer is None:
            return set()
        own = ("verify", "verify_field", "verify_granular", "verify_regex", "_auto_verify")
        return {method for method in own if getattr(self.answer, method) is not getattr(BaseAnswer, method)}

    def with_open(self, nulls: Sequence[str]) -> type[BaseAnswer]:
        """The answer class with these fields, and those that the trace fills, made optional."""
        assert self.answer is not None
        relaxed: dict[str, Any] = {name: self._optional(name) for name in (*self.traced, *nulls)}
        if not relaxed:
            return self.answer
        return create_model(self.answer.__name__, __base__=self.answer, __module__=MODULE_NAME, **relaxed)

    def _optional(self, name: str) -> tuple[Any, Any]:
        assert self.answer is not None
        info = copy(self.answer.model_fields[name])
        info.default = None
        return info.annotation, info
