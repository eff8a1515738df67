"""A template as a form: a card for each field, the composition, and custom code that only the source shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from textwrap import dedent
from typing import Any, Protocol

from nicegui import ui

from karenina_gui.authoring.template_form import (
    CodeField,
    CustomBlock,
    FormComposition,
    FormEdits,
    FormError,
    TemplateForm,
    read_form,
)
from karenina_gui.gui.kit.elements import button, field as labeled, menu_item, note
from karenina_gui.gui.kit.number_text import NumberLimits
from karenina_gui.gui.pages.templates.field_card import CROSSES_EDGE, FieldCard
from karenina_gui.gui.pages.templates.field_kinds import KINDS, FieldKind, number_or_text
from karenina_gui.gui.pages.templates.form_controls import EditTarget, FormControls, FormText
from karenina_gui.gui.session.outbox import Outbox
from karenina_gui.schemas.template import TemplateOutline, TemplateProblem
from karenina_gui.text import quantity

COMPOSITIONS = {"all": "all fields pass", "any": "at least one field passes", "at_least": "several fields pass"}


class FormOwner(Protocol):
    """Tab that shows the form."""

    def on_form_edit(self, source: str) -> None:
        """Take over the source after an edit."""

    def show_code(self, line: int | None) -> None:
        """Open the code at a line (from 1), or as it was left."""

    def on_focus(self, inside: bool) -> None:
        """The focus moved into the form, or out of it."""

    def calibrate(self, name: str) -> None:
        """Open the calibration of a field."""

    def offer_undo(self, message: str, source: str) -> None:
        """Say what was done, and offer to restore a source."""


class TemplateFormView:
    """Form of one template. Each edit makes a new source, in which only the edited part differs."""

    def __init__(self, owner: FormOwner, address: str, outbox: Outbox) -> None:
        """`address`: that of the template."""
        self._owner = owner
        self._template = EditTarget(self._apply, address, outbox)
        self.form: TemplateForm | None = None
        self._source = ""
        self.cards: list[FieldCard] = []
        self._draw_composition: Callable[[], None] | None = None
        self._texts: dict[str, FormText] = {}
        self.element = ui.element("div").classes("template-form scroll stack wide fills gap-12")
        self.element.on("focusin", lambda: owner.on_focus(True), args=[], js_handler=CROSSES_EDGE)
        self.element.on("focusout", lambda: owner.on_focus(False), args=[], js_handler=CROSSES_EDGE)

    def show(self, source: str) -> None:
        """Draw the form of a source, unless it shows it already."""
        if source == self._source and self.element.default_slot.children:
            return
        self._source = source
        form = read_form(source)
        self.form = form if isinstance(form, TemplateForm) else None
        self._draw(form if isinstance(form, str) else None)

    def text_at(self, path: str) -> FormText | None:
        """Return the text at a path in the browser's outbox, such as `0.description`, or None if there is none."""
        card = next((card for card in self.cards if path.startswith(f"{card.index}.")), None)
        return self._texts.get(path) if card is None else card.texts.get(path)

    @property
    def applied_texts(self) -> dict[str, str]:
        """Texts that are in the template, by their paths in the browser."""
        every = [self._texts, *(card.texts for card in self.cards)]
        return {path: text.applied for texts in every for path, text in texts.items()}

    def show_outline(self, outline: TemplateOutline, problems: Sequence[TemplateProblem]) -> None:
        """Show problems and accepted values at their fields."""
        fields = {field.name: field for field in outline.fields}
        for card in self.cards:
            lines = [problem for problem in problems if problem.line is not None and card.covers(problem.line)]
            card.show_problems(lines)
            card.show_outline(fields.get(card.field.name))

    def card_at(self, line: int) -> FieldCard | None:
        """Card of the field at a line (from 1); None: the line is not a field's."""
        return next((card for card in self.cards if card.covers(line)), None)

    def focus(self) -> None:
        if self.cards:
            self.cards[0].focus()

    # Cards

    def field_at(self, index: int) -> CodeField:
        assert self.form is not None
        return self.form.fields[index]

    def move(self, index: int, step: int) -> None:
        name = self.field_at(index).name
        if message := self._apply(lambda edits: edits.move_field(name, step)):
            self.cards[index].refuse(message)
            return
        self._draw(None)
        self.cards[min(max(index + step, 0), len(self.cards) - 1)].focus()

    def remove(self, index: int) -> None:
        name, before = self.field_at(index).name, self._source
        if message := self._apply(lambda edits: edits.remove_field(name)):
            self.cards[index].refuse(message)
            return
        self._draw(None)
        self._owner.offer_undo(f"Removed {name}.", before)

    def calibrate(self, index: int) -> None:
        """Compare what judges extract with labels of the user."""
        self._owner.calibrate(self.field_at(index).name)

    def add(self, kind: FieldKind) -> None:
        """Add a field of a kind below the others."""
        assert self.form is not None
        taken = {field.name for field in self.form.fields}
        name = next(candidate for candidate in _number_names(kind.name) if candidate not in taken)
        if self._apply_and_draw(
            lambda edits: edits.add_field(name, kind.annotation, kind.description, kind.expected, kind.comparison)
        ):
            self.cards[-1].focus()

    # Edits

    def _apply(self, change: Callable[[FormEdits], str]) -> str | None:
        """Edit the template; return the problem, or None."""
        if self.form is None:
            return "The code has a syntax error."
        try:
            source = change(FormEdits(self.form))
        except (FormError, ValueError) as error:
            return str(error)
        form = read_form(source)
        if isinstance(form, str):
            return form
        before, self._source, self.form = self.form, source, form
        self._owner.on_form_edit(source)
        if self._draw_composition is not None and [field.name for field in before.fields] != [
            field.name for field in form.fields
        ]:
            self._draw_composition()
        return None

    def _apply_and_draw(self, change: Callable[[FormEdits], str]) -> bool:
        message = self._apply(change)
        if message is not None:
            self._message.text = message
            self._message.set_visibility(True)
            return False
        self._draw(None)
        return True

    def with_text(self, text: FormText, value: str) -> str | None:
        """Return the source with another value of a text, or None if that is refused."""
        try:
            return None if self.form is None else text.change(FormEdits(self.form), value)
        except (FormError, ValueError):
            return None

    # Drawing

    def _draw(self, problem: str | None) -> None:
        self.element.clear()
        self.cards = []
        self._texts = {}
        self._draw_composition = None
        with self.element:
            if problem is not None or self.form is None:
                note(problem or "", "warn")
                button("Show the code", lambda: self._owner.show_code(None), look="quiet")
                return
            for index in range(len(self.form.fields)):
                self.cards.append(FieldCard(index, self, self._template))
            self._message = ui.label().classes("field-error").props('role="alert"')
            self._message.set_visibility(False)
            if not self.is_judged_by_code:  # such code would not look at another field
                with ui.element("div").classes("form-foot"), button("Add field", icon="add", look="quiet"), ui.menu():
                    for kind in KINDS:
                        menu_item(kind.title, partial(self.add, kind))
            if self._is_composed:
                self._compose()
            for block in self.form.blocks:
                self._custom_block(block)

    @property
    def _is_composed(self) -> bool:
        """True if the outcomes of several fields become one verdict, other than by a method of the author's own."""
        verified = [field for field in self._current().fields if field.kind == "verified"]
        return not self.is_judged_by_code and (len(verified) > 1 or self._current().strategy is not None)

    @property
    def is_judged_by_code(self) -> bool:
        """True if a `verify` of the author's decides."""
        return any(block.title == "verify" for block in self._current().blocks)

    def _compose(self) -> None:
        with (
            ui.element("section")
            .classes("form-card stack card gap-10")
            .props('aria-label="When the answer passes"') as card
        ):

            def draw(label: str | None = None) -> None:
                card.clear()
                controls = FormControls(self._template, "composition")
                with card:
                    CompositionControls(self._current, controls, draw).draw()
                self._texts = controls.texts
                if label is not None:
                    controls.choices[label].run_method("focus")

            draw()
            self._draw_composition = draw

    def _current(self) -> TemplateForm:
        assert self.form is not None
        return self.form

    def _custom_block(self, block: CustomBlock) -> None:
        with (
            ui.element("section")
            .classes("form-card form-card-locked stack card gap-10")
            .props('aria-label="Custom code"')
        ):
            with ui.element("div").classes("form-card-head flow gap-8"):
                ui.icon("lock")
                ui.label(f"Custom code: {block.title}").classes("field-label")
                ui.space()
                button("Edit code", lambda: self._owner.show_code(block.line), look="quiet")
            # Its first line begins behind the indent of the class.
            lines = self._current().source.text.splitlines()
            indent = re.match(r"\s*", lines[block.line - 1])
            ui.label(dedent((indent[0] if indent else "") + block.source)).classes("code-block box")


def _number_names(name: str) -> list[str]:
    return [name, *(f"{name}_{number}" for number in range(2, 1000))]


class CompositionControls:
    def __init__(
        self, current: Callable[[], TemplateForm], controls: FormControls, redraw: Callable[[str], None]
    ) -> None:
        """`current` returns the form as it is now; `redraw` is called once other controls apply."""
        self._current, self._controls, self._redraw = current, controls, redraw

    def draw(self) -> None:
        composition = self._current().composition
        with labeled("The answer passes if"):
            if composition.kind == "custom":
                ui.label(composition.source).classes("mono form-locked")
                return
            self._controls.choice("The answer passes if", COMPOSITIONS, composition.kind, self._select, self._redraw)
        if composition.kind == "at_least":
            with labeled("Fields that must pass"):
                box = self._controls.text("n", "Fields that must pass", str(composition.n), self._count)
                box.props("inputmode=numeric")
        if composition.fields is not None or composition.kind != "all":
            names = {name: name for name in self._verified_fields()}
            chosen = list(names) if composition.fields is None else list(composition.fields)
            with labeled("Of these fields"):
                self._controls.ticks("Of these fields", names, chosen, self._choose)

    def _select(self, edits: FormEdits, kind: Any) -> str:
        fields = None if kind == "all" else self._current().composition.fields
        return edits.set_composition(FormComposition(kind, fields, self._current().composition.n))

    def _count(self, edits: FormEdits, text: str) -> str:
        now = self._current().composition
        most = len(self._verified_fields() if now.fields is None else now.fields)
        number = number_or_text(text)
        if isinstance(number, str) or not NumberLimits(1, most=most, whole=True).allows(number):
            raise FormError(f"Enter a whole number from 1 to {most}.")
        return edits.set_composition(FormComposition(now.kind, now.fields, int(number)))

    def _choose(self, edits: FormEdits, names: list[str]) -> str:
        now = self._current().composition
        least = now.n if now.kind == "at_least" else 1
        if len(names) < least:
            raise FormError(f"Select at least {quantity(least, 'field')}.")
        return edits.set_composition(FormComposition(now.kind, tuple(names), now.n))

    def _verified_fields(self) -> list[str]:
        return [field.name for field in self._current().fields if field.kind == "verified"]
