"""The tab Workspace: folders and archives that are handed over, copies, sizes, and working copies that were left."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
import threading
import zipfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from nicegui import ui
from nicegui.elements.upload_files import SmallFileUpload
from nicegui.testing import User, UserInteraction

from karenina_gui.app import Application
from karenina_gui.gui.pages.workspaces import tab
from karenina_gui.gui.pages.workspaces.folder_upload import FolderUpload
from karenina_gui.gui.shell import layout
from tests.until import until


@pytest.fixture
def root(application: Application, tmp_path: Path) -> Path:
    """The root of the example's workspaces; question 1 has `task_01`."""
    (tmp_path / "root" / "task_01").mkdir(parents=True)
    application.editor.workspaces.set_root(1, str(tmp_path / "root"))
    application.editor.edit(1, 1, {"workspace_path": "task_01"})
    return tmp_path / "root"


@pytest.fixture
async def window(user: User, application: Application, root: Path) -> AsyncIterator[User]:
    @ui.page("/")
    @ui.page("/{_:path}")
    def window() -> None:
        layout.draw(application.services())

    yield user


def upload(user: User, *, folder: bool) -> ui.upload:
    """Where the browser sends files, or those of a folder."""
    wanted = user.find(kind=FolderUpload).elements.pop().props["url"]
    uploads = [each for each in user.find(kind=ui.upload).elements if each.props.get("multiple")]
    return next(each for each in uploads if (each.props["url"] == wanted) is folder)


def sent(number: int, path: str, content: bytes = b"new") -> SmallFileUpload:
    return SmallFileUpload(quote(f"{number}/{path}", safe=""), "", content)


async def begin(user: User, files: int, folders: list[str]) -> None:
    await user.should_see(kind=FolderUpload)
    user.find(kind=FolderUpload).trigger("begin", {"number": 1, "files": files, "size": 6, "folders": folders})


async def test_a_folder_comes_in_parts_and_appears_when_all_of_it_is_there(window: User, root: Path) -> None:
    await window.open("/benchmarks/1/questions/1?tab=workspace")
    await begin(window, 2, ["genes", "genes/empty"])
    endpoint = upload(window, folder=True)
    await endpoint.handle_uploads([sent(1, "genes/a.txt")])
    await asyncio.sleep(0.05)
    assert list((root / "task_01").iterdir()) == []
    await endpoint.handle_uploads([sent(1, "genes/b%2f.txt")])
    await until((root / "task_01" / "genes").exists)
    assert sorted(each.name for each in (root / "task_01" / "genes").iterdir()) == ["a.txt", "b%2f.txt", "empty"]
    await window.should_see("Added genes: 4 items, 6 bytes.")
    window.find("Undo").click()
    await until(lambda: not (root / "task_01" / "genes").exists())


async def test_a_folder_with_an_evil_name_is_not_added_at_all(
    window: User, root: Path, application: Application
) -> None:
    await window.open("/benchmarks/1/questions/1?tab=workspace")
    await begin(window, 2, [])
    await upload(window, folder=True).handle_uploads([sent(1, "genes/a.txt"), sent(1, "genes/../../evil.txt")])
    await window.should_see("Couldn’t add the folder. genes/../../evil.txt has a part with only dots")
    assert list((root / "task_01").iterdir()) == []
    assert list((application.settings.data / "incoming").iterdir()) == []


async def test_a_folder_that_breaks_off_leaves_nothing(window: User, root: Path, application: Application) -> None:
    await window.open("/benchmarks/1/questions/1?tab=workspace")
    await begin(window, 2, ["genes"])
    window.find(kind=FolderUpload).trigger("failed", {"number": 1})
    await window.should_see("the connection was lost")
    assert list((application.settings.data / "incoming").iterdir()) == []
    window.find(kind=FolderUpload).trigger("refused", {"reason": "size", "size": 3 * 10**9})
    await window.should_see("It is too large (3.0 GB): at most 10,000 files and folders, 1,024 MB in total.")


async def test_an_archive_is_unpacked_or_kept(window: User, root: Path) -> None:
    await window.open("/benchmarks/1/questions/1?tab=workspace")
    await window.should_see(kind=FolderUpload)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("genes/a.txt", "a")
    endpoint = upload(window, folder=False)
    await endpoint.handle_uploads([SmallFileUpload("genes.zip", "", packed.getvalue())])
    await window.should_see("Unpack 1 archive?")
    await window.should_see("at most 10,000 files and folders, 1,024 MB in total")
    asked = window.find(marker="archives", kind=ui.dialog)
    window.find("Unpack here").click()
    await until((root / "task_01" / "genes" / "a.txt").exists)
    await endpoint.handle_uploads([SmallFileUpload("genes.zip", "", packed.getvalue())])
    await until(lambda: any(each.value for each in asked.elements))
    window.find("Add as file").click()
    await until((root / "task_01" / "genes.zip").exists)


async def test_an_archive_that_is_refused_says_why(window: User, root: Path) -> None:
    await window.open("/benchmarks/1/questions/1?tab=workspace")
    await window.should_see(kind=FolderUpload)
    await upload(window, folder=False).handle_uploads([SmallFileUpload("genes.zip", "", b"no archive")])
    await window.should_see("Unpack 1 archive?")
    window.find("Unpack here").click()
    await window.should_see("Couldn’t unpack genes.zip. Unsupported archive")
    assert list((root / "task_01").iterdir()) == []


async def test_a_workspace_starts_as_the_copy_of_another(window: User, root: Path, application: Application) -> None:
    (root / "task_01" / "a.txt").write_text("a")
    await window.open("/benchmarks/1/questions/2?tab=workspace")
    await window.should_see("Start from")
    chosen = next(each for each in window.find(kind=ui.select).elements if "task_01" in each.options)
    chosen.value = "task_01"
    await window.should_see("Copy folder")
    window.find("Copy folder").click()
    await until((root / "task_02" / "a.txt").exists)
    await window.should_see("Copied task_01 to task_02.")
    assert application.editor.question(1, 2).entry.question.workspace_path == "task_02"
    window.find("Undo").click()
    await until(lambda: not (root / "task_02").exists())
    assert application.editor.question(1, 2).entry.question.workspace_path is None


@pytest.mark.parametrize("is_missing", [True, False], ids=["folder", "file"])
async def test_what_appears_just_before_the_watch_begins_is_seen(
    window: User, root: Path, application: Application, monkeypatch: pytest.MonkeyPatch, is_missing: bool
) -> None:
    workspaces, folder = application.editor.workspaces, root / "task_01"
    watch, is_seen = workspaces.watch, threading.Event()

    def watch_late(watched: Path, *, deep: bool) -> Callable[[], None] | None:
        is_seen.wait(20)
        folder.mkdir(exist_ok=True)
        (folder / "late.txt").touch()
        return watch(watched, deep=deep)

    monkeypatch.setattr(workspaces, "watch", watch_late)
    if is_missing:
        folder.rmdir()
    await window.open("/benchmarks/1/questions/1?tab=workspace")
    await window.should_see("Folder task_01 not found" if is_missing else "No files yet", retries=20)
    is_seen.set()
    await window.should_see("1 file", retries=30)


async def test_the_head_says_how_large_a_workspace_is_and_whether_a_run_would_refuse_it(
    window: User, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tab, "LARGEST_COPIED", 4)
    (root / "task_01" / "a.txt").write_text("1234")
    await window.open("/benchmarks/1/questions/1?tab=workspace")
    await window.should_see("1 file, 4 bytes")
    await window.should_not_see("too large to copy")
    (root / "task_01" / "b.txt").write_text("5")
    await window.open("/benchmarks/1/questions/1?tab=workspace")
    await window.should_see("This workspace is too large to copy for agents (limit: 1,024 MB).")


async def test_working_copies_that_runs_left_are_removed_when_asked(window: User, root: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = root / f"task_01_run_20261122_190510_pid{ended.pid}"
    left.mkdir()
    (left / "a.txt").write_text("1234")
    await window.open("/benchmarks/1/details")
    await window.should_see("Runs left 1 working copy (4 bytes) next to the workspaces.")
    window.find("Remove copies…").click()
    await window.should_see("Remove 1 working copy (4 bytes)?")
    assert left.exists()
    yes = next(each for each in window.find(kind=ui.button).elements if each.text == "Remove copies")
    UserInteraction(window, {yes}, None).click()
    await until(lambda: not left.exists())
    assert (root / "task_01").exists()


async def test_a_root_is_made_with_one_click_or_chosen_in_a_list(
    window: User, application: Application, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    workspaces, benchmark = application.editor.workspaces, application.editor.create_benchmark("Own")
    await window.open(f"/benchmarks/{benchmark}/details")
    await window.should_see("Create folder")
    window.find("Create folder").click()
    await until(lambda: workspaces.root(benchmark) == tmp_path / "karenina-workspaces" / "own")
    assert (tmp_path / "karenina-workspaces" / "own").is_dir()
    for name in ("Choose folder…", "Folder above", "Folder above", "root", "Use this folder"):
        await until(lambda name=name: buttons(window, name))
        UserInteraction(window, {buttons(window, name)[0]}, None).click()
        await asyncio.sleep(0.1)
    await until(lambda: workspaces.root(benchmark) == root)


def buttons(user: User, name: str) -> list[ui.element]:
    every = user.find(kind=ui.button).elements
    return [each for each in every if name in (each.text, each.props.get("aria-label"))]
