"""Choice of the templates of imported questions: a starter filled in by row, a column, or code for all rows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from karenina_gui.formats.tables.rows import Table
from karenina_gui.gui.components.elements import field, select, text_area
from karenina_gui.gui.templates.row_templates import AUTOMATIC, ROW_STARTERS, row_writer

NO_TEMPLATE = ""
OWN_CODE = "code"
_COLUMN = "column:"
_STARTER = "starter:"
_PLACEHOLDERS = (
    "{{raw_answer}} inserts the row’s reference answer, and {{dose}} its cell in a column “dose”; texts already have "
    "quotation marks"
)


class TemplateChoice:
    """Field *Template*. `on_change` runs after each change of `plan`."""

    def __init__(self, table: Table, column: str | None, on_change: Callable[[], Awaitable[None]]) -> None:
        self._on_change = on_change
        self._code: ui.textarea | None = None
        titles = {
            NO_TEMPLATE: "None: write templates later",
            _STARTER + AUTOMATIC: "Automatic: the starter that fits each reference answer",
            **{_STARTER + title: f"Starter: {title}" for title in ROW_STARTERS},
            **{_COLUMN + header: f"Column “{header}”" for header in table.headers},
            OWN_CODE: "Code for all rows",
        }
        ui.label("Template").classes("field-label")
        value = _COLUMN + column if column else NO_TEMPLATE
        self._chosen = select("Template", titles, value, on_change=self._choose)

    def draw_code(self) -> None:
        """Draw the field for code, hidden until it is chosen."""
        with field("Template code", _PLACEHOLDERS) as code_field:
            self._code = text_area("Template (all rows)", placeholder="class Answer(BaseAnswer): …")
            self._code.classes("mono").on_value_change(self._on_change)
        code_field.bind_visibility_from(self._chosen, "value", value=OWN_CODE)

    @property
    def starter(self) -> str | None:
        """Title of the starter, `AUTOMATIC`, or None."""
        value = str(self._chosen.value or "")
        return value.removeprefix(_STARTER) if value.startswith(_STARTER) else None

    def plan(self) -> dict[str, Any]:
        """Return the part of the import plan."""
        value = str(self._chosen.value or "")
        if self.starter is not None:
            return {"write_template": row_writer(self.starter)}
        if value.startswith(_COLUMN):
            return {"answer_template": value.removeprefix(_COLUMN)}
        code = (self._code.value or "") if self._code is not None and value == OWN_CODE else ""
        return {"template": code} if code.strip() else {}

    async def _choose(self) -> None:
        await self._on_change()
