"""Interface `claude_tool`: Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from karenina_gui.adapters.adapter_spec import AdapterDependencies, AdapterSpec
from karenina_gui.adapters.claude_wire import TOOL, reply_of, split_system, wire_messages, wire_tools
from karenina_gui.adapters.connections import Endpoint
from karenina_gui.adapters.error_mapping import listed_names
from karenina_gui.adapters.json_parts import decode
from karenina_gui.adapters.ports import LLMPort, LLMRequest, LLMResponse, PortCapabilities
from karenina_gui.adapters.provider_llm import ProviderLLM
from karenina_gui.adapters.server_capabilities import ServerCapabilities, thinks, with_schema_in_words
from karenina_gui.adapters.tool_loop import tool_loop
from karenina_gui.schemas.extraction import ExtractionMethod
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.text.urls import origin_of

if TYPE_CHECKING:
    import httpx2
    from anthropic import Anthropic

ADDRESS = "https://api.anthropic.com"
KEY_VARIABLE = "ANTHROPIC_API_KEY"


class ClaudeLLM(ProviderLLM):
    """An `LLMPort` over the Messages API."""

    _default_capabilities = ServerCapabilities(("schema", "tool", "text"))

    def _connect(self) -> None:
        self._client: Anthropic = self._dependencies.connections.client(self._endpoint, connect)

    @property
    def _client_error(self) -> type[Exception]:
        from anthropic import AnthropicError

        return AnthropicError

    def _send(self, parameters: dict[str, Any]) -> tuple[Any, str]:
        raw = self._client.messages.with_raw_response.create(**parameters)
        return raw.parse(), decode(raw.http_response.content)

    def _read(self, reply: Any, body: str, request: LLMRequest) -> LLMResponse | None:
        return reply_of(reply, body, request)

    def _parameters(self, request: LLMRequest, capabilities: ServerCapabilities) -> dict[str, Any]:
        system, messages = split_system(request.messages)
        extra = dict(self._model.extra_kwargs)
        parameters: dict[str, Any] = {
            "model": self._name,
            "max_tokens": capabilities.limit(self._model.max_tokens),
            "timeout": self._calls.seconds,
        }
        if system:
            parameters["system"] = system
        if self._model.temperature is not None and capabilities.temperature and not thinks(extra):
            # The SDK has dropped this argument; models that still have the setting accept it in the body.
            extra.setdefault("temperature", self._model.temperature)
        if request.json_schema is not None:
            method = self._method(request, capabilities)
            if request.schema_in_words or method == "text":
                messages = with_schema_in_words(messages, request.json_schema)
            parameters |= _structure(method, request.json_schema, extra)
        if request.tools:
            parameters["tools"] = wire_tools(request.tools)
        return {**parameters, "extra_body": extra or None, "messages": wire_messages(messages)}

    def _method(self, request: LLMRequest, capabilities: ServerCapabilities) -> ExtractionMethod:
        if capabilities.method == "schema" and _output_format(request.json_schema or {}) is None:
            return "tool"
        return capabilities.method


def connect(endpoint: Endpoint, transport: httpx2.Client) -> Anthropic:
    from anthropic import Anthropic

    client = Anthropic(api_key=endpoint.key, base_url=endpoint.base_url, max_retries=0, http_client=transport)
    if origin_of(endpoint.base_url) != origin_of(ADDRESS):
        # The SDK takes them from ANTHROPIC_CUSTOM_HEADERS, which may hold keys.
        client._custom_headers = {}
    # Loaded here once, since all workers would load it at the same time.
    client.messages  # noqa: B018
    return client


def open_llm(model: ModelConfig, dependencies: AdapterDependencies) -> LLMPort:
    return ClaudeLLM(model, dependencies, endpoint_of)


def model_names(model: ModelConfig, dependencies: AdapterDependencies) -> list[str]:
    endpoint = endpoint_of(model, dependencies)
    client: Anthropic = dependencies.connections.client(endpoint, connect)
    return listed_names(lambda: client.models.list(limit=1000, timeout=dependencies.calls.request_timeout), endpoint)


def address_of(model: ModelConfig, environment: Mapping[str, str]) -> str:
    address = model.anthropic_base_url or environment.get("ANTHROPIC_BASE_URL", "").strip() or ADDRESS
    # The SDK adds the version itself.
    return address.rstrip("/").removesuffix("/v1")


def endpoint_of(model: ModelConfig, dependencies: AdapterDependencies) -> Endpoint:
    address = address_of(model, dependencies.connections.environment)
    return dependencies.connections.endpoint(address, model.anthropic_api_key, model.api_key_env, KEY_VARIABLE)


def _structure(method: ExtractionMethod, schema: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
    """Parameters that make the model reply by the schema. Takes the model's own `output_config` out of `extra`."""
    if method == "tool":
        return _forced_tool(schema)
    if method == "schema":
        return {"output_config": {**extra.pop("output_config", {}), "format": _output_format(schema)}}
    return {}


def _output_format(schema: dict[str, Any]) -> dict[str, Any] | None:
    """The schema as structured output accepts it; None if it cannot be expressed (a field of any type)."""
    from anthropic import transform_schema

    try:
        return {"type": "json_schema", "schema": transform_schema(schema)}
    except (ValueError, AssertionError):
        return None


def _forced_tool(schema: dict[str, Any]) -> dict[str, Any]:
    tool = {"name": TOOL, "description": "Give the reply, field by field.", "input_schema": schema}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}


SPEC = AdapterSpec(
    name="claude_tool",
    title="Anthropic",
    description="Claude models through Anthropic’s API.",
    capabilities=PortCapabilities(structured_output=True),
    llm_factory=open_llm,
    agent_factory=tool_loop(open_llm),
    address=address_of,
    model_names=model_names,
    key_variable=KEY_VARIABLE,
    key_field="anthropic_api_key",
    takes_addresses=False,
)
