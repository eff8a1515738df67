"""Checkpoints that upstream wrote pass through the library unchanged."""

from __future__ import annotations

import json
from pathlib import Path

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint
from karenina_gui.store.library import Library


def test_a_checkpoint_goes_through_the_library_unchanged(
    editor: BenchmarkEditor, library: Library, shared: Path, tmp_path: Path
) -> None:
    files = sorted((shared / "checkpoints").glob("*.jsonld"))
    assert files
    for file in files:
        imported = editor.files.import_benchmark(file)
        assert library.benchmarks.document(imported.benchmark_id) == load_checkpoint(file), file.name
        copy = editor.files.export_benchmark(imported.benchmark_id, tmp_path / file.name)
        if not file.name.startswith("10_legacy"):  # written anew in today's form
            assert json.loads(copy.read_bytes()) == json.loads(file.read_bytes()), file.name
