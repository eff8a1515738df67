"""Choice of answering models and judges on the Run page; follows changes of models and keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui import example
from karenina_gui.gui.components.elements import field
from karenina_gui.gui.models.model_text import ModelWords
from karenina_gui.gui.run_setup.abilities import Place, limitations, no_judges
from karenina_gui.gui.run_setup.draft import RunDraft
from karenina_gui.gui.session.app_context import ModelChange
from karenina_gui.gui.session.window import Window

PLACES: tuple[Place, ...] = ("models", "judges")
"""Roles, as named in `RunDraft`."""


class ModelChoice:
    """Choice of models; `changed` receives a role and its models, `stirred` reports changes of a model itself."""

    def __init__(
        self,
        window: Window,
        benchmark_id: int,
        choice: RunDraft,
        changed: Callable[[str, list[str]], Any],
        stirred: Callable[[], Any],
    ) -> None:
        self._window = window
        self._benchmark_id = benchmark_id
        self._catalog = window.services.runs.models
        self._words = ModelWords(self._catalog)
        self._choice = choice
        self._changed = changed
        self._stirred = stirred
        self._places: dict[str, ui.element] = {}
        self.models = window.services.library.models.all()
        """Models by name that can be selected."""
        self._foreign = self._find_foreign()
        """Sample models that cannot answer this benchmark, and are hidden until asked for."""

    def draw(self) -> None:
        with field("Answering models"):
            self._places["models"] = ui.element("div").classes("run-form-models")
            with ui.element("div").classes("run-form-links"):
                ui.link("Manage models", "/models").classes("run-form-link")
                self._samples = ui.checkbox("Show models of the examples", on_change=self._fill).props("dense")
            with self._samples:
                ui.tooltip("They replay the answers of the examples, so they can’t answer other questions.")
        with field("Judge", "fills template fields from answers, and rates traits"):
            self._places["judges"] = ui.element("div").classes("run-form-models")
            self._unable = ui.label().classes("hint")
        self._fill()
        self._window.listen(self._window.services.models_changed, self._on_model_changed)
        self._window.listen(self._window.services.keys_changed, self._refresh)

    def _find_foreign(self) -> set[str]:
        if not any(map(example.is_sample, self.models.values())):
            return set()
        return example.foreign_samples(
            self.models, self._window.services.library.questions.wordings(self._benchmark_id)
        )

    def _is_shown(self, name: str) -> bool:
        chosen = any(name in self._names_in(place) for place in PLACES)
        return name not in self._foreign or chosen or bool(self._samples.value)

    def _fill(self) -> None:
        self._samples.set_visibility(bool(self._foreign))
        shown = [name for name in self.models if self._is_shown(name)]
        able = [name for name in shown if self._catalog.can_judge(self.models[name])]
        for place, names in zip(PLACES, (shown, able), strict=True):
            self._places[place].clear()
            with self._places[place]:
                if not names:
                    ui.label("No models yet. Add one first.").classes("hint")
                for name in names:
                    self._line(place, name)
        unable = [name for name in shown if name not in able]
        self._unable.text = no_judges(unable)
        self._unable.set_visibility(bool(unable))

    def _line(self, place: Place, name: str) -> None:
        with ui.element("div").classes("run-form-model"):
            box = ui.checkbox(
                name, value=name in self._names_in(place), on_change=lambda e: self._tick(place, name, bool(e.value))
            )
            with ui.element("div") as said:
                ui.html(self._words.line(name, self.models[name]))
                for sentence in limitations(self.models[name], place, self._catalog):
                    ui.label(sentence).classes("hint")
            box.props("dense").props["aria-describedby"] = said.html_id

    def _tick(self, place: str, name: str, on: bool) -> None:
        """Select or deselect a model; deleted models are deselected too, because the list did not show them."""
        kept = [each for each in self._names_in(place) if each != name]
        chosen = [*kept, name] if on else kept
        self._changed(place, [each for each in self.models if each in chosen])

    def _names_in(self, place: str) -> list[str]:
        chosen: list[str] = getattr(self._choice, place)
        return chosen

    def _on_model_changed(self, news: ModelChange) -> None:
        """Process a change on the Models page."""
        # A renamed model stays selected.
        if news.before != news.name and news.before is not None and news.name is not None:
            for place in PLACES:
                names = self._names_in(place)
                if news.before in names:
                    self._changed(place, [news.name if name == news.before else name for name in names])
        self._refresh()

    def _refresh(self) -> None:
        self.models = self._window.services.library.models.all()
        self._foreign = self._find_foreign()
        self._fill()
        self._stirred()
