"""HTML of the requests of a run, with their messages and reply formats."""

from __future__ import annotations

import json
from collections.abc import Iterable

from karenina_gui.gui.components.html import Html, join_html, tag
from karenina_gui.gui.results.stage_names import stage_reason, title
from karenina_gui.runs.preview import Preview, Sent
from karenina_gui.schemas.call_purposes import PURPOSE_TITLES
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.result import StageRecord

ROLES = {"system": "System", "user": "User", "assistant": "Assistant", "tool": "Tool"}


def request_preview_view(found: Preview) -> Html:
    parts = [_request(number, sent) for number, sent in enumerate(found.requests, 1)]
    problem = tag("div", found.error, class_="note note-bad", role="alert") if found.error else None
    return join_html([problem, *parts, _others(found.stages, {sent.purpose for sent in found.requests})])


def _request(number: int, sent: Sent) -> Html:
    name = PURPOSE_TITLES.get(sent.purpose, sent.purpose)
    messages = (_message(message) for message in sent.messages)
    tools = tag("p", f"With tools from: {', '.join(sent.tools)}", class_="hint") if sent.tools else None
    return tag(
        "section",
        tag("h3", f"{number}. {name}", tag("span", f" · {sent.model}", class_="result-muted"), class_="sent-title"),
        *messages,
        tools,
        _form(sent),
        class_="sent",
        aria_label=f"Request {number}: {name}",
    )


def _message(message: Message) -> Html:
    return tag("div", tag("div", ROLES[message.role], class_="sent-role"), tag("pre", message.text, class_="sent-text"))


def _form(sent: Sent) -> Html | None:
    if sent.json_schema is None:
        return None
    written = json.dumps(sent.json_schema, indent=2, ensure_ascii=False)
    return tag("details", tag("summary", "Response schema"), tag("pre", written, class_="sent-text result-code"))


def _others(stages: Iterable[StageRecord], asked: set[str]) -> Html | None:
    """List skipped steps with the responsible rule."""
    skipped = [
        tag("li", tag("b", title(each)), f": {stage_reason(each)}.") for each in stages if each.status == "skipped"
    ]
    if not skipped:
        return None
    return tag("section", tag("h3", "Skipped steps", class_="sent-title"), tag("ul", *skipped), class_="sent")
