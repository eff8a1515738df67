"""About a benchmark: its name and description, and the traits that hold for all of its questions."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from karenina_gui.gui.benchmarks.draft import BenchmarkDraft
from karenina_gui.gui.benchmarks.exporting import export_benchmark
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
from karenina_gui.gui.parts.shared_record import SharedField
from karenina_gui.gui.rubric.trait_list import TraitList
from karenina_gui.gui.workspaces.root_form import RootForm
from karenina_gui.schemas.benchmark import BenchmarkDocument


def draw(window: Window, benchmark_id: int) -> None:
    BenchmarkDetails(window, benchmark_id)


class BenchmarkDetails:
    def __init__(self, window: Window, benchmark_id: int) -> None:
        self.window, self.benchmark_id = window, benchmark_id
        self.draft = BenchmarkDraft(window, benchmark_id)
        with pane("About the benchmark"):
            with bar("Benchmark"):
                heading("About and rubric", 1)
                ui.space()
                button("Export file", lambda: export_benchmark(window, benchmark_id), icon="download")
            with scrolling():
                with ui.element("div").classes("form"):
                    self._about()
                    with ui.element("div").classes("group"):
                        heading("Workspaces")
                        RootForm(window, benchmark_id)
                with ui.element("div").classes("form form-wide"), ui.element("div").classes("group"):
                    self._rubric()

    def _about(self) -> None:
        self._text("name", "Name")
        self._text("description", "Description", area=True)
        with ui.element("div").classes("field-row"):
            self._text("version", "Version")
            self._creator()
        self.dates = ui.element("div").classes("hint")
        self._show_dates()
        self.draft.on_saved(self._show_dates)
        self.draft.on_elsewhere(self._show_dates)

    def _show_dates(self, *_: object) -> None:
        document = self.draft.document
        self.dates.clear()
        with self.dates:
            key_values(
                [("Made", day_and_time(document.date_created)), ("Changed", day_and_time(document.date_modified))]
            )

    def _rubric(self) -> None:
        heading("Traits for every question")
        ui.label(
            "They look at how an answer is given, whatever the question. A run evaluates them when it is set to "
            "template and rubric, or to rubric only."
        ).classes("hint")
        rubric = _rubric_of(self.draft.document)
        traits = TraitList(self.window, rubric, lambda rubric: self.draft.save("rubric", rubric))
        self.draft.on_elsewhere(lambda document: traits.show(_rubric_of(document)))

    def _text(self, name: str, title: str, *, area: bool = False) -> None:
        with field(title):
            make = text_area if area else text_input
            self._bind(make(title), self.draft.field(name, changes=lambda _, value: {name: value or ""}))

    def _creator(self) -> None:
        """A creator is a name, or a record of which only the name is edited."""

        def read(document: BenchmarkDocument) -> str:
            creator = document.creator
            return str(creator.get("name", "")) if isinstance(creator, dict) else creator

        def changes(document: BenchmarkDocument, value: Any) -> dict[str, Any]:
            creator = document.creator
            return {"creator": {**creator, "name": value or ""} if isinstance(creator, dict) else value or ""}

        with field("Creator"):
            self._bind(text_input("Creator"), self.draft.field("creator", read, changes))

    def _bind(self, control: Any, shared: SharedField[BenchmarkDocument]) -> None:
        bound = BoundField(control, shared)
        self.draft.on_elsewhere(lambda document: bound.show(shared.of(document)))
        self.draft.on_presence(lambda _: bound.edit.again())


def _rubric_of(document: BenchmarkDocument) -> dict[str, Any] | None:
    return document.rubric.model_dump(mode="json", exclude_defaults=True) if document.rubric else None
