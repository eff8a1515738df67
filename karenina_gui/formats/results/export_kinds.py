"""The kinds of file that results leave in: one row each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from karenina_gui.formats.atomic_file import atomic_file
from karenina_gui.formats.k_eval.results_writer import write_k_eval_zip
from karenina_gui.formats.results.csv_writer import write_results_csv
from karenina_gui.formats.results.json_writer import write_results_json
from karenina_gui.formats.results.parquet_writer import write_results_parquet
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.formats.results.xlsx_writer import write_results_xlsx
from karenina_gui.schemas.result import VerificationResult


class Writer(Protocol):
    def __call__(self, results: Iterable[VerificationResult], file: IO[bytes], *, run: RunInfo) -> None: ...


@dataclass(frozen=True)
class ResultsKind:
    title: str
    """For a menu."""
    write: Writer
    media_type: str


KINDS: dict[str, ResultsKind] = {
    "json": ResultsKind("Everything (JSON)", write_results_json, "application/json"),
    "xlsx": ResultsKind(
        "Excel workbook", write_results_xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    ),
    "csv": ResultsKind("CSV", write_results_csv, "text/csv; charset=utf-8"),
    "parquet": ResultsKind("Parquet", write_results_parquet, "application/vnd.apache.parquet"),
    "zip": ResultsKind("k-eval files (Every Eval Ever)", write_k_eval_zip, "application/zip"),
}
"""By the file's ending, without its dot."""


def export_results(results: Iterable[VerificationResult], path: Path, *, run: RunInfo) -> Path:
    """Write the results as the ending of the path says, completely or not at all.

    Raises `FileFormatError` if the place cannot be written, and `KeyError` for an ending that is not in `KINDS`.
    """
    write = KINDS[path.suffix.lower().removeprefix(".")].write
    with atomic_file(path) as file:
        write(results, file, run=run)
    return path
