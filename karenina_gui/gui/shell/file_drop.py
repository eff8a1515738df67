"""Files dropped on the window; their content decides which import opens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nicegui import run, ui

from karenina_gui.errors import InputError
from karenina_gui.formats.file_kinds import is_benchmark, is_table
from karenina_gui.formats.reader_process import read_apart
from karenina_gui.gui.kit.uploads import Uploader
from karenina_gui.gui.pages.benchmarks.start import import_dropped
from karenina_gui.gui.session.window import Window


@dataclass(frozen=True)
class DropHandler:
    """Import of one kind of file."""

    fits: Callable[[Path], bool]
    """Returns True for files of this kind; may read the file, so it runs in a thread."""
    open: Callable[[Window, Path], None]


def is_k_eval(path: Path) -> bool:
    from karenina_gui.formats.k_eval import config_reader  # imported late: the YAML parser is rarely needed

    return config_reader.is_k_eval(path)


def holds_results(path: Path) -> bool:
    from karenina_gui.formats.results import results_reader

    return read_apart(results_reader.holds_results, path)


def open_benchmark(window: Window, path: Path) -> None:
    """Import as a new benchmark."""
    window.stage_file(path)
    ui.navigate.to("/benchmarks?import=1")


def open_results(window: Window, path: Path) -> None:
    """Import as a run."""
    _run_or_go(window, path, "results.open", "/runs?open=1")


def open_k_eval(window: Window, path: Path) -> None:
    """Import as a benchmark and a preset."""
    _run_or_go(window, path, "k-eval.open", "/benchmarks?k-eval=1")


def open_questions(window: Window, path: Path) -> None:
    """Import as questions of the window's benchmark, or of a new one."""
    if window.benchmark_id is None:
        import_dropped(window, path)
        return
    _run_or_go(window, path, "questions.import", f"/benchmarks/{window.benchmark_id}/questions?import=1")


def _run_or_go(window: Window, path: Path, command: str, address: str) -> None:
    """Hand the file to the open page if it has this command, else to the page at the address."""
    window.stage_file(path)
    action = window.command_action(command)
    if action is not None:
        action()
    else:
        ui.navigate.to(address)


DROP_HANDLERS: list[DropHandler] = [
    DropHandler(is_benchmark, open_benchmark),
    DropHandler(is_k_eval, open_k_eval),
    DropHandler(holds_results, open_results),
    DropHandler(is_table, open_questions),
]
"""Imports by priority: the first match opens the file."""


class FileDropZone(ui.element):
    """Drop target over the window, visible while a file is dragged over it (see `static/file_drop.js`)."""

    def __init__(self, window: Window) -> None:
        super().__init__("div")
        self._window = window
        with self.classes("drop-window"):
            uploader = Uploader("", self._on_file, self._on_rejection)
            uploader.add_slot("header")  # hides the file input from the keyboard
            with ui.element("div").classes("drop-words stack gap-4"):
                ui.icon("file_download")
                ui.label("Drop to import").classes("drop-title")
                ui.label("Question table, benchmark file, results, or k-eval configuration").classes("hint")
        self.props(f'aria-hidden="true" data-uploader="{uploader.id}"')

    async def _on_file(self, path: Path) -> None:
        try:
            opener = await run.io_bound(_find_handler, path)
        except InputError as error:
            self._window.notify(str(error), "bad")
            return
        if opener is None:
            self._window.notify(
                f"Couldn’t import {path.name}: unsupported file type. Supported: question tables, benchmarks "
                "(.jsonld), results, and k-eval configurations (.yaml).",
                "bad",
            )
        else:
            opener.open(self._window, path)

    def _on_rejection(self) -> None:
        self._window.notify("This file is too large to import.", "bad")


def _find_handler(path: Path) -> DropHandler | None:
    return next((handler for handler in DROP_HANDLERS if handler.fits(path)), None)
