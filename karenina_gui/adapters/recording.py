"""Recordings of model exchanges: written during a run, played back later without a network.

File: `{"format": "karenina-gui-recording", "version": 1, "label": ..., "exchanges": [...]}`; see
`recorded_exchange.py`. During a run exchanges are appended to `<path>.part`, one per line, so that an interrupted run
loses none.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, TextIO

from karenina_gui.adapters.ports import LLMPort, LLMRequest, LLMResponse
from karenina_gui.adapters.recorded_exchange import (
    config_of,
    exchange_key,
    exchange_of,
    is_error,
    judging_key,
    judging_key_of,
    offered_as_much,
    schema_key,
)
from karenina_gui.errors import ConfigurationError, FileFormatError, InputError, NotFoundError, ProviderError
from karenina_gui.private_folders import is_private
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.text.surrogates import without_surrogates

Exchanges = dict[str, dict[str, dict[str, Any]]]
"""Exchanges by key, and among equal requests by the id of the model's configuration."""

log = logging.getLogger(__name__)
FORMAT = "karenina-gui-recording"
VERSION = 1
LARGEST = 500 << 20
"""Bytes of a recording."""


@dataclass(frozen=True)
class Recording:
    """Recorded replies of models."""

    label: str
    """Display name of the recording; the file's name if it has no other."""
    exchanges: Exchanges = field(default_factory=dict, repr=False)

    @property
    def models(self) -> list[str]:
        return sorted({str(e.get("model")) for equal in self.exchanges.values() for e in equal.values()})

    def find(self, model: ModelConfig, request: LLMRequest) -> dict[str, Any] | None:
        """Find the exchange of this configuration, else of the configuration named like the model, else the first one.

        The fallbacks exist because the user who plays a recording back need not know the ids it was made with. A
        configuration with other tools never matches, such as another condition of the model. None: the request was not
        recorded.

        A judge's reply at another temperature matches as well (`judging_key`).
        """
        equal = self.exchanges.get(exchange_key(model, request)) or self._judgments_for(model, request)
        if own := equal.get(str(model.id)):
            return own
        others = (equal[name] for name in (str(model.model_name), *sorted(equal)) if name in equal)
        return next((exchange for exchange in others if offered_as_much(exchange, request)), None)

    def has_schema(self, model: ModelConfig, schema: Mapping[str, Any]) -> bool:
        """True if a model of this name was asked for a reply of this response schema."""
        return (model.model_name, schema_key(schema)) in self._schemas

    def has_purpose(self, model: ModelConfig, purpose: str) -> bool:
        """True if a model of this name was called for this purpose."""
        return (model.model_name, purpose) in self._purposes

    @cached_property
    def _purposes(self) -> frozenset[tuple[Any, Any]]:
        """(model, purpose) of all exchanges."""
        exchanges = (exchange for equal in self.exchanges.values() for exchange in equal.values())
        return frozenset((exchange.get("model"), exchange.get("purpose")) for exchange in exchanges)

    @cached_property
    def _schemas(self) -> frozenset[tuple[Any, str]]:
        """(model, response schema) of all exchanges with a schema."""
        exchanges = (exchange for equal in self.exchanges.values() for exchange in equal.values())
        schemas = ((exchange.get("model"), exchange["request"].get("json_schema")) for exchange in exchanges)
        return frozenset((model, schema_key(schema)) for model, schema in schemas if schema)

    def _judgments_for(self, model: ModelConfig, request: LLMRequest) -> dict[str, dict[str, Any]]:
        key = judging_key(model.model_name, request)
        return {} if key is None else self._judgments.get(key, {})

    @cached_property
    def _judgments(self) -> Exchanges:
        """Judges' exchanges by `judging_key`; of several temperatures, the first one by its key."""
        judgments: Exchanges = {}
        for _, equal in sorted(self.exchanges.items()):
            for name, exchange in equal.items():
                if (key := judging_key_of(exchange)) is not None:
                    judgments.setdefault(key, {}).setdefault(name, exchange)
        return judgments


def load_recording(path: Path) -> Recording:
    """Read a recording, complete or still being written. Raises `NotFoundError`, `FileFormatError`."""
    entries, label = read_exchanges(path)
    exchanges: Exchanges = {}
    for entry in entries:
        exchanges.setdefault(entry["key"], {})[config_of(entry)] = entry
    return Recording(label or path.name, exchanges)


class Recordings:
    """Recordings that models name, each read once. Thread-safe. `shipped`: paths by name."""

    def __init__(self, shipped: Mapping[str, Path]) -> None:
        self._shipped = shipped
        self._loaded: dict[Path, Recording] = {}
        self._lock = Lock()

    def of(self, model: ModelConfig) -> Recording:
        """Recording of the model. Raises `ConfigurationError` if it names none, `NotFoundError`, `FileFormatError`."""
        if not model.recording:
            raise ConfigurationError(f"“{model.id}” has no recording. Enter the path of a recording.")
        path = self._shipped.get(model.recording, Path(model.recording))
        if is_private(path, recordings=True):
            raise ConfigurationError(f"“{model.id}” names a file in the application’s own data. Choose a recording.")
        with self._lock:
            if path not in self._loaded:
                self._loaded[path] = load_recording(path)
            return self._loaded[path]


class Recorder:
    """Collects the exchanges of a run. Thread-safe; `close()` completes the file.

    `path` None: nothing is written, `recording` has it all. Exchanges in an existing file are kept, so that a resumed
    run adds to them. `label` None: the file's, if it has one. Raises `InputError` if the file cannot be written,
    `FileFormatError` if it is something else. Later problems are only logged, since a run is worth more than its
    recording.
    """

    def __init__(self, path: Path | None = None, label: str | None = None) -> None:
        self._path = path
        self._label = label
        self._exchanges: Exchanges = {}
        self._part: TextIO | None = None
        self._part_broken = False
        self._lost = 0
        self._lock = Lock()
        if path is not None:
            self._start(path)

    @property
    def recording(self) -> Recording:
        with self._lock:
            return Recording(self._label or "recording", {key: dict(equal) for key, equal in self._exchanges.items()})

    def listen(self, llm: LLMPort, model: ModelConfig) -> LLMPort:
        """Wrap the port so that its exchanges are recorded, provider errors and refusals included."""
        return _Listening(llm, model, self)

    def add(self, model: ModelConfig, request: LLMRequest, outcome: LLMResponse | ProviderError) -> None:
        """Keep the first reply to a request; an error only until there is a reply."""
        try:
            exchange = exchange_of(model, request, outcome)
            line = json.dumps(exchange, ensure_ascii=False)
        # Whatever the error is, the reply must reach the run.
        except Exception as fault:
            with self._lock:
                self._lost += 1
                if self._lost == 1:
                    log.warning("A reply of %s cannot be recorded; the run goes on: %s", model.id, fault)
            return
        with self._lock:
            equal = self._exchanges.setdefault(exchange["key"], {})
            earlier = equal.get(config_of(exchange))
            if earlier is None or is_error(earlier):
                equal[config_of(exchange)] = exchange
                self._write_part(line)

    def close(self) -> None:
        """Write the file atomically. More exchanges and another `close()` may follow."""
        with self._lock:
            if self._lost:
                log.warning("The recording %s lacks %d replies that could not be recorded.", self._path, self._lost)
            if self._path is None:
                return
            self._close_part()
            try:
                self._complete(self._path)
            except OSError as fault:
                log.error(
                    "Couldn’t complete the recording %s (%s). The results are saved. %s has what was recorded.",
                    self._path,
                    fault,
                    part_of(self._path).name,
                )

    def _start(self, path: Path) -> None:
        """Load what the file and an interrupted run have, and check that the file can be written."""
        if is_private(path, recordings=True):
            raise InputError(
                f"Couldn’t record the run in {path}: it is in the application’s own data. Choose another file."
            )
        try:
            for file in (path, part_of(path)):
                if file.is_file():
                    self._take(load_recording(file), file.name)
            open_part(path).close()
            # Removes the interrupted run's part: its last line may be truncated, so nothing can be appended to it.
            self._complete(path)
        except OSError as fault:
            raise InputError(
                f"Couldn’t record the run in {path}: {fault.strerror or fault}. Choose another file."
            ) from None

    def _take(self, earlier: Recording, name: str) -> None:
        for key, equal in earlier.exchanges.items():
            self._exchanges.setdefault(key, {}).update(equal)
        self._label = self._label or (earlier.label if earlier.label != name else None)

    def _write_part(self, line: str) -> None:
        if self._path is None or self._part_broken:
            return
        try:
            if self._part is None:
                self._part = open_part(self._path)
            self._part.write(f"{line}\n")
            self._part.flush()
        except (OSError, InputError) as fault:
            # A line may be truncated now, which only the last one may be.
            self._part_broken = True
            log.warning("The recording %s cannot be written now; it is tried again at the end: %s", self._path, fault)

    def _close_part(self) -> None:
        if self._part is not None:
            # The same line that could not be written before.
            with suppress(OSError):
                self._part.close()
            self._part = None

    def _complete(self, path: Path) -> None:
        if self._exchanges:
            # Sorted by key, so that equal runs write equal files.
            ordered = [equal[name] for _, equal in sorted(self._exchanges.items()) for name in sorted(equal)]
            write_exchanges(path, ordered, self._label)
        part_of(path).unlink(missing_ok=True)
        self._part_broken = False


class _Listening:
    def __init__(self, llm: LLMPort, model: ModelConfig, recorder: Recorder) -> None:
        self._llm = llm
        self._model = model
        self._recorder = recorder

    def invoke(self, request: LLMRequest) -> LLMResponse:
        try:
            response = self._llm.invoke(request)
        except ProviderError as error:
            self._recorder.add(self._model, request, error)
            raise
        self._recorder.add(self._model, request, response)
        return response


def read_exchanges(path: Path) -> tuple[list[dict[str, Any]], str | None]:
    """Exchanges of a recording, complete or still being written, and its label (None: it has none).

    Raises `NotFoundError`, `FileFormatError`.
    """
    try:
        if not _can_be_read(path):
            raise FileFormatError(
                f"{path} is too large for a recording, or not a file. Choose another.", path=str(path)
            )
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, IsADirectoryError):
        raise NotFoundError(f"No recording at {path}. Choose another file, or record the run again.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(f"Couldn’t read the recording {path}: {error}", path=str(path)) from None
    entries, label = _entries(text, path)
    if not all(isinstance(entry, dict) and {"key", "response"} <= entry.keys() for entry in entries):
        problem = f"The recording {path} is damaged: an entry is incomplete. Record the run again."
        raise FileFormatError(problem, path=str(path))
    return [without_surrogates(entry) for entry in entries if entry["response"] is not None], label


def _can_be_read(path: Path) -> bool:
    """False for a huge file and a device, which never ends: the path may come from a file of somebody else."""
    return not path.exists() or path.is_dir() or (path.is_file() and path.stat().st_size <= LARGEST)


def write_exchanges(path: Path, exchanges: list[dict[str, Any]], label: str | None) -> None:
    """Write the file atomically."""
    content = {"format": FORMAT, "version": VERSION, "label": label, "exchanges": exchanges}
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        # Flushed to disk before the rename: a power failure must not leave an empty file under the final name.
        with draft.open("w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False, indent=1)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def part_of(path: Path) -> Path:
    """File with one exchange per line, until the run ends."""
    return path.with_name(f"{path.name}.part")


def open_part(path: Path) -> TextIO:
    """Open the part for appending. Raises `InputError` if a recording cannot be written to this path."""
    try:
        if path.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        return part_of(path).open("a", encoding="utf-8")
    except OSError as fault:
        raise InputError(f"Couldn’t record the run in {path}: {fault.strerror}. Choose another file.") from None


def _entries(text: str, path: Path) -> tuple[list[dict[str, Any]], str | None]:
    try:
        whole = json.loads(text)
    except ValueError:
        return _lines(text, path), None
    if isinstance(whole, dict) and "key" in whole:
        return [whole], None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT or not isinstance(whole.get("exchanges"), list):
        raise FileFormatError(f"{path} is not a recording. Choose a file that a run recorded.", path=str(path))
    if whole.get("version") != VERSION:
        raise FileFormatError(
            f"The recording {path} has version {whole.get('version')}, but this application reads version {VERSION}. "
            "Record the run again.",
            path=str(path),
        )
    return whole["exchanges"], whole.get("label")


def _lines(text: str, path: Path) -> list[dict[str, Any]]:
    """Exchanges of a part, one per line; the last line may be truncated."""
    entries = []
    # Not splitlines(): JSON strings may contain U+2028 and others that it treats as line breaks.
    lines = [line for line in text.split("\n") if line]
    for row, line in enumerate(lines, start=1):
        try:
            entries.append(json.loads(line))
        except ValueError:
            if row < len(lines) or not entries:
                raise FileFormatError(
                    f"{path} is not a recording (line {row}). Choose a file that a run recorded.",
                    path=str(path),
                    row=row,
                ) from None
    return entries
