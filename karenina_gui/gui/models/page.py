"""The Models page: what runs may use, by name. Keys are never typed here, only the names of their variables."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import ui

from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.models.form import ModelForm
from karenina_gui.gui.models.words import ModelWords
from karenina_gui.gui.parts.elements import bar, button, empty_state, heading, pane, splitter
from karenina_gui.gui.parts.markup import Html, joined, link, tag
from karenina_gui.schemas.config import ModelConfig

if TYPE_CHECKING:
    from karenina_gui.gui.frame.pages import Place


def draw(window: Window, place: Place) -> None:
    """`/models`; `?name=gpt` opens that one."""
    ModelsPage(window, place.query.get("name")).draw()


class ModelsPage:
    def __init__(self, window: Window, name: str | None) -> None:
        self._window = window
        self._shelf = window.studio.runs.models
        models = self._shelf.kept.all()
        self._open = name if name in models else next(iter(models), None)

    def draw(self) -> None:
        with splitter(self._window, "models", 36) as panes:
            with panes.before, pane("Models"):
                with bar():
                    heading("Models", 1)
                    ui.space()
                    button("New model", self.new, icon="add")
                self._list = ui.html("").classes("scroll")
            with panes.after:
                self._place = ui.element("div").classes("pane")
        self.refresh()
        self._show()

    def refresh(self) -> None:
        """Read the list again."""
        words = ModelWords(self._shelf)
        models = self._shelf.kept.all()
        self._list.set_content(
            tag("ul", *(_entry(name, model, words, name == self._open) for name, model in models.items()), class_="ml")
        )

    def new(self) -> None:
        """Keep a new model under a free name and open it."""
        names = self._shelf.kept.all()
        name = next(n for n in ("new model", *(f"new model {i}" for i in range(2, 1000))) if n not in names)
        self._shelf.kept.save(name, ModelConfig(id=name, model_name="gpt-5-mini", interface="openai_endpoint"))
        ui.navigate.to(address(name))

    def renamed(self, name: str) -> None:
        """The open model has another name now."""
        self._open = name
        ui.navigate.history.replace(address(name))
        self.refresh()

    def delete(self) -> None:
        """Forget the open model; a message offers to have it back."""
        name = self._open
        if name is None:
            return
        removed = self._shelf.kept.delete(name)

        def undo() -> None:
            self._shelf.kept.save(name, removed)
            if not self._place.is_deleted:
                self._turn_to(name)

        self._window.tell(f"“{name}” is deleted.", undo=undo)
        self._turn_to(next(iter(self._shelf.kept.all()), None))

    def _turn_to(self, name: str | None) -> None:
        self._open = name
        ui.navigate.history.replace("/models" if name is None else address(name))
        self.refresh()
        self._place.clear()
        self._show()

    def _show(self) -> None:
        models = self._shelf.kept.all()
        with self._place:
            if self._open is not None:
                ModelForm(self._window, self, self._open, models[self._open]).draw()
                return
            with empty_state(
                "smart_toy", "No models yet", "A model answers questions or judges answers. Add the first one."
            ):
                button("New model", self.new, icon="add", look="main")


def address(name: str) -> str:
    """Where a model is edited."""
    return f"/models?name={quote(name, safe='')}"


def _entry(name: str, model: ModelConfig, words: ModelWords, here: bool) -> Html:
    body = joined([tag("b", name), words.line(model)])
    return tag("li", link(address(name), body, class_="ml-entry", aria_current="true" if here else None))
