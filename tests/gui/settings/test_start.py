"""Page of settings: what a setting would mean at the next start, and backups."""

from __future__ import annotations

from pathlib import Path

import pytest
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.settings.page import (
    LIBRARY,
    cluster_problem,
    file_problem,
    folder_doubt,
    folder_problem,
    host_doubt,
    host_problem,
    port_problem,
    size_of,
)  # fmt: skip
from karenina_gui.store.library import FILE_NAME
from karenina_gui.text import size_in_words
from tests.gui.desktop import Desktop
from tests.until import until


def test_a_folder_that_can_be_made_or_is_there_will_do(tmp_path: Path) -> None:
    assert folder_problem(str(tmp_path)) is None
    assert folder_problem(str(tmp_path / "not" / "there" / "yet")) is None
    assert folder_problem("~/karenina") is None
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "full path" in (folder_problem("study") or "")
    assert "is a file, not a folder" in (folder_problem(str(tmp_path / "file" / "below")) or "")


def test_what_will_be_found_in_a_folder_is_told_beforehand(tmp_path: Path) -> None:
    now, empty, used = tmp_path / "now", tmp_path / "empty", tmp_path / "used"
    used.mkdir()
    (used / FILE_NAME).write_text("")
    assert folder_doubt(str(now), now) is folder_doubt("", now) is None
    assert "starts with an empty library" in (folder_doubt(str(empty), now) or "")
    assert "has a library" in (folder_doubt(str(used), now) or "")
    assert LIBRARY == FILE_NAME


@pytest.mark.parametrize("number", [0, 65536, 80.5])
def test_a_port_is_one_of_those_there_are(number: float) -> None:
    assert "from 1 to 65535" in (port_problem(number) or "")
    assert port_problem(8080) is port_problem(None) is None


def test_a_scheduler_has_an_address_with_a_port() -> None:
    assert cluster_problem("tls://cluster.example:8786") is cluster_problem("tcp://[::1]:8786") is None
    for text in ("cluster.example", "http://cluster.example:8786", "tcp://cluster.example"):
        assert "with its port" in (cluster_problem(text) or "")


def test_certificates_are_files(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("")
    assert file_problem(str(tmp_path / "ca.pem")) is None
    assert file_problem(str(tmp_path)) == file_problem("ca.pem") == "Enter the full path of an existing file."


def test_only_an_address_of_this_computer_can_be_listened_on() -> None:
    assert host_problem("127.0.0.1") is host_problem("") is None
    assert "203.0.113.9 is not an address" in (host_problem("203.0.113.9") or "")


def test_an_address_that_others_reach_is_warned_of() -> None:
    assert host_doubt("localhost") is host_doubt("") is None
    assert "has the access token" in (host_doubt("0.0.0.0") or "")


def test_the_size_of_a_folder_is_that_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a").write_bytes(b"x" * 1500)
    (tmp_path / "b").write_bytes(b"x" * 500)
    assert size_in_words(size_of(tmp_path)) == "2.0 kB"
    assert (size_in_words(12), size_in_words(1_234_000_000)) == ("12 bytes", "1.2 GB")


async def test_backups_are_counted_and_made_on_the_page(user: User, application: Application) -> None:
    desktop = Desktop(user, application.services())
    await desktop.load("/settings")
    folder = application.library.backups.folder
    await user.should_see(f"None yet. They will be in {folder}.")
    await desktop.press("Back up now")
    await until(lambda: len(application.library.backups.all()) == 1)
    await user.should_see("1 backup (")
    await user.should_see("Newest: ")
