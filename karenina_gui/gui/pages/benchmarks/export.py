"""Export of a benchmark file, and of its questions as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.kit.download import download_file
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.window import Window


def export_benchmark(window: Window, benchmark_id: int) -> None:
    """Download the checkpoint. A message counts the questions omitted because they have no id."""
    _export(window, benchmark_id, "file")


def export_questions(window: Window, benchmark_id: int, kind: Literal["csv", "xlsx"]) -> None:
    """Download the questions as a spreadsheet, with the same message."""
    _export(window, benchmark_id, f"questions.{kind}")


def _export(window: Window, benchmark_id: int, what: str) -> None:
    try:
        count = window.services.editor.files.left_out(benchmark_id)
    except NotFoundError as error:
        window.notify(str(error), "bad")
        return
    download_file(f"/api/benchmarks/{benchmark_id}/{what}")
    if count:
        window.notify(f"Exported without {quantity(count, 'question')}: no text yet, or an unedited copy.")
