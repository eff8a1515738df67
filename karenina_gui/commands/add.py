"""`karenina-gui add`: import benchmark and result files into the application's library."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from karenina_gui.commands.data_folder import add_data_option
from karenina_gui.commands.outcome import DONE, PARTLY, say, warn
from karenina_gui.errors import InputError
from karenina_gui.settings import Settings
from karenina_gui.text import join_list, quantity, verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karenina_gui.formats.results.results_reader import SavedResults
    from karenina_gui.runs.results_import import ImportPreview, MatchingBenchmark
    from karenina_gui.schemas.benchmark import BenchmarkDocument
    from karenina_gui.schemas.results_file import FoundResults
    from karenina_gui.store.library import Library

NAME = "add"
SUMMARY = "Add benchmark files and result files to the library of the application."
DETAILS = """
    A benchmark file (.jsonld) becomes a new benchmark. A result file becomes a run of the benchmark that has at least
    half of its questions, by ID and text, or of a new benchmark with its questions. If several benchmarks have as many,
    or only IDs are equal, name the benchmark with --benchmark, or use --new-benchmark. IDs stay the same. No code in
    the files is executed, and no model is called.

    All files are read before any is added, benchmarks first. Results that the library already has are skipped.
    Reload open windows of the application afterwards.

    Exit codes:
      0    everything was added
      1    some results were skipped or unreadable
      2    nothing was added

    Examples:
      karenina-gui add mine.jsonld results.json
      karenina-gui add mine.jsonld --data ./study
      karenina-gui add results.json --new-benchmark
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="benchmarks and results")
    add_data_option(parser, "data folder of the application, created if missing (default: the one in your home folder)")
    owner = parser.add_mutually_exclusive_group()
    owner.add_argument(
        "--benchmark", metavar="NAME", help="name or number of the benchmark in the library that the results belong to"
    )
    owner.add_argument(
        "--new-benchmark", action="store_true", help="create a benchmark from the questions of each result file"
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
    overviews = [file.look() for file in saved]
    with Library.open(options.data or Settings().data) as library:
        added = [_add_benchmark(library, document, notes) for document, notes in benchmarks]
        complete = [
            _add_results(library, file, overview, added, options)
            for file, overview in zip(saved, overviews, strict=True)
        ]
    return DONE if all(complete) else PARTLY


def _add_benchmark(library: Library, document: BenchmarkDocument, notes: list[str]) -> int:
    benchmark_id = library.benchmarks.create(document)
    for note in notes:
        warn(note)
    count = quantity(len(document.entries), "question")
    say(f"Added the benchmark “{document.name}” with {count} to {library.folder}.")
    return benchmark_id


def _add_results(
    library: Library, saved: SavedResults, results: FoundResults, added: Sequence[int], options: argparse.Namespace
) -> bool:
    """Add a file of results; True if all results were added. `added`: benchmarks added by this command."""
    from karenina_gui.runs.results_import import ResultsImporter

    opener = ResultsImporter(library, lambda _: None)
    outlook = opener.outlook(results)
    if outlook.already:
        runs = ", ".join(str(run.id) for run in outlook.already)
        warn(f"Skipped {results.name}: its results are already in the library as run {runs}.")
        return False
    try:
        benchmark_id = _benchmark_of(library, outlook, added, options)
    except InputError as doubt:
        warn(f"Skipped {results.name}: {doubt}")
        return False
    numbers = opener.open(results, saved.each(), benchmark_id)
    for note in results.notes:
        warn(f"{results.name}: {note}")
    for fault in results.faults:
        warn(f"Skipped result {fault.row} of {results.name}: {fault.reason}.")
    runs = ", ".join(map(str, numbers))
    name = library.benchmarks.summary(benchmark_id).name
    say(f"Added {quantity(results.results, 'result')} from {results.name} to the benchmark {name} as run {runs}.")
    return not results.faulty


def _benchmark_of(library: Library, outlook: ImportPreview, added: Sequence[int], options: argparse.Namespace) -> int:
    """The benchmark that the results belong to, or a new one of the questions in the file.

    Raises `InputError` in case of doubt.
    """
    from karenina_gui.runs.results_import import questions_of

    if options.benchmark is not None:
        return _benchmark_named(library, options.benchmark)
    results = outlook.file
    candidates = [] if options.new_benchmark else _candidates(outlook, added)
    if len(candidates) > 1:
        raise InputError(
            f"{_names_of(candidates)} have its questions. Choose one, such as --benchmark {candidates[0].benchmark_id}"
        )
    if outlook.doubtful and not options.new_benchmark:
        raise InputError(
            f"its question IDs are also in {_names_of(outlook.doubtful)}, but with other texts. If these are the same "
            f"questions, add --benchmark {outlook.doubtful[0].benchmark_id}; otherwise --new-benchmark"
        )
    if not candidates:
        return library.benchmarks.create(questions_of(results, Path(results.name).stem))
    if edited := candidates[0].doubtful:
        have = f"{quantity(edited, 'question')} {verb(edited, 'has', 'have')}"
        warn(f"{results.name}: {have} another text in the benchmark “{candidates[0].name}”, under the same ID.")
    return candidates[0].benchmark_id


def _candidates(outlook: ImportPreview, added: Sequence[int]) -> Sequence[MatchingBenchmark]:
    # Files that are added together belong together.
    together = [benchmark for benchmark in outlook.candidates if benchmark.benchmark_id in added]
    return together or outlook.candidates


def _names_of(benchmarks: Sequence[MatchingBenchmark]) -> str:
    return join_list([f"“{benchmark.name}” (benchmark {benchmark.benchmark_id})" for benchmark in benchmarks])


def _benchmark_named(library: Library, named: str) -> int:
    summaries = library.benchmarks.summaries()
    matches = [summary for summary in summaries if summary.name == named]
    matches = matches or [summary for summary in summaries if str(summary.id) == named]
    if len(matches) != 1:
        listed = join_list([f"“{summary.name}” ({summary.id})" for summary in matches or summaries]) or "none"
        raise InputError(
            f"--benchmark {named} names {quantity(len(matches), 'benchmark')} of the library. Give the number of one: "
            f"{listed}."
        )
    return matches[0].id
