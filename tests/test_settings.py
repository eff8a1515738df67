"""Sources of settings, and their precedence."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from karenina_gui.settings import Settings, read_stored, settings_file, store


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


def test_a_setting_knows_where_it_came_from(monkeypatch: pytest.MonkeyPatch) -> None:
    store("port", 1001)
    monkeypatch.setenv("KARENINA_GUI_HOST", "localhost")
    settings = Settings(browser=False)
    sources = [settings.source(name) for name in ("browser", "host", "port", "data")]
    assert sources == ["command line", "environment", "file", "default"]
    assert settings.model_copy(update={"port": 9999}).source("browser") == "command line"


def test_a_setting_is_written_between_the_comments_of_the_file(tmp_path: Path) -> None:
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text('# where everything is\ndata = "/old"  # the large disk\n\n# quiet\nbrowser = false\n')
    store("data", tmp_path / "new")
    store("port", 9000)
    store("browser", None)
    text = settings_file().read_text()
    assert "# where everything is" in text
    assert f'data = "{tmp_path / "new"}"  # the large disk' in text
    assert read_stored() == {"data": str(tmp_path / "new"), "port": 9000}
    assert (Settings().data, Settings().port, Settings().browser) == (tmp_path / "new", 9000, True)


def test_the_file_is_made_where_there_was_none() -> None:
    assert read_stored() == {}
    store("host", "::1")
    assert Settings().host == "::1"
    assert [each.name for each in settings_file().parent.iterdir()] == ["settings.toml"]


def test_a_file_that_cannot_be_read_is_left_as_it_is() -> None:
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text("port = \n")
    with pytest.raises(ValueError):
        store("port", 9000)
    assert settings_file().read_text() == "port = \n"
