"""Templates that are data, read and judged in this process; those with patterns in one that can be stopped."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karenina_gui.schemas.surrogates import without_surrogates

if TYPE_CHECKING:
    from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate

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
        from karenina_gui.schemas.template import AnswerToVerify

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
class Code:
    """A source that is more than data, and what makes it so."""

    line: int | None
    what: str
    """A noun with its article: `a method`."""


class DataTemplates:
    """Thread-safe. What was read last is kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, DataTemplate | Code] = OrderedDict()

    def read(self, source: str) -> DataTemplate | Code:
        key = hashlib.sha256(json.dumps(source).encode()).hexdigest()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = _read(source)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]


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


def _read(source: str) -> DataTemplate | Code:
    from karenina_gui.sandbox.inside.data_template import load_data
    from karenina_gui.sandbox.inside.template_data import IsCode

    try:
        data, loaded = load_data(source)
    except IsCode as found:
        return Code(found.line, found.what)
    return DataTemplate(loaded, data is not None and data.has_patterns)
