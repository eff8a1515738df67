"""Request handler of a cell: requests and replies are plain JSON data.

Each request names an operation:

    outline   {source}                           a TemplateOutline
    validate  {source, values, trace?}           a JudgeReply; its verdict too, if the values fit and there is a trace
    verify    {source, items: [AnswerToVerify]}  {items: [TemplateVerdict]}
    trait     {source, entry?, texts}            {items: [{value} or {error, message, line}]}
    examine   {source, entry?}                   {function, problems: [TemplateProblem]}
    regex     {searches: [{pattern, case_sensitive}], text}
                                                 {items: [{found, spans} or {error}]}

Errors of the author's code are values in the reply. The code is compiled once, and run from the start for each item,
so that no verdict depends on the answers before it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from karenina_gui.sandbox.inside import regex_search, traits, verdicts, warm_up_requests
from karenina_gui.sandbox.inside.author_errors import capture_output
from karenina_gui.sandbox.inside.json_values import as_json
from karenina_gui.sandbox.inside.outline import outline
from karenina_gui.sandbox.inside.template_source import load_template
from karenina_gui.schemas.template import AnswerToVerify
from karenina_gui.text.surrogates import without_surrogates

Data = dict[str, Any]


def execute(request: Data) -> Data:
    """Return the reply to one request. Raises `KeyError` for an unknown operation or a missing part."""
    with warnings.catch_warnings(), capture_output():
        warnings.simplefilter("ignore")
        return _OPERATIONS[request["op"]](request)


def warm_up() -> None:
    """Run the rehearsal, so that whatever libraries import at first use is imported now."""
    for request in warm_up_requests.REQUESTS:
        execute(request)


def _outline(request: Data) -> Data:
    return outline(load_template(request["source"])).model_dump(mode="json")


def _validate(request: Data) -> Data:
    reply = verdicts.validate(load_template(request["source"]), request["values"]).model_dump(mode="json")
    if reply["ok"] and "trace" in request:
        values, nulls = without_surrogates((reply["values"], reply["nulls"]))  # as they come in a request of their own
        item = AnswerToVerify(values=values, nulls=nulls, trace=request["trace"])
        reply["verdict"] = _verdict(request["source"], item)
    return reply


def _verify(request: Data) -> Data:
    items = [AnswerToVerify.model_validate(item) for item in request["items"]]
    return {"items": [_verdict(request["source"], item) for item in items]}


def _verdict(source: str, item: AnswerToVerify) -> Data:
    loaded = load_template(source)
    with capture_output() as output:
        verdict = verdicts.verify(loaded, item)
    verdict.stdout = as_json(output.text)
    return verdict.model_dump(mode="json")


def _trait(request: Data) -> Data:
    return {"items": [traits.trait(request["source"], request.get("entry"), text) for text in request["texts"]]}


def _examine(request: Data) -> Data:
    return traits.examine(request["source"], request.get("entry"))


_OPERATIONS: dict[str, Callable[[Data], Data]] = {
    "outline": _outline,
    "validate": _validate,
    "verify": _verify,
    "trait": _trait,
    "examine": _examine,
    "regex": regex_search.search_each,
}
