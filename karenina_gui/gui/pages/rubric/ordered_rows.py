"""Editable table with rows to add, remove and reorder, such as classes, fields or statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from nicegui import ui

from karenina_gui.gui.forms.form_rows import FormRows
from karenina_gui.gui.kit.elements import checkbox, icon_button, select
from karenina_gui.gui.kit.quoting import prop
from karenina_gui.gui.pages.rubric.form import TraitForm
from karenina_gui.gui.pages.rubric.kinds import Record
from karenina_gui.gui.records.form_field import Column, FormField

MOVES = {"Alt+ArrowUp": -1, "Alt+ArrowDown": 1}


@dataclass(frozen=True)
class RowColumn(Column):
    kind: Literal["text", "tick", "choice"] = "text"
    options: Mapping[str, str] | None = None
    """Options of a choice. The first is the default of a new row."""
    below: bool = False
    """True for a control in full width below the others."""


class OrderedRows(FormRows):
    """Table of the rows in a value of a trait. Keys without a column are preserved."""

    columns: list[RowColumn]

    def __init__(self, form: TraitForm, key: str, columns: list[RowColumn], noun: str, least: int) -> None:
        """`noun`: name of a row, such as class, field or statement. `least`: number of rows at least."""
        self.form, self.key, self.noun = form, key, noun
        self._blank = {column.key: next(iter(column.options)) for column in columns if column.options}
        self._first: list[Any] = []

        def read(values: Record) -> list[Record]:
            rows = values.get(key)
            rows = rows if isinstance(rows, list) else []
            return [*rows, *(dict(self._blank) for _ in range(least - len(rows)))]

        spec = FormField[Record](key, noun.capitalize(), read=read, write=lambda _, rows: {key: rows})
        super().__init__(columns, f"Add {noun}", form.field(spec), name=noun.capitalize())
        self.element.props('data-own-keys="Alt+ArrowUp Alt+ArrowDown"')
        form.draw(spec, self)

    def show_status(self) -> None:
        super().show_status()
        if not self.element.is_deleted and not self.error.text:
            self.error.show_message(self.form.problems.get(self.key))

    def _show_doubts(self) -> None:
        for index, error in enumerate(self._doubted):
            error.show_message(self.form.problems.get(f"{self.key}.{index}"))

    def _draw_head(self) -> None:
        self._first.clear()
        if not self.records or len(self.columns) == 1:
            return
        with ui.element("div").classes("row-line trait-rows-head").style(self._widths()).props('aria-hidden="true"'):
            for column in self._beside():
                ui.label(column.title)

    def _beside(self) -> list[RowColumn]:
        return [column for column in self.columns if not column.below]

    def _widths(self) -> str:
        return f"grid-template-columns: {' '.join(column.width for column in self._beside())} 84px"

    def _line(self, index: int) -> None:
        with ui.element("div").classes("row-line trait-row").style(self._widths()) as line:
            for column in self.columns:
                control = self._control(index, column)
                if column is self.columns[0]:
                    self._first.append(control)
            with ui.element("div").classes("trait-row-buttons"):
                number = index + 1
                up = icon_button("arrow_upward", f"Move {self.noun} {number} up", lambda: self._move(index, -1))
                down = icon_button("arrow_downward", f"Move {self.noun} {number} down", lambda: self._move(index, 1))
                icon_button("close", f"Remove {self.noun} {number}", lambda: self._remove(index))
                up.set_enabled(index > 0)
                down.set_enabled(index < len(self.records) - 1)
        line.on("keydown", lambda event: self._move(index, MOVES[event.args]), js_handler=_ALT_ARROWS)

    def _control(self, index: int, column: RowColumn) -> ui.element:
        label, value = f"{column.title}, {self.noun} {index + 1}", self.records[index].get(column.key)
        if column.kind == "text":
            text = self._text(index, column.key, label, placeholder="", area=column.area)
            return text.classes("trait-row-below").props(prop("placeholder", column.title)) if column.below else text
        made: ui.checkbox | ui.select
        if column.kind == "tick":
            made = checkbox("", bool(value), name=label)
        else:
            options = column.options or {}
            made = select(label, options, value if value in options else next(iter(options)))
        made.on_value_change(lambda event: self._choose(index, column.key, event.value))
        return made

    def _choose(self, index: int, key: str, value: Any) -> None:
        self._edit(index, key, value)
        self.edit.flush()

    def _filled_records(self) -> list[Record]:
        # An empty line keeps its position among the others.
        return self.records

    def _add(self) -> None:
        self.records.append(dict(self._blank))
        self._draw()
        self._first[-1].run_method("focus")

    def _move(self, index: int, step: int) -> None:
        target = index + step
        if 0 <= target < len(self.records):
            self.records[index], self.records[target] = self.records[target], self.records[index]
            self._draw()
            self._first[target].run_method("focus")
            self.edit.type(self.records)
            self.edit.flush()

    def _remove(self, index: int) -> None:
        super()._remove(index)
        if self._first:
            self._first[min(index, len(self._first) - 1)].run_method("focus")


_ALT_ARROWS = """(event) => {
  if (!event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key) || event.target.closest(".q-select")) return;
  event.preventDefault();
  event.target.dispatchEvent(new Event("change", {bubbles: true}));
  setTimeout(() => emit("Alt+" + event.key)); // the text is sent a moment later
}"""
