"""Choice of answering models and judges on the Run page; follows changes of models and keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from nicegui import ui

from karenina_gui import example
from karenina_gui.gui.kit.elements import field
from karenina_gui.gui.pages.models.model_text import ModelWords
from karenina_gui.gui.pages.models.samples import unused_samples
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.session.app_context import ModelChange
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.text import join_list

ROLES: tuple[Role, ...] = ("models", "judges")
"""Roles, as named in `RunDraft`."""
Role = Literal["models", "judges"]
"""Role of a model, as named in `RunDraft`."""


def limitations(model: ModelConfig, role: Role, catalog: ModelCatalog) -> list[str]:
    """List the limits of a model in a role as sentences; empty: no limits."""
    if role == "judges":
        return [] if catalog.keeps_to_schemas(model) else [IN_WORDS]
    sentences = [] if catalog.is_asked(model) else [NOT_ASKED]
    if tools := catalog.tools_in_vain(model):
        sentences.append(f"Can’t use its tools: {', '.join(tools)}.")
    return sentences


IN_WORDS = "No structured output: asked for JSON in the prompt, so invalid replies are more likely."
NOT_ASKED = "Recorded answers: few-shot examples and instructions have no effect."


def no_judges(names: Sequence[str]) -> str:
    """Sentence about models that cannot judge: `a and b can’t judge: recorded answers only.`"""
    return f"{join_list(names)} can’t judge: recorded answers only."


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
        self._descriptions = ModelWords(self._catalog)
        self._choice = choice
        self._changed = changed
        self._stirred = stirred
        self._lists: dict[Role, ui.element] = {}
        self._lines: dict[str, ui.html] = {}
        """Descriptions by model. The list of judges has the names alone."""
        self._boxes: dict[tuple[Role, str], ui.checkbox] = {}
        self._drawn: dict[Role, list[tuple[str, list[str]]]] = {}
        """Models and their limits in the lists."""
        self.models = window.services.library.models.all()
        """Models by name that can be selected."""
        self._foreign = self._find_foreign()
        """Sample models that cannot answer this benchmark, and are hidden until asked for."""

    def draw(self) -> None:
        with field("Answering models"):
            self._lists["models"] = ui.element("div").classes("run-form-models")
            with ui.element("div").classes("run-form-links line wraps"):
                self._link = ui.link("", "/models").classes("run-form-link")
                self._samples = ui.checkbox("Show models of the examples", on_change=self._fill).props("dense")
            with self._samples:
                ui.tooltip("They replay the answers of the examples, so they can’t answer other questions.")
        with field("Judge", "fills template fields from answers, and rates traits") as self._judging:
            self._lists["judges"] = ui.element("div").classes("run-form-models")
            self._unable = ui.label().classes("hint")
        self._select_only()
        self._fill()
        self._window.listen(self._window.services.models_changed, self._on_model_changed)
        self._window.listen(self._window.services.keys_changed, self._refresh)

    def _find_foreign(self) -> set[str]:
        if not any(map(example.is_sample, self.models.values())):
            return set()
        return example.foreign_samples(
            self.models, self._window.services.library.questions.wordings(self._benchmark_id)
        )

    def _select_only(self) -> None:
        """Select the only model and the only judge. If a model is chosen, so is its judge."""
        if self._choice.models:
            return
        visible = [name for name in self.models if name not in self._foreign]
        able = [name for name in visible if self._catalog.can_judge(self.models[name])]
        if len(visible) == 1:
            self._choice.models = visible
            if len(able) == 1 and not self._choice.judges:
                self._choice.judges = able

    def _is_shown(self, name: str) -> bool:
        chosen = any(name in self._names_in(role) for role in ROLES)
        return name not in self._foreign or chosen or bool(self._samples.value)

    def _fill(self) -> None:
        unused = unused_samples(self._window.services, self._window.services.library.models.entries())
        self._samples.set_visibility(bool(self._foreign - unused))
        visible = [name for name in self.models if self._is_shown(name)]
        self._link.text = "Manage models" if visible else "Add a model"
        self._judging.set_visibility(bool(visible))
        able = [name for name in visible if self._catalog.can_judge(self.models[name])]
        for role, names in zip(ROLES, (visible, able), strict=True):
            self._fill_list(role, [(name, limitations(self.models[name], role, self._catalog)) for name in names])
        unable = [name for name in visible if name not in able]
        self._unable.text = no_judges(unable)
        self._unable.set_visibility(bool(unable))

    def _fill_list(self, role: Role, lines: list[tuple[str, list[str]]]) -> None:
        if lines == self._drawn.get(role):  # a click on a line that is just drawn again would be lost
            for name, _ in lines:
                self._boxes[role, name].value = name in self._names_in(role)
                if role == "models":
                    self._describe(name)
            return
        self._drawn[role] = lines
        self._lists[role].clear()
        with self._lists[role]:
            for name, limits in lines:
                self._line(role, name, limits)

    def _line(self, role: Role, name: str, limits: list[str]) -> None:
        with ui.element("div").classes("run-form-model"):
            box = self._boxes[role, name] = ui.checkbox(
                name, value=name in self._names_in(role), on_change=lambda e: self._tick(role, name, bool(e.value))
            )
            with ui.element("div") as description:
                if role == "models":
                    self._lines[name] = ui.html("")
                    self._describe(name)
                for sentence in limits:
                    ui.label(sentence).classes("hint")
            box.props("dense").props["aria-describedby"] = description.html_id

    def _describe(self, name: str) -> None:
        """Describe a model; the plan tells the fault of one that is selected."""
        chosen = any(name in self._names_in(role) for role in ROLES)
        self._lines[name].set_content(self._descriptions.line(name, self.models[name], faulty=not chosen))

    def _tick(self, role: str, name: str, on: bool) -> None:
        """Select or deselect a model; deleted models are deselected too, because the list did not show them."""
        others = [other for other in self._names_in(role) if other != name]
        chosen = [*others, name] if on else others
        self._changed(role, [model for model in self.models if model in chosen])
        self._describe(name)

    def _names_in(self, role: str) -> list[str]:
        chosen: list[str] = getattr(self._choice, role)
        return chosen

    def _on_model_changed(self, news: ModelChange) -> None:
        """Process a change on the Models page."""
        # A renamed model stays selected.
        if news.before != news.name and news.before is not None and news.name is not None:
            for role in ROLES:
                names = self._names_in(role)
                if news.before in names:
                    self._changed(role, [news.name if name == news.before else name for name in names])
        self._refresh()

    def _refresh(self) -> None:
        self.models = self._window.services.library.models.all()
        self._foreign = self._find_foreign()
        self._select_only()
        self._fill()
        self._stirred()
