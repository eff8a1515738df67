"""Templates that need no cell: data is judged in this process, plain methods beside it run in Monty."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from karenina_gui.sandbox.bounded_cache import BoundedCache
from karenina_gui.sandbox.outcomes import VerdictReplies
from karenina_gui.sandbox.reply import Shape
from karenina_gui.schemas.template import AnswerToVerify, JudgeReply, TemplateOutline, TemplateVerdict
from karenina_gui.text.surrogates import without_surrogates

if TYPE_CHECKING:
    from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
    from karenina_gui.sandbox.monty_runner import MontyPool


@dataclass(frozen=True)
class DataTemplate:
    """A source that is data."""

    loaded: LoadedTemplate
    has_patterns: bool
    """True if judging can take any time, so that it needs a process that can be killed."""

    def execute(self, request: dict[str, Any]) -> BaseModel:
        """The reply to a cell's request (see `template_code`)."""
        if request["op"] == "outline":
            return _storable(_outline(self.loaded))
        if request["op"] == "validate":
            return _storable(_validate(self.loaded, request["values"]))
        items = [AnswerToVerify.model_validate(item) for item in request["items"]]
        return _storable(VerdictReplies(items=[_verify(self.loaded, item) for item in items]))


@dataclass(frozen=True)
class SplitTemplate:
    """A source that is data except for its methods."""

    loaded: LoadedTemplate
    name: str
    code: str
    attributes: list[str]

    def execute(self, request: dict[str, Any], pool: MontyPool) -> tuple[Any, bool]:
        """Reply as from `DataTemplate`, and whether the code raised an error. Raises `CodeStopped`."""
        from karenina_gui.sandbox.inside.methods import methods_run_by

        if request["op"] != "verify":
            ask = _outline if request["op"] == "outline" else partial(_validate, values=request["values"])
            with pool.run(self.name, self.code, self.attributes) as run, methods_run_by(run):
                reply = ask(run.load(self.loaded))
                run.raise_if_stopped()
            return without_surrogates(reply.model_dump(mode="json")), run.failed is not None
        verdicts, failed = [], False
        for item in map(AnswerToVerify.model_validate, request["items"]):
            with pool.run(self.name, self.code, self.attributes) as run, methods_run_by(run):
                verdict = _verify(run.load(self.loaded), item)
                run.raise_if_stopped()
            verdict.stdout = run.printed
            verdicts.append(verdict.model_dump(mode="json"))
            failed = failed or run.failed is not None
        return without_surrogates({"items": verdicts}), failed


def judge_here(data: DataTemplate, request: dict[str, Any], shape: type[Shape]) -> Shape | None:
    """Reply of a template that is data. None: not in this shape."""
    try:
        result = data.execute(request)
    except (ValueError, RecursionError):
        return None
    return result if isinstance(result, shape) else None


def judge_in_monty(
    template: SplitTemplate, message: bytes, shape: type[Shape], pool: MontyPool
) -> tuple[Shape | None, bool]:
    """Reply of a template with methods, and whether its code raised an error. None: not in this shape.

    Raises `CodeStopped`.
    """
    reply, failed = template.execute(json.loads(message.decode("utf-8", "surrogatepass")), pool)
    try:
        return shape.model_validate(reply), failed
    except (ValueError, RecursionError):
        return None, True


def _outline(loaded: LoadedTemplate) -> TemplateOutline:
    from karenina_gui.sandbox.inside.outline import outline

    return outline(loaded)


def _validate(loaded: LoadedTemplate, values: dict[str, Any]) -> JudgeReply:
    from karenina_gui.sandbox.inside import verdicts

    return verdicts.validate(loaded, values)


def _verify(loaded: LoadedTemplate, item: AnswerToVerify) -> TemplateVerdict:
    from karenina_gui.sandbox.inside import verdicts

    return verdicts.verify(loaded, item)


@dataclass(frozen=True)
class Code:
    """A source that needs full Python, and the construct that makes it so."""

    line: int | None
    what: str
    """A noun with its article: `a call`."""


ReadTemplate = DataTemplate | SplitTemplate | Code


def _storable(reply: Shape) -> Shape:
    """The reply itself, unless one of its texts has no UTF-8 form: then a copy without lone surrogates."""
    try:
        to_json(reply)
    except PydanticSerializationError:
        return without_surrogates(reply)
    return reply


class DataTemplates:
    """Parses templates; the most recent ones are cached. Thread-safe."""

    def __init__(self) -> None:
        self._reading = threading.Lock()
        self._templates: BoundedCache[ReadTemplate] = BoundedCache()

    def read(self, source: str) -> ReadTemplate:
        if (template := self._templates.find(source)) is not None:
            return template
        with self._reading:  # one at a time; what is known already is not kept waiting
            if (template := self._templates.find(source)) is None:
                template = _parse(source)
                self._templates.store(source, template)
            return template


def is_data(source: str) -> bool:
    """True if nothing of a template has to run. A quick check: its class is not created."""
    from karenina_gui.sandbox.inside.template_data import IsCode, WrongValue, read_template

    try:
        read_template(source)
    except IsCode:
        return False
    except (SyntaxError, WrongValue):
        return True
    return True


def _parse(source: str) -> ReadTemplate:
    from karenina_gui.sandbox.inside.data_template import load_data
    from karenina_gui.sandbox.inside.template_data import IsCode

    try:
        data, loaded = load_data(source, with_methods=True)
    except IsCode as found:
        return Code(found.line, found.what)
    if data is None:
        try:
            return DataTemplate(load_data(source)[1], has_patterns=False)
        except IsCode:
            return Code(None, "an error that only Python can name")
    if not data.code:
        return DataTemplate(loaded, data.has_patterns)
    # Patterns need a process that can be killed, methods need Monty: one template cannot be judged in both.
    if data.has_patterns:
        return Code(data.line, "that the template has both a pattern and a method")
    return SplitTemplate(loaded, data.name, data.code, data.attributes)
