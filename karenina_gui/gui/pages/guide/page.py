"""Page of the guide: contents and search on the left, one chapter on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from karenina_gui.analysis import glossary
from karenina_gui.gui.charts.charts import CHARTS
from karenina_gui.gui.kit.elements import pane, scrolling
from karenina_gui.gui.kit.figure_links import figure_entries
from karenina_gui.gui.kit.html import Html, join_html, link, tag
from karenina_gui.gui.pages.guide.chapters import CHAPTERS, CONTENTS, HOME, Chapter, address, search
from karenina_gui.runs.progress import JOBS_DONE, TIME_LEFT, TIME_SPENT

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute
    from karenina_gui.gui.session.window import Window

MOST_MATCHES = 30
FIGURES = (
    *(JOBS_DONE, TIME_SPENT, TIME_LEFT, *glossary.FIGURES),
    *(figure for chart in CHARTS for figure in chart.own_figures),
)


def draw(window: Window, route: PageRoute) -> None:
    chapter = CHAPTERS.get(route.query.get("page", HOME), CHAPTERS[HOME])
    ui.page_title(f"{chapter.title} · Guide · Karenina")
    with ui.element("div").classes("guide-page"):
        with pane("Contents of the guide", classes="guide-side"), scrolling():
            _contents(chapter)
        with pane("Guide"), scrolling():
            ui.markdown(chapter.markdown, extras=["tables", "fenced-code-blocks", "header-ids"]).classes("guide")
            if chapter.name == "glossary":
                ui.html(figures_in_words()).classes("guide guide-figures full-width")
            ui.html(_neighbors(chapter)).classes("guide guide-next")


def _contents(chapter: Chapter) -> None:
    """Draw the list of chapters, or the matching sections during a search."""
    box = ui.input(placeholder="Search the guide").props('outlined dense clearable type="search"').classes("input")
    box.props('aria-label="Search the guide"')
    # A single element, since its content changes with each keystroke of a search.
    content = ui.html(_list(chapter)).props('role="region" aria-label="Chapters" aria-live="polite"')
    entry = f"getHtmlElement({content.id})?.querySelector('[aria-current]')"
    ui.run_javascript(f"{entry}?.scrollIntoView({{block: 'nearest'}})")

    def find() -> None:
        content.set_content(_match_list(box.value or "") if (box.value or "").strip() else _list(chapter))

    box.on_value_change(find)


def _list(current: Chapter) -> Html:
    return join_html(
        tag(
            "div",
            tag("h2", part),
            tag("ul", *(tag("li", _entry(CHAPTERS[name], current)) for name in names), class_="bare-list"),
        )
        for part, names in CONTENTS.items()
    )


def _entry(chapter: Chapter, current: Chapter) -> Html:
    if chapter is current:
        return link(address(chapter.name), chapter.title, aria_current="page")
    return link(address(chapter.name), chapter.title)


def _match_list(query: str) -> Html:
    matches = list(search(query))
    if not matches:
        return tag("p", "No section matches. Try fewer words.", class_="hint")
    entries = (
        tag(
            "li",
            link(match.address, tag("b", match.section.title)),
            tag("p", f"{match.chapter.title}: {match.snippet}" if match.section.anchor else match.snippet),
        )
        for match in matches[:MOST_MATCHES]
    )
    return tag("ul", *entries, class_="guide-found")


def _neighbors(chapter: Chapter) -> Html:
    """Return links to the previous and the next chapter."""
    names = [*CHAPTERS]
    at = names.index(chapter.name)
    before, after = names[at - 1] if at else None, names[at + 1] if at + 1 < len(names) else None
    return join_html(
        [
            link(address(before), "← ", CHAPTERS[before].title) if before else tag("span"),
            link(address(after), CHAPTERS[after].title, " →") if after else tag("span"),
        ]
    )


def figures_in_words() -> Html:
    """Return the glossary of figures. Each entry comes from the code that computes the figure."""
    about = "Underlined figures of the application lead here, and so does the question mark next to a heading."
    entries = figure_entries(FIGURES)
    return join_html([tag("h2", "Glossary of figures", id="figures"), tag("p", about), entries])
