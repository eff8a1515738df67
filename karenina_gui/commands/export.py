"""`karenina-gui export`: results of runs in the application, or of result files, as one file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from karenina_gui.commands.outcome import DONE
from karenina_gui.commands.results_file import ResultsFile
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.settings import Settings

if TYPE_CHECKING:
    from karenina_gui.formats.run_info import RunInfo
    from karenina_gui.schemas.result import ModelIdentity, VerificationResult
    from karenina_gui.store.library import Library

NAME = "export"
SUMMARY = "Write results as JSON or CSV: of a run in the application, or of files that  verify  has written."
DETAILS = """
    The ending of --output decides: .json holds everything and can be read back, .csv is a table with one line a result
    (cells that a spreadsheet would take for formulas are escaped).

    Several files become one; a result that is in more than one of them comes once.

    The exit code is 0 when the file was written, 2 when it was not.

    Examples:
      karenina-gui export results.json --output results.csv
      karenina-gui export monday.json tuesday.json --output both.json
      karenina-gui export --runs
      karenina-gui export --run 3 --output run3.csv
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", type=Path, nargs="*", metavar="RESULTS.json", help="files of results")
    parser.add_argument("--run", type=int, metavar="N", help="number of a run in the application")
    parser.add_argument("--runs", action="store_true", help="list the runs in the application, and do nothing else")
    parser.add_argument(
        "--data",
        type=Path,
        default=argparse.SUPPRESS,  # else it would hide the one that is given before the command
        metavar="FOLDER",
        help="data folder of the application, for --run and --runs",
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write, ending in .json or .csv")


def run(options: argparse.Namespace) -> int:
    """Exit code as in `DETAILS`."""
    if options.runs:
        return _list_runs(options.data)
    if options.output is None:
        raise InputError("Say where to write, with  --output FILE.csv  or  --output FILE.json")
    if bool(options.results) == (options.run is not None):
        raise InputError("Name either files of results, or one run of the application with --run (see --runs).")
    file = ResultsFile(options.output)
    count = _from_files(options.results, file) if options.results else _from_run(options.run, options.data, file)
    print(f"{count} results are in {file.path}.")
    return DONE


def _from_files(paths: list[Path], file: ResultsFile) -> int:
    from karenina_gui.formats.results_json import load_results_json

    results = {result.metadata.result_id: result for path in paths for result in load_results_json(path)}
    if not results:
        raise InputError("There are no results in these files, so nothing was written.")
    file.write(results.values(), _what_is_known(list(results.values()), " + ".join(path.stem for path in paths)))
    return len(results)


def _what_is_known(results: list[VerificationResult], name: str) -> RunInfo:
    """The run as far as its results tell; the settings of its models are not among them."""
    from karenina_gui.formats.run_info import RunInfo
    from karenina_gui.schemas.config import ModelConfig, VerificationConfig

    def models(identities: Iterator[ModelIdentity]) -> list[ModelConfig]:
        distinct = {identity.canonical: identity for identity in identities}.values()
        return [
            ModelConfig(id=i.label, model_name=i.model_name, interface=i.interface, temperature=None) for i in distinct
        ]

    times = [stamp for r in results if (stamp := _local_time(r.metadata.timestamp)) is not None]
    return RunInfo(
        job_id=name,
        run_name=None,
        config=VerificationConfig(
            answering_models=models(r.metadata.answering for r in results),
            parsing_models=models(r.metadata.parsing for r in results if r.metadata.parsing),
        ),
        started=min(times, default=0.0),
        finished=max(times, default=0.0),
    )


def _local_time(timestamp: str) -> float | None:
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except ValueError:
        return None


def _from_run(number: int, data: Path | None, file: ResultsFile) -> int:
    from karenina_gui.formats.run_info import RunInfo

    with _library(data) as library:
        summary = library.runs.summary(number)
        file.write(
            library.results.each(number),
            RunInfo(
                job_id=str(summary.id),
                run_name=summary.name,
                config=library.runs.config(number),
                started=datetime.fromisoformat(summary.created_at).timestamp(),
                finished=datetime.fromisoformat(summary.finished_at).timestamp() if summary.finished_at else None,
                total=summary.total,
                rubric=library.benchmarks.document(summary.benchmark_id).rubric,
            ),
        )
        return summary.done


def _list_runs(data: Path | None) -> int:
    with _library(data) as library:
        for run in library.runs.all():
            state = f"{run.done} of {run.total} done, {run.outcomes.get('passed', 0)} passed; {run.status}"
            print(f"{run.id:>4}  {run.name}  ({run.benchmark_name}; {state})")
    return DONE


def _library(data: Path | None) -> Library:
    """NotFoundError: there is no library in the folder; none is made."""
    from karenina_gui.store.library import FILE_NAME, Library

    folder = data or Settings().data
    if not (folder / FILE_NAME).is_file():
        raise NotFoundError(f"There is no data of the application in {folder}. Name its folder with --data.")
    return Library.open(folder)
