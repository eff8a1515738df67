"""Comparison page: what differs, filters, taking over, and the state of the linked file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from nicegui import ui
from nicegui.testing import User, UserInteraction

from karenina_gui.app import Application
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from tests.gui.desktop import Desktop
from tests.until import until


def texts(desktop: Desktop) -> str:
    """Everything that the page shows."""
    shown = [str(each.content) for each in desktop.elements(ui.html)]
    words = " ".join([*shown, *(each.text for each in desktop.elements(ui.label))])
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", words))


def entries(desktop: Desktop) -> list[tuple[str, str]]:
    """(address, text) of the list."""
    found = [str(each.content) for each in desktop.elements(ui.html)]
    rows = re.findall(r'<a href="([^"]+)" class="model-list-entry[^>]*>(.*?)</a>', "".join(found))
    return [(address.replace("&amp;", "&"), re.sub(r"<[^>]+>", " ", text)) for address, text in rows]


def select(desktop: Desktop, name: str) -> ui.select:
    (found,) = [each for each in desktop.elements(ui.select) if each.props.get("aria-label") == name]
    return found


@pytest.fixture
def other(application: Application, tmp_path: Path) -> str:
    """Address of a file of the example in which one question is edited, one is missing, and one is new."""
    path = application.editor.files.export_benchmark(1, tmp_path / "colleague.jsonld")
    document = load_checkpoint(path)
    first, _, *rest = document.entries
    first.question.raw_answer = "It acetylates COX-1."
    first.question.keywords = ["new"]
    document.entries = [first, *rest, first.model_copy(deep=True)]
    new = document.entries[-1].question
    new.question, new.raw_answer, new.answer_template, new.id = "Is this new?", "Yes, new.", None, "new"
    document.description = "Edited by a colleague."
    return application.editor.comparisons.add_file(save_checkpoint(document, path))


async def open_page(user: User, application: Application, other: str) -> Desktop:
    desktop = Desktop(user, application.services())
    await desktop.load(f"/benchmarks/1/versions/compare?with={other}")
    await until(lambda: entries(desktop))
    return desktop


async def test_differences_are_listed_filtered_and_searched(user: User, application: Application, other: str) -> None:
    desktop = await open_page(user, application, other)
    listed = [text for _, text in entries(desktop)]
    assert next(text.split()[0] for text in listed) == "Benchmark"
    assert "Changed: Reference answer and Keywords" in listed[1]
    assert len(listed) == 4
    assert "Questions: 1 changed, 1 only in the other version, 1 only here, and 11 unchanged; 0 conflicts." in texts(
        desktop
    )
    kind = select(desktop, "Show")
    assert list(kind.options.values())[:5] == [
        "All differences (4)",
        "Changed (1)",
        "Only in the other version (1)",
        "Only here (1)",
        "Same (11)",
    ]
    kind.set_value("same")
    await until(lambda: len(entries(desktop)) == 11)
    kind.set_value("differing")
    await desktop.type("Search questions", "this new")
    await until(lambda: [address.partition("question=")[2] for address, _ in entries(desktop)] == ["new"])
    await desktop.follow(entries(desktop)[0][0])
    await until(lambda: "Yes, new." in texts(desktop))


async def test_a_field_is_applied_and_undone_from_the_message(user: User, application: Application, other: str) -> None:
    desktop = await open_page(user, application, other)
    await desktop.follow(entries(desktop)[1][0])
    await desktop.press("Apply reference answer")
    reading = application.library.questions
    await until(lambda: reading.entry(1, 1).question.raw_answer == "It acetylates COX-1.")
    assert "new" not in reading.entry(1, 1).question.keywords
    await until(lambda: "Changed: Keywords" in entries(desktop)[1][1])
    await desktop.press("Undo")
    await until(lambda: "Changed: Reference answer and Keywords" in entries(desktop)[1][1])


async def test_everything_is_applied_after_a_question(user: User, application: Application, other: str) -> None:
    desktop = await open_page(user, application, other)
    (item,) = [each for each in desktop.elements(ui.menu_item) if "Apply all differences" in words_of(each)]
    UserInteraction(user, {item}, None).click()
    await until(lambda: "1 question changed, 1 question added, 1 question deleted" in texts(desktop))
    await desktop.press("Apply all")
    await until(lambda: not application.editor.comparisons.open(1, other).differences.some)
    await until(lambda: "Both versions are the same." in texts(desktop))


def words_of(item: ui.menu_item) -> str:
    return " ".join(str(each.text) for each in item.descendants() if hasattr(each, "text"))


async def test_a_conflict_shows_the_common_ancestor_and_stays_when_their_edits_are_applied(
    user: User, application: Application, other: str
) -> None:
    application.editor.edit(1, 1, {"raw_answer": "Edited here."})
    desktop = await open_page(user, application, other)
    await until(lambda: "Conflict: Reference answer · Changed: Keywords" in entries(desktop)[1][1])
    await desktop.follow(entries(desktop)[1][0])
    await until(lambda: "Show the common ancestor" in texts(desktop))
    assert "conflict: changed on both sides" in texts(desktop)
    title = "Apply everything that only the other version changed"
    (item,) = [each for each in desktop.elements(ui.menu_item) if title in words_of(each)]
    UserInteraction(user, {item}, None).click()
    await desktop.press("Apply all")
    await until(lambda: "Conflict: Reference answer" in entries(desktop)[0][1])
    first = application.library.questions.entry(1, 1).question
    assert (first.raw_answer, first.keywords) == ("Edited here.", ["new"])


async def test_the_other_version_is_chosen(user: User, application: Application) -> None:
    desktop = Desktop(user, application.services())
    application.editor.publishing.publish(1, "pilot")
    application.editor.edit(1, 1, {"raw_answer": "Edited here."})
    await desktop.load("/benchmarks/1/versions/compare")
    await until(lambda: entries(desktop))
    assert [address.partition("with=")[2] for address, _ in entries(desktop)][:2] == ["version:1", "benchmark:2"]
    await desktop.follow(entries(desktop)[0][0])
    await until(lambda: "Compare with v1 (pilot)" in texts(desktop))
    await until(lambda: "Changed: Reference answer" in texts(desktop))


async def test_a_version_that_is_gone_says_so(user: User, application: Application) -> None:
    desktop = Desktop(user, application.services())
    for address in ("file:gone", "version:99", "benchmark:99", "nonsense", "linked"):
        await desktop.load(f"/benchmarks/1/versions/compare?with={address}")
        await until(lambda: "Can’t compare" in texts(desktop))


async def test_a_changed_file_is_announced_on_every_page_of_its_benchmark(
    user: User, application: Application, tmp_path: Path
) -> None:
    links, path = application.editor.links, tmp_path / "doses.jsonld"
    links.write(1, str(path))
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/questions")
    document = load_checkpoint(path)
    document.entries[0].question.raw_answer = "Edited outside."
    save_checkpoint(document, path)
    await until(lambda: "doses.jsonld changed on disk: 1 question changed." in texts(desktop))
    await desktop.press("Compare")
    await until(lambda: "Compare with doses.jsonld" in texts(desktop))
    await until(lambda: len(entries(desktop)) == 1)
    await desktop.press("Apply all fields")
    await until(lambda: application.library.questions.entry(1, 1).question.raw_answer == "Edited outside.")
    await until(lambda: (state := links.state(1)) is not None and state.condition == "same")
    await desktop.follow("/benchmarks/1/details")
    assert "changed on disk" not in texts(desktop)
    path.write_bytes(path.read_bytes()[:-30])
    await until(lambda: "doses.jsonld can’t be read now: doses.jsonld is not valid JSON" in texts(desktop))
    path.unlink()
    await until(lambda: "doses.jsonld is no longer in its folder." in texts(desktop))
    links.unlink(1)
    await until(lambda: "no longer in its folder" not in texts(desktop))


async def test_a_change_of_the_file_is_set_aside_from_its_notice(
    user: User, application: Application, tmp_path: Path
) -> None:
    links, path = application.editor.links, tmp_path / "doses.jsonld"
    links.write(1, str(path))
    document = load_checkpoint(path)
    document.description = "Edited outside."
    save_checkpoint(document, path)
    links.look(1)
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/details")
    await until(lambda: "doses.jsonld changed on disk: benchmark details changed." in texts(desktop))
    await desktop.press("Mark as seen")
    await until(lambda: "changed on disk" not in texts(desktop))
    document.description = "Edited again."
    save_checkpoint(document, path)
    await until(lambda: "changed on disk" in texts(desktop))
    await desktop.follow("/benchmarks/1/versions/compare?with=linked")
    await desktop.press("Mark as seen")
    await until(lambda: (state := links.state(1)) is not None and state.condition == "same")
    assert application.library.benchmarks.frame(1).description != "Edited again."


async def test_questions_with_odd_ids_are_opened(user: User, application: Application, tmp_path: Path) -> None:
    odd = "urn:uuid:what is 6/7?&x=ü"
    document = application.library.benchmarks.document(2)
    document.entries[0].question.id = odd
    document.entries[0].question.question = "Something else entirely: what is 6/7?"
    path = save_checkpoint(document, tmp_path / "odd.jsonld")
    desktop = await open_page(user, application, application.editor.comparisons.add_file(path))
    (address,) = [each for each, text in entries(desktop) if "what is 6/7" in text]
    await desktop.follow(address)
    await until(lambda: odd in texts(desktop).replace("&amp;", "&"))
    await desktop.press("Add question")
    await until(lambda: odd in [row.id for row in application.library.questions.summaries(1)])
