"""Editable record of a benchmark's own fields. Each field is saved separately with a revision check."""

from __future__ import annotations

from typing import Any

from karenina_gui.gui.records.record import EditableRecord
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.edits import Saved


class BenchmarkDraft(EditableRecord[BenchmarkDocument]):
    DELETED = "Not saved: the benchmark was deleted. Restore it to save your edits."

    def __init__(self, window: Window, benchmark_id: int) -> None:
        self.benchmark_id = benchmark_id
        super().__init__(window, f"benchmark/{benchmark_id}")

    @property
    def document(self) -> BenchmarkDocument:
        return self.state

    def _read(self) -> tuple[BenchmarkDocument, int]:
        opened = self.editor.open_benchmark(self.benchmark_id)
        return opened.document, opened.revision

    def _write(self, changes: dict[str, Any], revision: int) -> tuple[int, str] | None:
        outcome = self.editor.edit_benchmark(self.benchmark_id, changes, expected_revision=revision)
        return (outcome.revision, outcome.at) if isinstance(outcome, Saved) else None

    def _listen(self) -> None:
        self.window.listen(self.window.services.changes_of(self.benchmark_id), lambda _: self._reload())
