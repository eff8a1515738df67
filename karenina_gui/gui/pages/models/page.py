"""Models page: the models that runs can use, and servers found on this computer. They contain no keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nicegui import run, ui

from karenina_gui.gui.kit.elements import button, empty_state, heading, pane, splitter, toolbar
from karenina_gui.gui.kit.html import Html, join_html, link, tag
from karenina_gui.gui.kit.routing import readdress
from karenina_gui.gui.pages.models.fields import SUGGESTED_MODELS
from karenina_gui.gui.pages.models.form import ModelForm
from karenina_gui.gui.pages.models.model_text import ModelWords
from karenina_gui.gui.pages.models.model_urls import address, number_in
from karenina_gui.gui.pages.models.samples import unused_samples
from karenina_gui.gui.session.app_context import ModelChange
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.models import LocalServer, ModelCatalog
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.saved_model import SavedModel

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

MOST = 8
"""Maximum number of models offered for one server."""


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/models`. `?id=3` opens the model with this number, `?name=gpt` the one with this name.

    `&new=1`: the name is selected.
    """
    stored = window.services.library.models.entries()
    hidden = () if {"id", "name"} & route.query.keys() else unused_samples(window.services, stored)
    number = number_in(route.query, [model for model in stored if model.name not in hidden])
    page = ModelsPage(window, number)
    page.draw()
    if "new" in route.query:
        page.begin_name()
    if number and {"name", "new"} & route.query.keys():
        ui.timer(0, lambda: readdress(address(number)), once=True)  # once the browser has the address of this page


class ModelsPage:
    def __init__(self, window: Window, number: int | None) -> None:
        self._window = window
        self._catalog, self._models = window.services.runs.models, window.services.library.models
        self._form: ModelForm | None = None
        self._open = number
        """Number of the model in the form. None: there are no models."""

    def draw(self) -> None:
        with splitter(self._window, "models", 36) as panes:
            with panes.before, pane("Models"):
                with toolbar():
                    heading("Models", 1)
                    ui.space()
                    button("New model", self.new, icon="add")
                self._list = ui.html("").classes("scroll")
                LocalServerList(self._window, self._catalog, self._add_server)
            with panes.after:
                self._pane = ui.element("div").classes("pane")
        self.refresh()
        self._show()
        self._window.listen(self._window.services.models_changed, self._on_change)
        self._window.listen(self._window.services.keys_changed, self.refresh)
        self._window.listen(self._window.services.changes_debounced, self.refresh)
        self._window.register_command("model.new", self.new)
        self._window.register_command("model.test", self._test)
        self._window.register_command("model.duplicate", self.duplicate)
        self._window.register_command("model.delete", self.delete)

    def begin_name(self) -> None:
        if self._form is not None:
            self._form.begin_name()

    def refresh(self) -> None:
        """Redraw the list."""
        texts = ModelWords(self._catalog)
        entries = (_entry(model, texts, model.number == self._open) for model in self._entries())
        self._list.set_content(tag("ul", *entries, class_="model-list"))

    async def new(self) -> None:
        """Save a new model under a free name and open it."""
        await self._add(
            "new model", ModelConfig(model_name=SUGGESTED_MODELS["openai_endpoint"], interface="openai_endpoint")
        )

    async def duplicate(self) -> None:
        """Save a copy of the open model under a free name and open it."""
        if opened := self._open_model():
            await self._add(f"{opened.name} copy", opened.config)

    async def delete(self) -> None:
        """Delete the open model and open the next one. A message offers undo."""
        opened = self._open_model()
        if opened is None:
            return
        following = _neighbor([model.number for model in self._entries()], opened.number)
        removed = await self._window.write(self._models.delete, opened.number)
        if self._open == removed.number:  # not another one by now
            self._turn_to(following)
        self._announce(removed.number, removed.name, None)

        async def undo() -> None:
            restored = await self._window.write(self._models.restore, removed)
            self._turn_to(restored.number)
            self._announce(restored.number, None, restored.name)

        self._window.notify(f"Deleted “{removed.name}”.", undo=undo)

    def _entries(self) -> list[SavedModel]:
        """Models of the list: all but sample models without their example."""
        stored = self._models.entries()
        hidden = unused_samples(self._window.services, stored)
        return [model for model in stored if model.name not in hidden or model.number == self._open]

    def _open_model(self) -> SavedModel | None:
        """Return the open model as saved. None: no model is open, or it was deleted in another window."""
        return next((model for model in self._models.entries() if model.number == self._open), None)

    async def _add_server(self, name: str, model: ModelConfig) -> None:
        await self._window.write(self._catalog.agree_to_new, model)
        await self._add(name, model)

    async def _add(self, name: str, model: ModelConfig) -> None:
        added = await self._window.write(self._models.add, name, model)
        self._announce(added.number, None, added.name)
        if not self._pane.is_deleted:
            with self._pane:  # the button that was pressed may be gone
                ui.navigate.to(f"{address(added.number)}&new=1")

    def _announce(self, number: int, before: str | None, name: str | None) -> None:
        self._window.services.models_changed.emit(ModelChange(number, before, name))

    def _on_change(self, news: ModelChange) -> None:
        if self._form is None and news.name is not None and self._open in (None, news.number):
            self._turn_to(news.number)
        else:
            self.refresh()

    async def _test(self) -> None:
        if self._form is not None:
            await self._form.test()

    def _turn_to(self, number: int | None) -> None:
        """Open a model. No effect if the user has left the page, for example during a write."""
        if self._pane.is_deleted:
            return
        self._open = number
        with self._pane:  # the button that was pressed may be gone
            readdress(address(number))
        self.refresh()
        self._pane.clear()
        self._show()

    def _show(self) -> None:
        opened = self._open_model()
        self._form = None
        with self._pane:
            if opened is not None:
                self._form = ModelForm(self._window, opened, self.duplicate, self.delete)
                self._form.draw()
                return
            if self._open is not None:
                _not_here()
                return
            with empty_state("smart_toy", "No models yet", "Models answer questions and judge answers."):
                button("New model", self.new, icon="add", look="main")


def _not_here() -> None:
    with empty_state("search_off", "Model not found", "It may have been deleted. Select another model."):
        pass


def _neighbor(numbers: list[int], number: int) -> int | None:
    """Return the next model in the list, or else the previous one. None: there is no other."""
    at = numbers.index(number)
    return next(iter([*numbers[at + 1 :], *reversed(numbers[:at])]), None)


def _entry(model: SavedModel, texts: ModelWords, here: bool) -> Html:
    body = join_html([tag("b", model.name), texts.line(model.name, model.config, faulty=not here)])
    return tag(
        "li", link(address(model.number), body, class_="model-list-entry", aria_current="true" if here else None)
    )


class LocalServerList:
    """Offers of local servers, detected once when drawn. Hidden if all their models are saved.

    `add` is called with the suggested name and the model.
    """

    def __init__(self, window: Window, catalog: ModelCatalog, add: Callable[[str, ModelConfig], object]) -> None:
        self._window, self._catalog = window, catalog
        self._add = add
        self._group = ui.element("div").classes("model-list-found").props('role="group" aria-label="On this computer"')
        self._group.set_visibility(False)
        ui.timer(0, self._find_servers, once=True)

    async def _find_servers(self) -> None:
        # This application may have the default port of one of them.
        servers = await run.io_bound(self._catalog.local_servers, self._window.services.settings.port)
        if self._group.is_deleted:
            return
        offers = [(server, new) for server in servers or () if (new := self._new_models(server))]
        self._group.set_visibility(bool(offers))
        with self._group:
            for server, names in offers:
                self._draw_server(server, names)

    def _new_models(self, server: LocalServer) -> list[str]:
        """Return the server's models that are not saved."""
        saved = self._window.services.library.models.all().values()
        names = {model.model_name for model in saved if self._catalog.is_local(model)}
        return [name for name in server.models if name not in names]

    def _draw_server(self, server: LocalServer, names: list[str]) -> None:
        heading(f"{server.title} runs on this computer", 2)
        with ui.element("div").classes("model-list-offers flow gap-2"):
            for name in names[:MOST]:
                model = ModelConfig(model_name=name, interface="openai_endpoint", endpoint_base_url=server.address)
                button(f"Add {name}", lambda name=name, model=model: self._add(name, model), icon="add", look="quiet")
        if len(names) > MOST:
            ui.label(f"{len(names) - MOST} more: select New model and enter the base URL {server.address}.").classes(
                "hint"
            )
