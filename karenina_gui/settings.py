"""Settings of the application: command line, then environment, then file, then the defaults below. The file can be
changed from inside; what it says holds from the next start.

Environment: `KARENINA_GUI_DATA`, `KARENINA_GUI_HOST` and so on, the names of the fields below in capitals. File:
`settings.toml` in the user's configuration folder, with the names of the fields below.
"""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_config_path, user_data_path
from pydantic import BeforeValidator, Field, PrivateAttr
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

Source = Literal["command line", "environment", "file", "default"]
"""Where a setting comes from; the first of them that has it wins."""

NAME = "karenina-gui"
PREFIX = "KARENINA_GUI_"
FIRST_PORT = 8080


def _listed(value: Any) -> Any:
    return tuple(name.strip() for name in value.split(",") if name.strip()) if isinstance(value, str) else value


def _rooted(value: Any) -> Any:
    if isinstance(value, str) and value.strip("/"):
        path = f"/{value.strip('/')}"
        if not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", path):
            raise ValueError("a path has letters, digits, and - . _ ~ between its slashes")
        return path
    return "" if isinstance(value, str) else value


class Settings(BaseSettings):
    """Where the application keeps its data and where it is reached. Unknown names in the file are refused."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True)

    data: Path = Field(default_factory=lambda: user_data_path(NAME, appauthor=False))
    """Folder of the store: benchmarks, runs, results."""
    host: str = "127.0.0.1"
    """Address to listen on. At any but this computer's own, everybody has to show the access token."""
    port: int | None = Field(default=None, ge=1, le=65535)
    """None: the first free port from 8080 on."""
    browser: bool = True
    """Whether a browser window is opened at start."""
    ask_token: bool = False
    """Whether the access token has to be shown on this computer's own address, too, which several people may use."""
    token_file: Path | None = None
    """File that holds the access token; None: `KARENINA_GUI_TOKEN`, else one is made for each start."""
    allowed_host: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)] = ()
    """Further names under which the application is reached, as behind a proxy; in the environment with commas."""
    root_path: Annotated[str, BeforeValidator(_rooted)] = ""
    """Path under which a proxy that strips it serves the application, such as `/karenina`."""
    _typed: frozenset[str] = PrivateAttr(default=frozenset())
    """Names that the command line gave."""

    def __init__(self, **typed: Any) -> None:
        super().__init__(**typed)
        self._typed = frozenset(typed)

    def source(self, name: str) -> Source:
        """Where the setting came from when the application was started."""
        if name in self._typed:
            return "command line"
        if any(each.upper() == variable(name) for each in os.environ):
            return "environment"
        return "file" if name in stored() else "default"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, settings_file())


def settings_file() -> Path:
    """The file that is read, whether or not it is there."""
    return user_config_path(NAME, appauthor=False) / "settings.toml"


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"{PREFIX}{name.upper()}"


def stored() -> dict[str, Any]:
    """What the file says now. Errors: `OSError`, `ValueError` when it cannot be read."""
    file = settings_file()
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def store(name: str, value: Any) -> None:
    """Write one setting into the file, None: take it out. Everything else in it stays as it is, comments too.

    Errors: `OSError`, `ValueError` when the file cannot be read or written; it is then unchanged.
    """
    import tomlkit

    file = settings_file()
    document = tomlkit.parse(file.read_text(encoding="utf-8")) if file.is_file() else tomlkit.document()
    if value is None:
        document.pop(name, None)
    else:
        document[name] = str(value) if isinstance(value, Path) else value
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(prefix=".settings.", suffix=".part", dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as written:
            written.write(tomlkit.dumps(document))
            written.flush()
            os.fsync(written.fileno())
        Path(part).replace(file)
    except OSError:
        Path(part).unlink(missing_ok=True)
        raise
