"""Rows of the question table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from karenina_gui.gui.pages.questions import rows as list_rows
from karenina_gui.schemas.benchmark_summaries import QuestionFilter
from karenina_gui.store.library import Library


def table_rows(library: Library, benchmark_id: int, numbers: Iterable[int] | None = None) -> list[dict[str, Any]]:
    """Return rows with the text of each cell, see `cell_text`, and with the marks of the question list.

    `numbers`: those questions, without their `place`; None: all, in the benchmark's order.
    """
    chosen = None if numbers is None else tuple(numbers)
    cells = library.questions.cells(benchmark_id, chosen)
    summaries = library.questions.summaries(benchmark_id, QuestionFilter(numbers=chosen))
    rows = list_rows.rows(summaries) if chosen is None else map(list_rows.row, summaries)
    result = []
    for row in rows:
        # A question that came or went between the two reads is announced by itself.
        if row["number"] in cells:
            text, answer, notes = cells[row["number"]]
            result.append({**row, "question": text, "raw_answer": answer, "answer_notes": notes})
    return result
