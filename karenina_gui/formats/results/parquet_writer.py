"""Results as a Parquet file, for notebooks and databases; needs the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import islice
from typing import IO, Any

from karenina_gui.errors import InputError
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.formats.results.table_writer import ResultTable, result_table
from karenina_gui.schemas.result import VerificationResult

ROW_GROUP = 5_000
"""Rows in memory at the same time."""
NOT_INSTALLED = "Parquet files need a further package. Install it with: pip install 'karenina-gui[parquet]'"


def check_installed() -> None:
    """Raise `InputError` if the extra is missing."""
    if find_spec("pyarrow") is None:
        raise InputError(NOT_INSTALLED)


def write_results_parquet(results: Iterable[VerificationResult], file: IO[bytes], *, run: RunInfo) -> None:
    """Write the columns of the CSV file with types. Raises `InputError` if the extra is missing.

    A column is bool, int64, or double if all its cells are; otherwise they are texts. Empty cells are null.
    """
    check_installed()
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    kinds = {bool: pyarrow.bool_(), int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string()}
    with result_table(results, run) as table:
        types = _types(table)
        schema = pyarrow.schema([(name, kinds[kind]) for name, kind in zip(table.columns, types, strict=True)])
        with ParquetWriter(file, schema, compression="zstd") as writer:
            rows = table.rows()
            while group := list(islice(rows, ROW_GROUP)):
                cells = [_cells(column, kind) for column, kind in zip(zip(*group, strict=True), types, strict=True)]
                arrays = [pyarrow.array(column, field.type) for column, field in zip(cells, schema, strict=True)]
                writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def _types(table: ResultTable) -> list[type]:
    """Narrowest type of each column."""
    seen: list[set[type]] = [set() for _ in table.columns]
    for row in table.rows():
        for types, cell in zip(seen, row, strict=True):
            types.add(type(cell))
    return [_narrowest(types - {type(None)}) for types in seen]


def _narrowest(types: set[type]) -> type:
    if len(types) == 1:
        (kind,) = types
        return kind
    return float if types == {int, float} else str


def _cells(column: Iterable[Any], kind: type) -> Iterator[Any]:
    return (None if cell is None else kind(cell) for cell in column)
