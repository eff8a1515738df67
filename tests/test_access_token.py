"""Access token: when it is required, its sources, and the terminal output about it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from karenina_gui.access_token import SHORTEST, VARIABLE, AccessToken, access_token, serves_this_computer_only
from karenina_gui.app import greeting
from karenina_gui.errors import ConfigurationError
from karenina_gui.settings import Settings
from karenina_gui.store.library import FILE_NAME, Library

GOOD = "a-token-of-my-own-choice"


@pytest.mark.parametrize(
    ("host", "alone"),
    [("127.0.0.1", True), ("127.1.2.3", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False),
     ("192.168.1.5", False), ("computer.example.org", False)],
)  # fmt: skip
def test_only_an_address_of_this_computer_asks_for_nothing(host: str, alone: bool) -> None:
    assert serves_this_computer_only(host) is alone
    assert (access_token(Settings(host=host)) is None) is alone


def test_a_token_is_made_for_each_start_and_nobody_prints_it_by_accident() -> None:
    one, other = access_token(Settings(ask_token=True)), access_token(Settings(ask_token=True))
    assert one is not None and other is not None
    assert one.value != other.value and len(one.value) > 40 and one.value not in repr(one)


def test_a_token_of_ones_own_comes_from_a_file_or_from_the_environment_which_forgets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, GOOD)
    assert access_token(Settings()) == AccessToken(GOOD, f"the environment variable {VARIABLE}")
    assert VARIABLE not in os.environ
    (tmp_path / "token").write_text(f"{GOOD}\n")
    found = access_token(Settings(token_file=tmp_path / "token"))
    assert found is not None and found.value == GOOD


@pytest.mark.parametrize(
    "content", [b"", b"short", b"x" * (SHORTEST - 1), b"two lines\nof a token here", b"\xff" * 40, None]
)
def test_a_token_that_cannot_be_used_is_refused_without_saying_it(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "token").write_bytes(content)
    with pytest.raises(ConfigurationError, match="access token") as refused:
        access_token(Settings(token_file=tmp_path / "token"))
    assert not content or content.decode("latin-1") not in str(refused.value)


def test_the_terminal_gives_the_link_of_a_token_that_was_made_and_hides_one_that_was_chosen(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, host="0.0.0.0", port=8080, root_path="karenina/")
    said = greeting(settings, AccessToken("made"))
    assert "/karenina/?token=made" in said and "Anyone who can reach this computer" in said and "0.0.0.0" not in said
    said = greeting(settings, AccessToken(GOOD, "the file /x"))
    assert GOOD not in said and "the file /x" in said
    alone = greeting(Settings(data=tmp_path, port=8080), None)
    assert alone == f"The application is at http://127.0.0.1:8080  (data in {tmp_path}; Ctrl+C to quit)"


def test_settings_of_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARENINA_GUI_ALLOWED_HOST", "a.example.org, b.example.org")
    assert Settings().allowed_host == ("a.example.org", "b.example.org")
    assert Settings(allowed_host=["c"]).allowed_host == ("c",)
    assert [Settings(root_path=path).root_path for path in ("", "/", "bench", "/a/b/")] == ["", "", "/bench", "/a/b"]
    with pytest.raises(ValueError, match="use only letters"):
        Settings(root_path='/x"y')


@pytest.mark.skipif(os.name == "nt", reason="rights are inherited there")
def test_the_data_folder_is_its_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    (folder / "browser.key").write_text("x")
    (folder / "browser.key").chmod(0o644)
    (folder / "script.sh").touch(mode=0o755)
    theirs = (folder / "script.sh").stat().st_mode
    with Library.open(folder):
        assert folder.stat().st_mode & 0o777 == 0o700
        ours = [file for file in folder.iterdir() if file.name != "script.sh"]
        assert {file.stat().st_mode & 0o777 for file in ours} == {0o600} and len(ours) > 1
        assert (folder / "script.sh").stat().st_mode == theirs
        assert (folder / FILE_NAME).exists()
