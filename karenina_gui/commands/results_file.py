"""Output file for results; its suffix selects the format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from karenina_gui.errors import InputError

if TYPE_CHECKING:
    from karenina_gui.formats.results.run_info import RunInfo
    from karenina_gui.schemas.result import VerificationResult

ENDINGS = (".json", ".csv", ".xlsx", ".parquet", ".zip")


class ResultsFile:
    """Output file. Raises `InputError` for an unknown suffix or a missing folder, so that no run is in vain."""

    def __init__(self, path: Path, kind: str | None = None) -> None:
        """`kind`: format of the file if its name has another suffix, or none."""
        ending = f".{kind}" if kind else path.suffix.lower()
        if ending not in ENDINGS:
            raise InputError(
                f"{path} must end in .json (complete results), .csv (table), .xlsx (Excel workbook), .parquet, or "
                ".zip (k-eval files)."
            )
        if ending == ".parquet":
            from karenina_gui.formats.results.parquet_writer import check_installed

            check_installed()
        if not path.parent.is_dir():
            raise InputError(f"The folder {path.parent} doesn’t exist. Create it, or choose another.")
        self.path = path if path.suffix.lower() == ending else path.with_name(path.name + ending)

    def write(self, results: Iterable[VerificationResult], run: RunInfo) -> None:
        """Write the file atomically. Raises `FileFormatError` if the location is not writable."""
        from karenina_gui.analysis.methodology import figures
        from karenina_gui.formats.results.export_kinds import export_results

        export_results(results, self.path, run=run if run.figures else replace(run, figures=figures({})))
