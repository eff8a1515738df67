"""Loading a template: from its source to the one answer class that it defines, or to the problem that prevents it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import CodeType
from typing import Any

from pydantic import create_model

from karenina_gui.sandbox.inside.author_errors import author_error
from karenina_gui.sandbox.inside.names import new_module
from karenina_gui.sandbox.inside.source_map import SourceMap
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.template import TemplateProblem
from karenina_gui.schemas.verified_field import Verification, verified_fields

MODULE_NAME = "answer_template"


@dataclass
class LoadedTemplate:
    """A template that has been run; `answer` is None when `problems` says why there is none."""

    source: str
    namespace: dict[str, Any]
    answer: type[BaseAnswer] | None = None
    problems: list[TemplateProblem] = field(default_factory=list)

    @property
    def places(self) -> SourceMap:
        return _places(self.source)

    @cached_property
    def verified(self) -> dict[str, Verification]:
        return verified_fields(self.answer) if self.answer else {}

    @cached_property
    def fields(self) -> list[str]:
        """The fields that the author has declared; the base's own `id` is none of them."""
        if self.answer is None:
            return []
        return [
            name
            for name in self.answer.model_fields
            if name not in BaseAnswer.model_fields or self.places.field_line(self.answer, name) is not None
        ]

    def with_open(self, nulls: Sequence[str]) -> type[BaseAnswer]:
        """The answer class, in which these fields may be left out; so may those that the trace fills."""
        assert self.answer is not None
        traced = [name for name, verification in self.verified.items() if verification.is_trace]
        relaxed: dict[str, Any] = {name: self._optional(name) for name in (*traced, *nulls)}
        if not relaxed:
            return self.answer
        return create_model(self.answer.__name__, __base__=self.answer, __module__=MODULE_NAME, **relaxed)

    def _optional(self, name: str) -> tuple[Any, Any]:
        assert self.answer is not None
        info = copy(self.answer.model_fields[name])
        info.default = None
        return info.annotation, info


def load_template(source: str) -> LoadedTemplate:
    """Run the source from the start, so that nothing which one answer changed is there when the next is verified."""
    loaded = LoadedTemplate(source, new_module(MODULE_NAME).__dict__)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            code, doubts = compiled(source)
            warned += doubts
            exec(code, loaded.namespace)
            _find_answer(loaded)
        except BaseException as error:
            fault = author_error(error, loaded.namespace)
            message = f"Error executing template code: {fault.sentence}"
            loaded.problems.append(TemplateProblem(message=message, line=fault.line, column=fault.column))
    loaded.problems += [
        TemplateProblem(message=str(warning.message), severity="warning", line=_line_of(warning)) for warning in warned
    ]
    return loaded


@lru_cache(maxsize=1)
def compiled(source: str) -> tuple[CodeType, list[warnings.WarningMessage]]:
    """The code, and what the compiler warns of. A cell serves one piece of code, so the last one is kept."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        return compile(source, "<string>", "exec", dont_inherit=True), warned


def overrides(model: type[BaseAnswer], method: str) -> bool:
    """Whether the author has written this method."""
    return getattr(model, method) is not getattr(BaseAnswer, method)


def _find_answer(loaded: LoadedTemplate) -> None:
    found = {
        value
        for value in loaded.namespace.values()
        if isinstance(value, type) and issubclass(value, BaseAnswer) and value is not BaseAnswer
    }
    leaves = [model for model in found if not any(other is not model and issubclass(other, model) for other in found)]
    if not leaves:
        loaded.problems.append(TemplateProblem(message=_NO_CLASS))
    elif len(leaves) > 1:
        leaves.sort(key=lambda model: loaded.places.class_line(model.__name__) or 0)
        names = " and ".join(model.__name__ for model in leaves)
        message = (
            f"{names} are answer classes, but a template has exactly one. Keep one, or let it inherit from the other."
        )
        line = loaded.places.class_line(leaves[1].__name__)
        loaded.problems.append(TemplateProblem(message=message, line=line))
    else:
        leaves[0].model_rebuild()
        loaded.answer = leaves[0]


_NO_CLASS = (
    "No BaseAnswer subclass found in template namespace: "
    "a template defines one class, such as class Answer(BaseAnswer)."
)


@lru_cache(maxsize=1)
def _places(source: str) -> SourceMap:
    return SourceMap(source)


def _line_of(warning: warnings.WarningMessage) -> int | None:
    return warning.lineno if warning.filename == "<string>" else None
