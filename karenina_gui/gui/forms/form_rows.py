"""Form list of small records: one line per record with a control per column; lines can be added and removed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from karenina_gui.gui.forms.bound_field import FieldError
from karenina_gui.gui.kit.elements import button, focus_on, hold_typing, icon_button, text_area, text_input
from karenina_gui.gui.records.conflict import ConflictPanel
from karenina_gui.gui.records.deferred_update import update_when_unfocused
from karenina_gui.gui.records.form_field import Column
from karenina_gui.gui.records.optimistic_edit import Field, OptimisticEdit
from karenina_gui.gui.session.outbox import BufferedText, buffer_in_outbox

Record = dict[str, Any]


class FormRows:
    """Editable list of records; keys without a column are preserved."""

    def __init__(
        self,
        columns: Sequence[Column],
        add: str,
        field: Field,
        doubts: Callable[[list[Record]], dict[int, str]] | None = None,
        *,
        name: str,
    ) -> None:
        """`name`: the list's name in messages. `doubts` returns warnings by line index (from 0)."""
        self.columns = columns
        self.doubts = doubts
        self._doubted: list[FieldError] = []
        self.records: list[Record] = []
        self.controls: dict[tuple[int, str], ui.input] = {}
        """Controls of texts by line and column."""
        self._focused = 0
        self.element = ui.element("div").classes("rows")
        self._adds = button(add, self._add, icon="add", look="quiet").classes("row-add")
        hold_typing(self._adds, f"#c{self.element.id} :is(input, textarea)")
        self.error = FieldError()
        self.edit = OptimisticEdit(field, self)
        self._outbox = field.outbox
        if self._outbox is not None:
            self._outbox.watch(field.address, name, self.text_at)
            self.edit.on_settled = self._confirm_saved
        self._field = field
        self.conflict_panel = ConflictPanel(name, self.edit)
        self.set_value(self.edit.mine)

    def follow(self, records: list[Record]) -> None:
        update_when_unfocused(self.element, lambda: self.edit.is_pending(records), lambda: self._apply_remote(records))

    def set_value(self, records: list[Record]) -> None:
        self.records = [dict(record) for record in records]
        self._draw()
        self.show_status()

    def show_status(self) -> None:
        if not self.element.is_deleted:
            self.error.show_message(None if self.edit.undecided else self.edit.problem)
            self.conflict_panel.show()
            self._show_doubts()

    def focus(self) -> None:
        focus_on(self._adds)

    def _apply_remote(self, records: list[Record]) -> None:
        self.set_value(records)
        self.edit.type(records)

    def _draw(self) -> None:
        self._focused = 0
        self.edit.leave()
        self.element.clear()
        self._doubted.clear()
        self.controls.clear()
        with self.element:
            self._draw_head()
            for index in range(len(self.records)):
                self._line(index)
                self._doubted.append(FieldError())
        self._show_doubts()

    def _draw_head(self) -> None:
        """Draw titles of the columns, if the lines do not show them themselves."""

    def _show_doubts(self) -> None:
        doubts = self.doubts(self.records) if self.doubts else {}
        for index, field in enumerate(self._doubted):
            field.show_message(doubts.get(index), doubt=index in doubts)

    def _line(self, index: int) -> None:
        widths = " ".join(column.width for column in self.columns)
        with ui.element("div").classes("row-line").style(f"grid-template-columns: {widths} 28px"):
            for column in self.columns:
                name = f"{column.title}, line {index + 1}"
                self._text(index, column.key, name, placeholder=column.title, area=column.area)
            icon_button("close", f"Remove line {index + 1}", lambda: self._remove(index))

    def _text(self, index: int, key: str, name: str, *, placeholder: str, area: bool) -> ui.input:
        """Draw the text of a record under a key; `name` is its accessible name."""
        value = self.records[index].get(key)
        text = "" if value is None else str(value)
        control = (text_area if area else text_input)(name, text, placeholder=placeholder)
        control.props(remove="debounce").on_value_change(lambda event: self._edit(index, key, event.value))
        self.controls[index, key] = control
        if self._outbox is not None:
            buffer_in_outbox(control, f"{self._field.address}#{index}.{key}", text)
        control.on("focus", lambda: self._move_focus(1), args=[])
        control.on("blur", lambda: self._move_focus(-1), args=[])
        return control

    def text_at(self, path: str) -> BufferedText:
        """See `gui.session.outbox.TextAt`."""
        line, _, column = path.partition(".")
        index = int(line)
        records = [*map(dict, self.records), *({} for _ in range(index + 1 - len(self.records)))]
        text = str(records[index].get(column) or "")

        def with_text(value: str) -> list[Record]:
            records[index][column] = value
            return records

        return self.edit.part_in(self.controls.get((index, column)), text, with_text)

    def _confirm_saved(self, _: Any) -> None:
        if self._outbox is not None and not self.edit.dirty:
            lines = list(map(str, range(len(self.records))))
            keys = [column.key for column in self.columns]
            # The browser drops confirmed texts, and those of lines that no longer exist.
            stored = {f"{n}.{key}": str(self.records[int(n)].get(key) or "") for n in lines for key in keys}
            self._outbox.settle_cells(self._field.address, stored, lines)

    def _edit(self, index: int, key: str, value: Any) -> None:
        self.records[index][key] = "" if value is None else value
        self.edit.type(self._filled_records())

    def _add(self) -> None:
        self.records.append({})
        self._draw()
        if control := self.controls.get((len(self.records) - 1, self.columns[0].key)):
            focus_on(control)

    def _remove(self, index: int) -> None:
        del self.records[index]
        self._draw()
        self.edit.type(self._filled_records())
        self.edit.flush()

    def _filled_records(self) -> list[Record]:
        """Records with any text; an empty line is not saved."""
        return [record for record in self.records if any(str(value).strip() for value in record.values())]

    def _move_focus(self, steps: int) -> None:
        """Count the focus into (1) or out of (-1) the list's controls."""
        # Focus and blur events of two controls may arrive in either order.
        self._focused = max(0, self._focused + steps)
        self.edit.enter() if self._focused else self.edit.leave()
