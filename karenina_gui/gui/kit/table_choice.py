"""Choice of a table in a file: the sheet of a workbook, and the row with the column names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from nicegui import run, ui

from karenina_gui.errors import InputError
from karenina_gui.formats.tables.rows import Table
from karenina_gui.formats.tables.table_reader import TableFile
from karenina_gui.gui.kit.elements import note
from karenina_gui.text import quantity

NO_HEADER = "None (number the columns)"
LONGEST = 90
"""Characters of a row in the list of rows."""


async def read_table(path: Path) -> TableFile | None:
    """Read the file in a thread; None if the application ends. Raises `FileFormatError`."""
    return await run.io_bound(TableFile, path)


class TableChoice:
    """Controls of the choice; `on_table` receives the table initially and after each change, or the error."""

    def __init__(self, file: TableFile, on_table: Callable[[Table | InputError], Awaitable[None]]) -> None:
        self._file = file
        self._on_table = on_table
        self._container = ui.element("div").classes("table-choice when-filled")
        self._sheet: str | None = None

    async def start(self) -> None:
        """Show the most likely table."""
        if self._file.sheets:
            self._sheet = await run.io_bound(self._file.likely_sheet)
        await self._choose(None)

    async def _choose(self, header_row: int | None) -> None:
        try:
            table: Table | InputError | None = await run.io_bound(self._file.table, self._sheet, header_row)
        except InputError as error:
            table = error
        if table is None or self._container.is_deleted:
            return
        self._draw(table)
        await self._on_table(table)

    def _draw(self, table: Table | InputError) -> None:
        self._container.clear()
        with self._container:
            if len(self._file.sheets) > 1:
                self._draw_sheets()
            if isinstance(table, Table) and table.header_row is not None:
                self._draw_header_rows(table)
            for remark in table.remarks if isinstance(table, Table) else ():
                note(remark)

    def _draw_sheets(self) -> None:
        titles = {
            sheet.name: f"{sheet.name} · {quantity(sheet.rows, 'row')}{' · hidden' if sheet.hidden else ''}"
            for sheet in self._file.sheets
        }

        async def change(event: object) -> None:
            self._sheet = sheets.value
            await self._choose(None)

        ui.label("Sheet").classes("field-label")
        sheets = ui.select(titles, value=self._sheet, on_change=change)
        sheets.props('outlined dense options-dense aria-label="Sheet"').classes("input")

    def _draw_header_rows(self, table: Table) -> None:
        titles = {row: f"{table.unit.capitalize()} {row}: {_short(cells)}" for row, cells in table.first_rows}
        titles[0] = NO_HEADER
        ui.label("Header row").classes("field-label")
        rows = ui.select(titles, value=table.header_row, on_change=lambda event: self._choose(event.value))
        rows.props('outlined dense options-dense aria-label="Header row"').classes("input")


def _short(cells: list[str]) -> str:
    text = " · ".join(cell for cell in cells if cell)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
