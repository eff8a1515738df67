"""Exports of a run: exactly what the table shows, said in words, and nothing left behind."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO
from zipfile import ZipFile

import pytest
from openpyxl import load_workbook

from karenina_gui.analysis.chart_process import ChartWorker
from karenina_gui.analysis.methodology import figures
from karenina_gui.app import Application
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.formats.k_eval.results_writer import k_eval_files
from karenina_gui.formats.results.results_reader import SavedResults
from karenina_gui.gui.kit.responses import file_name
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.runs.api import run_row
from karenina_gui.gui.pages.runs.exports import (
    CHUNK,
    MOST_CHUNKS,
    STREAMED,
    chunks_of,
    export,
    export_one,
    in_words,
    measuring,
    remove,
    run_info,
    stream,
)
from karenina_gui.runs.results_import import questions_of
from karenina_gui.store.tables import RunRow
from tests.gui.conftest import Start
from tests.simulated_run import Simulation, fill
from tests.until import comes

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def application(started: Start, shared: Path) -> Iterator[Application]:
    """With one run, number 1, out of a file."""
    with started() as application:
        file = SavedResults(shared / "results/full.export-v2.2.json")
        found = file.look()
        benchmark = application.editor.files.add_benchmark(questions_of(found, "From a file"))
        assert application.runs.opener.open(found, file.each(), benchmark) == [1]
        yield application


@pytest.fixture
def simulated(started: Start) -> Iterator[Application]:
    with started() as application:
        yield application


def test_the_list_of_runs_says_which_file_a_run_was_opened_from(application: Application) -> None:
    row = run_row(application.library.runs.summary(1))
    assert (row["origin"], row["status_title"], row["benchmark_name"]) == (
        "full.export-v2.2.json", "Completed", "From a file",
    )  # fmt: skip


def test_one_result_is_a_file_that_opens_again(application: Application, tmp_path: Path) -> None:
    first, second = application.library.results.page(1).rows[:2]
    name, content = export_one(application.services(), 1, second.id)
    (tmp_path / name).write_bytes(content)
    ((_, result),) = SavedResults(tmp_path / name).each()
    assert name.endswith(f"-result-{second.id}.json")
    assert (
        result == application.library.results.get(second.id).result != application.library.results.get(first.id).result
    )
    with pytest.raises(NotFoundError):
        export_one(application.services(), 2, second.id)


def test_a_workbook_is_named_for_its_run_and_says_what_it_shows(application: Application) -> None:
    query = ResultQuery.from_query({"outcome": "wrong,abstained", "sort": "-seconds"})
    path = export(application.services(), 1, "xlsx", query)
    book = load_workbook(path)
    head, *rows = book["Results"].iter_rows(values_only=True)
    assert [cells[head.index("outcome")] for cells in rows] == ["wrong", "abstained"]
    assert dict(book["About"].iter_rows(values_only=True))["Selection"] == in_words(query)
    assert path.name == "full-filtered.xlsx"
    remove(path)
    assert not path.parent.exists()


def test_k_evals_files_come_in_one_archive_with_their_figures(application: Application) -> None:
    path = export(application.services(), 1, "zip", ResultQuery.from_query({}))
    with ZipFile(path) as archive:
        names = archive.namelist()
        summary = json.loads(archive.read(next(name for name in names if name.endswith(".json"))))
    remove(path)
    assert names == ["full.json", "full.detailed.jsonl"]
    assert all("num_samples" in each["score_details"]["uncertainty"] for each in summary["evaluation_results"])


@pytest.mark.parametrize("replicates", [1, 3])
def test_figures_that_another_process_computes_are_the_same_to_the_last_sign(
    simulated: Application, replicates: int
) -> None:
    _, run = fill(simulated.library, Simulation(questions=20, replicates=replicates))
    services = simulated.services()
    here = replace(run_info(services, run, ResultQuery()), figures=figures({}))
    there = replace(here, figures=figures({}, measuring(services.worker)))
    results = list(services.library.results.each(run))
    files = list(k_eval_files(results, there))
    assert files == list(k_eval_files(results, here))
    assert [b"confidence_interval" in each.content for each in files] == [True, False] * 2


def test_an_export_whose_figures_cannot_be_computed_says_so_and_leaves_nothing(
    simulated: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passing = tmp_path / "passing"
    passing.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(passing))
    _, run = fill(simulated.library, Simulation(questions=3))
    without = replace(simulated, worker=ChartWorker())
    without.worker.close()
    with pytest.raises(InputError, match=r"Couldn’t create the file\. The chart process ended"):
        export(without.services(), run, "zip", ResultQuery())
    assert list(passing.iterdir()) == []


IN_A_PROCESS_OF_ITS_OWN = """
import sys
from pathlib import Path
from karenina_gui.app import build
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.runs.exports import export
from karenina_gui.settings import Settings
from karenina_gui.store.tables import RunRow
from tests.simulated_run import Simulation, fill
from tests.until import comes

application = build(Settings(data=Path(sys.argv[1])))
_, run = fill(application.library, Simulation(questions=5))
print(export(application.services(), run, "zip", ResultQuery()))
application.close()
print([name for name in ("scipy", "statsmodels", "numpy") if name in sys.modules])
"""


def test_the_server_loads_no_library_of_statistics_for_an_export(tmp_path: Path) -> None:
    command = [sys.executable, "-c", IN_A_PROCESS_OF_ITS_OWN, str(tmp_path / "data")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    path, loaded = done.stdout.splitlines()[-2:]
    with ZipFile(path) as archive:
        assert b"confidence_interval" in archive.read(archive.namelist()[0])
    remove(Path(path))
    assert loaded == "[]"


def test_a_part_that_was_exported_opens_as_a_part(application: Application) -> None:
    path = export(application.services(), 1, "json", ResultQuery.from_query({"outcome": "wrong"}))
    assert json.loads(path.read_bytes())["results_shown"] == "verdict Wrong"
    (run,) = SavedResults(path).look().runs
    assert (run.results, run.total, run.complete) == (1, 3, False)
    remove(path)


@pytest.mark.parametrize("kind", sorted(STREAMED))
def test_a_streamed_export_is_the_file(application: Application, kind: str) -> None:
    services = application.services()
    path = export(services, 1, kind, ResultQuery())
    name, content = stream(services, 1, kind, ResultQuery())
    assert (name, without_time(b"".join(content))) == (path.name, without_time(path.read_bytes()))
    remove(path)


def without_time(content: bytes) -> bytes:
    """The content of a file without the second in which it was made."""
    content = re.sub(rb'"export_timestamp":"[^"]*"', b"", content)
    return re.sub(rb"20\d\d-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^,]*", b"", content)


def test_what_nobody_reads_on_is_given_up() -> None:
    written: list[int] = []

    def write(file: IO[bytes]) -> None:
        for number in range(1_000_000):
            file.write(bytes(CHUNK))
            written.append(number)

    content = chunks_of(write)
    assert next(content)
    content.close()
    assert comes(lambda: not any(thread.name == "export" for thread in threading.enumerate()))
    assert len(written) < 3 * MOST_CHUNKS


def test_a_fault_in_the_middle_ends_the_stream() -> None:
    def write(file: IO[bytes]) -> None:
        file.write(b"begun")
        raise ValueError("The disk is gone.")

    with pytest.raises(ValueError, match="disk is gone"):
        list(chunks_of(write))


def test_a_long_name_makes_a_short_file_name() -> None:
    assert len(file_name("ß" * 400).encode()) <= 120
    assert file_name("A name: with / signs?") == "A-name-with-signs"


def test_a_run_or_a_kind_that_is_not_there_is_refused(application: Application) -> None:
    with pytest.raises(NotFoundError):
        export(application.services(), 99, "json", ResultQuery())
    with pytest.raises(KeyError):
        export(application.services(), 1, "exe", ResultQuery())


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({}, ""),
        ({"outcome": "wrong,error"}, "verdict Wrong or Error"),
        ({"model": "ada", "replicate": "2", "text": "dose"}, "text dose; model ada; replicate 2"),
        ({"sort": "tokens"}, "ordered by tokens"),
    ],
)
def test_a_filter_in_words(query: dict[str, str], words: str) -> None:
    assert in_words(ResultQuery.from_query(query)) == words


def test_files_name_the_published_version(simulated: Application, tmp_path: Path) -> None:
    benchmark, number = fill(simulated.library, Simulation(questions=3))
    document = simulated.library.benchmarks.document(benchmark)
    version = simulated.library.published.publish(benchmark, document, "pilot")
    with simulated.library._database.writing() as session:
        session.get_one(RunRow, number).benchmark_hash = version.sha256
    summary = simulated.library.runs.summary(number)
    services = simulated.services()
    path = export(services, number, "json", ResultQuery())
    stated = json.loads(path.read_text("utf-8"))["metadata"]["published_version"]
    assert stated["unpublished_changes"] is False
    assert (stated["number"], stated["name"], stated["sha256"]) == (1, "pilot", version.sha256)
    book = load_workbook(export(services, number, "xlsx", ResultQuery()))
    assert ("Published version", "v1 (pilot)") in list(book["About"].iter_rows(values_only=True))
    assert run_row(summary, version=services.library.published.state_of_run(summary).text)["version"] == "v1 (pilot)"
