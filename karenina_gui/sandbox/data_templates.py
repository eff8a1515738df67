"""Templates that are read: data is judged in this process, and the methods beside it run in Monty."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from karenina_gui.schemas.surrogates import without_surrogates
from karenina_gui.schemas.template import AnswerToVerify, JudgeReply, TemplateOutline, TemplateVerdict

if TYPE_CHECKING:
    from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
    from karenina_gui.sandbox.monty_runner import MontyPool

_KEPT = 512


@dataclass(frozen=True)
class DataTemplate:
    """A source that is data."""

    loaded: LoadedTemplate
    has_patterns: bool
    """Whether judging by it may take any time, so that it is done in a process of its own."""

    def execute(self, request: dict[str, Any]) -> Any:
        """The reply to a request of a cell (`template_code`), as JSON that nobody else holds."""
        from karenina_gui.sandbox.inside import verdicts
        from karenina_gui.sandbox.inside.outline import outline

        reply: Any
        if request["op"] == "outline":
            reply = outline(self.loaded).model_dump(mode="json")
        elif request["op"] == "validate":
            reply = verdicts.validate(self.loaded, request["values"]).model_dump(mode="json")
        else:
            items = [AnswerToVerify.model_validate(item) for item in request["items"]]
            reply = {"items": [verdicts.verify(self.loaded, item).model_dump(mode="json") for item in items]}
        return without_surrogates(reply)


@dataclass(frozen=True)
class SplitTemplate:
    """A source that is data but for its methods."""

    loaded: LoadedTemplate
    name: str
    code: str
    attributes: list[str]

    def execute(self, request: dict[str, Any], pool: MontyPool) -> tuple[Any, bool]:
        """The reply as of a `DataTemplate`, and whether the code raised something. Errors: `CodeStopped`."""
        from karenina_gui.sandbox.inside.methods import methods_run_by

        if request["op"] != "verify":
            ask = _outlined if request["op"] == "outline" else partial(_validated, values=request["values"])
            with pool.run(self.name, self.code, self.attributes) as run, methods_run_by(run):
                reply = ask(run.loaded(self.loaded))
                run.raise_if_stopped()
            return without_surrogates(reply.model_dump(mode="json")), run.failed is not None
        verdicts, failed = [], False
        for item in request["items"]:
            with pool.run(self.name, self.code, self.attributes) as run, methods_run_by(run):
                verdict = _verified(run.loaded(self.loaded), AnswerToVerify.model_validate(item))
                run.raise_if_stopped()
            verdict.stdout = run.printed
            verdicts.append(verdict.model_dump(mode="json"))
            failed = failed or run.failed is not None
        return without_surrogates({"items": verdicts}), failed


def _outlined(loaded: LoadedTemplate) -> TemplateOutline:
    from karenina_gui.sandbox.inside.outline import outline

    return outline(loaded)


def _validated(loaded: LoadedTemplate, values: dict[str, Any]) -> JudgeReply:
    from karenina_gui.sandbox.inside import verdicts

    return verdicts.validate(loaded, values)


def _verified(loaded: LoadedTemplate, item: AnswerToVerify) -> TemplateVerdict:
    from karenina_gui.sandbox.inside import verdicts

    return verdicts.verify(loaded, item)


@dataclass(frozen=True)
class Code:
    """A source that needs Python itself, and what makes it so."""

    line: int | None
    what: str
    """A noun with its article: `a call`."""


ReadTemplate = DataTemplate | SplitTemplate | Code


class DataTemplates:
    """Thread-safe. What was read last is kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, ReadTemplate] = OrderedDict()

    def read(self, source: str) -> ReadTemplate:
        key = _key(source)
        with self._lock:
            if key not in self._kept:
                self._keep(key, _read(source))
            self._kept.move_to_end(key)
            return self._kept[key]

    def needs_python(self, source: str) -> None:
        """Take it for code that needs Python itself: Monty could not even read it."""
        with self._lock:
            self._keep(_key(source), Code(None, "something that only Python itself knows"))

    def _keep(self, key: str, template: ReadTemplate) -> None:
        self._kept[key] = template
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)


def is_data(source: str) -> bool:
    """Whether nothing of a template runs, found by a glance: its class is not made."""
    from karenina_gui.sandbox.inside.template_data import IsCode, WrongValue, read_template

    try:
        read_template(source)
    except IsCode:
        return False
    except (SyntaxError, WrongValue):
        return True
    return True


def _read(source: str) -> ReadTemplate:
    from karenina_gui.sandbox.inside.data_template import load_data
    from karenina_gui.sandbox.inside.template_data import IsCode

    try:
        data, loaded = load_data(source)
    except IsCode:
        return _read_with_methods(source)
    return DataTemplate(loaded, data is not None and data.has_patterns)


def _read_with_methods(source: str) -> ReadTemplate:
    from karenina_gui.sandbox.inside.data_template import load_data
    from karenina_gui.sandbox.inside.template_data import IsCode

    try:
        data, loaded = load_data(source, with_methods=True)
    except IsCode as found:
        return Code(found.line, found.what)
    if data is None:
        return Code(None, "a mistake that Python itself shall name")
    if data.has_patterns:
        return Code(data.line, "a pattern beside a method")
    return SplitTemplate(loaded, data.name, data.code, data.attributes)


def _key(source: str) -> str:
    return hashlib.sha256(json.dumps(source).encode()).hexdigest()
