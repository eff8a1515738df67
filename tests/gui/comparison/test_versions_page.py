"""Versions page: publishing, what a version offers, and the linked file."""

from __future__ import annotations

from pathlib import Path

from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.shell import api
from karenina_gui.schemas.command import Actor
from karenina_gui.store.actors import acting
from tests.gui.comparison.test_comparison_page import texts
from tests.gui.desktop import Desktop
from tests.until import until


async def test_a_version_is_published_and_compared_with_the_present(user: User, application: Application) -> None:
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/versions")
    await until(lambda: "Nothing published yet" in texts(desktop))
    await desktop.press("Publish version…")
    await desktop.type("Version name", "pilot")
    await desktop.type("Version note", "For the paper.")
    await desktop.press("Publish")
    await until(lambda: "v1 (pilot)" in texts(desktop) and "For the paper." in texts(desktop))
    await until(lambda: "No changes since v1 (pilot)." in texts(desktop))
    application.editor.edit(1, 1, {"raw_answer": "other"})
    await until(lambda: "The benchmark has unpublished changes since v1." in texts(desktop))
    await desktop.press("Compare v1")
    await until(lambda: "Changed: Reference answer" in texts(desktop))


async def test_a_refused_publication_says_why(user: User, application: Application) -> None:
    with acting(Actor("me", "Ada")):
        application.editor.publishing.publish(1, "pilot")
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/versions?publish=1")
    await desktop.press("Publish")
    await until(lambda: "Nothing has changed since v1 (pilot)." in texts(desktop))
    assert "by Ada" in texts(desktop)


async def test_a_version_is_restored_as_a_copy(user: User, application: Application) -> None:
    application.editor.publishing.publish(1)
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/versions")
    await desktop.press("Restore as copy v1")
    await until(lambda: desktop.address == "/benchmarks/3/questions")
    assert application.library.benchmarks.summary(3).name.endswith(" v1")


async def test_a_version_is_exported_under_its_number(user: User, application: Application) -> None:
    version = application.editor.publishing.publish(1)
    api.register(application.services())
    answer = await user.http_client.get(f"/api/benchmarks/1/versions/{version.id}/file")
    assert "-v1.jsonld" in answer.headers["content-disposition"]
    assert version.sha256 in answer.text
    missing = await user.http_client.get("/api/benchmarks/1/versions/99/file")
    assert missing.status_code == 404


async def test_a_file_is_written_linked_and_unlinked(user: User, application: Application, tmp_path: Path) -> None:
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/versions?link=1")
    await desktop.type("Linked file", "doses.jsonld")
    await desktop.press("Write new file")
    await until(lambda: "Enter the whole path of the file" in texts(desktop))
    path = tmp_path / "doses.jsonld"
    await desktop.type("Linked file", str(path))
    await desktop.press("Write new file")
    await until(lambda: "doses.jsonld has no changes" in texts(desktop))
    assert path.is_file()
    application.editor.edit(1, 1, {"raw_answer": "Edited here."})
    await desktop.press("Write to file")
    await until(lambda: "Edited here." in path.read_text("utf-8"))
    await desktop.press("Unlink")
    await until(lambda: [each.text for each in desktop.elements(ui.button)].count("Link file") == 1)
    await desktop.press("Link file")
    await until(lambda: "Enter the whole path of the file" in texts(desktop))
    await desktop.type("Linked file", str(path))
    await desktop.press("Link file")
    await until(lambda: application.library.exchanges.link(1) is not None)


async def test_changes_that_were_ignored_are_not_overwritten_without_a_question(
    user: User, application: Application, tmp_path: Path
) -> None:
    path = tmp_path / "doses.jsonld"
    links = application.editor.links
    links.write(1, str(path))
    path.write_text(path.read_text("utf-8").replace("aspirin", "ibuprofenum"), "utf-8")
    links.settle(1)  # as by *Mark as seen*
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/versions?link=1")
    await desktop.press("Write to file")
    await until(lambda: "doses.jsonld has changes that were never in this benchmark." in texts(desktop))
    await desktop.press("Cancel")
    assert "ibuprofenum" in path.read_text("utf-8")
    await desktop.press("Write to file")
    await until(lambda: any(each.text == "Overwrite" for each in desktop.elements(ui.button)))
    await desktop.press("Overwrite")
    await until(lambda: "ibuprofenum" not in path.read_text("utf-8"))
    assert "ibuprofenum" in (tmp_path / "doses.jsonld.bak").read_text("utf-8")
