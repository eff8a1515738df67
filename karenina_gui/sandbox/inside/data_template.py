"""Creation of the answer class from a template's data."""

from __future__ import annotations

import ast
import warnings
from types import new_class
from typing import Any, ClassVar

from karenina_gui.sandbox.inside.author_errors import author_error
from karenina_gui.sandbox.inside.loaded_template import MODULE_NAME, LoadedTemplate
from karenina_gui.sandbox.inside.methods import method_apart, patterns_checked_apart
from karenina_gui.sandbox.inside.source_map import SourceMap
from karenina_gui.sandbox.inside.syntax_tree import ONE_AT_A_TIME
from karenina_gui.sandbox.inside.template_data import STRATEGY, TemplateData, WrongValue, read_template
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.template import TemplateProblem


def load_data(source: str, *, with_methods: bool = False) -> tuple[TemplateData | None, LoadedTemplate]:
    """Read a template without running any of it. Its methods are run by the `MethodRunner` of the context.

    The data is None if there are problems, which `LoadedTemplate` lists. Raises `IsCode`.
    """
    try:
        data = read_template(source, with_methods=with_methods)
    except SyntaxError as error:
        return None, _add_problem(
            LoadedTemplate(source, SourceMap(ast.Module(body=[], type_ignores=[])), {}), error, None
        )
    except WrongValue as wrong:
        loaded = _add_problem(LoadedTemplate(source, SourceMap(wrong.tree), {}), wrong.error, wrong.line)
        loaded.problems += map(_warning_problem, wrong.doubts)
        return None, loaded
    loaded = LoadedTemplate(source, SourceMap(data.tree), {})
    try:
        with ONE_AT_A_TIME:  # pydantic reads signatures by syntax trees of its own
            loaded.answer = answer_class(data)
    except Exception as error:
        _add_problem(loaded, error, data.line)
    loaded.problems += map(_warning_problem, data.doubts)
    return data if loaded.answer else None, loaded


def answer_class(data: TemplateData) -> type[BaseAnswer]:
    """Create the class that Python would make of the source. Raises pydantic's errors about unusable fields."""
    body: dict[str, Any] = {
        "__module__": MODULE_NAME,
        "__qualname__": data.name,
        "__annotations__": {field.name: field.annotation for field in data.fields},
        **{field.name: field.value for field in data.fields if field.has_value},
    }
    if data.docstring is not None:
        body["__doc__"] = data.docstring
    if data.strategy is not None:
        strategy = {
            "__module__": MODULE_NAME,
            "__qualname__": f"{data.name}.{STRATEGY}",  # by which pydantic knows it from a field without a type
            "verify_strategy": data.strategy,
        }
        body[STRATEGY] = type(STRATEGY, (), strategy)
    if data.constants:
        body["ground_truth"] = setting_constants(data)
    if data.methods:
        body["_check_patterns"] = staticmethod(patterns_checked_apart)
        body["__annotations__"]["_check_patterns"] = ClassVar[Any]
    for name in data.methods:
        body[name] = method_apart(name, data.attributes)
    made: type[BaseAnswer] = new_class(data.name, (BaseAnswer,), exec_body=lambda namespace: namespace.update(body))
    return made


def setting_constants(data: TemplateData) -> Any:
    """The method `ground_truth` of a template that only assigns constants."""

    def ground_truth(self: Any) -> None:
        for name, value in data.constants_anew().items():
            setattr(self, name, value)

    return ground_truth


def _add_problem(loaded: LoadedTemplate, error: Exception, line: int | None) -> LoadedTemplate:
    fault = author_error(error, {})
    message = f"Error executing template code: {fault.sentence}"
    loaded.problems.append(TemplateProblem(message=message, line=line or fault.line, column=fault.column))
    return loaded


def _warning_problem(warning: warnings.WarningMessage) -> TemplateProblem:
    return TemplateProblem(message=str(warning.message), severity="warning", line=warning.lineno)
