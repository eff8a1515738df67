"""Settings of the application: command line, then environment, then file, then the defaults below.

Environment: `KARENINA_GUI_DATA`, `KARENINA_GUI_HOST`, `KARENINA_GUI_PORT`, `KARENINA_GUI_BROWSER`. File:
`settings.toml` in the user's configuration folder, with the names of the fields below.
"""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_config_path, user_data_path
from pydantic import Field
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

NAME = "karenina-gui"
FIRST_PORT = 8080


class Settings(BaseSettings):
    """Where the application keeps its data and where it is reached. Unknown names in the file are refused."""

    model_config = SettingsConfigDict(env_prefix="KARENINA_GUI_", extra="forbid", frozen=True)

    data: Path = Field(default_factory=lambda: user_data_path(NAME, appauthor=False))
    """Folder of the store: benchmarks, runs, results."""
    host: str = "127.0.0.1"
    """Address to listen on. The application asks for no password: anything but this computer's own address opens it
    to whoever can reach that address."""
    port: int | None = Field(default=None, ge=1, le=65535)
    """None: the first free port from 8080 on."""
    browser: bool = True
    """Whether a browser window is opened at start."""

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
