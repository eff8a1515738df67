"""Duplication of a benchmark."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from karenina_gui.errors import NotFoundError

if TYPE_CHECKING:
    from karenina_gui.gui.session.window import Window


async def duplicate(window: Window, benchmark_id: int) -> None:
    """Copy a benchmark and open the copy; the message offers to undo it."""
    editor = window.services.editor
    try:
        copy_id = await window.write(editor.duplicate_benchmark, benchmark_id)
    except NotFoundError as error:
        window.notify(str(error), "bad")
        return
    name = window.services.library.benchmarks.summary(copy_id).name
    window.notify(f"Created “{name}”.", undo=partial(window.write, editor.delete_benchmark, copy_id))
    ui.navigate.to(f"/benchmarks/{copy_id}/questions")
