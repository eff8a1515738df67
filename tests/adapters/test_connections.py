"""Shared clients, and what they send beside the request itself."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from karenina_gui.adapters.connections import Connections, Endpoint
from karenina_gui.adapters.open import Adapters
from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.messages import Message
from tests.twin import Reply, Twin

HERE = Endpoint("http://127.0.0.1:9", "none", "NO_KEY")


def build(_endpoint: Endpoint, transport: Any) -> Any:
    return transport


def clients_of_threads(connections: Connections, threads: int) -> list[Any]:
    """The client of each thread, of threads that are all there at the same time."""
    together = Barrier(threads)

    def ask() -> Any:
        together.wait()
        first = connections.client(HERE, build, pools=4)
        assert connections.client(HERE, build, pools=4) is first
        return first

    with ThreadPoolExecutor(threads) as pool:
        return [each.result() for each in [pool.submit(ask) for _ in range(threads)]]


def test_threads_are_spread_evenly_over_the_clients() -> None:
    connections = Connections({})
    try:
        clients = clients_of_threads(connections, 12)
        assert sorted(clients.count(each) for each in set(clients)) == [3, 3, 3, 3]
    finally:
        connections.close()
    assert all(each.is_closed for each in clients)


def test_all_threads_share_one_client_where_nothing_else_is_asked_for() -> None:
    connections = Connections({})
    try:
        with ThreadPoolExecutor(3) as pool:
            assert len(set(pool.map(lambda _: connections.client(HERE, build), range(9)))) == 1
    finally:
        connections.close()


def test_openai_is_told_the_organization_and_the_project() -> None:
    with (
        Twin(lambda _: Reply(text="x")) as twin,
        Adapters({"OPENAI_ORG_ID": "org-1", "OPENAI_PROJECT_ID": "proj-1"}) as adapters,
    ):
        model = ModelConfig(id="m", model_name="m", interface="openai_endpoint", endpoint_base_url=twin.address)
        adapters.llm(model).invoke(LLMRequest((Message.of("user", "Hello"),)))
    (asked,) = twin.requests
    assert (asked.headers["openai-organization"], asked.headers["openai-project"]) == ("org-1", "proj-1")
