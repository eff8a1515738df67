"""The workspace of a question, from no folder at all to files that other programs change."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accessibility import violations
from tests.until import comes

pytestmark = pytest.mark.browser


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "tasks").mkdir()
    return tmp_path / "tasks"


def open_workspace(page: Page, address: str) -> None:
    """The tab Workspace of the only question of a new benchmark."""
    page.goto(f"{address}/benchmarks")
    page.get_by_role("button", name="New benchmark").click()
    page.get_by_label("Name", exact=True).fill("Tasks with files")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("button", name="New question", exact=True).first.click()
    page.wait_for_url(re.compile(r"/questions/\d+$"))
    page.goto(f"{page.url}?tab=workspace")
    expect(page.get_by_text("Files for agents")).to_be_visible()


def choose_folder(page: Page, root: Path, name: str = "task_01") -> None:
    page.get_by_label("Workspace root").fill(str(root))
    page.get_by_role("button", name="Use folder").click()
    page.get_by_label("Workspace folder path").fill(name)
    page.get_by_role("button", name=re.compile("Create folder|Use folder")).click()
    expect(page.get_by_role("tree")).to_be_visible()


def entry(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=re.compile(f"^{re.escape(name)}"))


def text_of(page: Page) -> Locator:
    return page.locator(".workspace-file .cm-content")


def test_a_workspace_is_set_up_filled_and_edited(page: Page, address: str, root: Path) -> None:
    open_workspace(page, address)
    page.get_by_label("Workspace root").fill(str(root / "new"))
    expect(page.get_by_text("It can be created")).to_be_visible()
    page.get_by_label("Workspace root").fill("tasks")
    expect(page.get_by_text("Enter the full path")).to_be_visible()
    page.get_by_label("Workspace root").fill(str(root))
    page.get_by_role("button", name="Use folder").click()
    folder = page.get_by_label("Workspace folder path")
    folder.fill("../elsewhere")
    expect(page.get_by_text("outside the workspace root")).to_be_visible()
    folder.fill("task_01")
    page.get_by_role("button", name="Create folder").click()
    expect(page.get_by_text("No files yet. Add files")).to_be_visible()
    assert (root / "task_01").is_dir()

    page.set_input_files("input[type=file]", {"name": "genes.csv", "mimeType": "text/csv", "buffer": b"gene\nTP53\n"})
    entry(page, "genes.csv").click()
    expect(text_of(page)).to_contain_text("TP53")
    text_of(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type("BRCA1", delay=15)
    expect(page.get_by_text(re.compile(r"Saved \d\d:\d\d:\d\d"))).to_be_visible()
    wait_until(lambda: (root / "task_01" / "genes.csv").read_text() == "gene\nTP53\nBRCA1")

    page.get_by_role("button", name="New file").click()
    page.get_by_label("Name", exact=True).fill("Genes.csv")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_text("genes.csv already exists")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("notes.md")
    page.keyboard.press("Enter")
    expect(entry(page, "notes.md")).to_be_visible()
    assert (root / "task_01" / "notes.md").read_text() == ""


def test_changes_from_outside_appear_and_never_overwrite_what_is_typed(page: Page, address: str, root: Path) -> None:
    task = root / "task_01"
    task.mkdir()
    (task / "a.txt").write_text("one\n")
    open_workspace(page, address)
    choose_folder(page, root)
    entry(page, "a.txt").click()
    expect(text_of(page)).to_contain_text("one")
    (task / "b.txt").write_text("new")
    expect(entry(page, "b.txt")).to_be_visible()
    (task / "a.txt").write_text("two\n")
    expect(text_of(page)).to_contain_text("two")

    text_of(page).click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("m")
    (task / "a.txt").write_text("theirs\n")
    page.keyboard.type("ine ", delay=30)
    expect(page.get_by_text("changed outside while you were editing")).to_be_visible()
    assert (task / "a.txt").read_text() == "theirs\n"
    page.reload()
    page.wait_for_function("window.did_handshake")  # what is clicked earlier is not heard
    expect(page.get_by_role("tab", name="Workspace (not saved)")).to_be_visible()
    expect(page.get_by_text("changed outside in the meantime")).to_be_visible()
    expect(text_of(page)).to_contain_text("mine two")  # the last letters come from the browser
    page.get_by_role("button", name="Keep mine").click()
    wait_until(lambda: (task / "a.txt").read_text() == "mine two\n")
    expect(page.get_by_text("changed outside")).to_be_hidden()
    expect(page.get_by_role("tab", name="Workspace", exact=True)).to_be_visible()

    (task / "a.txt").unlink()
    expect(page.get_by_text("was deleted or renamed")).to_be_visible()
    shutil.rmtree(task)
    expect(page.get_by_text("Folder task_01 not found")).to_be_visible()
    task.mkdir()
    expect(page.get_by_role("tree")).to_be_visible()


@pytest.mark.thorough
def test_the_tree_is_used_by_keyboard_alone_and_a_deletion_is_taken_back(page: Page, address: str, root: Path) -> None:
    task = root / "task_01"
    (task / "data").mkdir(parents=True)
    (task / "data" / "genes.csv").write_text("gene\n")
    (task / "plan.md").write_text("# Plan\n")
    open_workspace(page, address)
    choose_folder(page, root)
    entry(page, "data").focus()
    page.keyboard.press("ArrowRight")
    expect(entry(page, "genes.csv")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(entry(page, "genes.csv")).to_be_focused()
    page.keyboard.press("Enter")
    expect(text_of(page)).to_contain_text("gene")
    expect(entry(page, "genes.csv")).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.get_by_text("Deleted genes.csv.")).to_be_visible()
    expect(entry(page, "genes.csv")).to_be_hidden()
    assert not (task / "data" / "genes.csv").exists()
    page.get_by_role("button", name="Undo").click()
    expect(entry(page, "genes.csv")).to_be_visible()
    assert (task / "data" / "genes.csv").read_text() == "gene\n"
    entry(page, "plan.md").focus()
    page.keyboard.press("F2")
    name = page.get_by_label("Name", exact=True)
    expect(name).to_have_value("plan.md")
    name.fill("tasks.md")
    page.keyboard.press("Enter")
    expect(entry(page, "tasks.md")).to_be_visible()
    assert (task / "tasks.md").read_text() == "# Plan\n"


@pytest.mark.thorough
def test_an_added_file_asks_before_it_replaces_another(page: Page, address: str, root: Path) -> None:
    task = root / "task_01"
    task.mkdir()
    (task / "a.txt").write_text("old")
    open_workspace(page, address)
    choose_folder(page, root)
    expect(entry(page, "a.txt")).to_be_visible()
    both = [{"name": name, "mimeType": "text/plain", "buffer": b"new"} for name in ("a.txt", "b.txt")]
    page.set_input_files("input[type=file]", both)
    expect(page.get_by_role("heading", name="1 name already taken")).to_be_visible()
    wait_until(lambda: (task / "b.txt").exists())
    assert (task / "a.txt").read_text() == "old"
    page.get_by_role("button", name="Replace").click()
    wait_until(lambda: (task / "a.txt").read_text() == "new")
    page.get_by_role("button", name="Undo").click()
    wait_until(lambda: (task / "a.txt").read_text() == "old")


@pytest.mark.thorough
def test_a_folder_and_an_archive_are_added_whole_and_taken_back(
    page: Page, address: str, root: Path, tmp_path: Path
) -> None:
    source, template = tmp_path / "genes", root / "template"
    (source / "deep").mkdir(parents=True)
    template.mkdir()
    (template / "plan.md").write_text("# Plan\n")
    for number in range(60):
        (source / "deep" / f"{number} é%2F.txt").write_text(str(number))
    open_workspace(page, address)
    page.get_by_label("Workspace root").fill(str(root))
    page.get_by_role("button", name="Use folder").click()
    page.get_by_label("Workspace folder path").fill("task_01")
    page.get_by_label("Start from").click()
    page.get_by_role("option", name="Copy of template").click()
    page.get_by_role("button", name="Copy folder").click()
    expect(entry(page, "plan.md")).to_be_visible()
    task = root / "task_01"

    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add folder").click()
    chooser.value.set_files(source)
    expect(page.get_by_text("Added genes: 62 items")).to_be_visible()
    expect(page.get_by_text("61 files")).to_be_visible()
    assert (task / "genes" / "deep" / "59 é%2F.txt").read_text() == "59"

    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as packed:
        packed.writestr("genes/new.txt", "new")
    page.set_input_files("input[type=file]:not([webkitdirectory])", tmp_path / "packed.zip")
    expect(page.get_by_role("heading", name="Unpack 1 archive?")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="1 name already taken")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Replace").click()
    wait_until(lambda: [each.name for each in task.glob("genes/*")] == ["new.txt"])
    told = page.locator(".toast", has_text="Undo restores replaced files.")
    told.get_by_role("button", name="Undo").click()
    wait_until(lambda: [each.name for each in task.glob("genes/*")] == ["deep"])

    drop(page, "fresh/empty", "fresh/inner/a.txt")
    wait_until((task / "fresh" / "inner" / "a.txt").exists)
    assert (task / "fresh" / "empty").is_dir()


def drop(page: Page, folder: str, file: str) -> None:
    """An empty folder and a file within folders, as the browser shows them to who takes what is dropped."""
    page.locator(".workspace-left").evaluate(_DROP, [folder, file])


_DROP = """(place, [folder, file]) => {
    const entry = (fullPath, below) => ({ fullPath, isDirectory: !!below, isFile: !below,
        file: (done) => done(new File(["new"], fullPath.split("/").pop())),
        createReader: () => ({ readEntries: (done) => done(below.splice(0, 1)) }) });
    const top = "/" + folder.split("/")[0], above = "/" + file.split("/").slice(0, -1).join("/");
    const tree = entry(top, [entry("/" + folder, []), entry(above, [entry("/" + file)])]);
    const event = new Event("drop", { cancelable: true });
    event.dataTransfer = { types: ["Files"], files: [], items: [{ webkitGetAsEntry: () => tree }] };
    place.dispatchEvent(event);
}"""


@pytest.mark.thorough
def test_a_folder_of_many_files_is_shown_in_parts(page: Page, address: str, root: Path) -> None:
    task = root / "task_01"
    task.mkdir()
    for number in range(1_000):
        (task / f"{number:04}.txt").touch()
    open_workspace(page, address)
    choose_folder(page, root)
    expect(page.get_by_text("1,000 files")).to_be_visible()
    more = page.get_by_role("treeitem", name="… and 700 more: show 300")
    expect(more).to_be_attached()
    more.click()
    expect(entry(page, "0599.txt")).to_be_attached()


@pytest.mark.thorough
def test_every_state_is_accessible(page: Page, address: str, root: Path) -> None:
    task = root / "task_01"
    open_workspace(page, address)
    assert violations(page) == []
    page.get_by_label("Workspace root").fill("tasks")
    expect(page.get_by_text("Enter the full path")).to_be_visible()
    assert violations(page) == []
    choose_folder(page, root)
    assert violations(page) == []
    (task / "data").mkdir()
    (task / "a.txt").write_text("one\n")
    (task / "out").symlink_to("/")
    entry(page, "a.txt").click()
    expect(text_of(page)).to_contain_text("one")
    text_of(page).click()
    page.keyboard.type("x")
    (task / "a.txt").write_text("theirs\n")
    page.keyboard.type("y")
    expect(page.get_by_text("changed outside while you were editing")).to_be_visible()
    assert violations(page) == []


def wait_until(condition: Callable[[], bool]) -> None:
    """For what happens on the disk."""
    assert comes(lambda: _holds(condition))


def _holds(condition: Callable[[], bool]) -> bool:
    """A file that is just being replaced is not there for a moment."""
    with suppress(FileNotFoundError):
        return condition()
    return False
