"""Where a setting comes from, and which source wins."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from karenina_gui.settings import Settings, settings_file


@pytest.fixture(autouse=True)
def fresh_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        *(f"KARENINA_GUI_{field.upper()}" for field in Settings.model_fields),
    ):
        monkeypatch.delenv(name, raising=False)


def test_without_any_source_this_computer_alone_is_served_from_a_folder_in_the_home(tmp_path: Path) -> None:
    settings = Settings()
    assert (settings.host, settings.port, settings.browser) == ("127.0.0.1", None, True)
    assert tmp_path in settings.data.parents


def test_the_environment_beats_the_file_and_the_command_line_beats_both(monkeypatch: pytest.MonkeyPatch) -> None:
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text('port = 1001\nhost = "::1"\ndata = "/file"\n')
    monkeypatch.setenv("KARENINA_GUI_PORT", "1002")
    monkeypatch.setenv("KARENINA_GUI_HOST", "localhost")
    settings = Settings(port=1003)
    assert (settings.port, settings.host, settings.data) == (1003, "localhost", Path("/file"))


def test_a_misspelt_name_in_the_file_is_refused() -> None:
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text("prot = 9000\n")
    with pytest.raises(ValidationError, match="prot"):
        Settings()
