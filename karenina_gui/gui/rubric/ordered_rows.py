"""Editable table with rows to add, remove and reorder, such as classes, fields or statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from nicegui import ui

from karenina_gui.gui.binding.bound_field import FieldError
from karenina_gui.gui.components.elements import button, icon_button, sent_while_typing, text_area, text_input
from karenina_gui.gui.components.quoting import prop
from karenina_gui.gui.rubric.form import TraitForm
from karenina_gui.gui.rubric.kinds import Record
from karenina_gui.gui.rubric.rules import Problems

MOVES = {"Alt+ArrowUp": -1, "Alt+ArrowDown": 1}


@dataclass(frozen=True)
class RowColumn:
    key: str
    title: str
    width: str = "1fr"
    kind: Literal["text", "area", "tick", "choice"] = "text"
    options: Mapping[str, str] | None = None
    """Options of a choice. The first is the default of a new row."""
    below: bool = False
    """True for a control in full width below the others."""


class OrderedRows:
    """Table that edits the records in `form.values[key]` in place. Keys without a column are preserved."""

    def __init__(self, form: TraitForm, key: str, columns: list[RowColumn], noun: str) -> None:
        """`noun`: name of a row, such as class, field or statement."""
        self.form, self.key, self.columns, self.noun = form, key, columns, noun
        self._errors: list[FieldError] = []
        self._problems: Problems = {}
        self._first: list[Any] = []
        self.place = ui.element("div").classes("rows").props('data-own-keys="Alt+ArrowUp Alt+ArrowDown"')
        button(f"Add {noun}", self.add, icon="add", look="quiet").classes("row-add")
        form.problems_below(key)
        form.on_problems(self._show_problems)
        self.draw()

    @property
    def rows(self) -> list[Record]:
        found = self.form.values.get(self.key)
        if not isinstance(found, list):
            found = self.form.values[self.key] = []
        return found

    def draw(self) -> None:
        self.place.clear()
        self._errors.clear()
        self._first.clear()
        with self.place:
            if self.rows and len(self.columns) > 1:
                self._head()
            for index in range(len(self.rows)):
                self._line(index)
                self._errors.append(FieldError())
        self._show_problems(self._problems)

    def add(self) -> None:
        """Append an empty row and focus it."""
        chosen = {column.key: next(iter(column.options)) for column in self.columns if column.options}
        self.rows.append(dict(chosen))
        self.draw()
        self._first[-1].run_method("focus")

    def _head(self) -> None:
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
                down.set_enabled(index < len(self.rows) - 1)
        line.on("keydown", lambda event: self._move(index, MOVES[event.args]), js_handler=_ALT_ARROWS)

    def _control(self, index: int, column: RowColumn) -> Any:
        row, label = self.rows[index], f"{column.title}, {self.noun} {index + 1}"
        value = row.get(column.key)
        made: Any
        if column.kind == "tick":
            made = ui.checkbox(value=bool(value)).props("dense")
            made.props["aria-label"] = label
        elif column.kind == "choice":
            options = dict(column.options or {})
            made = ui.select(options, value=value if value in options else next(iter(options)))
            made.props("outlined dense options-dense").classes("input").props["aria-label"] = label
        else:
            make = text_area if column.kind == "area" else text_input
            made = sent_while_typing(make(label, "" if value is None else str(value)))
            if column.below:
                made.classes("trait-row-below").props(prop("placeholder", column.title))
            self.form.keep_in_browser(f"{self.key}.{index}.{column.key}", made)
        made.on_value_change(lambda event: self._edit(index, column.key, event.value))
        return made

    def _edit(self, index: int, key: str, value: Any) -> None:
        self.rows[index][key] = "" if value is None else value
        self._store()

    def _move(self, index: int, step: int) -> None:
        there = index + step
        if 0 <= there < len(self.rows):
            self.rows[index], self.rows[there] = self.rows[there], self.rows[index]
            self.draw()
            self._first[there].run_method("focus")
            self._store()

    def _remove(self, index: int) -> None:
        del self.rows[index]
        self.draw()
        if self._first:
            self._first[min(index, len(self._first) - 1)].run_method("focus")
        self._store()

    def _store(self) -> None:
        self.form.set(self.key, self.rows)

    def _show_problems(self, found: Problems) -> None:
        self._problems = found
        for index, place in enumerate(self._errors):
            place.show_message(found.get(f"{self.key}.{index}"))


def rows_of(form: TraitForm, key: str, columns: list[RowColumn], noun: str, least: int) -> OrderedRows:
    """Draw a table with at least `least` rows."""
    rows = form.values.get(key)
    rows = form.values[key] = rows if isinstance(rows, list) else []
    for _ in range(least - len(rows)):
        rows.append({column.key: next(iter(column.options)) for column in columns if column.options})
    return OrderedRows(form, key, columns, noun)


_ALT_ARROWS = """(event) => {
  if (!event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key) || event.target.closest(".q-select")) return;
  event.preventDefault();
  event.target.dispatchEvent(new Event("change", {bubbles: true}));
  setTimeout(() => emit("Alt+" + event.key)); // the text is sent a moment later
}"""
