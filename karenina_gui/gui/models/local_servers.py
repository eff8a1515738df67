"""Local model servers, offered below the list of models."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import run, ui

from karenina_gui.gui.components.elements import button, heading
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.models import LocalServer, ModelCatalog
from karenina_gui.schemas.model_config import ModelConfig

MOST = 8
"""Maximum number of models offered for one server."""


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
        with ui.element("div").classes("model-list-offers"):
            for name in names[:MOST]:
                model = ModelConfig(model_name=name, interface="openai_endpoint", endpoint_base_url=server.address)
                button(f"Add {name}", lambda name=name, model=model: self._add(name, model), icon="add", look="quiet")
        if len(names) > MOST:
            ui.label(f"{len(names) - MOST} more: select New model and enter the base URL {server.address}.").classes(
                "hint"
            )
