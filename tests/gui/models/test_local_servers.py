"""Models of a server on this computer are offered and kept by one click."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.adapters.local_servers import USUAL
from karenina_gui.app import Application
from karenina_gui.gui.pages.models.page import LocalServerList
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import ModelConfig
from tests.saved_models import save_model


@pytest.fixture
def ollama() -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"data": [{"id": "llama3.2"}, {"id": "known"}]}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    try:
        server = ThreadingHTTPServer(("127.0.0.1", USUAL[0].port), Handler)
    except OSError:
        pytest.skip("something listens at Ollama's port already")
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield
    server.shutdown()
    server.server_close()


async def test_what_is_not_kept_yet_is_offered(user: User, application: Application, ollama: None) -> None:
    catalog = application.runs.models
    here = ModelConfig(model_name="known", interface="openai_endpoint", endpoint_base_url="http://localhost:11434/v1")
    save_model(application, "mine", here)
    added: list[tuple[str, ModelConfig]] = []

    @ui.page("/")
    def page() -> None:
        LocalServerList(Window(application.services()), catalog, lambda name, model: added.append((name, model)))

    await user.open("/")
    await user.should_see("Ollama runs on this computer")
    await user.should_not_see("Add known")
    user.find("Add llama3.2").click()
    await user.should_see("Ollama")
    ((name, model),) = added
    assert (name, model.endpoint_base_url) == ("llama3.2", "http://127.0.0.1:11434/v1")
