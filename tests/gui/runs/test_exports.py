"""Exports of a run: exactly what the table shows, said in words, and nothing left behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl import load_workbook

from karenina_gui.app import Application, build
from karenina_gui.errors import NotFoundError
from karenina_gui.formats.results_file import SavedResults
from karenina_gui.gui.frame.data_routes import file_name
from karenina_gui.gui.results.query import ResultQuery
from karenina_gui.gui.runs.exports import export, in_words, remove
from karenina_gui.gui.runs.routes import run_row
from karenina_gui.runs.opened import questions_of
from karenina_gui.settings import Settings


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Iterator[Application]:
    """With one run, number 1, out of a file."""
    application = build(Settings(data=tmp_path_factory.mktemp("data")))
    file = SavedResults(shared / "results/full.export-v2.2.json")
    found = file.look()
    benchmark = application.desk.files.add_benchmark(questions_of(found, "From a file"))
    assert application.runs.opener.open(found, file.each(), benchmark) == [1]
    yield application
    application.close()


def test_the_list_of_runs_says_which_file_a_run_was_opened_from(application: Application) -> None:
    row = run_row(application.runs.runs.summary(1))
    assert (row["origin"], row["status_title"], row["benchmark_name"]) == (
        "full.export-v2.2.json", "Completed", "From a file",
    )  # fmt: skip


def test_a_workbook_is_named_for_its_run_and_says_what_it_shows(application: Application) -> None:
    query = ResultQuery.read({"outcome": "wrong,abstained", "sort": "-seconds"})
    path = export(application.studio(), 1, "xlsx", query)
    book = load_workbook(path)
    head, *rows = book["Results"].iter_rows(values_only=True)
    assert [cells[head.index("outcome")] for cells in rows] == ["wrong", "abstained"]
    assert dict(book["About"].iter_rows(values_only=True))["Which"] == in_words(query)
    assert path.name == "full-filtered.xlsx"
    remove(path)
    assert not path.parent.exists()


def test_k_evals_files_come_in_one_archive_with_their_figures(application: Application) -> None:
    path = export(application.studio(), 1, "zip", ResultQuery.read({}))
    with ZipFile(path) as archive:
        names = archive.namelist()
        summary = json.loads(archive.read(next(name for name in names if name.endswith(".json"))))
    remove(path)
    assert names == ["full.json", "full.detailed.jsonl"]
    assert all("num_samples" in each["score_details"]["uncertainty"] for each in summary["evaluation_results"])


def test_a_part_that_was_exported_opens_as_a_part(application: Application) -> None:
    path = export(application.studio(), 1, "json", ResultQuery.read({"outcome": "wrong"}))
    assert json.loads(path.read_bytes())["results_shown"] == "verdict Wrong"
    (run,) = SavedResults(path).look().runs
    assert (run.results, run.total, run.complete) == (1, 3, False)
    remove(path)


def test_a_long_name_makes_a_short_file_name() -> None:
    assert len(file_name("ß" * 400).encode()) <= 120
    assert file_name("A name: with / signs?") == "A-name-with-signs"


def test_a_run_or_a_kind_that_is_not_there_is_refused(application: Application) -> None:
    with pytest.raises(NotFoundError):
        export(application.studio(), 99, "json", ResultQuery())
    with pytest.raises(KeyError):
        export(application.studio(), 1, "exe", ResultQuery())


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
    assert in_words(ResultQuery.read(query)) == words
