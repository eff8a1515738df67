"""Worker process for patterns. It runs no code of an author's, but a pattern may run for ever.

Requests and replies are those of a cell (`template_code`). It answers only `outline`, `validate` and `verify` for
templates that are data, `regex`, and `find`. It runs on every operating system.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from karenina_gui.sandbox.framing import in_utf8, read_frame, write_frame
from karenina_gui.sandbox.inside import regex_search, text_replace, verdicts
from karenina_gui.sandbox.inside.data_template import load_data
from karenina_gui.sandbox.inside.json_values import as_json
from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
from karenina_gui.sandbox.inside.outline import outline
from karenina_gui.sandbox.limits import OUT_OF_MEMORY
from karenina_gui.schemas.template import AnswerToVerify
from karenina_gui.schemas.trace_patterns import check_patterns

_REQUESTS, _REPLIES = 0, 1

Data = dict[str, Any]


def main(memory_mb: str) -> None:
    """Serve until the application closes the pipe. `memory_mb`: address space, where the system can limit it."""
    warnings.simplefilter("ignore")
    limit_memory(int(memory_mb) << 20)
    # The application waits for this frame, and counts the time of imports as start-up, not as a slow pattern.
    write_frame(_REPLIES, b"{}")  # ready
    try:
        while True:
            request = json.loads(read_frame(_REQUESTS))
            reply = OPERATIONS[request["op"]](request)
            write_frame(_REPLIES, in_utf8(json.dumps(reply, ensure_ascii=False, allow_nan=False)))
    except EOFError:
        return
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


@lru_cache(maxsize=64)
def _load(source: str) -> LoadedTemplate:
    return load_data(source)[1]


def _outline(request: Data) -> Data:
    return outline(_load(request["source"])).model_dump(mode="json")


def _validate(request: Data) -> Data:
    return verdicts.validate(_load(request["source"]), request["values"]).model_dump(mode="json")


def _verify(request: Data) -> Data:
    items = [AnswerToVerify.model_validate(item) for item in request["items"]]
    return {"items": [verdicts.verify(_load(request["source"]), item).model_dump(mode="json") for item in items]}


def _check(request: Data) -> Data:
    return {"found": as_json(check_patterns(request["patterns"], request["text"]))}


OPERATIONS: dict[str, Callable[[Data], Data]] = {
    "outline": _outline,
    "validate": _validate,
    "verify": _verify,
    "regex": regex_search.search_each,
    "check_patterns": _check,
    "find": text_replace.find_each,
}


def limit_memory(size: int) -> None:
    """Limit the address space to this many bytes, if the system can."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
