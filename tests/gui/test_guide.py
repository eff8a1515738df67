"""The guide: every chapter can be reached, read, and found, and names what is really there."""

from __future__ import annotations

import re

from nicegui import ui
from nicegui.testing import User

from karenina_gui.gui.charts.charts import CHARTS
from karenina_gui.gui.pages.guide.chapters import CHAPTERS, FOLDER, Match, address, search
from karenina_gui.gui.pages.templates.comparisons import COMPARISONS
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.shell.commands import COMMANDS
from karenina_gui.gui.shell.pages import PAGES
from karenina_gui.static_files import static_folder
from tests.gui.desktop import Desktop
from tests.until import until
from tests.user_texts import texts

LONGEST = 620
"""Words of a chapter, without what the application's own tables and lists fill in."""
NOT_IN_THE_PRODUCT = {
    *("Agents: a first look", "Every Eval Ever", "Medicines: a first look"),
    *("within", "between", "inhibits", "does not inhibit"),
}
EXPLAINED = {
    *("agent", "baseline", "condition", "configuration", "flaky", "model", "ready", "reference answer", "replicates"),
    *("their", "trait", "untitled", "variable", "why", "workspace"),
}
"""Terms in italics where they are introduced."""


def test_every_file_is_a_chapter_and_each_begins_with_its_title() -> None:
    assert {file.stem for file in FOLDER.glob("*.md")} == CHAPTERS.keys()
    for chapter in CHAPTERS.values():
        assert re.match(r"# [A-Zk].*\n\n", chapter.markdown), chapter.name
    titles = [chapter.title for chapter in CHAPTERS.values()]
    assert len({*titles}) == len(titles)


def test_chapters_are_short() -> None:
    long = {
        name: len(chapter.markdown.split())
        for name, chapter in CHAPTERS.items()
        if name not in ("columns", "glossary", "extend", "outcomes")
    }
    assert {name: words for name, words in long.items() if words > LONGEST} == {}


def test_links_and_pictures_of_the_guide_lead_somewhere() -> None:
    anchors = {address(name): {section.anchor for section in chapter.sections} for name, chapter in CHAPTERS.items()}
    for chapter in CHAPTERS.values():
        for to in re.findall(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)", chapter.markdown):
            place, _, anchor = to.partition("#")
            assert place.startswith("http") or place in anchors, (chapter.name, to)
            assert not anchor or anchor in anchors[place] or anchor == "figures", (chapter.name, to)
        for picture in re.findall(r"!\[[^\]]+\]\(/static/\w+/([^)]+)\)", chapter.markdown):
            assert (static_folder() / picture).is_file(), (chapter.name, picture)


def test_every_page_of_the_application_has_a_chapter() -> None:
    assert {page.chapter for page in PAGES if page.chapter} <= CHAPTERS.keys()
    assert [page.path for page in PAGES if not page.chapter] == ["/guide"]


def test_labels_that_the_guide_names_are_in_the_application() -> None:
    scripts = "".join(file.read_text("utf-8") for file in static_folder().rglob("*.js"))
    known = {_bare(text.text) for text in texts()} | {command.title.strip("…") for command in COMMANDS}
    known |= {*re.findall(r'"([A-Z][^"\n]+)"', scripts)}
    missing = {
        (chapter.name, label)
        for chapter in CHAPTERS.values()
        if chapter.name != "extend"
        for named in re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", _unwrapped(chapter.name))
        for label in map(_bare, named.split(" → "))
        if label not in known | NOT_IN_THE_PRODUCT | EXPLAINED | {"File", "Edit"} and not re.match(r"\d|of \d", label)
    }
    assert missing == set()


def _unwrapped(chapter: str) -> str:
    """The text of a chapter with each paragraph on one line: a label may begin on one line and end on the next."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", (FOLDER / f"{chapter}.md").read_text("utf-8"))


def _bare(label: str) -> str:
    return label.strip(" …:.")


def test_the_table_of_comparisons_is_that_of_the_form() -> None:
    rows = re.findall(r"^\| (.+) \| (.+) \| `(\w+)` \|$", CHAPTERS["comparisons"].markdown, re.MULTILINE)
    assert rows == [(text.title, text.example, name) for name, text in COMPARISONS.items()]


def test_names_in_the_meanings_of_columns_keep_their_underscores() -> None:
    table = CHAPTERS["columns"].markdown
    assert "`all_of` (all), `any_of` (at least one), or `at_least_n` (at least n)" in table
    assert not re.findall(r"(?<!`)\b\w+_\w+\b(?!`)", table)


def test_sections_are_found_by_all_their_words() -> None:
    assert [*search("  ")] == [] and [*search("unheard-of words")] == []
    first = next(search("command SANDBOX"))
    assert isinstance(first, Match) and first.section.title == "Command sandbox"
    assert first.address == "/guide?page=agents#command-sandbox"
    words = [match.section.text.casefold() + match.section.title.casefold() for match in search("wilson interval")]
    assert words and all("wilson" in each and "interval" in each for each in words)


def test_every_chart_has_a_section() -> None:
    sections = {section.title for name in ("charts", "variation-charts") for section in CHAPTERS[name].sections}
    assert {kind.title for kind in CHARTS} <= sections


async def test_the_page_has_contents_search_and_a_way_on(user: User, services: AppContext) -> None:
    desktop = Desktop(user, services)
    await desktop.load("/guide?page=agents")
    await user.should_see("Command sandbox")
    await desktop.type("Search the guide", "wilson")
    await until(lambda: "Intervals of means" in _listed(desktop))
    await desktop.type("Search the guide", "zzyzx")
    await until(lambda: "No section matches" in _listed(desktop))
    await desktop.type("Search the guide", "")
    await until(lambda: "Answer templates" in _listed(desktop))


def _listed(desktop: Desktop) -> str:
    return next(
        each.content
        for each in desktop.client.elements.values()
        if isinstance(each, ui.html) and "Chapters" in str(each.props)
    )


async def test_help_shows_the_chapter_about_the_page(user: User, services: AppContext) -> None:
    desktop = Desktop(user, services)
    await desktop.load("/models")
    await desktop.press("Page help")
    await user.should_see("Open in the guide")
    (chapter,) = user.find(ui.markdown).elements
    assert chapter.content == CHAPTERS["models"].markdown
    await desktop.follow("/settings")
    await until(lambda: chapter.content == CHAPTERS["keyboard"].markdown)
    assert desktop.address == "/settings"
