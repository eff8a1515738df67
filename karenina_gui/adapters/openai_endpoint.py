"""Interface `openai_endpoint`: any server with OpenAI's chat completions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from karenina_gui.adapters.adapter_spec import AdapterDependencies, AdapterSpec
from karenina_gui.adapters.connections import POOLS, Endpoint, header_value
from karenina_gui.adapters.error_mapping import fault_of_status, listed_names
from karenina_gui.adapters.json_parts import decode
from karenina_gui.adapters.openai_wire import reply_of, strict_schema, wire_messages, wire_tools
from karenina_gui.adapters.ports import LLMPort, LLMRequest, LLMResponse, PortCapabilities
from karenina_gui.adapters.provider_llm import ProviderLLM
from karenina_gui.adapters.server_capabilities import ServerCapabilities, Structure, with_schema_in_words
from karenina_gui.adapters.tool_loop import tool_loop
from karenina_gui.errors import ProviderError
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.text.urls import origin_of

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI

ADDRESS = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
_ACCOUNT = {"openai-organization": "OPENAI_ORG_ID", "openai-project": "OPENAI_PROJECT_ID"}
"""Headers with the environment variables that OpenAI defines for them, for its own server alone."""
ADDRESS_MODE = "endpoint_base_url_mode"
"""Entry of `extra_kwargs` that is ours, not the provider's: `raw` uses the URL unchanged."""


class OpenAILLM(ProviderLLM):
    """An `LLMPort` over chat completions at one endpoint."""

    def _connect(self) -> None:
        self._client: httpx2.Client = self._dependencies.connections.client(self._endpoint, _plain, pools=POOLS)
        self._address = _completions(self._endpoint.base_url)

    @property
    def _default_capabilities(self) -> ServerCapabilities:
        # OpenAI's newer models reject the old name of the limit; most other servers know only the old one.
        new = _is_openai(self._endpoint)
        return ServerCapabilities(
            ("strict", "schema", "json", "text"), "max_completion_tokens" if new else "max_tokens"
        )

    @property
    def _client_error(self) -> type[Exception]:
        return _Refused

    def _fault(self, error: Exception) -> ProviderError:
        if not isinstance(error, _Refused):
            return super()._fault(error)
        where = f"{self._name} at {self._endpoint.host}"
        return fault_of_status(error.status, error.body, error.headers, where, self._endpoint)

    def _send(self, parameters: dict[str, Any]) -> tuple[Any, str]:
        """POST the request. The SDK is not used, since loading it delays the first request by half a second."""
        reply = self._client.post(
            self._address,
            content=json.dumps(parameters, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(),
            headers=self._headers(),
            timeout=self._calls.seconds,
        )
        if not reply.is_success:
            raise _Refused(reply)
        return json.loads(reply.content), decode(reply.content)

    def _headers(self) -> dict[str, str]:
        account = {}
        if _is_openai(self._endpoint):
            values = {name: self._dependencies.connections.variable(variable) for name, variable in _ACCOUNT.items()}
            account = {name: header_value(value, _ACCOUNT[name]) for name, value in values.items() if value}
        return {
            "accept": "application/json",
            "content-type": "application/json",
            "authorization": f"Bearer {self._endpoint.key}",
            **account,
        }

    def _read(self, reply: Any, body: str, request: LLMRequest) -> LLMResponse | None:
        return reply_of(reply, body, request)

    def _parameters(self, request: LLMRequest, capabilities: ServerCapabilities) -> dict[str, Any]:
        schema, structure = request.json_schema, capabilities.structure[0]
        messages = list(request.messages)
        limit = capabilities.limit(self._model.max_tokens)
        body: dict[str, Any] = {"model": self._name, capabilities.token_parameter: limit}
        if self._model.temperature is not None and capabilities.temperature:
            body["temperature"] = self._model.temperature
        if schema is not None and (request.schema_in_words or structure in ("json", "text")):
            messages = with_schema_in_words(messages, schema)
        if schema is not None and structure != "text":
            body["response_format"] = _response_format(schema, structure)
        if request.tools:
            body["tools"] = wire_tools(request.tools)
        return {**body, "messages": wire_messages(messages), **self._extra(request, capabilities)}

    def _extra(self, request: LLMRequest, capabilities: ServerCapabilities) -> dict[str, Any]:
        """The seed, and the model's own parameters, which take precedence over all others."""
        seed = {"seed": request.seed} if request.seed is not None and capabilities.seed else {}
        return {**seed, **{name: value for name, value in self._model.extra_kwargs.items() if name != ADDRESS_MODE}}


class _Refused(Exception):
    """HTTP error reply. Does not keep the request, which contains the key."""

    def __init__(self, reply: httpx2.Response) -> None:
        super().__init__(reply.status_code)
        self.status = reply.status_code
        self.headers = reply.headers
        try:
            data = json.loads(reply.content)
        except (ValueError, RecursionError):
            data = reply.text
        self.body = data.get("error", data) if isinstance(data, dict) else data


def _completions(base: str) -> httpx2.URL:
    """URL of chat completions."""
    import httpx2

    return httpx2.URL(f"{base.rstrip('/')}/chat/completions")


def _plain(_endpoint: Endpoint, transport: httpx2.Client) -> httpx2.Client:
    return transport


def _is_openai(endpoint: Endpoint) -> bool:
    return origin_of(endpoint.base_url) == origin_of(ADDRESS)


def connect(endpoint: Endpoint, transport: httpx2.Client) -> OpenAI:
    from openai import OpenAI

    client = OpenAI(api_key=endpoint.key, base_url=endpoint.base_url, max_retries=0, http_client=transport)
    if not _is_openai(endpoint):
        # The SDK takes them from the environment.
        client.organization = client.project = None
    return client


def open_llm(model: ModelConfig, dependencies: AdapterDependencies) -> LLMPort:
    return OpenAILLM(model, dependencies, _endpoint)


def model_names(model: ModelConfig, dependencies: AdapterDependencies) -> list[str]:
    return names_at(_endpoint(model, dependencies), dependencies)


def names_at(endpoint: Endpoint, dependencies: AdapterDependencies) -> list[str]:
    """Names of the models that the server lists. Raises `ProviderError`, also if it has no list."""
    client: OpenAI = dependencies.connections.client(endpoint, connect)
    return listed_names(lambda: client.models.list(timeout=dependencies.calls.request_timeout), endpoint)


def address_of(model: ModelConfig, environment: Mapping[str, str]) -> str:
    address = model.endpoint_base_url or environment.get("OPENAI_BASE_URL", "").strip() or ADDRESS
    raw = model.extra_kwargs.get(ADDRESS_MODE) == "raw"
    return address.rstrip("/") if raw else _with_version(address)


def _endpoint(model: ModelConfig, dependencies: AdapterDependencies) -> Endpoint:
    address = address_of(model, dependencies.connections.environment)
    return dependencies.connections.endpoint(address, model.endpoint_api_key, model.api_key_env, KEY_VARIABLE)


def _with_version(address: str) -> str:
    address = address.rstrip("/").removesuffix("/chat/completions")
    return address if address.endswith("/v1") else f"{address}/v1"


def _response_format(schema: dict[str, Any], structure: Structure) -> dict[str, Any]:
    if structure == "json":
        return {"type": "json_object"}
    strict = strict_schema(schema) if structure == "strict" else None
    return {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": strict or schema, "strict": strict is not None},
    }


SPEC = AdapterSpec(
    name="openai_endpoint",
    title="OpenAI or a compatible server",
    description="OpenAI, or any server that is called the same way, such as a program that runs models on your own "
    "computer (Ollama, LM Studio, llama.cpp, vLLM).",
    capabilities=PortCapabilities(structured_output=True),
    llm_factory=open_llm,
    takes_seed=lambda model: True,
    agent_factory=tool_loop(open_llm),
    address=address_of,
    model_names=model_names,
    key_variable=KEY_VARIABLE,
    takes_addresses=False,
)
