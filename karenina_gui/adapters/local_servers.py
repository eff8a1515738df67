"""Detection of model servers on this computer by their default ports."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

PATIENCE = 0.7
"""Seconds for a server on this computer to list its models."""


@dataclass(frozen=True, slots=True)
class KnownServer:
    title: str
    port: int


@dataclass(frozen=True, slots=True)
class LocalServer:
    title: str
    address: str
    """Value for `ModelConfig.endpoint_base_url`."""
    models: tuple[str, ...]
    """Names of the models that it lists, at least one."""


USUAL = (
    KnownServer("Ollama", 11434),
    KnownServer("LM Studio", 1234),
    KnownServer("llama.cpp", 8080),
    KnownServer("vLLM", 8000),
)
"""Default ports from their documentation (`ollama serve`, LM Studio's server, `llama-server`, `vllm serve`).

A port proves nothing: other servers with the same protocol are found as well.
"""


def find_local_servers(usual: Sequence[KnownServer] = USUAL, *, own_port: int | None = None) -> list[LocalServer]:
    """Servers that list models in OpenAI's format now; takes at most about a second.

    `own_port`: port of this application, which is not probed.
    """
    probed = [server for server in usual if server.port != own_port]
    with ThreadPoolExecutor(len(usual)) as pool:
        return [server for server in pool.map(_probe, probed) if server is not None]


def _probe(usual: KnownServer) -> LocalServer | None:
    import httpx2

    address = f"http://127.0.0.1:{usual.port}/v1"
    try:
        # No proxy and no redirect: the probe must not leave this computer.
        with httpx2.Client(timeout=PATIENCE, trust_env=False, follow_redirects=False) as client:
            listed = client.get(f"{address}/models").json()["data"]
        names = tuple(str(model["id"]) for model in listed)
    # Nothing is listening, or it is another kind of server.
    except (httpx2.HTTPError, ValueError, KeyError, TypeError):
        return None
    return LocalServer(usual.title, address, names) if names else None
