"""A list of small records in a form: a line for each, with fields beside one another; lines are added and removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from karenina_gui.gui.parts.bound_field import FieldError
from karenina_gui.gui.parts.clash import Clash
from karenina_gui.gui.parts.elements import button, icon_button, text_area, text_input

Record = dict[str, Any]


@dataclass(frozen=True)
class Column:
    key: str
    title: str
    area: bool = False
    """Whether it takes several lines of text."""
    width: str = "1fr"


class FormRows:
    """Keys of a record that are no columns are carried along. `save` returns what is wrong, or None."""

    def __init__(
        self,
        columns: list[Column],
        add: str,
        save: Callable[[list[Record]], str | None],
        doubts: Callable[[list[Record]], dict[int, str]] | None = None,
    ) -> None:
        """`doubts` gives a sentence for each line (from 0) that is kept, but should be looked at again."""
        self.columns = columns
        self.save = save
        self.doubts = doubts
        self._doubted: list[FieldError] = []
        self.records: list[Record] = []
        self._focused = 0
        self._waiting: list[list[Record]] = []
        self.place = ui.element("div").classes("rows")
        button(add, self._add, icon="add", look="quiet").classes("row-add")
        self.error = FieldError()
        self.clash = Clash(self._keep, self._take)

    def show(self, records: list[Record]) -> None:
        """Records that come from elsewhere; while somebody is in a line they wait."""
        if records == self._written():
            self._settle()
            return
        if self._focused > 0 or self.clash.visible:
            self._waiting = [records]
            if self.clash.visible:
                self.clash.show(records)
            return
        self.records = [dict(record) for record in records]
        self._draw()

    def _draw(self) -> None:
        self.place.clear()
        self._doubted.clear()
        with self.place:
            for index in range(len(self.records)):
                self._line(index)
                self._doubted.append(FieldError())
        self._show_doubts()

    def _show_doubts(self) -> None:
        found = self.doubts(self.records) if self.doubts else {}
        for index, place in enumerate(self._doubted):
            place.say(found.get(index))

    def _line(self, index: int) -> None:
        widths = " ".join(column.width for column in self.columns)
        with ui.element("div").classes("row-line").style(f"grid-template-columns: {widths} 28px"):
            for column in self.columns:
                make = text_area if column.area else text_input
                value = self.records[index].get(column.key)
                control = make(f"{column.title}, line {index + 1}", "" if value is None else str(value))
                control.props(f'placeholder="{column.title}"')
                control.on_value_change(lambda event, key=column.key: self._edit(index, key, event.value))
                control.on("focus", self._enter, args=[])
                control.on("blur", self._leave, args=[])
            icon_button("close", f"Remove line {index + 1}", lambda: self._remove(index))

    def _edit(self, index: int, key: str, value: str | None) -> None:
        self.records[index][key] = value or ""
        self._save()

    def _add(self) -> None:
        self.records.append({})
        self._draw()

    def _remove(self, index: int) -> None:
        del self.records[index]
        self._focused = 0
        self._draw()
        self._save()

    def _save(self) -> None:
        if not self._waiting:
            self._focused += 1
            self.error.say(self.save(self._written()))
            self._focused -= 1
            self._show_doubts()
        if self._waiting:
            self.clash.show(self._waiting[0])

    def _keep(self) -> None:
        self._settle()
        self._save()

    def _take(self) -> None:
        theirs = self._waiting[0]
        self._settle()
        self._focused = 0
        self.show(theirs)

    def _settle(self) -> None:
        self._waiting = []
        self.clash.clear_up()

    def _written(self) -> list[Record]:
        """The records that hold anything; a line that is still empty is none yet."""
        return [record for record in self.records if any(str(value).strip() for value in record.values())]

    def _enter(self) -> None:
        self._focused += 1

    def _leave(self) -> None:
        self._focused = max(0, self._focused - 1)
        if self._waiting and not self._focused and not self.clash.visible:
            self.show(self._waiting.pop())
