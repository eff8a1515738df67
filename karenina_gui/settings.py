"""Application settings from command line, environment, file and defaults, in order of precedence.

Environment: `KARENINA_GUI_DATA`, `KARENINA_GUI_HOST` and so on, the field names below in capitals. File:
`settings.toml` in the user's configuration folder, with the field names below. The application can edit the file;
changes apply from the next start.
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
"""Source of a setting, in the order of precedence."""

NAME = "karenina-gui"
PREFIX = "KARENINA_GUI_"
FIRST_PORT = 8080


def _split_names(value: Any) -> Any:
    return tuple(name.strip() for name in value.split(",") if name.strip()) if isinstance(value, str) else value


def _normalize_path(value: Any) -> Any:
    if isinstance(value, str) and value.strip("/"):
        path = f"/{value.strip('/')}"
        if not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", path):
            raise ValueError("use only letters, digits, and - . _ ~ between slashes")
        return path
    return "" if isinstance(value, str) else value


class Settings(BaseSettings):
    """Settings of data, network and browser. Unknown names in the file are rejected."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True)

    data: Path = Field(default_factory=lambda: user_data_path(NAME, appauthor=False))
    """Data folder: benchmarks, runs, results."""
    host: str = "127.0.0.1"
    """Address to listen on. Any address other than this computer's own requires the access token."""
    port: int | None = Field(default=None, ge=1, le=65535)
    """None: the first free port from 8080 on."""
    browser: bool = True
    """True: open a browser window at start."""
    ask_token: bool = False
    """True: require the access token on this computer's own address too, for shared computers."""
    token_file: Path | None = None
    """File with the access token; None: `KARENINA_GUI_TOKEN`, else a token is generated for each start."""
    allowed_host: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_names)] = ()
    """Additional host names, as behind a proxy; comma-separated in the environment."""
    root_path: Annotated[str, BeforeValidator(_normalize_path)] = ""
    """Path under which a proxy that strips it serves the application, such as `/karenina`."""
    cluster: str = ""
    """Address of a Dask scheduler, offered for new runs; empty: none."""
    insecure_cluster: bool = False
    """True: connect to clusters on other computers without TLS."""
    tls_ca: Path | None = None
    """Certificate of the authority that signed those of clusters with `tls://` addresses; None: Dask's own setting."""
    tls_cert: Path | None = None
    """Certificate of this computer for them."""
    tls_key: Path | None = None
    """Key of that certificate."""
    _typed: frozenset[str] = PrivateAttr(default=frozenset())
    """Names given on the command line."""

    def __init__(self, **typed: Any) -> None:
        super().__init__(**typed)
        self._typed = frozenset(typed)

    def source(self, name: str) -> Source:
        """Source of the setting at the start of the application."""
        if name in self._typed:
            return "command line"
        # Like pydantic-settings, which ignores case in the names of environment variables.
        if any(name_.upper() == variable(name) for name_ in os.environ):
            return "environment"
        return "file" if name in read_stored() else "default"

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
    """Path of the settings file, which may not exist."""
    return user_config_path(NAME, appauthor=False) / "settings.toml"


def variable(name: str) -> str:
    """Environment variable of a setting."""
    return f"{PREFIX}{name.upper()}"


def read_stored() -> dict[str, Any]:
    """Present content of the file. Raises `OSError` or `ValueError` if it is unreadable."""
    file = settings_file()
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def store(name: str, value: Any) -> None:
    """Save one setting to the file; None: remove it. The rest is preserved, including comments.

    Raises `OSError` or `ValueError` if the file cannot be read or written. It is then unchanged.
    """
    import tomlkit

    file = settings_file()
    document = tomlkit.parse(file.read_text(encoding="utf-8")) if file.is_file() else tomlkit.document()
    if value is None:
        document.pop(name, None)
    else:
        document[name] = str(value) if isinstance(value, Path) else value
    file.parent.mkdir(parents=True, exist_ok=True)
    # Written next to the file and renamed, so that a crash cannot leave half of it.
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
