"""Column mapping of a table import: guessed from the headers, editable by the user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from karenina_gui.formats.tables.question_export import metadata_columns
from karenina_gui.formats.tables.question_import import (
    ImportPlan,
    KeywordColumn,
    guess_columns,
    guess_separator,
    unused_columns,
)
from karenina_gui.formats.tables.rows import Table
from karenina_gui.gui.kit.elements import button, field, icon_button, select, text_area
from karenina_gui.gui.pages.templates.row_templates import AUTOMATIC, ROW_STARTERS, row_writer

FIELDS = {
    "question": "Question",
    "raw_answer": "Reference answer",
    "id": "ID",
    "answer_notes": "Notes",
    "author": "Author",
    "author_email": "Author email",
    "sources": "Sources",
    "workspace_path": "Workspace folder",
    "few_shot_examples": "Few-shot examples",
    "choices": "Choices",
}
NEEDED = ("question", "raw_answer")
SELDOM = ("author_email", "workspace_path", "few_shot_examples", "choices")
"""Fields under More options, unless a header matches them."""
SEPARATORS = {
    ",": "comma",
    ";": "semicolon",
    "|": "vertical bar",
    "/": "slash",
    "\n": "line break",
    " ": "space",
    "": "none: one keyword per cell",
}
HINTS = {
    "few_shot_examples": 'Cells such as [{"question": "…", "answer": "…"}]',
    "choices": "Added to the question text as A), B), and so on",
}
"""Formats of cells that a title does not tell."""
NO_COLUMN = "— not imported —"
NO_TEMPLATE = ""
OWN_CODE = "code"
_COLUMN = "column:"
_STARTER = "starter:"
_PLACEHOLDERS = (
    "{{raw_answer}} inserts the row’s reference answer, and {{dose}} its cell in a column “dose”; texts already have "
    "quotation marks"
)


class ColumnChoice:
    """Form of the column mapping. `on_change` runs after each change of `plan`."""

    def __init__(self, table: Table, on_change: Callable[[], Awaitable[None]]) -> None:
        self._table = table
        self._on_change = on_change
        guessed = guess_columns(table.headers)
        self._fields: dict[str, ui.select] = {}
        self._keywords: list[KeywordColumn] = []
        template_column = guessed.pop("answer_template", None)
        if column := guessed.pop("keywords", None):
            self._keywords.append(KeywordColumn(column, guess_separator(table, column)))
        with ui.element("div").classes("import-columns"):
            for name in FIELDS:
                if name not in SELDOM or name in guessed:
                    self._field(name, guessed.get(name, NO_COLUMN))
            self.template = TemplateChoice(table, template_column, on_change)
        self.template.draw_code()
        with field("Keywords", "from any number of columns"):
            self._lines = ui.element("div").classes("rows")
            button("Add keyword column", self._add, icon="add", look="quiet").classes("row-add")
        self._draw_keywords()
        facts = field("Import as metadata", "additional columns, such as difficulty")
        with facts, ui.element("div").classes("import-facts"):
            label, columns = "Columns to import as metadata", metadata_columns(table.headers)
            self._facts = select(label, table.headers, columns, on_change=on_change, multiple=True).classes("area")
            button("Add remaining columns", self._add_remaining, look="quiet")
        self._unused = ui.label().classes("hint").props('role="status"')
        with ui.expansion("More options").classes("import-more box"):
            with ui.element("div").classes("import-columns"):
                for name in SELDOM:
                    if name not in guessed:
                        self._field(name, NO_COLUMN)
            self._finished = ui.checkbox("Mark questions finished").props("dense")
            self._finished.on_value_change(on_change)
        self.show_unused()

    def plan(self) -> ImportPlan | None:
        """Return the import plan. None: the question or reference answer column is not chosen."""
        columns: dict[str, Any] = {
            name: str(select.value) for name, select in self._fields.items() if select.value != NO_COLUMN
        }
        if any(name not in columns for name in NEEDED):
            return None
        return ImportPlan(
            **columns,
            keywords=tuple(self._keywords),
            metadata=tuple(self._facts.value or ()),
            finished=bool(self._finished.value),
            **self.template.plan(),
        )

    def show_unused(self) -> None:
        """Name the columns that are not imported."""
        plan = self.plan()
        self._unused.text = unused_columns(self._table, plan) if plan else ""

    def _field(self, name: str, value: str) -> None:
        title = FIELDS[name]
        ui.label(title + (" (required)" if name in NEEDED else "")).classes("field-label")
        columns = [NO_COLUMN, *self._table.headers]
        chosen = select(f"Column for {title}", columns, value, on_change=self._on_change)
        self._fields[name] = chosen
        if name in HINTS:
            chosen.props["hint"] = HINTS[name]

    def _draw_keywords(self) -> None:
        self._lines.clear()
        with self._lines:
            for index, keyword in enumerate(self._keywords):
                self._keyword_line(index, keyword)

    def _keyword_line(self, index: int, keyword: KeywordColumn) -> None:
        number = "" if index == 0 else f" {index + 1}"
        with ui.element("div").classes("import-keyword"):
            column = select(f"Keyword column{number}", self._table.headers, keyword.column)
            ui.label("separated by").classes("hint")
            separator = select(f"Keyword separator{number}", SEPARATORS, keyword.separator)
            icon_button("close", f"Remove keyword column{number}", lambda: self._remove(index))

        async def change() -> None:
            self._keywords[index] = KeywordColumn(str(column.value), str(separator.value))
            await self._on_change()

        async def change_column() -> None:
            # Keyword columns of one table can use different separators, so a new column gets its own guess.
            separator.value = guess_separator(self._table, str(column.value))
            await change()

        column.on_value_change(change_column)
        separator.on_value_change(change)

    async def _add(self) -> None:
        taken = {*(select.value for select in self._fields.values()), *(keyword.column for keyword in self._keywords)}
        column = next((header for header in self._table.headers if header not in taken), self._table.headers[0])
        self._keywords.append(KeywordColumn(column, guess_separator(self._table, column)))
        self._draw_keywords()
        await self._on_change()

    async def _remove(self, index: int) -> None:
        del self._keywords[index]
        self._draw_keywords()
        await self._on_change()

    def _add_remaining(self) -> None:
        taken = {*(select.value for select in self._fields.values()), *(keyword.column for keyword in self._keywords)}
        self._facts.value = [header for header in self._table.headers if header not in taken]


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
