"""Keys and other secrets never travel: workers take them from their own environment."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from karenina_gui import Benchmark, ModelConfig
from karenina_gui.cluster.address import ClusterAddress
from karenina_gui.cluster.transport import dumps
from karenina_gui.errors import ClusterError, InputError
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.cluster.conftest import Cluster, answer_and_judge, document, model
from tests.twin import Twin

SECRETS = {"OPENAI_API_KEY": "sk-own-key-1234", "STUDY_KEY": "sk-study-5678", "GRAPH_TOKEN": "token-of-the-graph"}


@contextmanager
def tapped(port: int) -> Iterator[tuple[int, bytearray]]:
    """Forward connections to this port; yields another port for it, and all that is sent there."""
    sent = bytearray()
    server = socket.create_server(("127.0.0.1", 0))

    def forward(source: socket.socket, target: socket.socket, copy: bytearray | None) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if copy is not None:
                    copy.extend(data)
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)

    def serve() -> None:
        with suppress(OSError):
            while True:
                near, _ = server.accept()
                far = socket.create_connection(("127.0.0.1", port))
                opened.extend((near, far))
                threading.Thread(target=forward, args=(near, far, sent), daemon=True).start()
                threading.Thread(target=forward, args=(far, near, None), daemon=True).start()

    opened: list[socket.socket] = []
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield server.getsockname()[1], sent
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        for each in opened:
            each.close()


def test_no_secret_is_in_what_is_submitted(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster.environment = {name: f"{value}-of-the-worker" for name, value in SECRETS.items()}
    cluster.start_scheduler()
    cluster.start_worker("ada")
    cluster.wait(1)
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    with Twin(answer_and_judge) as twin, tapped(cluster.port) as (port, sent):
        server = ToolServer(url="http://127.0.0.1:9/mcp", headers={"Authorization": "Bearer ${GRAPH_TOKEN}"})
        judge = model(twin, "judge", api_key_env="STUDY_KEY").model_copy(update={"mcp_servers": {"graph": server}})
        config = VerificationConfig(
            answering_models=[model(twin, "m", api_key_env="OPENAI_API_KEY")], parsing_models=[judge]
        )
        where = replace(cluster.address, address=f"tcp://127.0.0.1:{port}")
        results = Benchmark(document(2)).run_verification(config, cluster=where)
        keys = {asked.model: asked.key for asked in twin.requests}
    assert [result.error for result in results] == [None, None]
    assert keys == {"m": "sk-own-key-1234-of-the-worker", "judge": "sk-study-5678-of-the-worker"}
    assert b"Target 1?" in sent, "what is sent can be read here"
    assert b"GRAPH_TOKEN" in sent
    assert [value for value in SECRETS.values() if value.encode() in sent] == []


def test_a_model_with_a_key_is_refused_before_anything_is_sent(two_workers: Cluster) -> None:
    with Twin(answer_and_judge) as twin:
        keyed = model(twin, "keyed", endpoint_api_key="sk-entered")
        config = VerificationConfig(answering_models=[model(twin, "m"), keyed], parsing_models=[model(twin, "judge")])
        with pytest.raises(InputError, match=r"settings of keyed hold one.*api_key_env") as refused:
            Benchmark(document(1)).run_verification(config, cluster=two_workers.address)
        assert twin.requests == []
    assert "sk-entered" not in str(refused.value)


def test_nothing_with_a_key_in_it_can_be_pickled_for_a_worker() -> None:
    with pytest.raises(InputError, match="key"):
        dumps([{"deep": ModelConfig(model_name="m", interface="claude_tool", anthropic_api_key="sk-entered")}])


def test_a_worker_without_a_key_is_named_before_anything_is_called(two_workers: Cluster) -> None:
    with Twin(answer_and_judge) as twin:
        config = VerificationConfig(
            answering_models=[model(twin, "m", api_key_env="KEY_OF_NOBODY")], parsing_models=[model(twin, "judge")]
        )
        with pytest.raises(ClusterError, match=r"worker (ada|eve) at tcp.*KEY_OF_NOBODY \(for m\)"):
            Benchmark(document(1)).run_verification(config, cluster=two_workers.address)
        assert twin.requests == []


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (ClusterAddress("tcp://cluster.example:8786"), "not be encrypted"),
        (ClusterAddress("tcp://10.0.0.1:8786"), "not be encrypted"),
        (ClusterAddress("cluster.example:8786"), "not the address of a scheduler"),
        (ClusterAddress("tcp://127.0.0.1"), "not the address of a scheduler"),
        (ClusterAddress("tls://cluster.example:8786", tls_ca=Path("missing.pem")), "missing.pem"),
        (ClusterAddress("tls://cluster.example:8786"), "needs certificates"),
        (ClusterAddress("tls://cluster.example:8786", None, *[Path(__file__)] * 3), "can’t be used"),
    ],
)
def test_an_address_that_is_not_safe_or_not_complete_is_refused(where: ClusterAddress, message: str) -> None:
    with pytest.raises(InputError, match=message):
        where.check()


def test_safe_addresses_are_accepted() -> None:
    for where in (
        ClusterAddress("tcp://127.0.0.1:8786"),
        ClusterAddress("tcp://[::1]:8786"),
        ClusterAddress("tcp://10.0.0.1:8786", insecure=True),
    ):
        where.check()
