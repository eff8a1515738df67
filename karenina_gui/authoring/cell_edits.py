"""Edits of many questions at once: cells of the question table, pasted blocks, keywords, and authors."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from karenina_gui.authoring.changes import ChangeKind
from karenina_gui.errors import InputError
from karenina_gui.schemas.benchmark import BenchmarkEntry
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.text_edits import FieldEdits
from karenina_gui.store.actors import one_command
from karenina_gui.store.library import Library
from karenina_gui.store.question_ids import shorten

CellField = Literal["question", "raw_answer", "answer_notes", "keywords", "author"]
CELL_FIELDS: tuple[CellField, ...] = ("question", "raw_answer", "answer_notes", "keywords", "author")
"""Fields with a column of their own, in the order of the columns. Others are edited with the question."""
MAX_PASTED_ROWS = 10_000
"""Rows of one pasted block. Longer tables are imported from a file."""
_SEPARATORS = re.compile(r"[,;\n]")


@dataclass(frozen=True)
class CellEdit:
    """A new text for one cell."""

    number: int
    """Number of the question."""
    field: CellField
    text: str
    base: str | None = None
    """Text that was edited; a cell with any other is not overwritten. None: it is overwritten in any case."""


@dataclass(frozen=True)
class RefusedCell:
    """A cell that was not saved, and the reason as a sentence."""

    number: int
    field: CellField
    reason: str


@dataclass(frozen=True)
class BulkOutcome:
    """Result of an edit of many questions."""

    changed: tuple[int, ...] = ()
    """Numbers of the questions that differ now."""
    added: tuple[int, ...] = ()
    """Numbers of new questions."""
    refused: tuple[RefusedCell, ...] = ()
    left_out: int = 0
    """Pasted columns to the right of the last one."""


class AnnouncedBenchmarks(Protocol):
    """The editor of benchmarks, as edits of cells use it."""

    library: Library

    def announce(self, benchmark_id: int, kind: ChangeKind, numbers: Sequence[int]) -> None: ...


class CellEditor:
    """Edits of many questions, each logged as one command."""

    def __init__(self, editor: AnnouncedBenchmarks) -> None:
        self._editor = editor
        self._library, self._questions = editor.library, editor.library.questions

    def edit(self, benchmark_id: int, edits: Sequence[CellEdit]) -> BulkOutcome:
        """Save new texts of cells. Cells that can’t be saved are refused, and the rest is saved all the same."""
        with one_command():
            outcome = self._edit(benchmark_id, edits)
        self._announce(benchmark_id, outcome)
        return outcome

    def paste(
        self, benchmark_id: int, text: str, field: CellField, numbers: Sequence[int], author: str = ""
    ) -> BulkOutcome:
        """Fill cells from the one with this `field` in the first of `numbers`, to the right and down.

        `text`: block as spreadsheets copy it, columns separated by tabs. `numbers`: questions in the order of the rows
        on the screen. Rows below the last one become new questions if the block has their texts. `author`: name of
        their author; empty: nobody is named. Raises `InputError` for a block of more than `MAX_PASTED_ROWS` rows.
        """
        rows = pasted_rows(text)
        if len(rows) > MAX_PASTED_ROWS:
            raise InputError(f"A paste has at most {MAX_PASTED_ROWS:,} rows. Import longer tables from a file.")
        fields = CELL_FIELDS[CELL_FIELDS.index(field) :]
        edits = [
            CellEdit(number, name, cell)
            for number, row in zip(numbers, rows, strict=False)
            for name, cell in zip(fields, row, strict=False)
        ]
        with one_command():
            outcome = self._edit(benchmark_id, edits)
            new = rows[len(numbers) :] if field == "question" else []
            added, refused = self._add(benchmark_id, new, author)
        left_out = max((len(row) for row in rows), default=0) - len(fields)
        whole = BulkOutcome(outcome.changed, added, (*outcome.refused, *refused), max(left_out, 0))
        self._announce(benchmark_id, whole)
        return whole

    def change_keywords(
        self, benchmark_id: int, numbers: Sequence[int], add: Iterable[str], remove: Iterable[str]
    ) -> BulkOutcome:
        """Add keywords to questions, and remove others from them."""
        added, removed = list(dict.fromkeys(add)), set(remove)

        def change(question: Question) -> dict[str, Any]:
            remaining = [word for word in question.keywords if word not in removed]
            return {"keywords": [*remaining, *(word for word in added if word not in remaining)]}

        return self._change_each(benchmark_id, numbers, "keywords", change)

    def set_author(self, benchmark_id: int, numbers: Sequence[int], author: dict[str, str] | None) -> BulkOutcome:
        """Name the author of questions; None: nobody."""
        return self._change_each(benchmark_id, numbers, "author", lambda _: {"author": author or None})

    def _change_each(
        self,
        benchmark_id: int,
        numbers: Sequence[int],
        field: CellField,
        change: Callable[[Question], dict[str, Any]],
    ) -> BulkOutcome:
        changes = {
            number: (entry.question, change(entry.question))
            for number, entry in self._questions.entries(benchmark_id, numbers).items()
        }
        with one_command():
            outcome = self._save(benchmark_id, changes, field)
        self._announce(benchmark_id, outcome)
        return outcome

    def _edit(self, benchmark_id: int, edits: Sequence[CellEdit]) -> BulkOutcome:
        entries = self._questions.entries(benchmark_id, {edit.number for edit in edits})
        changes: dict[int, tuple[Question, dict[str, Any]]] = {}
        refused = []
        for edit in edits:
            entry = entries.get(edit.number)
            if entry is None:
                refused.append(RefusedCell(edit.number, edit.field, "The question was deleted."))
            elif edit.base is not None and cell_text(entry.question, edit.field) not in (edit.base, edit.text):
                refused.append(RefusedCell(edit.number, edit.field, "Someone else changed this cell meanwhile."))
            else:
                _, fields = changes.setdefault(edit.number, (entry.question, {}))
                fields.update(_cell_value(entry.question, edit.field, edit.text))
        outcome = self._save(benchmark_id, changes, None)
        return BulkOutcome(outcome.changed, refused=(*refused, *outcome.refused))

    def _save(
        self, benchmark_id: int, changes: dict[int, tuple[Question, dict[str, Any]]], field: CellField | None
    ) -> BulkOutcome:
        """Save fields by question.

        `field`: cell that refused ones are reported for; None: the leftmost that was edited.
        """
        edits = [
            FieldEdits(number, {name: getattr(before, name) for name in fields}, fields)
            for number, (before, fields) in changes.items()
            if any(getattr(before, name) != value for name, value in fields.items())
        ]
        if not edits:
            return BulkOutcome()
        done = self._library.text_edits.save(benchmark_id, edits)
        refused = [RefusedCell(n, field or _leftmost(changes[n][1]), reason) for n, reason in done.refused]
        return BulkOutcome(tuple(done.changed), refused=tuple(refused))

    def _add(
        self, benchmark_id: int, rows: Sequence[Sequence[str]], author: str
    ) -> tuple[tuple[int, ...], tuple[RefusedCell, ...]]:
        """Add questions below the last one; rows without a text are left out."""
        taken, entries, refused = set(self._questions.wordings(benchmark_id)), [], []
        for row in rows:
            cells = dict(zip(CELL_FIELDS, row, strict=False))
            text = cells.pop("question", "").strip()
            if not text:
                continue
            question = Question(question=text, raw_answer="", author={"name": author} if author else None)
            for name, cell in cells.items():
                question = question.model_copy(update=_cell_value(question, name, cell))
            if question.id in taken:
                refused.append(RefusedCell(0, "question", f"“{shorten(text)}” is in the benchmark already."))
                continue
            taken.add(question.id)
            entries.append(BenchmarkEntry(question=question, finished=False))
        # In one transaction: a block may have thousands of rows.
        return tuple(self._questions.add_all(benchmark_id, entries) if entries else ()), tuple(refused)

    def _announce(self, benchmark_id: int, outcome: BulkOutcome) -> None:
        if numbers := [*outcome.changed, *outcome.added]:
            self._editor.announce(benchmark_id, "added" if outcome.added else "edited", numbers)


def cell_text(question: Question, field: CellField) -> str:
    """Text of a question's cell. Keywords are separated by commas; an author is shown by name."""
    if field == "keywords":
        return ", ".join(question.keywords)
    if field == "author":
        return str((question.author or {}).get("name") or "")
    return getattr(question, field) or ""


def pasted_rows(text: str) -> list[list[str]]:
    """Rows and cells of a copied block; cells with line breaks are quoted in it, as spreadsheets do."""
    try:
        # Strictly, so that a cell with text after its closing quotation mark is kept as it is.
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True))
    except csv.Error:
        rows = [line.split("\t") for line in text.splitlines()]
    while rows and not any(rows[-1]):
        rows.pop()
    return rows


def split_keywords(text: str) -> list[str]:
    """Keywords in a text that separates them by commas, semicolons, or line breaks."""
    return list(dict.fromkeys(word.strip() for word in _SEPARATORS.split(text) if word.strip()))


def _cell_value(question: Question, field: CellField, text: str) -> dict[str, Any]:
    """Value of the question's field for the text of its cell."""
    if field == "keywords":
        return {field: split_keywords(text)}
    if field == "author":
        # The rest of the record, such as an e-mail address, belongs to the person who had this name.
        author = question.author or {}
        name = text.strip()
        return {field: (author if author.get("name") == name else {"name": name}) if name else None}
    if field == "answer_notes":
        return {field: text if text.strip() else None}
    return {field: text}


def _leftmost(fields: dict[str, Any]) -> CellField:
    return next(name for name in CELL_FIELDS if name in fields)
