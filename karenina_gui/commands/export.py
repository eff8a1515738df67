"""`karenina-gui export`: write results of runs in the application, or of result files, as one file."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from karenina_gui.commands.data_folder import add_data_option
from karenina_gui.commands.outcome import DONE, PARTLY, say, warn
from karenina_gui.commands.results_file import ResultsFile
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.settings import Settings
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.schemas.outcome import Outcome
    from karenina_gui.schemas.result import VerificationResult
    from karenina_gui.store.library import Library

NAME = "export"
SUMMARY = "Export results of a run or of result files as JSON, CSV, Excel workbook, Parquet, or k-eval files."
DETAILS = """
    The file extension of --output, or --format, sets the format:
      .json  complete, can be imported again
      .csv   one row per result; an apostrophe in front of cells that a spreadsheet could take for formulas
             keeps them text
      .xlsx  Excel workbook
      .parquet  the columns of the CSV file with types, for notebooks (pip install 'karenina-gui[parquet]')
      .zip   the two k-eval files: a summary in the Every Eval Ever schema, and one line per question and condition

    All result files that the application imports are accepted: JSON and CSV exports, lists of results, files with
    several runs, and workbooks. Several files are merged, without duplicate results.

    Exit codes:
      0    the file was written
      1    some results were unreadable, or the k-eval summary is empty because no result has a score
      2    nothing was written

    Examples:
      karenina-gui export results.json --output results.csv
      karenina-gui export monday.json tuesday.json --output both.json
      karenina-gui export --runs
      karenina-gui export --run 3 --output run3.csv
      karenina-gui export --run 3 --output run3 --format xlsx
      karenina-gui export --run 3 --output run3.zip
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", type=Path, nargs="*", metavar="RESULTS", help="result files")
    parser.add_argument("--run", type=int, metavar="N", help="number of a run in the application")
    parser.add_argument("--runs", action="store_true", help="only list the runs in the application")
    add_data_option(parser, "data folder of the application, for --run and --runs")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="file to write, ending in .json, .csv, .xlsx, .parquet, or .zip"
    )
    parser.add_argument(
        "--format",
        choices=("json", "csv", "xlsx", "parquet", "zip"),
        help="format, if the extension of --output doesn’t set it",
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; the exit code is that in `DETAILS`."""
    if options.runs:
        return _list_runs(options.data)
    if options.output is None:
        raise InputError("Name a file to write with --output, such as  --output FILE.csv")
    if bool(options.results) == (options.run is not None):
        raise InputError("Name either result files, or a run with --run (list them with --runs).")
    file = ResultsFile(options.output, options.format)
    if options.results:
        return _from_files(options.results, file)
    return _from_run(options.run, options.data, file)


def _from_files(paths: list[Path], file: ResultsFile) -> int:
    from karenina_gui.formats.results.results_reader import SavedResults
    from karenina_gui.formats.results.run_info import RunInfo

    saved = [SavedResults(path) for path in paths]
    summaries = [file.look() for file in saved]
    for summary in summaries:
        for fault in summary.faults:
            warn(f"Skipped result {fault.row} of {summary.name}: {fault.reason}.")
    written = _CountedResults(_without_repeats((result for _, result in file.each()) for file in saved))
    file.write(written, RunInfo.of_files(summaries, " + ".join(path.stem for path in paths)))
    code = _report(written, file)
    return PARTLY if any(summary.faulty for summary in summaries) else code


def _report(written: _CountedResults, file: ResultsFile) -> int:
    """Print the content of the file, and return the exit code."""
    say(f"Wrote {quantity(written.count, 'result')} to {file.path}.")
    if file.path.suffix.lower() != ".zip" or written.summed_up:
        return DONE
    why = "no result has a score" if written.count else "there are no results"
    warn(f"The summary in {file.path} is empty: {why}.")
    return PARTLY


class _CountedResults:
    """Iterable over results that counts them, and detects if a summary has any content."""

    def __init__(self, results: Iterable[VerificationResult]) -> None:
        self._results = results
        self.count = 0
        self._scored = False
        self._outcomes: Counter[Outcome] = Counter()

    @property
    def summed_up(self) -> bool:
        from karenina_gui.schemas.outcome import judged_count

        return self._scored or judged_count(self._outcomes) > 0

    def __iter__(self) -> Iterator[VerificationResult]:
        from karenina_gui.formats.k_eval.aggregation import has_scores
        from karenina_gui.schemas.outcome import outcome_of

        for result in self._results:
            self.count += 1
            self._scored = self._scored or has_scores(result)
            self._outcomes[outcome_of(result)] += 1
            yield result


def _without_repeats(files: Iterable[Iterable[VerificationResult]]) -> Iterator[VerificationResult]:
    """Results without those that an earlier file contains: with the same id, or without id but equal content."""
    seen: set[tuple[str, int | None]] = set()
    alike: Counter[bytes] = Counter()
    for results in files:
        here: Counter[bytes] = Counter()
        for result in results:
            identity = (result.metadata.result_id, result.judge_replicate)
            if not identity[0]:
                # Equal results within one file may be different answers that came out alike.
                content = sha256(result.model_dump_json().encode()).digest()
                here[content] += 1
                if here[content] > alike[content]:
                    alike[content] += 1
                    yield result
            elif identity not in seen:
                seen.add(identity)
                yield result


def _from_run(number: int, data: Path | None, file: ResultsFile) -> int:
    from karenina_gui.analysis.methodology import figures
    from karenina_gui.formats.results.run_info import RunInfo
    from karenina_gui.runs.price_list import PriceList

    with _library(data) as library:
        summary = library.runs.summary(number)
        frame = library.benchmarks.frame(summary.benchmark_id)
        record = library.runs.reproducibility(number)
        run = RunInfo.of_run(summary, library.runs.config(number), frame, record=record)
        written = _CountedResults(library.results.each(number))
        version = library.published.state_of_run(summary)
        file.write(written, replace(run, figures=figures(PriceList(library).all()), version=version))
    return _report(written, file)


def _list_runs(data: Path | None) -> int:
    with _library(data) as library:
        for run in library.runs.all():
            state = f"{run.done} of {run.total} done, {run.outcomes.get('passed', 0)} passed; {run.status}"
            say(f"{run.id:>4}  {run.name}  ({run.benchmark_name}; {state})")
    return DONE


def _library(data: Path | None) -> Library:
    """Open the library of a data folder. Raises `NotFoundError` if there is none, instead of creating it."""
    from karenina_gui.store.library import FILE_NAME, Library

    folder = data or Settings().data
    if not (folder / FILE_NAME).is_file():
        raise NotFoundError(f"No application data in {folder}. Name the data folder with --data.")
    return Library.open(folder)
