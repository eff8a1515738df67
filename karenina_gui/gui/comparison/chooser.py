"""Choice of the version that the open benchmark is compared with."""

from __future__ import annotations

from pathlib import Path

from nicegui import run, ui

from karenina_gui.authoring.comparison.service import LINKED
from karenina_gui.errors import InputError
from karenina_gui.gui.components.dates import day_and_time
from karenina_gui.gui.components.elements import heading, note, pane, scrolling, toolbar
from karenina_gui.gui.components.html import Html, join_html, link, tag
from karenina_gui.gui.components.routing import navigate_if_present
from karenina_gui.gui.components.uploads import FileDrop
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.command import benchmark_scope, sentence
from karenina_gui.text import quantity

RECENT = 20
"""Commands whose states are offered."""


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
