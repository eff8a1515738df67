"""Loading of a template that is code: from its source to its one answer class, or to the problem that prevents it."""

from __future__ import annotations

import warnings
from functools import lru_cache
from types import CodeType
from typing import Any, TypeGuard

from karenina_gui.sandbox.inside.author_errors import author_error
from karenina_gui.sandbox.inside.loaded_template import MODULE_NAME, LoadedTemplate
from karenina_gui.sandbox.inside.namespace import new_module
from karenina_gui.sandbox.inside.source_map import SourceMap
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.template import TemplateProblem


def load_template(source: str) -> LoadedTemplate:
    """Run the source from the start, so that no change that one answer made survives to the next."""
    loaded = LoadedTemplate(source, _places(source), new_module(MODULE_NAME).__dict__)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            code, doubts = compile_source(source)
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
def compile_source(source: str) -> tuple[CodeType, list[warnings.WarningMessage]]:
    """Compiled code, and the compiler's warnings. A cell serves one piece of code, so only the last one is cached."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        return compile(source, "<string>", "exec", dont_inherit=True), warned


def _find_answer(loaded: LoadedTemplate) -> None:
    models = {value for value in loaded.namespace.values() if _is_answer_class(value)}
    leaves = [model for model in models if not any(other is not model and issubclass(other, model) for other in models)]
    if not leaves:
        loaded.problems.append(TemplateProblem(message=_NO_CLASS))
    elif len(leaves) > 1:
        loaded.problems.append(_several_classes(loaded, leaves))
    else:
        leaves[0].model_rebuild()
        loaded.answer = leaves[0]


def _is_answer_class(value: Any) -> TypeGuard[type[BaseAnswer]]:
    return isinstance(value, type) and issubclass(value, BaseAnswer) and value is not BaseAnswer


def _several_classes(loaded: LoadedTemplate, leaves: list[type[BaseAnswer]]) -> TemplateProblem:
    leaves.sort(key=lambda model: loaded.places.class_line(model.__name__) or 0)
    names = " and ".join(model.__name__ for model in leaves)
    message = f"{names} are answer classes, but a template has exactly one. Keep one, or let it inherit from the other."
    return TemplateProblem(message=message, line=loaded.places.class_line(leaves[1].__name__))


_NO_CLASS = (
    "No BaseAnswer subclass found in template namespace: "
    "a template defines one class, such as class Answer(BaseAnswer)."
)


def _line_of(warning: warnings.WarningMessage) -> int | None:
    return warning.lineno if warning.filename == "<string>" else None


@lru_cache(maxsize=1)
def _places(source: str) -> SourceMap:
    return SourceMap.of(source)
