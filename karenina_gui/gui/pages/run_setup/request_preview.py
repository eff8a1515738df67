"""Preview of all requests of a run for one question, without any call."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from nicegui import run, ui

from karenina_gui.errors import KareninaError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import button, field, select, text_area
from karenina_gui.gui.kit.html import Html, join_html, tag
from karenina_gui.gui.pages.results.stage_names import stage_reason, title
from karenina_gui.gui.pages.run_setup.plan import Plan
from karenina_gui.runs.preview import Preview, Sent
from karenina_gui.runs.service import RunService
from karenina_gui.schemas.call_purposes import PURPOSE_TITLES
from karenina_gui.schemas.messages import Message
from karenina_gui.schemas.model_labels import labels
from karenina_gui.schemas.result import StageRecord

STAND_IN = "(The model’s answer goes here.)"
MOST = 500
"""Maximum number of questions to choose from; the Run page can select others."""
ROLES = {"system": "System", "user": "User", "assistant": "Assistant", "tool": "Tool"}


class RequestPreviewDialog:
    """Dialog that opens immediately; never calls a model."""

    def __init__(self, runs: RunService, plan: Plan) -> None:
        self._runs = runs
        self._plan = plan
        self._question = plan.selection.chosen[0]
        models, judges = labels(plan.config.answering_models), labels(plan.config.parsing_models)
        conditions = [condition.name for condition in plan.config.conditions]
        self._answering = next(iter(models), "")
        self._judge = next(iter(judges), None)
        self._condition = next(iter(conditions), None)
        self._answer = STAND_IN
        self._round = 0
        with dialog("Preview requests", classes="sent-dialog") as made:
            ui.label("Nothing is sent. Judge replies are placeholders.").classes("hint")
            with ui.element("div").classes("sent-choices"):
                self._select("Question", self._questions(), self._question, "_question")
                self._select("Answering model", models, self._answering, "_answering")
                self._select("Condition", conditions, self._condition, "_condition")
                self._select("Judge", judges, self._judge, "_judge")
            with field("Answer", "placeholder for the model’s answer; edit it to see how requests change"):
                box = text_area("Answer", STAND_IN)
                box.on_value_change(lambda event: self._set("_answer", event.value or ""))
            with (
                ui.element("div")
                .classes("sent-list wide card")
                .props('tabindex="0" role="region" aria-label="Requests"')
            ):
                self._view = ui.html(_waiting()).classes("full-width")
            with dialog_actions():
                button("Close", made.close)
            ui.timer(0, self._show, once=True)

    def _questions(self) -> dict[str, str]:
        chosen = self._plan.selection.chosen[:MOST]
        return {question: self._plan.questions[question].text for question in chosen}

    def _select(self, title: str, options: dict[str, str] | list[str], value: str | None, name: str) -> None:
        if len(options) < 2:
            return
        control = select(title, options, value, searchable=name == "_question")
        control.on_value_change(lambda event: self._set(name, event.value))

    async def _set(self, name: str, value: Any) -> None:
        if value is not None:
            setattr(self, name, value)
            await self._show()

    async def _show(self) -> None:
        # A late result of an earlier choice must not replace the current one.
        self._round = turn = self._round + 1
        content = await run.io_bound(self._content)
        if content is not None and turn == self._round and not self._view.is_deleted:
            self._view.set_content(content)

    def _content(self) -> Html:
        setting = self._answering, self._judge, self._condition
        try:
            return request_preview_view(self._runs.preview(self._plan.order, self._question, setting, self._answer))
        except KareninaError as error:
            return tag("div", str(error), class_="note note-bad", role="alert")


def _waiting() -> Html:
    return tag("p", "Loading…", class_="hint")


def request_preview_view(preview: Preview) -> Html:
    parts = [_request(number, sent) for number, sent in enumerate(preview.requests, 1)]
    problem = tag("div", preview.error, class_="note note-bad", role="alert") if preview.error else None
    return join_html([problem, *parts, _others(preview.stages, {sent.purpose for sent in preview.requests})])


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
    return tag(
        "div",
        tag("div", ROLES[message.role], class_="sent-role hint"),
        tag("pre", message.text, class_="sent-text prose"),
    )


def _form(sent: Sent) -> Html | None:
    if sent.json_schema is None:
        return None
    written = json.dumps(sent.json_schema, indent=2, ensure_ascii=False)
    return tag("details", tag("summary", "Response schema"), tag("pre", written, class_="sent-text result-code prose"))


def _others(stages: Iterable[StageRecord], names: set[str]) -> Html | None:
    """List skipped steps with the responsible rule."""
    skipped = [
        tag("li", tag("b", title(stage)), f": {stage_reason(stage)}.") for stage in stages if stage.status == "skipped"
    ]
    if not skipped:
        return None
    return tag("section", tag("h3", "Skipped steps", class_="sent-title"), tag("ul", *skipped), class_="sent")
