"""Base class for providers' SDKs: one call, its faults as our errors, and JSON if a schema asks for it."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from karenina_gui.adapters.adapter_spec import AdapterDependencies
from karenina_gui.adapters.connections import Endpoint
from karenina_gui.adapters.error_mapping import (
    explain_without_tools,
    fault_of_body,
    fault_of_stop,
    to_provider_error,
)
from karenina_gui.adapters.json_text import extract_json
from karenina_gui.adapters.ports import LLMRequest, LLMResponse
from karenina_gui.adapters.server_capabilities import (
    ServerCapabilities,
    send_with_capabilities,
    without_system_role,
)
from karenina_gui.errors import ProviderError
from karenina_gui.schemas.extraction import ExtractionMethod
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.sendable import unsendable
from karenina_gui.schemas.stop_reasons import is_cut_off, is_failure

FindEndpoint = Callable[[ModelConfig, AdapterDependencies], Endpoint]


class ProviderLLM(ABC):
    """An `LLMPort` over a provider's SDK; a subclass implements that SDK's calls."""

    def __init__(self, model: ModelConfig, dependencies: AdapterDependencies, find: FindEndpoint) -> None:
        self._model = model
        self._name = str(model.model_name)
        self._dependencies = dependencies
        self._find = find
        self._endpoint = find(model, dependencies)
        self._calls = dependencies.calls
        self._capabilities = dependencies.connections.capabilities
        self._key = (self._endpoint.base_url, self._name)
        self._connect()

    def invoke(self, request: LLMRequest) -> LLMResponse:
        if (why := unsendable(self._model)) is not None:
            raise ProviderError(f"Couldn’t call {self._name}. {why}", category="rejected")
        structured = request.json_schema is not None
        properties = (request.json_schema or {}).get("properties", {})

        def send(capabilities: ServerCapabilities) -> LLMResponse:
            reply, retries = self._calls.run(lambda: self._attempt(request, capabilities))
            if structured and reply.refusal is None:
                reply = _with_data(reply, properties)
            method = self._method(request, capabilities) if structured else None
            return replace(reply, usage=replace(reply.usage, method=method), retries=retries)

        try:
            return send_with_capabilities(self._capabilities, self._key, self._default_capabilities, structured, send)
        except ProviderError as refusal:
            if request.tools:
                explain_without_tools(refusal)
            raise

    def _attempt(self, request: LLMRequest, capabilities: ServerCapabilities) -> LLMResponse:
        """Send one HTTP request, and read the reply."""
        # Another key may have been entered since.
        if (endpoint := self._find(self._model, self._dependencies)) != self._endpoint:
            self._endpoint = endpoint
            self._connect()
        reply, body = self._exchange(request, capabilities)
        response = None if isinstance(reply, str) else self._read(reply, body, request)
        where = f"{self._name} at {self._endpoint.host}"
        if response is None:
            content = None if isinstance(reply, str) or not body else json.loads(body)
            raise fault_of_body(content, where, self._endpoint)
        whole = bool(response.content) and not response.tool_uses
        if response.refusal is None and is_failure(response.stop_reason, complete=whole):
            raise fault_of_stop(str(response.stop_reason), where)
        return response.with_texts(self._endpoint.without_key)

    def _exchange(self, request: LLMRequest, capabilities: ServerCapabilities) -> tuple[Any, str]:
        """The SDK's reply and its body.

        Our error is raised outside of `except`: the SDK's exception holds the request with its key.
        """
        from httpx2 import HTTPError

        try:
            if not capabilities.system_role:
                request = replace(request, messages=without_system_role(request.messages))
            return self._send(self._parameters(request, capabilities))
        except (self._client_error, HTTPError, ValueError) as error:
            fault = self._fault(error)
        # Raised by the JSON parser over deep nesting.
        except RecursionError:
            fault = self._fault(ValueError("the reply is nested too deeply"))
        raise fault

    def _fault(self, error: Exception) -> ProviderError:
        return to_provider_error(error, self._name, self._endpoint)

    @abstractmethod
    def _connect(self) -> None:
        """Create or look up the client for the endpoint."""

    @property
    @abstractmethod
    def _default_capabilities(self) -> ServerCapabilities:
        """Assumed capabilities of a server until it rejects a request."""

    @property
    @abstractmethod
    def _client_error(self) -> type[Exception]:
        """Base class of the errors that the client raises."""

    @abstractmethod
    def _parameters(self, request: LLMRequest, capabilities: ServerCapabilities) -> dict[str, Any]: ...

    @abstractmethod
    def _send(self, parameters: dict[str, Any]) -> tuple[Any, str]:
        """Return the client's reply object (a text if the body is not JSON), and the body as sent."""

    @abstractmethod
    def _read(self, reply: Any, body: str, request: LLMRequest) -> LLMResponse | None:
        """Convert the reply, with its blocks if the request has tools. None: it holds no answer."""

    def _method(self, request: LLMRequest, capabilities: ServerCapabilities) -> ExtractionMethod:
        """Method by which this request asks for its schema."""
        return capabilities.method


def _with_data(reply: LLMResponse, properties: Collection[str]) -> LLMResponse:
    """Add the parsed JSON to a reply. `properties`: those of the schema."""
    if reply.data is not None:
        return reply
    return replace(reply, data=extract_json(reply.content, properties, stopped=is_cut_off(reply.stop_reason)))
