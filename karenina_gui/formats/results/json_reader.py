"""Results out of JSON files, one after the other: exports, plain lists, and stores of several runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.json_stream import JsonFault, JsonStream
from karenina_gui.formats.results.json_codec import read_row
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.results_file import FileShape

LARGEST_HEAD = 1000
"""Number of names beside the results; a file with more is something else."""

_OPENING = {"results": ("[", "{"), "runs": ("{",)}
"""{name under which a file has results: the signs with which they can begin}"""


@dataclass(frozen=True, slots=True)
class ReadRow:
    """One result of a file, or the reason why it cannot be read."""

    number: int
    """1-based, over the whole file."""
    run: str | None
    """The run that the file puts it into; None: the file does not divide its results."""
    result: VerificationResult | None
    fault: str = ""
    breaks_off: bool = False
    """The file is damaged here, and nothing after it can be read."""


class JsonResults:
    """Reads a JSON file of results; `shape` and `head` are known once `rows` has come to its end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number = 0
        self.shape: FileShape = "export"
        self.head: dict[str, Any] = {}
        """Everything that stands beside the results in the file."""

    def rows(self) -> Iterator[ReadRow]:
        """The results, one after the other.

        Raises `FileFormatError` for a file that holds no results at all.
        """
        self._number = 0
        try:
            with self._path.open(encoding="utf-8-sig") as file:
                yield from self._rows(JsonStream(file))
        except OSError as fault:
            raise self._error(f"{self._path} cannot be read: {fault.strerror or fault}.") from fault
        except UnicodeDecodeError as fault:
            # After the first result, a fault only ends the reading: the results before it can still be used.
            if not self._number:
                raise self._error(f"{self._path.name} is not a JSON file: it is not UTF-8 text.") from fault
            yield self._broken("the rest of the file is not UTF-8 text")
        except JsonFault as fault:
            if not self._number:
                raise self._error(f"{self._path.name} is not valid JSON: {fault}.") from fault
            yield self._broken(f"the rest of the file is not valid JSON: {fault}")

    def _rows(self, stream: JsonStream) -> Iterator[ReadRow]:
        if stream.peek() == "[":
            self.shape = "array"
            yield from self._list(stream, None)
            return
        has_results = False
        for name in stream.members() if stream.peek() == "{" else ():
            if name in _OPENING and stream.peek() in _OPENING[name]:
                has_results = True
                yield from self._runs(stream) if name == "runs" else self._list(stream, None)
            else:
                self._keep(name, stream.value())
        if not has_results:
            raise self._error(f"{self._path.name} is not a results file: {self._other()}.")
        if self.shape == "export" and str(self.head.get("format_version", "")) in ("2.0", "2.1"):
            self.shape = "legacy"

    def _runs(self, stream: JsonStream) -> Iterator[ReadRow]:
        self.shape = "store"
        for run in stream.members():
            yield from self._list(stream, run)

    def _keep(self, name: str, value: Any) -> None:
        if len(self.head) >= LARGEST_HEAD:
            raise self._error(
                f"{self._path.name} is not a results file: it has more than {LARGEST_HEAD:,} other names."
            )
        self.head[name] = value

    def _other(self) -> str:
        """Description of the file if it holds no results."""
        if "dataFeedElement" in self.head:
            return "it is a benchmark. Import it on the Benchmarks page"
        if "config" in self.head:
            return "it is a preset. Import it on the Presets page"
        return "it has neither 'results' nor 'runs', and is not a list of results"

    def _list(self, stream: JsonStream, run: str | None) -> Iterator[ReadRow]:
        """The results that come next: a list, or an object with one result under each name."""
        if stream.peek() not in ("[", "{"):
            stream.value()
            self._number += 1
            yield ReadRow(self._number, run, None, f"the run “{run}” has no list of results")
            return
        for _ in stream.elements() if stream.peek() == "[" else stream.members():
            value = stream.value()
            self._number += 1
            try:
                yield ReadRow(self._number, run, read_row(value))
            except ValueError as fault:
                yield ReadRow(self._number, run, None, str(fault))

    def _broken(self, reason: str) -> ReadRow:
        return ReadRow(self._number + 1, None, None, reason, breaks_off=True)

    def _error(self, message: str) -> FileFormatError:
        return FileFormatError(message, path=str(self._path))
