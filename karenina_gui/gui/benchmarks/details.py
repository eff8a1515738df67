"""About a benchmark: its name and description, and the traits that hold for all of its questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from pydantic import ValidationError

from karenina_gui.authoring.changes import Change
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.parts.bound_field import BoundField
from karenina_gui.gui.parts.dates import day_and_time
from karenina_gui.gui.parts.elements import (
    bar,
    button,
    field,
    heading,
    key_values,
    pane,
    scrolling,
    text_area,
    text_input,
)
from karenina_gui.gui.rubric.tab import TraitList
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.problems import problem_at_its_field


def draw(window: Window, benchmark_id: int) -> None:
    BenchmarkDetails(window, benchmark_id)


class BenchmarkDetails:
    def __init__(self, window: Window, benchmark_id: int) -> None:
        self.window, self.benchmark_id = window, benchmark_id
        self.desk = window.studio.desk
        self.document = self.desk.frame(benchmark_id)
        self._shows: list[Callable[[BenchmarkDocument], Any]] = []
        with pane("About the benchmark"):
            with bar("Benchmark"):
                heading("About and rubric", 1)
                ui.space()
                button(
                    "Export file",
                    lambda: ui.download.from_url(f"/api/benchmarks/{benchmark_id}/file"),
                    icon="download",
                )
            with scrolling(), ui.element("div").classes("form"):
                self._about()
                with ui.element("div").classes("group"):
                    self._rubric()
        window.listen(window.studio.edited, self._on_change)

    def _about(self) -> None:
        self._text("name", "Name")
        self._text("description", "Description", area=True)
        with ui.element("div").classes("field-row"):
            self._text("version", "Version")
            self._creator()
        dates = [
            ("Made", day_and_time(self.document.date_created)),
            ("Changed", day_and_time(self.document.date_modified)),
        ]
        with ui.element("div").classes("hint"):
            key_values(dates)

    def _rubric(self) -> None:
        heading("Traits for every question")
        ui.label(
            "They look at how an answer is given, whatever the question. A run evaluates them when it is set to "
            "template and rubric, or to rubric only."
        ).classes("hint")
        traits = TraitList(self.window, _rubric_of(self.document), lambda rubric: self._save("rubric", rubric))
        self._shows.append(lambda document: traits.show(_rubric_of(document)))

    def _text(self, name: str, title: str, *, area: bool = False) -> None:
        with field(title):
            make = text_area if area else text_input
            bound = BoundField(make(title, getattr(self.document, name)), lambda value: self._save(name, value or ""))
        self._shows.append(lambda document: bound.show(getattr(document, name)))

    def _creator(self) -> None:
        """A creator is a name, or a record of which only the name is edited."""

        def write(value: Any) -> str | None:
            creator = self.document.creator
            return self._save("creator", {**creator, "name": value} if isinstance(creator, dict) else value or "")

        def read(document: BenchmarkDocument) -> str:
            creator = document.creator
            return str(creator.get("name", "")) if isinstance(creator, dict) else creator

        with field("Creator"):
            bound = BoundField(text_input("Creator", read(self.document)), write)
        self._shows.append(lambda document: bound.show(read(document)))

    def _save(self, name: str, value: Any) -> str | None:
        try:
            at = self.desk.edit_benchmark(self.benchmark_id, {name: value})
        except ValidationError as error:
            return problem_at_its_field(error)
        except InputError as error:
            return str(error)
        self.document = self.desk.frame(self.benchmark_id)
        self.window.note_saved(at)
        return None

    def _on_change(self, change: Change) -> None:
        if change.benchmark_id != self.benchmark_id or change.question_id is not None:
            return
        try:
            self.document = self.desk.frame(self.benchmark_id)
        except NotFoundError:
            return
        for show in self._shows:
            show(self.document)


def _rubric_of(document: BenchmarkDocument) -> dict[str, Any] | None:
    return document.rubric.model_dump(mode="json", exclude_defaults=True) if document.rubric else None
