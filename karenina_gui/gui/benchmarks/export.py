"""Export of a benchmark file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.components.download import download_file
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.window import Window


def export_benchmark(window: Window, benchmark_id: int) -> None:
    """Download the checkpoint. A message counts the questions omitted because they have no id."""
    try:
        count = window.services.editor.files.left_out(benchmark_id)
    except NotFoundError as error:
        window.notify(str(error), "bad")
        return
    download_file(f"/api/benchmarks/{benchmark_id}/file")
    if count:
        window.notify(f"Exported without {quantity(count, 'question')}: no text yet, or an unedited copy.")
