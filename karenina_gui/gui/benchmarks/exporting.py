"""Export of a benchmark file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.components.download import export_file
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.window import Window


def export_benchmark(window: Window, benchmark_id: int) -> None:
    """Download the checkpoint. A message counts the questions omitted because they have no id."""
    try:
        count = window.studio.desk.files.left_out(benchmark_id)
    except NotFoundError as error:
        window.tell(str(error), "bad")
        return
    export_file(f"/api/benchmarks/{benchmark_id}/file")
    if count:
        window.tell(f"Exported without {quantity(count, 'question')}: no text yet, or an unedited copy.")
