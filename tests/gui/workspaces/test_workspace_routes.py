"""What the browser gets of workspaces: nothing from outside, and nothing that it would run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.pages.workspaces import api
from karenina_gui.gui.pages.workspaces.file_editor import language_of
from karenina_gui.gui.pages.workspaces.paths import file_address, quote_path, unquote_path
from karenina_gui.text import size_in_words

LIST = "/api/benchmarks/1/questions/1/workspace"


@pytest.fixture
def task(application: Application, tmp_path: Path, user: User) -> Path:
    """The workspace of question 1 of the example, with its routes."""
    (tmp_path / "secret.txt").write_text("not for you")
    task = tmp_path / "root" / "task_01"
    task.mkdir(parents=True)
    application.editor.workspaces.set_root(1, str(tmp_path / "root"))
    application.editor.edit(1, 1, {"workspace_path": "task_01"})
    api.register(application.services())
    return task


async def test_a_folder_is_listed_with_its_parts_in_words(user: User, task: Path) -> None:
    (task / "data").mkdir()
    (task / "a.txt").write_text("12345")
    (task / "out").symlink_to("/etc")
    answer = (await user.http_client.get(LIST)).json()
    assert [(each["name"], each["kind"], each["words"]) for each in answer["entries"]] == [
        ("data", "folder", "empty"),
        ("a.txt", "file", "5 bytes"),
        ("out", "outside", "outside the workspace"),
    ]
    assert answer["more"] == 0


async def test_what_cannot_be_listed_says_why(user: User, task: Path) -> None:
    for folder in ("..", "/etc", "nowhere", "%00"):
        answer = (await user.http_client.get(LIST, params={"folder": folder})).json()
        assert answer["problem"]
        assert "entries" not in answer


async def test_a_file_is_sent_whole_and_only_to_be_kept(user: User, task: Path) -> None:
    (task / "page.html").write_text("<script>alert(1)</script>")
    (task / "drawing.svg").write_text("<svg><script>alert(1)</script></svg>")
    for name in ("page.html", "drawing.svg"):
        answer = await user.http_client.get(file_address(1, 1, name) + "&picture=1")
        assert answer.text == (task / name).read_text()
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["content-disposition"].startswith("attachment")
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_only_real_pictures_are_shown(user: User, task: Path) -> None:
    (task / "real.png").write_bytes(b"\x89PNG\r\n\x1a\n...")
    (task / "page.png").write_text("<script>alert(1)</script>")
    real = await user.http_client.get(file_address(1, 1, "real.png") + "&picture=1")
    assert (real.headers["content-type"], real.headers["content-disposition"]) == ("image/png", "inline")
    kept = await user.http_client.get(file_address(1, 1, "real.png"))
    assert kept.headers["content-disposition"].startswith("attachment")
    page = await user.http_client.get(file_address(1, 1, "page.png") + "&picture=1")
    assert page.headers["content-type"] == "application/octet-stream"


async def test_nothing_outside_is_sent(user: User, task: Path) -> None:
    (task / "secret.txt").symlink_to(task.parent.parent / "secret.txt")
    os.mkfifo(task / "pipe")
    for path in ("secret.txt", "../../secret.txt", "/etc/passwd", "pipe", "."):
        answer = await user.http_client.get(file_address(1, 1, path))
        assert answer.status_code == 404
        assert "not for you" not in answer.text


async def test_names_of_any_bytes_come_and_go(user: User, task: Path) -> None:
    names = ["two\nlines.txt", "100%.txt", "a+b&c=d.txt", "naïve 漢字.txt", os.fsdecode(b"latin-\xe9.txt")]
    for number, name in enumerate(names):
        (task / name).write_text(str(number))
    answer = (await user.http_client.get(LIST)).json()
    assert {unquote_path(each["path"]) for each in answer["entries"]} == set(names)
    for number, name in enumerate(names):
        assert (await user.http_client.get(file_address(1, 1, name))).text == str(number)
    assert all(each["name"].isprintable() for each in answer["entries"])


async def test_a_question_without_a_workspace_has_no_files(user: User, task: Path) -> None:
    assert (await user.http_client.get(LIST.replace("questions/1", "questions/2"))).json()["problem"]
    assert (await user.http_client.get(LIST.replace("questions/1", "questions/999"))).json()["problem"]


@pytest.mark.parametrize("path", ["a b/c.txt", "100%", "%41", os.fsdecode(b"\xff\xfe")])
def test_a_path_comes_back_as_it_was_sent(path: str) -> None:
    assert unquote_path(quote_path(path)) == path
    assert quote_path(path).isascii()


def test_sizes_are_said_in_words() -> None:
    words = {0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 kB", 12_300: "12 kB", 3_400_000: "3.4 MB"}
    assert {size: size_in_words(size) for size in words} == words
    assert size_in_words(5 * 10**12) == "5,000 GB"


def test_the_editor_knows_a_file_by_its_name() -> None:
    assert language_of("src/main.PY") == "Python"
    assert language_of("Dockerfile") == "Dockerfile"
    assert language_of("notes") is None
