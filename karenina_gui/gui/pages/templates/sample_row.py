"""One sample answer in the list: its verdict, and below it the controls to edit it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from nicegui import background_tasks, ui

from karenina_gui.gui.forms.bound_field import BoundField, FieldError
from karenina_gui.gui.kit.elements import button, menu_button, menu_item, select, text_area
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.pages.templates.sample_edits import SampleEdits
from karenina_gui.gui.pages.templates.try_fields import TryField, format_input
from karenina_gui.gui.pages.templates.value_controls import draw_values
from karenina_gui.gui.pages.templates.verdict_view import verdict_view
from karenina_gui.schemas.sample_answer import SampleAnswer, SampleKind, SampleResult
from karenina_gui.schemas.template import TemplateOutline
from karenina_gui.text import join_list, plural

KIND_TITLES: dict[SampleKind, str] = {
    "correct": "Correct answer",
    "paraphrase": "Correct, in other words",
    "partial": "Partly correct",
    "wrong": "Wrong answer",
    "refusal": "Refusal",
    "empty": "Empty answer",
    "other": "Other",
}
EXPECTED = {True: "Should pass", False: "Should fail"}

PAUSE = 0.3
"""Pause in seconds after the last keystroke before entered values are saved."""


class RowOwner(Protocol):
    """The list of samples, as its rows see it."""

    @property
    def edits(self) -> SampleEdits: ...
    @property
    def outline(self) -> TemplateOutline: ...
    @property
    def fields(self) -> Sequence[TryField]:
        """Fields that a judge fills."""

    @property
    def open(self) -> str | None:
        """Id of the sample whose row is open."""

    def toggle(self, sample_id: str) -> None: ...
    async def add(self, *samples: SampleAnswer) -> None: ...
    async def remove(self, sample: SampleAnswer) -> None: ...
    def values_by_hand(self, texts: dict[str, str]) -> dict[str, Any]: ...


class SampleRow:
    """Row of one sample. Its controls are drawn when it is opened."""

    def __init__(self, bench: RowOwner, sample: SampleAnswer) -> None:
        self._bench, self.sample = bench, sample
        self._result: SampleResult | None = None
        self._texts: dict[str, str] = {}
        """Entered values by field."""
        self._saving: asyncio.Task[None] | None = None
        self._verdict: ui.html | None = None
        self._text: BoundField | None = None
        with ui.element("div").classes("sample").props('role="listitem"'):
            with ui.element("div").classes("line gap-6"):
                self._draw_opener()
                self._expected = select("Expected verdict", EXPECTED, sample.passes, on_change=self._set_expected)
                self._expected.classes("sample-expected")
                with menu_button("more_vert", "Sample answer"):
                    menu_item("Duplicate", self._duplicate)
                    menu_item("Delete", lambda: bench.remove(self.sample))
            self._state = ui.label().classes("sample-state")
            self._body = ui.element("div").classes("sample-body stack gap-8")
        self.show(sample)
        self.redraw()

    def show(self, sample: SampleAnswer) -> None:
        """Show a sample as it is stored."""
        before, self.sample = self.sample, sample
        self._title.text = KIND_TITLES[sample.kind]
        self._excerpt.text = " ".join(sample.text.split()) or ("No text" if sample.kind != "empty" else "")
        if self._expected.value != sample.passes:
            self._expected.value = sample.passes
        if self._text is not None and before.text != sample.text:
            self._text.show(sample.text)
        if self._is_open and (before.values, before.kind) != (sample.values, sample.kind) and self._saving is None:
            self.redraw()

    def show_result(self, result: SampleResult | None) -> None:
        """Show the verdict of the template; None: it was not tested."""
        self._result = result
        icon, tone = _ICONS[result.state if result else None]
        self._icon.name = icon
        self._icon.classes(remove="sample-good sample-bad sample-open", add=tone)
        self._state.text = message = _state_text(result)
        self._state.set_visibility(bool(message) and result is not None and result.state != "as_expected")
        self._opener.props(aria_label(f"{KIND_TITLES[self.sample.kind]}. {message}"))
        self._show_verdict()

    def redraw(self) -> None:
        """Draw the controls anew if the row is open."""
        self._body.clear()
        self._verdict = self._text = None
        self._body.set_visibility(self._is_open)
        self._opener.props(f'aria-expanded="{str(self._is_open).lower()}"')
        if self._is_open:
            with self._body:
                self._draw_body()
            self._show_verdict()

    def focus(self) -> None:
        """Move the focus to the text of an open row."""
        if self._text is not None:
            self._text.focus()

    @property
    def _is_open(self) -> bool:
        return self._bench.open == self.sample.id

    def _draw_opener(self) -> None:
        with ui.element("button").props('type="button"').classes("sample-opener grow") as self._opener:
            self._icon = ui.icon("radio_button_unchecked").props('aria-hidden="true"')
            self._title = ui.label().classes("one-line strong")
            self._excerpt = ui.label().classes("cut muted")
        self._opener.on("click", lambda: self._bench.toggle(self.sample.id), args=[])

    def _draw_body(self) -> None:
        with ui.element("div").classes("sample-kind"):
            kind = select("Kind of answer", KIND_TITLES, self.sample.kind)
            kind.on_value_change(lambda event: self._set(kind=event.value))
            if self.sample.origin:
                ui.label(f"From {self.sample.origin}").classes("hint")
        control = text_area("Answer text", self.sample.text, placeholder="The answer as a model would write it")
        self._text = BoundField(control, self._bench.edits.text(self.sample.id))
        if self._bench.fields:
            self._draw_values()
        self._verdict = ui.html("").classes("try-verdict")

    def _draw_values(self) -> None:
        values = self.sample.values or {}
        self._texts = {field.name: format_input(field.kind, values.get(field.name)) for field in self._bench.fields}
        with ui.element("div").classes("try-line line wraps gap-2"):
            ui.label("Extracted values").classes("field-label")
            ui.label(_source_text(self.sample)).classes("hint")
            with ui.element("div").classes("try-buttons"):
                button("Use expected values", self._use_expected, look="quiet")
        draw_values(self._bench.fields, self._texts, self._type)
        self._problem = FieldError()

    def _show_verdict(self) -> None:
        if self._verdict is not None:
            verdict = self._result.verdict if self._result else None
            self._verdict.content = "" if verdict is None else verdict_view(verdict, self._bench.outline)

    async def _set(self, **changes: Any) -> None:
        await self._bench.edits.update(self.sample.id, **changes)

    async def _set_expected(self, event: Any) -> None:
        if event.value != self.sample.passes:
            await self._set(passes=bool(event.value))

    async def _duplicate(self) -> None:
        copy = SampleAnswer.model_validate(self.sample.model_dump(exclude={"id", "origin"}))
        await self._bench.add(copy)

    async def _use_expected(self) -> None:
        expected = {field.name: field.expected for field in self._bench.fields}
        await self._set(values=self._bench.values_by_hand(expected), judge=None)

    def _type(self, name: str, text: str) -> None:
        self._texts[name] = text
        try:
            values = self._bench.values_by_hand(self._texts)
        except ValueError as error:
            self._problem.show_message(str(error))
            return
        self._problem.show_message(None)
        if self._saving is not None:
            self._saving.cancel()
        self._saving = background_tasks.create(self._save(values), name="save a sample", context=self._body)

    async def _save(self, values: dict[str, Any]) -> None:
        await asyncio.sleep(PAUSE)
        await self._set(values=values, judge=None)
        self._saving = None


_ICONS: dict[str | None, tuple[str, str]] = {
    "as_expected": ("check_circle", "sample-good"),
    "unexpected": ("cancel", "sample-bad"),
    "error": ("error", "sample-bad"),
    "unread": ("pending", "sample-open"),
    None: ("radio_button_unchecked", "sample-open"),
}


def _state_text(result: SampleResult | None) -> str:
    if result is None:
        return "Not tested."
    match result.state:
        case "as_expected":
            return "Passes, as expected." if result.sample.passes else "Fails, as expected."
        case "unexpected":
            return "Fails, but should pass." if result.sample.passes else "Passes, but should fail."
        case "error":
            return "No verdict. Open it to see why."
    if result.sample.values is None:
        return "Not read yet: let a judge read it, or enter values."
    return f"No value yet for the {plural(len(result.missing), 'field')} {join_list(result.missing)}."


def _source_text(sample: SampleAnswer) -> str:
    if sample.values is None:
        return "none yet"
    return f"by {sample.judge}" if sample.judge else "by hand"
