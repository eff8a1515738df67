"""API keys by the names of their variables: those that the user entered, then the environment's.

An entered key stays in memory until the application ends. It is saved only if the user asks for that, to a file that
only the user can read; never to the library, a log, a recording or an export.
"""

from __future__ import annotations

import json
import logging
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import Literal

from karenina_gui.errors import InputError
from karenina_gui.events import Signal

FILE_NAME = "keys.json"

KeyOrigin = Literal["session", "remembered", "environment"]
"""`session`: entered, kept until the application ends; `remembered`: entered, saved in the key file."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
log = logging.getLogger(__name__)


class KeyRing(Mapping[str, str]):
    """Variables of the environment, overridden by entered keys. Thread-safe. Its `repr` shows names only.

    `file` None: keys cannot be saved.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ, file: Path | None = None) -> None:
        self._environment = environment
        self._file = file
        self._lock = RLock()
        self._session: dict[str, str] = {}
        self.trouble: str | None = None
        """Reason why the saved keys could not be read; None: they could."""
        self._remembered = self._read_file()
        self.changed: Signal[[]] = Signal()
        """A key was entered or removed."""

    def origin(self, variable: str) -> KeyOrigin | None:
        """Origin of the key in use; None if there is none."""
        with self._lock:
            if variable in self._session:
                return "session"
            if variable in self._remembered:
                return "remembered"
        return "environment" if self._environment.get(variable, "").strip() else None

    def entered_names(self) -> list[str]:
        """Names of the variables whose keys the user entered, in alphabetical order."""
        with self._lock:
            return sorted({*self._session, *self._remembered})

    def enter(self, variable: str, key: str, *, remember: bool = False) -> None:
        """Use this key from now on, replacing an entered one.

        Raises `InputError` if it is not a key, or cannot be saved; then nothing has changed.
        """
        key = check_key(variable, key)
        with self._lock:
            keys = {**self._read_file(), variable: key} if remember else _without(self._read_file(), variable)
            self._write(keys)
            self._session.pop(variable, None)
            if not remember:
                self._session[variable] = key
        self.changed.emit()

    def remove(self, variable: str) -> None:
        """Drop the entered key; the environment's is used if there is one. Raises `InputError`."""
        with self._lock:
            self._write(_without(self._read_file(), variable))
            self._session.pop(variable, None)
        self.changed.emit()

    def __getitem__(self, variable: str) -> str:
        with self._lock:
            for entered in (self._session, self._remembered):
                if variable in entered:
                    return entered[variable]
        return self._environment[variable]

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            return iter({**self._environment, **self._remembered, **self._session}.keys())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"KeyRing({', '.join(self.entered_names())})"

    def _read_file(self) -> dict[str, str]:
        """Keys in the file now: another window of the application may have written it."""
        self.trouble = None
        if self._file is None or not self._file.is_file():
            return {}
        try:
            # A copy from elsewhere may have come with other rights; a read-only disk does not allow to change them.
            with suppress(OSError):
                self._file.chmod(0o600)
            keys = json.loads(self._file.read_text(encoding="utf-8"))
            return {str(name): str(key) for name, key in keys.items()}
        # The reason is not quoted, since it may contain a piece of a key.
        except (OSError, ValueError, AttributeError):
            self.trouble = (
                f"Couldn’t read the saved keys in {self._file}, so none of them is used. Enter the keys again, or "
                "restore the file."
            )
            log.warning(self.trouble)
            return {}

    def _write(self, keys: dict[str, str]) -> None:
        if keys != self._read_file():
            if self._file is None:
                raise InputError("Keys can’t be saved here: there is no data folder.")
            try:
                write_secretly(self._file, json.dumps(keys, indent=1, sort_keys=True))
            except OSError as fault:
                raise InputError(
                    f"Couldn’t save the key in {self._file}: {fault.strerror or fault}. "
                    "Make the folder writable, or turn off “Save on this computer”."
                ) from None
            self.trouble = None
        self._remembered = keys


def check_key(variable: str, key: str) -> str:
    """Return the key without surrounding blanks. Raises `InputError`, which never quotes it."""
    key = key.strip()
    if not _VARIABLE.fullmatch(variable):
        raise InputError("Use only letters, digits, and _ in the variable name, and don’t start it with a digit.")
    if not key:
        raise InputError("Paste the key first.")
    # Pages of providers show existing keys masked, which is what users tend to copy.
    if "*" in key or "•" in key or "…" in key:
        raise InputError("That’s a masked key. Paste the full key.")
    if not key.isascii() or any(character.isspace() or not character.isprintable() for character in key):
        raise InputError("The key contains a space, line break, or unsupported character. Copy only the key again.")
    return key


def _without(keys: dict[str, str], variable: str) -> dict[str, str]:
    return {name: key for name, key in keys.items() if name != variable}


def write_secretly(file: Path, text: str) -> None:
    """Write a file atomically and never readable by others: the temporary file is created with its final rights."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
    beside = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as part:
            part.write(text)
            part.flush()
            os.fsync(part.fileno())
        beside.chmod(0o600)
        beside.replace(file)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
