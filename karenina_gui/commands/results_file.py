"""The file that results go into; its ending says which kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from karenina_gui.errors import InputError

if TYPE_CHECKING:
    from karenina_gui.formats.run_info import RunInfo
    from karenina_gui.schemas.result import VerificationResult

ENDINGS = (".json", ".csv", ".xlsx", ".zip")


class ResultsFile:
    """InputError: the ending is unknown, or the folder is not there; said before anything runs."""

    def __init__(self, path: Path, kind: str | None = None) -> None:
        """`kind`: what the file is to be when its name has another ending, or none."""
        ending = f".{kind}" if kind else path.suffix.lower()
        if ending not in ENDINGS:
            raise InputError(
                f"{path} should end in .json (complete results), .csv (a table), .xlsx (an Excel workbook) or .zip "
                "(k-eval's files)."
            )
        if not path.parent.is_dir():
            raise InputError(f"The folder {path.parent} for the results is not there. Make it, or name another.")
        self.path = path if path.suffix.lower() == ending else path.with_name(path.name + ending)

    def write(self, results: Iterable[VerificationResult], run: RunInfo) -> None:
        """Whole or not at all. FileFormatError: the place cannot be written."""
        from karenina_gui.analysis.methodology import figures
        from karenina_gui.formats.results_kinds import export_results

        export_results(results, self.path, run=run if run.figures else replace(run, figures=figures({})))
