"""Servers on this computer, played by the twin."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from karenina_gui.adapters.local_servers import USUAL, KnownServer, LocalServer, find_local_servers
from tests.ports import free_port
from tests.twin import Reply, Twin


def port_of(twin: Twin) -> int:
    return int(urlsplit(twin.address).port or 0)


def test_a_server_that_lists_models_is_found_with_their_names() -> None:
    with Twin(lambda _: Reply(text="x"), models=["llama3.2", "qwen3"]) as twin:
        found = find_local_servers([KnownServer("Ollama", port_of(twin))])
        assert found == [LocalServer("Ollama", f"{twin.address}/v1", ("llama3.2", "qwen3"))]


def test_the_application_itself_is_not_probed() -> None:
    with Twin(lambda _: Reply(text="x"), models=["llama3.2"]) as twin:
        known = [KnownServer("llama.cpp", port_of(twin))]
        assert find_local_servers(known, own_port=port_of(twin)) == []
        assert find_local_servers(known, own_port=1) != []


def test_nothing_silent_and_foreign_servers_are_passed_over() -> None:
    with (
        Twin(lambda _: Reply(text="x")) as foreign,
        Twin(lambda _: Reply(text="x"), models=[]) as empty,
        socket.create_server(("127.0.0.1", 0)) as silent,
    ):
        ports = [port_of(foreign), port_of(empty), silent.getsockname()[1], free_port()]
        assert find_local_servers([KnownServer("x", port) for port in ports]) == []


def test_the_usual_ports_are_those_of_the_four_servers() -> None:
    assert {each.title: each.port for each in USUAL} == {
        "Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000,
    }  # fmt: skip
