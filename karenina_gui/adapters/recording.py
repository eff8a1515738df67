"""Recordings of model exchanges: written during a run, played back later without a network.

File: `{"format": "karenina-gui-recording", "version": 1, "label": ..., "exchanges": [...]}`; an exchange has `key`,
`model`, `purpose`, `replicate`, `request` (messages, json_schema) and `response` (a reply, or `{"error": ...}`).
While a run writes, its exchanges stand in `<path>.part`, one a line, so that a broken run loses none.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, TextIO

from karenina_gui.adapters.ports import LLMPort, LLMRequest, LLMResponse, Usage
from karenina_gui.errors import AuthenticationError, ConfigurationError, FileFormatError, NotFoundError, ProviderError
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.messages import Message

FORMAT = "karenina-gui-recording"
VERSION = 1

_NOT_SAMPLING = ("endpoint_base_url_mode",)
"""Entries of `extra_kwargs` that change where a request goes, not what is asked."""


@dataclass(frozen=True)
class Recording:
    """Exchanges by key."""

    label: str
    """How it is called wherever its replies are seen; the file's name when it has no other."""
    exchanges: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)

    @property
    def models(self) -> list[str]:
        return sorted({str(exchange.get("model")) for exchange in self.exchanges.values()})


class Recordings:
    """Recordings that models name, each read once. Thread-safe. `shipped`: names that stand for a path."""

    def __init__(self, shipped: Mapping[str, Path]) -> None:
        self._shipped = shipped
        self._loaded: dict[Path, Recording] = {}
        self._lock = Lock()

    def of(self, model: ModelConfig) -> Recording:
        """Errors: `ConfigurationError` when the model names none, `NotFoundError`, `FileFormatError`."""
        if not model.recording:
            raise ConfigurationError(f"The model '{model.id}' plays back a recording: choose its file (recording).")
        path = self._shipped.get(model.recording, Path(model.recording))
        with self._lock:
            if path not in self._loaded:
                self._loaded[path] = load_recording(path)
            return self._loaded[path]


class Recorder:
    """Collects the exchanges of a run. Thread-safe; `close()` completes the file.

    `path` None: nothing is written, `recording` has it all. Exchanges that the file already holds are kept, so that a
    run that goes on later adds to them. `label` None: the file's, if it has one.
    """

    def __init__(self, path: Path | None = None, label: str | None = None) -> None:
        self._path = path
        self._label = label
        self._exchanges: dict[str, dict[str, Any]] = {}
        self._part: TextIO | None = None
        self._lock = Lock()
        for known in (path, _part_of(path)) if path is not None else ():
            if known.exists():
                earlier = load_recording(known)
                self._exchanges.update(earlier.exchanges)
                self._label = self._label or (earlier.label if earlier.label != known.name else None)

    @property
    def recording(self) -> Recording:
        with self._lock:
            return Recording(self._label or "recording", dict(self._exchanges))

    def listen(self, llm: LLMPort, model: ModelConfig) -> LLMPort:
        """The same port; what goes through it is recorded, provider errors and refusals included."""
        return _Listening(llm, model, self)

    def add(self, model: ModelConfig, request: LLMRequest, outcome: LLMResponse | ProviderError) -> None:
        """Keeps the first reply to a request; an error only until there is a reply."""
        exchange = _exchange(model, request, outcome)
        key = exchange["key"]
        with self._lock:
            known = self._exchanges.get(key)
            if known is not None and "error" not in known["response"]:
                return
            self._exchanges[key] = exchange
            self._write_part(exchange)

    def close(self) -> None:
        """Writes the file, whole or not at all. Further exchanges may follow, and another `close()`."""
        with self._lock:
            if self._part is not None:
                self._part.close()
                self._part = None
            if self._path is None or not self._exchanges:
                return
            # In the order of their keys, so that equal runs leave equal files.
            ordered = [self._exchanges[key] for key in sorted(self._exchanges)]
            _write(self._path, {"format": FORMAT, "version": VERSION, "label": self._label, "exchanges": ordered})
            _part_of(self._path).unlink(missing_ok=True)

    def _write_part(self, exchange: dict[str, Any]) -> None:
        if self._path is None:
            return
        if self._part is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._part = _part_of(self._path).open("a", encoding="utf-8")
        self._part.write(json.dumps(exchange, ensure_ascii=False) + "\n")
        self._part.flush()


class _Listening:
    def __init__(self, llm: LLMPort, model: ModelConfig, recorder: Recorder) -> None:
        self.capabilities = llm.capabilities
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


def exchange_key(model: ModelConfig, request: LLMRequest) -> str:
    """What makes two requests the same: the model, what is asked of it and how it samples; not where it is reached."""
    asked = {
        "model": model.model_name,
        "purpose": request.purpose,
        "replicate": request.replicate,
        "messages": _plain(request.messages),
        "json_schema": request.json_schema,
        "temperature": model.temperature,
        "max_tokens": model.max_tokens,
        "extra": {k: v for k, v in model.extra_kwargs.items() if k not in _NOT_SAMPLING},
    }
    canonical = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def load_recording(path: Path) -> Recording:
    """Reads a recording, complete or still being written. Errors: `NotFoundError`, `FileFormatError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, IsADirectoryError):
        raise NotFoundError(f"There is no recording at {path}. Choose its file again, or record anew.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(f"The recording {path} cannot be read: {error}", path=str(path)) from None
    entries, label = _entries(text, path)
    try:
        exchanges = {entry["key"]: entry for entry in entries if entry["response"] is not None}
    except (KeyError, TypeError):
        problem = f"The recording {path} has an exchange without key or response."
        raise FileFormatError(problem, path=str(path)) from None
    return Recording(label or path.name, exchanges)


def played(exchange: dict[str, Any]) -> LLMResponse:
    """The reply of a recorded exchange. Errors: the recorded `ProviderError`, with its category and retries."""
    response = exchange["response"]
    if (error := response.get("error")) is not None:
        raise _played_error(error)
    usage = Usage(**response.get("usage") or {})
    return LLMResponse(**{**response, "usage": usage})


def _exchange(model: ModelConfig, request: LLMRequest, outcome: LLMResponse | ProviderError) -> dict[str, Any]:
    return {
        "key": exchange_key(model, request),
        "model": model.model_name,
        "purpose": request.purpose,
        "replicate": request.replicate,
        "request": {"messages": _plain(request.messages), "json_schema": request.json_schema},
        "response": asdict(outcome) if isinstance(outcome, LLMResponse) else {"error": _plain_error(outcome)},
    }


def _plain(messages: Iterable[Message]) -> list[dict[str, Any]]:
    return [message.model_dump(mode="json", exclude={"usage_metadata"}) for message in messages]


def _plain_error(error: ProviderError) -> dict[str, Any]:
    return {"message": str(error), "category": error.category, "status": error.status, "retries": error.retries}


def _played_error(error: dict[str, Any]) -> ProviderError:
    if error["category"] == "authentication":
        return AuthenticationError(error["message"], status=error.get("status"))
    fault = ProviderError(error["message"], category=error["category"], status=error.get("status"))
    fault.retries = dict(error.get("retries") or {})
    return fault


def _entries(text: str, path: Path) -> tuple[list[dict[str, Any]], str | None]:
    try:
        whole = json.loads(text)
    except ValueError:
        return _lines(text, path), None
    if isinstance(whole, dict) and "key" in whole:
        return [whole], None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT or not isinstance(whole.get("exchanges"), list):
        raise FileFormatError(f"{path} is not a recording of model exchanges.", path=str(path))
    if whole.get("version") != VERSION:
        raise FileFormatError(
            f"The recording {path} has version {whole.get('version')}; this program reads version {VERSION}.",
            path=str(path),
        )
    return whole["exchanges"], whole.get("label")


def _lines(text: str, path: Path) -> list[dict[str, Any]]:
    """Exchanges one a line; the last line may be cut off."""
    entries = []
    lines = text.splitlines()
    for row, line in enumerate(lines, start=1):
        try:
            entries.append(json.loads(line))
        except ValueError:
            if row < len(lines) or not entries:
                raise FileFormatError(
                    f"{path} is not a recording of model exchanges (line {row}).", path=str(path), row=row
                ) from None
    return entries


def _part_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def _write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(content, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
