"""The file that results go into; its ending says which kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from karenina_gui.errors import InputError

if TYPE_CHECKING:
    from karenina_gui.formats.run_info import RunInfo
    from karenina_gui.schemas.result import VerificationResult

ENDINGS = (".json", ".csv")


class ResultsFile:
    """InputError: the ending is unknown, or the folder is not there; said before anything runs."""

    def __init__(self, path: Path) -> None:
        if path.suffix.lower() not in ENDINGS:
            raise InputError(f"{path} should end in .json (complete results) or .csv (a table).")
        if not path.parent.is_dir():
            raise InputError(f"The folder {path.parent} for the results is not there. Make it, or name another.")
        self.path = path

    def write(self, results: Iterable[VerificationResult], run: RunInfo) -> None:
        """Whole or not at all. FileFormatError: the place cannot be written."""
        self._writer()(results, self.path, run=run)

    def _writer(self) -> Callable[..., Path]:
        from karenina_gui.formats.results_csv import export_results_csv
        from karenina_gui.formats.results_json import export_results_json

        return export_results_csv if self.path.suffix.lower() == ".csv" else export_results_json
