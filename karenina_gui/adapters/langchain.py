"""Interface `langchain`: any provider that LangChain knows, through `init_chat_model`; an extra.

The provider's own package has to be installed as well (`langchain-openai`, `langchain-google-genai`, ...). Tokens come
from LangChain's `usage_metadata`, faults from its `ModelError` tree or the provider's SDK.

LangChain repairs arguments of tool calls: `[]` and `0` become `{}`, of two values with one name the last one counts,
and a reply with arguments of another form cannot be read at all. So it reads a reply without its calls (`LastReply`),
and this module reads those as they were sent.
"""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from karenina_gui.adapters.adapter_spec import AdapterDependencies, AdapterSpec
from karenina_gui.adapters.connections import NO_KEY, Endpoint, missing_key
from karenina_gui.adapters.error_mapping import error_in, redact, to_provider_error
from karenina_gui.adapters.json_parts import decode
from karenina_gui.adapters.langchain_wire import blocks_of, reply_of, wire_messages
from karenina_gui.adapters.openai_wire import wire_tools
from karenina_gui.adapters.ports import LLMPort, LLMRequest, LLMResponse, PortCapabilities
from karenina_gui.adapters.provider_llm import ProviderLLM
from karenina_gui.adapters.server_capabilities import ServerCapabilities, thinks, with_schema_in_words
from karenina_gui.adapters.tool_loop import tool_loop
from karenina_gui.errors import AuthenticationError, ConfigurationError, ProviderError, ProviderFault
from karenina_gui.schemas.messages import ToolUseBlock
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.stop_reasons import refusal_sentence
from karenina_gui.text.urls import is_local

if TYPE_CHECKING:
    import httpx2
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

_INSISTING = ("openai", "anthropic")
"""Providers whose package cannot be used without a key."""
_CATEGORIES: dict[str, ProviderFault] = {
    "ModelRateLimitError": "rate_limit",
    "ModelAPIError": "server_error",
    "ModelConnectionError": "connection",
    "ModelTimeoutError": "timeout",
}


@dataclass
class LastReply:
    """Body of the last reply; empty if there was none, or its format is unknown."""

    without_calls: bool
    """True: LangChain gets the reply without its tool calls."""
    body: str = ""


_HEARD: ContextVar[LastReply | None] = ContextVar("heard", default=None)


@contextmanager
def hear_replies(*, without_calls: bool) -> Iterator[LastReply]:
    """Keep the body of replies that clients of `with_listener` receive in this block."""
    heard = LastReply(without_calls)
    token = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(token)


def with_listener(client: httpx2.Client) -> httpx2.Client:
    """A client that sends through this one, and closes it."""
    import httpx2

    class Listening(httpx2.BaseTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            heard = _HEARD.get()
            if heard is None:
                return client.send(request, stream=True)
            response = client.send(request)
            # Only JSON of a known format is changed. Everything else, error pages included, passes through.
            try:
                body = decode(response.content)
                remaining = _without_calls(json.loads(body))
            except (ValueError, RecursionError):
                remaining = None
            if remaining is None:
                return response
            heard.body = body
            if not heard.without_calls:
                return response
            headers = [(name, value) for name, value in response.headers.items() if name not in _OF_THE_BODY]
            return httpx2.Response(response.status_code, headers=headers, content=json.dumps(remaining).encode())

        def close(self) -> None:
            client.close()

    return httpx2.Client(transport=Listening())


_OF_THE_BODY = ("content-encoding", "content-length", "transfer-encoding")
"""Headers that describe the encoding of a body."""


def _without_calls(reply: Any) -> dict[str, Any] | None:
    """The reply without its tool calls; None: not a format of OpenAI (both APIs) or Anthropic."""
    if not isinstance(reply, dict):
        return None
    if isinstance(choices := reply.get("choices"), list):
        for choice in choices:
            _drop_calls(choice)
        return reply
    if isinstance(text := reply.get("content"), str):
        return {**reply, "content": [{"type": "text", "text": text}]}
    for name in ("content", "output"):
        if isinstance(parts := reply.get(name), list):
            return {**reply, name: [part for part in parts if not _is_call(part)]}
    return None


def _drop_calls(choice: Any) -> None:
    message = choice.get("message") if isinstance(choice, dict) else None
    if isinstance(message, dict):
        message.pop("tool_calls", None)


def _is_call(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in ("tool_use", "function_call", "custom_tool_call")


class LangChainLLM(ProviderLLM):
    """An `LLMPort` over one of LangChain's chat models."""

    def _connect(self) -> None:
        self._opened: _ChatModels = self._dependencies.connections.client(self._endpoint, _chat_models)
        self._opened.get(self._model, self._calls.request_timeout)

    @property
    def _default_capabilities(self) -> ServerCapabilities:
        return ServerCapabilities(("schema", "text"))

    @property
    def _client_error(self) -> type[Exception]:
        return Exception  # every provider's package raises its own

    def _fault(self, error: Exception) -> ProviderError:
        return _to_provider_error(error, self._name, self._endpoint)

    def _parameters(self, request: LLMRequest, capabilities: ServerCapabilities) -> dict[str, Any]:
        schema, messages = request.json_schema, list(request.messages)
        if schema is not None and (request.schema_in_words or capabilities.structure[0] == "text"):
            messages = with_schema_in_words(messages, schema)
        if capabilities.structure[0] == "text":
            schema = None
        seed = request.seed if capabilities.seed and takes_seed(self._model) else None
        warm = capabilities.temperature and not thinks(self._model.extra_kwargs)
        limits = {
            "temperature": self._model.temperature if warm else None,
            "max_tokens": capabilities.limit(self._model.max_tokens),
        }
        return {
            "messages": wire_messages(messages),
            "schema": schema,
            "tools": request.tools,
            "seed": seed,
            "model": self._model.model_copy(update=limits),
        }

    def _chat(self, model: ModelConfig, seed: int | None) -> BaseChatModel:
        """Chat model with the time left for a call, in whole seconds, since each timeout needs its own chat model."""
        seconds = self._calls.seconds
        whole = seconds == self._calls.request_timeout
        return self._opened.get(model, seconds if whole else float(math.ceil(seconds)), seed)

    def _send(self, parameters: dict[str, Any]) -> tuple[Any, str]:
        """Return the reply and its body. The body is empty unless the request went through our client."""
        schema, tools = parameters["schema"], parameters["tools"]
        chat = self._chat(parameters["model"], parameters["seed"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of packages that are none of ours
            with hear_replies(without_calls=bool(tools)) as heard:
                if tools:
                    return chat.bind_tools(wire_tools(tools)).invoke(parameters["messages"]), heard.body
                if schema is None:
                    return chat.invoke(parameters["messages"]), heard.body
                titled = {"title": "Reply", "description": "The reply, field by field.", **schema}
                reply: Any = chat.with_structured_output(titled, include_raw=True).invoke(parameters["messages"])
                return _Structured(reply["raw"], reply["parsed"]), heard.body

    def _read(self, reply: Any, body: str, request: LLMRequest) -> LLMResponse | None:
        # LangChain reads a choice with an error as if it were complete.
        if body and error_in(json.loads(body)):
            return None
        if isinstance(reply, _Structured):
            response = reply_of(reply.message, reply.data)
            return response if response.content else replace(response, content=reply.calls)
        response = reply_of(reply, None)
        if not request.tools:
            return response
        blocks = tuple(blocks_of(reply, body, response))
        calls = any(isinstance(block, ToolUseBlock) for block in blocks)
        refusal = refusal_sentence(response.stop_reason) if calls and response.refusal is None else response.refusal
        return replace(response, blocks=blocks, refusal=refusal)


class _Structured:
    def __init__(self, message: AIMessage, data: Any) -> None:
        self.message = message
        # LangChain takes the first object of a text, even one in a thought; here the text is read like any other.
        self.data = data if isinstance(data, dict) and message.tool_calls else None
        self.calls = "\n".join(json.dumps(call["args"], ensure_ascii=False) for call in message.tool_calls)
        """Arguments of all calls: a reader of the text notices that they contradict each other."""


class _ChatModels:
    """Cache of the chat models of one provider and key. Creating one for every call would take longer than the call."""

    def __init__(self, endpoint: Endpoint, transport: httpx2.Client) -> None:
        self._endpoint = endpoint
        self._transport = with_listener(transport)
        self._made: dict[str, BaseChatModel] = {}

    def get(self, model: ModelConfig, timeout: float, seed: int | None = None) -> BaseChatModel:
        settings = {
            "seed": seed,
            "temperature": model.temperature,
            "max_tokens": model.max_tokens,
            "timeout": timeout,
            "base_url": model.endpoint_base_url,
            **model.extra_kwargs,
        }
        settings_set = {name: value for name, value in settings.items() if value is not None}
        identity = json.dumps([model.model_provider, model.model_name, settings_set], sort_keys=True, default=str)
        if identity not in self._made:
            self._made[identity] = _on(self._transport, _whole(_make(model, settings_set, self._endpoint)))
        return self._made[identity]

    def close(self) -> None:
        for chat in self._made.values():
            sdk = getattr(chat, "root_client", None) or chat.__dict__.get("_client")
            if sdk is not None and hasattr(sdk, "close"):
                # The SDK may have opened a client of its own.
                sdk.close()
        self._made.clear()
        self._transport.close()


def _chat_models(endpoint: Endpoint, transport: httpx2.Client) -> _ChatModels:
    return _ChatModels(endpoint, transport)


def _on(transport: httpx2.Client, chat: Any) -> Any:
    """Make the chat model use our client, whose calls a cancel can end.

    Packages that are not built on the SDKs of OpenAI or Anthropic keep their own client, and models with their own
    client or proxy send through that. Cancelling does not wait for them, but the call ends at its timeout.
    """
    kinds = {kind.__name__ for kind in type(chat).__mro__}
    if "BaseChatOpenAI" in kinds and chat.root_client is not None:
        own = chat.http_client or chat.openai_proxy
        client = with_listener(chat.root_client._client) if own else transport
        chat.root_client = chat.root_client.copy(http_client=client)
        chat.client = chat.root_client.chat.completions
    elif "ChatAnthropic" in kinds:
        client = with_listener(chat._client._client) if chat.anthropic_proxy else transport
        # The package caches its client under this name; it is not a field that could be set.
        chat.__dict__["_client"] = chat._client.copy(http_client=client)
    return chat


def _make(model: ModelConfig, settings: dict[str, Any], endpoint: Endpoint) -> BaseChatModel:
    try:
        from langchain.chat_models import init_chat_model
    except ImportError as error:
        raise ConfigurationError(NOT_INSTALLED) from error
    # Some packages insist on a key, although a server on this computer needs none.
    local = endpoint.key == NO_KEY and model.model_provider in _INSISTING and is_local(endpoint.base_url)
    key = {"api_key": endpoint.key} if endpoint.key != NO_KEY or local else {}
    arguments: dict[str, Any] = {"model_provider": model.model_provider, "max_retries": 0, **settings, **key}
    problem = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made: BaseChatModel = init_chat_model(str(model.model_name), **arguments)
            return made
    # A missing package, an unknown provider or setting. The message may quote the key, so it is redacted and the
    # exception dropped.
    except Exception as error:
        problem = redact(str(error).partition("\n")[0], endpoint)
    raise ConfigurationError(f"LangChain couldn’t open “{model.id}”: {problem}")


def _whole(chat: BaseChatModel) -> BaseChatModel:
    """Turn streaming off: nothing displays it, and LangChain ends an interrupted stream as if it were complete."""
    chat.disable_streaming = True
    if hasattr(chat, "streaming"):
        chat.streaming = False
    return chat


def open_llm(model: ModelConfig, dependencies: AdapterDependencies) -> LLMPort:
    return LangChainLLM(model, dependencies, _endpoint)


def _endpoint(model: ModelConfig, dependencies: AdapterDependencies) -> Endpoint:
    """The provider and its key: that of the named variable, else of its usual one, else LangChain finds one itself.

    Raises `ConfigurationError` without a provider, `AuthenticationError` if the named variable is empty.
    """
    if not model.model_provider:
        raise ConfigurationError(_without_provider(model))
    variable = model.api_key_env or str(_usual_key(model))
    entered = model.endpoint_api_key.get_secret_value() if model.endpoint_api_key else None
    key = entered or dependencies.connections.variable(variable)
    if model.api_key_env and not key:
        raise missing_key(model.model_provider, variable)
    # Which variables the provider's package reads is known to the package alone.
    others = [value for name, value in dependencies.connections.environment.items() if _SECRET_NAME.search(name)]
    return Endpoint(address_of(model, {}), key or NO_KEY, variable, tuple(others))


_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(_ID)?$")


def _usual_key(model: ModelConfig) -> str | None:
    return f"{model.model_provider.upper()}_API_KEY" if model.model_provider else None


def address_of(model: ModelConfig, environment: Mapping[str, str]) -> str:
    """Base URL, if configured; otherwise one with the provider's name as its host."""
    return (model.endpoint_base_url or f"https://{model.model_provider or 'provider'}").rstrip("/")


def _to_provider_error(error: Exception, model: str, endpoint: Endpoint) -> ProviderError:
    """Convert an error: by the provider's SDK if it is known, else by LangChain's summary, else as rejected."""
    kinds = [kind.__name__ for kind in type(error).__mro__]
    summary = next((kind for kind in kinds if kind in _CATEGORIES or kind in _KEYS), None)
    if summary is None or any(kind.startswith("API") or kind == "HTTPError" for kind in kinds):
        return to_provider_error(error, model, endpoint)
    message = f"{model} at {endpoint.host}: {redact(str(error), endpoint)}"
    if summary in _KEYS:
        return AuthenticationError(f"{message} Check the key in {endpoint.key_variable}.")
    return ProviderError(message, category=_CATEGORIES[summary])


_KEYS = ("ModelAuthenticationError", "ModelPermissionDeniedError")


_TAKE_SEEDS = ("openai", "azure_openai", "deepseek", "ollama", "xai")
"""Providers whose LangChain chat models have a field for a seed."""


def takes_seed(model: ModelConfig) -> bool:
    return model.model_provider in _TAKE_SEEDS


def lacking(model: ModelConfig) -> str | None:
    """Reason why LangChain cannot open this model, as far as can be told without loading it; None: no known reason."""
    if find_spec("langchain") is None:
        return NOT_INSTALLED
    if not model.model_provider:
        return _without_provider(model)
    package = _PACKAGES.get(model.model_provider)
    if package is not None and find_spec(package.replace("-", "_")) is None:
        return f"The package for {model.model_provider} isn’t installed. Install it with: pip install {package}"
    return None


NOT_INSTALLED = "LangChain isn’t installed. Install it with: pip install 'karenina-gui[langchain]'"
_SAME_NAME = """
    anthropic azure_ai cohere deepseek fireworks google_genai groq huggingface mistralai ollama openai perplexity
    together xai
"""
_PACKAGES = {
    **{name: f"langchain-{name.replace('_', '-')}" for name in _SAME_NAME.split()},
    "azure_openai": "langchain-openai",
    "bedrock": "langchain-aws",
    "bedrock_converse": "langchain-aws",
    "google_anthropic_vertex": "langchain-google-vertexai",
    "google_vertexai": "langchain-google-vertexai",
}
"""Packages of the common providers. LangChain knows more."""


def _without_provider(model: ModelConfig) -> str:
    return f"“{model.id}” needs a LangChain provider, such as openai, anthropic, google_genai, or ollama."


SPEC = AdapterSpec(
    name="langchain",
    title="LangChain",
    description="Any LangChain provider whose Python package is installed.",
    capabilities=PortCapabilities(structured_output=True),
    llm_factory=open_llm,
    agent_factory=tool_loop(open_llm),
    address=address_of,
    key_variable_of=_usual_key,
    lacking=lacking,
    takes_seed=takes_seed,
)
