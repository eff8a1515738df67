"""`karenina-gui add`: import benchmark and result files into the application's library."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from karenina_gui.commands.outcome import DONE, PARTLY, warn
from karenina_gui.settings import Settings
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.formats.results.results_reader import SavedResults
    from karenina_gui.runs.results_import import ImportPreview
    from karenina_gui.schemas.benchmark import BenchmarkDocument
    from karenina_gui.schemas.results_file import FoundResults
    from karenina_gui.store.library import Library

NAME = "add"
SUMMARY = "Add benchmark files and result files to the library of the application."
DETAILS = """
    A benchmark file (.jsonld) becomes a new benchmark. A result file becomes a run of the benchmark that has at least
    half of its questions, or of a new benchmark with its questions. IDs stay the same. No code in the files is
    executed, and no model is called.

    All files are read before any is added, benchmarks first. Results that the library already has are skipped.
    Reload open windows of the application afterwards.

    Exit codes:
      0    everything was added
      1    some results were skipped or unreadable
      2    nothing was added

    Examples:
      karenina-gui add mine.jsonld results.json
      karenina-gui add mine.jsonld --data ./study
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="benchmarks and results")
    parser.add_argument(
        "--data",
        type=Path,
        default=argparse.SUPPRESS,  # any other default would hide --data in front of the command
        metavar="FOLDER",
        help="data folder of the application, created if missing (default: the one in your home folder)",
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; the exit code is that in `DETAILS`."""
    from karenina_gui.formats.checkpoints.checkpoint import read_checkpoint
    from karenina_gui.formats.file_kinds import is_benchmark
    from karenina_gui.formats.results.results_reader import SavedResults
    from karenina_gui.store.library import Library

    benchmarks = [read_checkpoint(path) for path in options.files if is_benchmark(path)]
    saved = [SavedResults(path) for path in options.files if not is_benchmark(path)]
    # All files are read before the first is added, so that an unreadable one leaves the library unchanged.
    found = [each.look() for each in saved]
    with Library.open(options.data or Settings().data) as library:
        for document, notes in benchmarks:
            _add_benchmark(library, document, notes)
        complete = [_add_results(library, each, of) for each, of in zip(saved, found, strict=True)]
    return DONE if all(complete) else PARTLY


def _add_benchmark(library: Library, document: BenchmarkDocument, notes: list[str]) -> None:
    library.benchmarks.create(document)
    for note in notes:
        warn(note)
    count = quantity(len(document.entries), "question")
    print(f"Added the benchmark “{document.name}” with {count} to {library.folder}.")


def _add_results(library: Library, saved: SavedResults, found: FoundResults) -> bool:
    """Add a file of results; True if all results were added."""
    from karenina_gui.runs.results_import import ResultsImporter

    opener = ResultsImporter(library, lambda _: None)
    outlook = opener.outlook(found)
    if outlook.already:
        runs = ", ".join(str(run.id) for run in outlook.already)
        warn(f"Skipped {found.name}: its results are already in the library as run {runs}.")
        return False
    benchmark_id = _benchmark_of(library, outlook)
    numbers = opener.open(found, saved.each(), benchmark_id)
    for fault in found.faults:
        warn(f"Skipped result {fault.row} of {found.name}: {fault.reason}.")
    runs = ", ".join(map(str, numbers))
    name = library.benchmarks.summary(benchmark_id).name
    print(f"Added {quantity(found.results, 'result')} from {found.name} to the benchmark {name} as run {runs}.")
    return not found.faulty


def _benchmark_of(library: Library, outlook: ImportPreview) -> int:
    """The best matching benchmark, or a new one made of the questions in the file."""
    from karenina_gui.runs.results_import import questions_of

    found = outlook.found
    likely = next(iter(outlook.belongings), None)
    # Below half, the file more likely belongs to a benchmark that is not in the library.
    if likely is not None and likely.matched * 2 >= len(found.questions):
        return likely.benchmark_id
    return library.benchmarks.create(questions_of(found, Path(found.name).stem))
