"""A benchmark as a file for the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.parts.exported import export_file

if TYPE_CHECKING:
    from karenina_gui.gui.frame.window import Window


def export_benchmark(window: Window, benchmark_id: int) -> None:
    """Download the checkpoint, and say how many questions without an id it lacks."""
    try:
        count = window.studio.desk.files.left_out(benchmark_id)
    except NotFoundError as error:
        window.tell(str(error), "bad")
        return
    export_file(f"/api/benchmarks/{benchmark_id}/file")
    if count:
        questions = "1 question" if count == 1 else f"{count:,} questions"
        window.tell(f"Left {questions} out of the file: no text yet, or an unedited copy.")
