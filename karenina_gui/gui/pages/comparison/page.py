"""Comparison page: questions of both versions on the left, the differences of one on the right.

The address holds the other version and the open question.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

from nicegui import run, ui

from karenina_gui.authoring.comparison.differences import ComparedQuestion, Differences, FieldDifference
from karenina_gui.authoring.comparison.fields import question_values
from karenina_gui.authoring.comparison.merging import Choice, everything, made_by, of_kind
from karenina_gui.authoring.comparison.service import LINKED, BenchmarkComparison
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import (
    button,
    chip,
    empty_state,
    focus_on,
    heading,
    menu_item,
    note,
    pane,
    scrolling,
    splitter,
    toolbar,
)
from karenina_gui.gui.kit.html import Html, join_html, link, tag
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.kit.routing import navigate_if_present
from karenina_gui.gui.kit.uploads import FileDrop, busy
from karenina_gui.gui.pages.comparison.field_view import FIELD_TITLES, MAKERS, entry_view, field_view
from karenina_gui.gui.pages.comparison.question_filter import QuestionFilterBar
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.schemas.command import benchmark_scope, sentence
from karenina_gui.store.question_ids import shorten
from karenina_gui.text import join_list, quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

AT_ONCE = 100
"""Questions that are listed first, and added by *Show more*."""
DETAILS = "benchmark"
"""Stands for the fields of the benchmark itself in the list."""
_Redraw = Callable[[], None]
RECENT = 20
"""Commands whose states are offered."""
Apply = Callable[[Choice, str], Awaitable[None]]
"""Takes differences over and then shows this message."""


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/benchmarks/{b}/versions/compare`; `?with=version:3` names the other version.

    `&question=…` opens a question by its id, `&part=benchmark` the fields of the benchmark itself.
    """
    if other := route.query.get("with"):
        opened = DETAILS if route.query.get("part") == DETAILS else route.query.get("question")
        ComparisonPage(window, route["b"], other).draw(opened)
    else:
        VersionChooser(window, route["b"]).draw()


class ComparisonPage:
    """Page of one comparison, which is made again after each edit of the benchmark."""

    def __init__(self, window: Window, benchmark_id: int, other: str) -> None:
        self._window, self._benchmark_id, self._other = window, benchmark_id, other
        self._comparisons = window.services.editor.comparisons
        self._comparison: BenchmarkComparison | None = None
        self._open: str | None = None
        self._limit = AT_ONCE

    def draw(self, opened: str | None) -> None:
        self._open = opened
        with pane("Comparison") as self._page:
            busy("Comparing…")
        ui.timer(0, self._load, once=True)
        self._window.listen(self._window.services.linked_file_changed, self._follow_file)
        # Debounced, because two benchmarks of thousands of questions take seconds to compare.
        self._window.listen(self._window.services.changes_debounced, self._reload)
        self._window.listen(self._window.address_changed, self._follow)

    async def _load(self) -> None:
        try:
            comparison = await run.io_bound(self._comparisons.open, self._benchmark_id, self._other)
        except InputError as error:
            self._page.clear()
            with self._page, empty_state("difference", "Can’t compare", str(error), level=1):
                button("Choose another version", self._choose, look="main")
            return
        if comparison is not None and not self._page.is_deleted:
            self._comparison = comparison
            self._fill()

    async def _follow_file(self, benchmark_id: int) -> None:
        """Compare with the linked file as it is now."""
        if benchmark_id == self._benchmark_id and self._other == LINKED and not self._page.is_deleted:
            await self._load()

    async def _reload(self) -> None:
        """Compare again if the benchmark was edited."""
        comparison = self._comparison
        if comparison is None or self._page.is_deleted:
            return
        benchmark = self._window.services.library.benchmarks.get_deleted(self._benchmark_id)
        if (
            benchmark
            or self._window.services.library.benchmarks.summary(self._benchmark_id).revision == comparison.revision
        ):
            return
        fresh = await run.io_bound(self._comparisons.again, comparison)
        # Another comparison may have been finished while this one was made.
        if fresh is not None and not self._page.is_deleted and self._comparison is comparison:
            self._show_again(fresh)

    def _fill(self) -> None:
        comparison = self._require()
        self._page.clear()
        with self._page:
            with toolbar("Comparison") as bar:
                bar.classes("compared-bar")
                heading(f"Compare with {comparison.other.title}", 1)
                ui.space()
                self._menu = ApplyMenu(self._apply)
                if self._other.startswith("benchmark:"):
                    button("Swap sides", self._swap, icon="swap_horiz", look="quiet")
                if self._other == LINKED:
                    button("Mark as seen", self._settle, icon="check", look="quiet")
                button("Compare with…", self._choose, look="quiet")
            self._notes()
            with splitter(self._window, "comparison", 40) as panes:
                with panes.before, pane("Questions"):
                    self._filter = QuestionFilterBar(self._show_list)
                    with scrolling("List of questions"):
                        self._list = ui.html("", sanitize=False).classes("history-list")
                        self._more = button("Show more", self._show_more, look="quiet")
                with panes.after:
                    self._detail = ui.element("div").classes("pane")
        self._window.register_command("question.next", partial(self._step, 1))
        self._window.register_command("question.previous", partial(self._step, -1))
        self._show_again(comparison)

    def _notes(self) -> None:
        comparison = self._require()
        with ui.element("div").classes("compared-notes when-filled"):
            self._summary = ui.label().props('role="status"')
            ui.label(f"Applying a difference changes this benchmark to match {comparison.other.title}.").classes("hint")
            if comparison.differences.by_ancestor:
                ui.label(
                    "Both versions have a common ancestor, so each difference says which side made it. A conflict was "
                    "changed on both sides."
                ).classes("hint")
            if comparison.other.notes:
                note("\n".join(comparison.other.notes), "warn")

    def _show_again(self, comparison: BenchmarkComparison) -> None:
        """Show another state of the comparison; the open question stays open if it still differs."""
        self._comparison = comparison
        self._summary.text = summary(comparison.differences)
        self._filter.show(comparison.differences)
        self._menu.show(comparison)
        self._show_list()
        keys = self._keys()
        present = self._open == DETAILS or (self._open is not None and self._open in comparison.differences.by_key)
        self._show(self._open if present else next(iter(keys), None))

    def _show_list(self) -> None:
        questions = self._filter.matches(self._require().differences)
        entries = [*self._details_entry(), *(self._entry(question) for question in questions[: self._limit])]
        content = tag("ul", *entries, class_="model-list") if entries else tag("p", self._nothing(), class_="hint")
        self._list.set_content(content)
        self._more.set_visibility(len(questions) > self._limit)

    def _nothing(self) -> str:
        same = not self._require().differences.some
        return "Both versions are the same." if same else "No question matches the filter."

    def _details_entry(self) -> list[Html]:
        details = self._require().differences.details
        if not details or not self._filter.allows_details:
            return []
        return [self._row(DETAILS, "Benchmark details", quantity(len(details), "field"))]

    def _entry(self, question: ComparedQuestion) -> Html:
        return self._row(question.key, shorten(question.text), self._filter.difference_text(question))

    def _row(self, key: str, title: str, about: str) -> Html:
        body = join_html([tag("b", title), tag("span", about, class_="model-words line wraps muted small")])
        here = "true" if key == self._open else None
        return tag("li", link(self._address(key), body, class_="model-list-entry", aria_current=here))

    def _address(self, key: str | None) -> str:
        start = f"/benchmarks/{self._benchmark_id}/versions/compare?with={quote(self._other)}"
        if key is None:
            return start
        return f"{start}&part={DETAILS}" if key == DETAILS else f"{start}&question={quote(key, safe='')}"

    def _keys(self) -> list[str]:
        """Entries of the list, from the top."""
        differences = self._require().differences
        details = [DETAILS] if differences.details and not self._filter.text else []
        return [*details, *(question.key for question in self._filter.matches(differences))]

    def _step(self, by: int) -> None:
        keys = self._keys()
        if not keys:
            return
        at = keys.index(self._open) + by if self._open in keys else 0
        if 0 <= at < len(keys):
            if at >= self._limit:
                self._limit = at + 1
                self._show_list()
            ui.navigate.to(self._address(keys[at]))

    def _follow(self, address: str) -> None:
        """Open the question of the new address, if it is one of this page."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        key = DETAILS if "part" in query else query.get("question", "")
        # Not by the whole address: a browser may escape other characters of an id than Python does.
        is_here = urlsplit(address).path == urlsplit(self._address(None)).path and query.get("with") == self._other
        if self._comparison and key and is_here and not self._detail.is_deleted:
            self._show(key)

    def _show(self, key: str | None) -> None:
        self._open = key
        self._mark()
        comparison = self._require()
        self._detail.clear()
        with self._detail:
            view = DifferenceView(self._window, comparison, self._apply)
            if key is None:
                with empty_state("check_circle", "No differences", "Both versions are the same."):
                    pass
            elif key == DETAILS:
                view.draw_details()
            elif key in comparison.differences.by_key:
                view.draw(comparison.differences.by_key[key])
            else:
                with empty_state("search_off", "Question not found", "Neither version has a question with this ID."):
                    pass

    def _show_more(self) -> None:
        self._limit += AT_ONCE
        self._show_list()

    async def _apply(self, choice: Choice, done_text: str) -> None:
        """Apply differences; a message offers to undo it."""
        comparison, before = self._require(), self._keys()
        try:
            done = await self._window.write(as_one(self._comparisons.apply), comparison, choice)
        except InputError as error:
            self._window.notify(str(error), "bad")
            await self._reload()
            return
        self._window.note_saved()
        self._window.notify(done_text, "good", undo=partial(self._window.undo, done.command_id))
        fresh = await run.io_bound(self._comparisons.again, comparison)
        if fresh is None or self._page.is_deleted:
            return
        self._open_next(before, fresh)
        # Nothing is left to decide, so that the notice about the file would only be in the way.
        if self._other == LINKED and not fresh.differences.some:
            await self._settle()

    def _open_next(self, before: Sequence[str], fresh: BenchmarkComparison) -> None:
        """Open the question after one that no longer differs."""
        differing = {question.key for question in fresh.differences.differing} | (
            {DETAILS} if fresh.differences.details else set()
        )
        # So that a person who works through the list by keys never has to look for the place.
        if self._open not in differing and self._open in before:
            at = before.index(self._open)
            following = [key for key in (*before[at + 1 :], *reversed(before[:at])) if key in differing]
            self._open = next(iter(following), None)
        self._show_again(fresh)
        focus_on(self._detail)

    async def _settle(self) -> None:
        try:
            document = self._require().other.document
            await self._window.write(self._window.services.editor.links.settle, self._benchmark_id, document)
        except InputError as error:
            self._window.notify(str(error), "bad")
            await self._load()
            return
        self._window.notify("Marked as seen. The next change of the file is reported again.", "good")

    def _swap(self) -> None:
        other = self._other.partition(":")[2]
        ui.navigate.to(f"/benchmarks/{other}/versions/compare?with=benchmark:{self._benchmark_id}")

    def _choose(self) -> None:
        ui.navigate.to(f"/benchmarks/{self._benchmark_id}/versions/compare")

    def _require(self) -> BenchmarkComparison:
        assert self._comparison is not None
        return self._comparison

    def _mark(self) -> None:
        """Mark the open question in the list, where a link may have the focus."""
        address = json.dumps(self._address(self._open))
        self._list.client.run_javascript(_MARK % (self._list.id, address))


def summary(differences: Differences) -> str:
    """Counts of the questions in one sentence."""
    counts = differences.counts
    kinds = [
        (counts["changed"], "changed"),
        (counts["there"], "only in the other version"),
        (counts["here"], "only here"),
        (counts["same"], "unchanged"),
    ]
    parts = [f"{count:,} {word}" for count, word in kinds if count]
    conflicts = sum("both" in question.makers for question in differences.differing)
    ending = f"; {quantity(conflicts, 'conflict')}." if differences.by_ancestor else "."
    return f"Questions: {join_list(parts) or 'none'}{ending}"


_MARK = """for (const each of getHtmlElement(%d)?.querySelectorAll("a") ?? []) {
  if (each.getAttribute("href").endsWith(%s)) each.setAttribute("aria-current", "true");
  else each.removeAttribute("aria-current");
}"""


class ApplyMenu:
    """Button with a menu, drawn into the current element."""

    def __init__(self, apply: Callable[[Choice, str], Awaitable[None]]) -> None:
        self._apply = apply
        self._button = button("Apply…", icon="call_merge", look="main").props('aria-haspopup="menu"')
        self._container = ui.element("div")
        """Container of the dialog."""
        with self._button:
            self._menu = ui.menu().props('auto-close role="menu" aria-label="Apply"').classes("menu")

    def show(self, comparison: BenchmarkComparison) -> None:
        """Offer what the comparison has."""
        choices = _choices(comparison.differences)
        self._button.set_enabled(bool(choices))
        self._menu.clear()
        with self._menu:
            for title, choice in choices:
                menu_item(title, partial(self._ask, comparison, title, choice))

    async def _ask(self, comparison: BenchmarkComparison, title: str, choice: Choice) -> None:
        consequence = effect(comparison.differences, choice)
        # Said before, because a deletion here is easily overlooked among hundreds of other differences.
        with self._container, dialog("Apply differences", f"{title}?") as confirmation:
            ui.label(f"{consequence} You can undo it in one step.")
            with dialog_actions():
                button("Cancel", lambda: confirmation.submit(False))
                button("Apply all", lambda: confirmation.submit(True), look="main")
        if await confirmation:
            await self._apply(choice, consequence)


def _choices(differences: Differences) -> list[tuple[str, Choice]]:
    """Titles and choices, those that change nothing left out."""
    offered = []
    if differences.by_ancestor:
        offered.append(("Apply everything that only the other version changed", made_by(differences, "theirs")))
    offered += [
        ("Apply all changed questions", of_kind(differences, "changed")),
        ("Add all questions of the other version", of_kind(differences, "there")),
        ("Delete all questions that only this benchmark has", of_kind(differences, "here")),
        ("Apply the benchmark details", Choice(details=frozenset(detail.name for detail in differences.details))),
        ("Apply all differences", everything(differences)),
    ]
    return [(title, choice) for title, choice in offered if choice]


def effect(differences: Differences, choice: Choice) -> str:
    """Count what a choice does to the benchmark, in one sentence."""
    kinds = [differences.by_key[key].kind for key in choice.questions]
    parts = [
        (kinds.count("changed"), "changed"),
        (kinds.count("there"), "added"),
        (kinds.count("here"), "deleted"),
    ]
    phrases = [f"{quantity(count, 'question')} {word}" for count, word in parts if count]
    if choice.details:
        phrases.append(f"{quantity(len(choice.details), 'field')} of the benchmark changed")
    return f"{join_list(phrases)}."


class VersionChooser:
    """Page without another version yet."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        self._window, self._benchmark_id = window, benchmark_id

    def draw(self) -> None:
        with pane("Comparison"):
            with toolbar():
                heading("Compare with another version", 1)
            with scrolling("Versions"), ui.element("div").classes("form"):
                ui.label(
                    "Shows which questions differ, field by field, and applies the differences that you choose to this "
                    "benchmark. The other version stays as it is."
                ).classes("hint")
                self._group("Benchmark file", self._file)
                self._links("Published versions", self._versions(), "No published versions yet.")
                self._links("Other benchmarks", self._benchmarks(), "No other benchmarks.")
                self._links("Earlier states", self._states(), "No earlier states yet.")

    def _group(self, title: str, content: object) -> None:
        with ui.element("div").classes("group"):
            heading(title)
            if callable(content):
                content()

    def _file(self) -> None:
        if linked := self._window.services.library.exchanges.link(self._benchmark_id):
            ui.html(
                _list([(self._address(LINKED), linked.path.name, f"Linked file in {linked.path.parent}")]),
                sanitize=False,
            )
        self._problems = ui.element("div").props('role="status"')
        FileDrop("Choose a benchmark file, or drop it here", ".jsonld,.json", self._use_file)

    async def _use_file(self, path: Path) -> None:
        self._problems.clear()
        try:
            address = await run.io_bound(self._window.services.editor.comparisons.add_file, path)
        except InputError as error:
            if not self._problems.is_deleted:
                with self._problems:
                    note(str(error), "bad")
            return
        if address is not None:
            navigate_if_present(self._problems, self._address(address))

    def _links(self, title: str, rows: list[tuple[str, str, str]], nothing: str) -> None:
        with ui.element("div").classes("group"):
            heading(title)
            ui.html(_list(rows) if rows else tag("p", nothing, class_="hint"), sanitize=False)

    def _versions(self) -> list[tuple[str, str, str]]:
        versions = self._window.services.library.published.all(self._benchmark_id)
        return [
            (self._address(f"version:{version.id}"), version.label, f"Published {day_and_time(version.published_at)}")
            for version in versions
        ]

    def _benchmarks(self) -> list[tuple[str, str, str]]:
        benchmarks = self._window.services.library.benchmarks.summaries()
        return [
            (self._address(f"benchmark:{benchmark.id}"), benchmark.name, quantity(benchmark.questions, "question"))
            for benchmark in benchmarks
            if benchmark.id != self._benchmark_id
        ]

    def _states(self) -> list[tuple[str, str, str]]:
        log = self._window.services.library.commands
        commands = log.entries((benchmark_scope(self._benchmark_id),), limit=RECENT + 1)
        # The state after the last command is the present one.
        return [
            (self._address(f"command:{command.id}"), f"After: {sentence(command)}", day_and_time(command.at))
            for command in commands[1:]
            if command.state == "done"
        ]

    def _address(self, other: str) -> str:
        return f"/benchmarks/{self._benchmark_id}/versions/compare?with={other}"


def _list(rows: list[tuple[str, str, str]]) -> Html:
    entries = (
        tag(
            "li",
            link(
                address,
                join_html([tag("b", title), tag("span", about, class_="model-words line wraps muted small")]),
                class_="model-list-entry compared-choice",
            ),
        )
        for address, title, about in rows
    )
    return tag("ul", *entries, class_="model-list")


class DifferenceView:
    """Draws the pane into the current element."""

    def __init__(self, window: Window, comparison: BenchmarkComparison, apply: Apply) -> None:
        self._window, self._comparison, self._apply = window, comparison, apply
        self._titles = ("This benchmark", comparison.other.heading)

    def draw(self, question: ComparedQuestion) -> None:
        """Draw the differences of a question."""
        whole = Choice({question.key: None})
        with toolbar("Question"):
            ui.label(QuestionFilterBar.difference_text(question)).classes("hint")
            ui.space()
            if question.here is not None:
                button("Open question", partial(self._open, question.key), look="quiet")
            if question.kind == "changed":
                button("Apply all fields", partial(self._apply, whole, "Applied the question."), look="main")
            elif question.kind == "there":
                button("Add question", partial(self._apply, whole, "Added the question."), icon="add", look="main")
            elif question.kind == "here":
                button("Delete here", partial(self._apply, whole, "Deleted the question."), icon="delete")
        with scrolling("Differences"), ui.element("div").classes("history-detail"):
            heading(" ".join(question.text.split()))
            for field in question.fields:
                self._field(field, Choice({question.key: frozenset({field.name})}))
            self._whole_entry(question)

    def draw_details(self) -> None:
        """Draw the differences of the benchmark’s own fields."""
        details = self._comparison.differences.details
        every = Choice(details=frozenset(detail.name for detail in details))
        with toolbar("Benchmark details"):
            ui.space()
            if details:
                button("Apply all fields", partial(self._apply, every, "Applied the details."), look="main")
        with scrolling("Differences"), ui.element("div").classes("history-detail"):
            heading("Benchmark details")
            for detail in details:
                self._field(detail, Choice(details=frozenset({detail.name})))

    def _field(self, field: FieldDifference, choice: Choice) -> None:
        title = FIELD_TITLES[field.name]
        with ui.element("section").props(aria_label(title)).classes("compared-section shrinks grid gap-4"):
            with ui.element("div").classes("line wraps gap-8"):
                ui.label(title).classes("field-label")
                if field.maker is not None:
                    chip(MAKERS[field.maker], "warn" if field.maker == "both" else "plain")
                ui.space()
                applies = button("Apply", partial(self._apply, choice, f"Applied: {title.lower()}."))
                applies.props(aria_label(f"Apply {title.lower()}"))
            ui.html(field_view(field, self._titles), sanitize=False).classes("compared-values")

    def _whole_entry(self, question: ComparedQuestion) -> None:
        if question.kind == "changed":
            return
        entry = question.there or question.here
        assert entry is not None
        title = self._titles[1] if question.kind == "there" else self._titles[0]
        ui.html(entry_view(question_values(entry), title), sanitize=False).classes("full-width")

    def _open(self, question_id: str) -> None:
        benchmark = self._comparison.benchmark_id
        try:
            number = self._window.services.library.questions.number_of(benchmark, question_id)
        except NotFoundError as error:
            self._window.notify(str(error), "bad")
            return
        ui.navigate.to(f"/benchmarks/{benchmark}/questions/{number}")
