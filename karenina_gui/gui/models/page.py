"""The Models page: what runs may use, by name. Here stand the names of keys; the keys have a page of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import ui

from karenina_gui.gui.frame.studio import ModelNews
from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.models.fields import named
from karenina_gui.gui.models.form import ModelForm
from karenina_gui.gui.models.on_this_computer import OnThisComputer
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
        self._form: ModelForm | None = None
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
                OnThisComputer(self._shelf, lambda name, model: ui.navigate.to(address(self._add(name, model))))
            with panes.after:
                self._place = ui.element("div").classes("pane")
        self.refresh()
        self._show()
        self._window.listen(self._window.studio.models_changed, self._hear)
        self._window.listen(self._window.studio.keys_changed, self.refresh)
        self._window.offer("model.new", self.new)
        self._window.offer("model.test", self._test)
        self._window.offer("model.duplicate", self.duplicate)
        self._window.offer("model.delete", self.delete)

    def refresh(self) -> None:
        """Read the list again."""
        words = ModelWords(self._shelf)
        models = self._shelf.kept.all()
        self._list.set_content(
            tag("ul", *(_entry(name, model, words, name == self._open) for name, model in models.items()), class_="ml")
        )

    def new(self) -> None:
        """Keep a new model under a free name and open it."""
        model = ModelConfig(model_name="gpt-5-mini", interface="openai_endpoint")
        ui.navigate.to(address(self._add("new model", model)))

    def duplicate(self) -> None:
        """Keep a copy of the open model under a free name and open it."""
        models = self._shelf.kept.all()
        if self._open in models:
            ui.navigate.to(address(self._add(f"{self._open} copy", models[self._open])))

    def delete(self) -> None:
        """Forget the open model; a message offers to have it back."""
        name = self._open
        if name is None or name not in self._shelf.kept.all():
            return
        following = _neighbour(list(self._shelf.kept.all()), name)
        self._turn_to(following)
        removed = self._shelf.kept.delete(name)
        self._tell(name, None)

        def undo() -> None:
            back = self._add(name, removed)
            if not self._place.is_deleted:
                self._turn_to(back)

        self._window.tell(f"“{name}” is deleted.", undo=undo)

    def _add(self, wanted: str, model: ModelConfig) -> str:
        """The name under which it is kept now: the wanted one, or the next that is free."""
        names = self._shelf.kept.all()
        name = next(n for n in (wanted, *(f"{wanted} {i}" for i in range(2, 10_000))) if n not in names)
        self._shelf.kept.save(name, named(model, name))
        self._tell(None, name)
        return name

    def _tell(self, before: str | None, name: str | None) -> None:
        self._window.studio.models_changed.emit(ModelNews(before, name))

    def _hear(self, news: ModelNews) -> None:
        if news.before == self._open and news.name is not None and news.name != self._open:
            self._open = news.name
            ui.navigate.history.replace(address(news.name))
        self.refresh()

    async def _test(self) -> None:
        if self._form is not None:
            await self._form.test()

    def _turn_to(self, name: str | None) -> None:
        self._open = name
        ui.navigate.history.replace("/models" if name is None else address(name))
        self.refresh()
        self._place.clear()
        self._show()

    def _show(self) -> None:
        models = self._shelf.kept.all()
        self._form = None
        with self._place:
            if self._open in models:
                self._form = ModelForm(self._window, self, self._open, models[self._open])
                self._form.draw()
                return
            with empty_state(
                "smart_toy", "No models yet", "A model answers questions or judges answers. Add the first one."
            ):
                button("New model", self.new, icon="add", look="main")


def address(name: str) -> str:
    """Where a model is edited."""
    return f"/models?name={quote(name, safe='')}"


def _neighbour(names: list[str], name: str) -> str | None:
    """What stands where a deleted one stood."""
    at = names.index(name)
    return next(iter([*names[at + 1 :], *reversed(names[:at])]), None)


def _entry(name: str, model: ModelConfig, words: ModelWords, here: bool) -> Html:
    body = joined([tag("b", name), words.line(model)])
    return tag("li", link(address(name), body, class_="ml-entry", aria_current="true" if here else None))
