"""Controls of trait forms, bound to the fields of one trait."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from nicegui import ui

from karenina_gui.gui.forms.bound_field import BoundField, FieldError
from karenina_gui.gui.forms.form import draw_control
from karenina_gui.gui.forms.form_rows import FormRows
from karenina_gui.gui.kit.elements import field, select
from karenina_gui.gui.pages.rubric.kinds import Record
from karenina_gui.gui.pages.rubric.rubric_record import UNSET, RubricRecord, RubricState, Trait
from karenina_gui.gui.pages.rubric.rules import Problems
from karenina_gui.gui.records.form_field import FormField
from karenina_gui.gui.records.optimistic_edit import OptimisticEdit
from karenina_gui.gui.records.record import RecordField
from karenina_gui.schemas.rubric import trait_type


class TraitForm:
    """Form of one trait. Problems appear at the fields that have a control or a place for them."""

    def __init__(self, record: RubricRecord, trait_id: str, on_change: Callable[[], None]) -> None:
        """`on_change` is called after each change of a control's value or state."""
        self.record, self.id = record, trait_id
        self.problems: Problems = {}
        """Problems that are shown, by field, see `rules`."""
        self._doubts: Problems = {}
        self._on_change = on_change
        self._fields: dict[str, tuple[FormField[Record], OptimisticEdit, ui.element]] = {}
        self._controls: list[tuple[ui.element, BoundField | FormRows]] = []
        self._errors: list[tuple[str, FieldError]] = []
        self._followers: list[tuple[ui.element, Callable[[Problems], Any]]] = []

    @property
    def trait(self) -> Trait:
        return self.record.last(self.id)

    @property
    def type_name(self) -> str:
        return self.trait.type_name

    @property
    def values(self) -> Record:
        """Values as the controls show them, saved or not."""
        values = dict(self.trait.values)
        for spec, edit, element in self._fields.values():
            if edit.dirty and not element.is_deleted:
                values |= spec.changes(values, edit.mine)
        return {key: value for key, value in values.items() if value is not UNSET}

    @property
    def edits(self) -> list[OptimisticEdit]:
        return [edit for _, edit, element in self._fields.values() if not element.is_deleted]

    def show_problems(self, problems: Problems, doubts: Problems) -> None:
        """Show each message at its field, a problem before a doubt, and clear the others."""
        self.problems, self._doubts = problems, doubts
        # They may draw other controls.
        for element, follower in list(self._followers):
            if not element.is_deleted:
                follower(problems)
        self._controls = [(element, control) for element, control in self._controls if not element.is_deleted]
        for _, control in self._controls:
            control.show_status()
        for key, error in self._errors:
            if not error.is_deleted:
                error.show_message(problems.get(key))

    def problems_below(self, key: str) -> None:
        """Add a place for the problem of a field whose control does not show it."""
        self._errors.append((key, FieldError()))

    def on_problems(self, follower: Callable[[Problems], Any]) -> None:
        """Call back after each change, while the current element is on the page."""
        self._followers.append((ui.context.slot.parent, follower))

    @contextmanager
    def section(self, title: str, hint: str = "") -> Iterator[None]:
        with field(title, hint):
            yield

    # Fields

    def field(self, spec: FormField[Record]) -> RecordField[RubricState]:
        return self.record.trait_field(self.id, spec)

    def watch(self, spec: FormField[Record], edit: OptimisticEdit) -> None:
        """Follow the edit of a control in the current element."""
        self._fields[spec.name] = spec, edit, ui.context.slot.parent

        def on_change() -> None:
            if edit.dirty:
                self.record.begun.get(self.id, set()).add(spec.name)
            self._on_change()

        edit.on_change = on_change

    def draw(self, spec: FormField[Record], control: BoundField | FormRows | None = None) -> BoundField | FormRows:
        """Draw the control of a field, or follow one that is drawn already."""
        made = control or draw_control(spec, self.field(spec))
        key = spec.name.partition(".")[0]
        if isinstance(made, BoundField):
            made.fault = lambda _: self.problems.get(key)
            made.doubt = lambda _: self._doubts.get(key)
        self._controls.append((ui.context.slot.parent, made))
        self.watch(spec, made.edit)
        return made

    def text(self, key: str, title: str, hint: str = "", *, placeholder: str = "", area: bool = False) -> ui.input:
        spec = FormField[Record](
            key,
            title,
            kind="area" if area else "text",
            read=lambda values: str(values.get(key) or ""),
            write=lambda _, value: {key: value or ""},
            placeholder=placeholder,
        )
        with field(title, hint):
            made = self.draw(spec)
        assert isinstance(made, BoundField) and isinstance(made.control, ui.input)
        return made.control

    def number(
        self,
        key: str,
        title: str,
        hint: str = "",
        *,
        placeholder: str = "",
        empty: Any = None,
    ) -> None:
        """Draw a number field. A `placeholder` stands for the default. `empty`: value of an empty control."""
        default = None if placeholder else self._default(key)

        def read(values: Record) -> Any:
            value = values.get(key, default)
            return value if isinstance(value, int | float) else None

        def write(_: Record, value: Any) -> Record:
            whole = isinstance(value, float) and value.is_integer()
            return {key: empty if value is None else int(value) if whole else value}

        with field(title, hint):
            self.draw(FormField[Record](key, title, kind="number", read=read, write=write, placeholder=placeholder))

    def choice(self, key: str, title: str, options: Mapping[Any, str], default: Any) -> None:
        """Draw a selection with its title. `default`: value if the record has none."""
        spec = FormField[Record](
            key, title, read=lambda values: values.get(key, default), write=lambda _, value: {key: value}
        )
        with field(title):
            self.select(spec, options)

    def select(self, spec: FormField[Record], options: Mapping[Any, str]) -> None:
        """Draw a selection without its title."""
        shared = self.field(spec)
        value = shared.read()
        control = select(spec.title, options, value if value in options else None)
        self.draw(spec, BoundField(control, shared))

    def tick(self, key: str, text: str, hint: str = "") -> None:
        default = self._default(key)

        def read(values: Record) -> bool:
            return bool(values.get(key, default))

        self.draw(FormField[Record](key, text, kind="switch", read=read, write=lambda _, on: {key: bool(on)}))
        if hint:
            ui.label(hint).classes("hint")

    def _default(self, key: str) -> Any:
        """Value of the type's model if the record has none."""
        info = trait_type(self.type_name).model_fields[key]
        return None if info.is_required() else info.get_default(call_default_factory=True)
