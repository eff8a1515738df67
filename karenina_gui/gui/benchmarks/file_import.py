"""Import of a benchmark file: as a new benchmark, a second copy, or an update of the one with its name."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import run, ui

from karenina_gui.authoring.benchmark_update import BenchmarkUpdate, FileDifferences
from karenina_gui.authoring.import_export import BenchmarkFile, ImportedBenchmark
from karenina_gui.errors import InputError
from karenina_gui.gui.components.consent import access_note
from karenina_gui.gui.components.dialogs import FileDialog, dialog_actions, dialog_title
from karenina_gui.gui.components.elements import button, note
from karenina_gui.gui.components.routing import navigate_if_present
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.runs.agent_safety import unagreed_in_document
from karenina_gui.text import quantity


class FileImport:
    """Steps of an import in the sheet of its dialog."""

    def __init__(self, window: Window, file_dialog: FileDialog) -> None:
        self.window = window
        self.files = window.services.editor.files
        self._file_dialog = file_dialog
        self._sheet = file_dialog.sheet

    async def add(self, file: BenchmarkFile) -> None:
        """Make a new benchmark and open it; a second one gets a number after its name."""
        imported = await self.window.write_long(self.files.add_file, file, numbered=True)
        if imported.name != file.document.name:
            self.window.notify(f"Imported a second copy as “{imported.name}”.")
        reach = await run.io_bound(unagreed_in_document, file.document, self.window.services.runs.consents)
        if imported.notes or reach:
            self._show_notes(imported, reach or [])
        else:
            self._open(imported.benchmark_id)

    async def ask(self, file: BenchmarkFile, benchmark_id: int) -> None:
        """Ask whether the file updates the benchmark of its name, or becomes a second copy."""
        differences = await run.io_bound(self.files.updates.compare, benchmark_id, file.document)
        # As bytes until the user decides: a collection of garbage would stop at each part of a large file.
        packed = await run.io_bound(pickle.dumps, (file, differences))
        if differences is None or packed is None or self._sheet.is_deleted:
            return
        name = file.document.name

        def unpack() -> tuple[BenchmarkFile, FileDifferences]:
            content: tuple[BenchmarkFile, FileDifferences] = pickle.loads(packed)
            return content

        self._sheet.clear()
        with self._sheet:
            dialog_title(f"“{name}” already exists")
            ui.label(_comparison(differences))
            ui.label(
                "An update keeps the runs and results, and questions that the file doesn’t have. You can undo it."
            ).classes("hint")
            self._problems = ui.element("div")
            with dialog_actions():
                button("Import second copy", lambda: self.add(unpack()[0]))
                if differences.some:
                    button("Compare…", lambda: self._compare(unpack()[0], benchmark_id))
                    button("Update benchmark", lambda: self._update(name, unpack()[1]), look="main")
                else:
                    button("Open benchmark", lambda: self._open(benchmark_id), look="main")

    async def _compare(self, file: BenchmarkFile, benchmark_id: int) -> None:
        """Open the comparison, which takes over what the user chooses there."""
        comparisons = self.window.services.editor.comparisons
        address = await run.io_bound(comparisons.add_document, file.file, file.document, file.notes)
        if address is not None:
            self._file_dialog.close()
            navigate_if_present(self._sheet, f"/benchmarks/{benchmark_id}/versions/compare?with={address}")

    async def _update(self, name: str, differences: FileDifferences) -> None:
        try:
            logged = await self.window.write_long(as_one(self.files.updates.apply), differences)
        except InputError as error:
            with self._problems:
                note(str(error), "bad")
            return
        done, undo = logged.outcome, partial(self.window.undo, logged.command_id)
        self.window.note_saved()
        self.window.notify(f"Updated “{name}”. {_counts(done)}", "good", undo=undo)
        self._open(done.benchmark_id)

    def _show_notes(self, imported: ImportedBenchmark, reach: Sequence[Any]) -> None:
        """`reach`: what models of its traits would reach without consent."""
        self._sheet.clear()
        with self._sheet:
            dialog_title("Imported with warnings")
            if imported.notes:
                ui.label("Everything in the file is preserved, but these parts can’t be used:").classes("hint")
                ui.label("\n".join(imported.notes)).classes("import-report").props('tabindex="0"')
            if reach:
                access_note("Models of its traits", reach)
            with dialog_actions():
                button("Open benchmark", lambda: self._open(imported.benchmark_id), look="main")

    def _open(self, benchmark_id: int) -> None:
        self._file_dialog.close()
        navigate_if_present(self._sheet, f"/benchmarks/{benchmark_id}/questions")


def _comparison(differences: FileDifferences) -> str:
    """Summarize what differs in one or two sentences."""
    if not differences.some:
        return "The file has nothing new: all of its questions and details are already here."
    parts = [
        quantity(len(differences.added), "new question"),
        f"{len(differences.changed):,} changed",
        f"{differences.same:,} the same",
    ]
    sentence = f"The file has {', '.join(parts)}."
    if differences.details:
        sentence += " Its description, rubric, or other details differ, too."
    if differences.missing:
        sentence += f" It lacks {quantity(differences.missing, 'question')} of the benchmark."
    return sentence


def _counts(done: BenchmarkUpdate) -> str:
    return f"{quantity(len(done.added), 'question')} added, {done.changed:,} changed."
