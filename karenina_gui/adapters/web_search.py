"""Search tools for deep judgment. To add one, write a class and add it to the table.

Tavily: `POST /search` with `query` and `max_results`, key as bearer token; the reply's `results` have `title`, `url`
and `content` (docs.tavily.com, API reference, Search).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.connections import Connections, Endpoint
from karenina_gui.adapters.error_mapping import fault_of_status, to_provider_error, unreadable
from karenina_gui.errors import ConfigurationError

if TYPE_CHECKING:
    import httpx2

RESULTS = 3
"""Number of hits to keep per query."""
LONGEST_HIT = 1000
"""Characters to keep of a hit."""


class Tavily:
    """Search function: takes queries, returns the findings for each as text. The key is looked up at each call.

    Raises `AuthenticationError` without a key, or `ProviderError` after the retries of `calls`.
    """

    address = "https://api.tavily.com"
    address_variable = "TAVILY_BASE_URL"
    """Environment variable with another URL, such as a proxy's."""
    key_variable = "TAVILY_API_KEY"

    def __init__(self, connections: Connections, calls: CallPolicy) -> None:
        self._connections = connections
        self._calls = calls

    def __call__(self, queries: Sequence[str]) -> list[str]:
        connections = self._connections
        address = connections.variable(self.address_variable) or self.address
        endpoint = connections.endpoint(address, None, None, self.key_variable)
        client: httpx2.Client = connections.client(endpoint, _plain)
        return [self._calls.run(partial(self._ask, client, endpoint, query))[0] for query in queries]

    def _ask(self, client: httpx2.Client, endpoint: Endpoint, query: str) -> str:
        from httpx2 import HTTPError

        where, fault = f"The search at {endpoint.host}", None
        try:
            reply = client.post(
                f"{endpoint.base_url}/search",
                # Tavily rejects queries of more than 400 characters.
                json={"query": query[:400], "max_results": RESULTS},
                headers={"authorization": f"Bearer {endpoint.key}"},
                timeout=self._calls.request_timeout,
            )
            body = reply.json()
            hits = body["results"] if reply.status_code == 200 else []
            text = "\n\n".join(_hit(hit) for hit in hits[:RESULTS])
        except HTTPError as error:
            fault = to_provider_error(error, "The search", endpoint)
        except (ValueError, KeyError, TypeError):
            fault = unreadable(where)
        # Raised outside of `except`: the library's exception holds the request with its key.
        if fault is not None:
            raise fault
        if reply.status_code != 200:
            raise fault_of_status(reply.status_code, body, reply.headers, where, endpoint)
        return endpoint.without_key(text)


SEARCH_TOOLS: dict[str, Callable[[Connections, CallPolicy], Callable[[list[str]], list[str]]]] = {"tavily": Tavily}


def search_tool(name: str, connections: Connections, calls: CallPolicy) -> Callable[[list[str]], list[str]]:
    """Create a search tool. Raises `ConfigurationError`, which lists the tools."""
    if name not in SEARCH_TOOLS:
        raise ConfigurationError(f"Unknown search service “{name}”. Choose one of: {', '.join(SEARCH_TOOLS)}.")
    return SEARCH_TOOLS[name](connections, calls)


def _hit(hit: dict[str, Any]) -> str:
    return f"{hit['title']} ({hit['url']})\n{_excerpt(str(hit['content']))}"


def _plain(endpoint: Endpoint, transport: httpx2.Client) -> httpx2.Client:
    return transport


def _excerpt(text: str) -> str:
    return text if len(text) <= LONGEST_HIT else text[: LONGEST_HIT - 1] + "…"
