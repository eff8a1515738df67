"""Fields of a model's form: which an interface uses, and how each is read, written and validated."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any

from pydantic import BaseModel, ValidationError

from karenina_gui.gui.pages.models.retry_numbers import retry_fields
from karenina_gui.gui.records.form_field import Column, FormField
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.schemas.saved_model import with_name
from karenina_gui.schemas.sendable import HIDDEN_SIGN

RAW_ADDRESS = "endpoint_base_url_mode"
"""Key of `extra_kwargs` that the form shows as a checkbox."""

Row = dict[str, Any]


@dataclass(frozen=True)
class ModelField(FormField[ModelConfig]):
    """Field of a model's form."""

    model: type[BaseModel] = ModelConfig

    def apply(self, model: ModelConfig, value: Any) -> ModelConfig:
        """Return the model with a changed field. Raises `ValueError` with a message for the user."""
        return changed_model(model, self.changes(model, value), self.refusal)


def changed_model(model: ModelConfig, changes: dict[str, Any], refusal: str = "") -> ModelConfig:
    """Return the model with changes. Raises `ValueError` with the reason, or with `refusal`, if they are invalid."""
    # Dumps exclude `manual_traces`, which the change must not lose.
    fields = model.model_dump(exclude_unset=True) | {"manual_traces": model.manual_traces} | changes
    try:
        return ModelConfig.model_validate(fields)
    except ValidationError as error:
        raise ValueError(refusal or sentence(error)) from None


SUGGESTED_MODELS = {
    "openai_endpoint": "gpt-5-mini",
    "openrouter": "openai/gpt-5-mini",
    "claude_tool": "claude-sonnet-5-5",
    "claude_agent_sdk": "claude-sonnet-5-5",
    "langchain": "gpt-5-mini",
}
"""{interface: name of one of its provider’s models}, for new models."""


def switch_interface(model: ModelConfig, interface: str, memory: dict[str, Any]) -> ModelConfig:
    """Return the model with another interface. Fields that it lacks move to `memory`, for a switch back."""
    fields = model.model_dump(exclude_unset=True) | {"manual_traces": model.manual_traces}
    fitting = {part for name in visible_fields(interface) for part in (name, name.partition(".")[0])}
    dropped = {name: value for name, value in fields.items() if name not in fitting | _ALWAYS and value is not None}
    memory |= dropped
    remaining = {name: value for name, value in fields.items() if name not in dropped}
    restored = _remembered_fields(memory, fitting, remaining, interface)
    if model.interface != "manual":
        memory["model_name"] = model.model_name
    fields = {**remaining, **restored, "interface": interface, "model_name": _model_name_for(interface, model, memory)}
    there = ModelConfig.model_validate(fields)
    return with_name(there, str(there.id))


def _model_name_for(interface: str, model: ModelConfig, memory: Mapping[str, Any]) -> str | None:
    """Name of the model under another interface. A suggested name belongs to its provider; an entered one stays."""
    name = memory.get("model_name") or SUGGESTED_MODELS.get(interface) or model.model_name
    return SUGGESTED_MODELS.get(interface, name) if name in SUGGESTED_MODELS.values() else name


def _remembered_fields(
    memory: Mapping[str, Any], fitting: Collection[str], remaining: Mapping[str, Any], interface: str
) -> dict[str, Any]:
    """Return the fields that the model had under this interface before, and lacks now."""
    restored = {name: value for name, value in memory.items() if name in fitting and remaining.get(name) is None}
    if interface == "manual":
        restored["manual_traces"] = memory.get("manual_traces")
    return restored


_ALWAYS = {"id", "interface", "model_name", "model_provider"}


def _write_text(name: str) -> Callable[[ModelConfig, Any], dict[str, Any]]:
    return lambda _model, value: {name: str(value or "").strip() or None}


def _model_name(_model: ModelConfig, value: Any) -> dict[str, Any]:
    if not (name := str(value or "").strip()):
        raise ValueError("Enter the provider’s name of the model.")
    return {"model_name": name}


def _address(field: str) -> Callable[[ModelConfig, Any], dict[str, Any]]:
    def write(_model: ModelConfig, value: Any) -> dict[str, Any]:
        address = str(value or "").strip()
        return {field: checked_address(address) if address else None}

    return write


def checked_address(address: str) -> str:
    """Return a valid URL. Raises `ValueError` if it is not one, or contains an API key."""
    if not address.startswith(("http://", "https://")):
        raise ValueError("Start the URL with http:// or https://.")
    if not address.isprintable():
        raise ValueError(f"The URL {HIDDEN_SIGN}")
    # The configuration is stored with each run and exported, so a key in it would leak.
    if _KEY_IN_ADDRESS.search(address):
        raise ValueError("The URL contains an API key. Remove it and enter the key on the API keys page.")
    return address


_KEY_IN_ADDRESS = re.compile(r"[?&][^=&]*(?:key|token|secret)[^=&]*=", re.IGNORECASE)


def _variable(_model: ModelConfig, value: Any) -> dict[str, Any]:
    name = str(value or "").strip()
    # Keys are long and mix lowercase letters and digits; variable names contain underscores.
    looks_like_key = len(name) >= 20 and "_" not in name and re.search(r"\d", name) and re.search(r"[a-z]", name)
    if name and (not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or looks_like_key):
        raise ValueError("Enter the name of a variable such as OPENAI_API_KEY, not the key itself.")
    return {"api_key_env": name or None}


def _recording(_model: ModelConfig, value: Any) -> dict[str, Any]:
    if not (name := str(value or "").strip()):
        raise ValueError("Enter the path of a recording. “example” and “agents” are those of the two examples.")
    return {"recording": name}


def _additional_rows(model: ModelConfig) -> list[Row]:
    further = {name: value for name, value in model.extra_kwargs.items() if name != RAW_ADDRESS}
    return [{"name": name, "value": json.dumps(value, ensure_ascii=False)} for name, value in further.items()]


def _additional(model: ModelConfig, rows: Sequence[Row]) -> dict[str, Any]:
    """Return `extra_kwargs` from rows of a name and a JSON value."""
    parameters: dict[str, Any] = {}
    if RAW_ADDRESS in model.extra_kwargs:
        parameters[RAW_ADDRESS] = model.extra_kwargs[RAW_ADDRESS]
    for row in rows:
        name, text = str(row.get("name") or "").strip(), str(row.get("value") or "").strip()
        if not name:
            raise ValueError(f"Enter a name for the parameter with the value {text}.")
        if name in OWN_FIELDS:
            raise ValueError(f"{name} can’t be an additional parameter. {OWN_FIELDS[name]}")
        if name in parameters:
            raise ValueError(f"{name} is already listed.")
        if looks_like_key(text):
            raise ValueError(f"The value of {name} looks like an API key. Enter keys on the API keys page only.")
        parameters[name] = _json(name, text)
    return {"extra_kwargs": parameters}


def looks_like_key(text: str) -> bool:
    return _KEY_LIKE.search(text) is not None


_KEY_LIKE = re.compile(r"\b(?:sk|pk|key|ant)-[\w-]{8,}", re.IGNORECASE)
OWN_FIELDS = {
    "model": "Use the Model field.",
    "temperature": "Use the Temperature field.",
    "max_tokens": "Use the Max output tokens field.",
    "max_completion_tokens": "Use the Max output tokens field.",
    "system": "Use the System prompt field.",
    "messages": "Requests contain the questions.",
    "stream": "Replies are not streamed.",
}
"""Request parameters that are set by other fields."""


def _json(name: str, text: str) -> Any:
    if not text:
        raise ValueError(f"Enter a value for {name}.")
    try:
        # Python also parses NaN, Infinity and 1e999, which are not valid in JSON requests.
        return json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except ValueError:
        quoted = json.dumps(text.strip("\"'“”‘’"), ensure_ascii=False)
        raise ValueError(
            f"{name} must be JSON: a number such as 0.9, true, false, or quoted text ({quoted})."
        ) from None


def _no_constant(text: str) -> Any:
    raise ValueError(text)


def _finite(text: str) -> float:
    if isinf(number := float(text)):
        raise ValueError(text)
    return number


def _raw_address(model: ModelConfig, value: Any) -> dict[str, Any]:
    others = {name: item for name, item in model.extra_kwargs.items() if name != RAW_ADDRESS}
    return {"extra_kwargs": {**others, RAW_ADDRESS: "raw"} if value else others}


def _own_retries(model: ModelConfig, value: Any) -> dict[str, Any]:
    return {"retry_policy": (model.retry_policy or RetryPolicy()) if value else None}


RETRIES: dict[tuple[str, str], FormField[ModelConfig]] = retry_fields(
    lambda model: model.retry_policy or RetryPolicy(),
    lambda _model, policy: {"retry_policy": policy},
)

FIELDS = {
    field.name: field
    for field in (
        ModelField(
            "model_provider",
            "Provider",
            "LangChain’s name: openai, google_genai, ollama, …",
            write=_write_text("model_provider"),
        ),
        ModelField("model_name", "Model", "the provider’s name for it", write=_model_name),
        ModelField("endpoint_base_url", "Base URL", "default: the provider’s", write=_address("endpoint_base_url")),
        ModelField(
            "raw_address",
            "Use URL unchanged",
            "otherwise /v1 is added if missing",
            "switch",
            read=lambda model: model.extra_kwargs.get(RAW_ADDRESS) == "raw",
            write=_raw_address,
        ),
        ModelField("anthropic_base_url", "Base URL", "default: Anthropic’s", write=_address("anthropic_base_url")),
        ModelField("api_key_env", "API key variable", "environment variable that holds the key", write=_variable),
        ModelField(
            "recording",
            "Recording",
            "path of its file; runs write to “recordings” in the data folder",
            write=_recording,
        ),
        ModelField(
            "system_prompt", "System prompt", "sent before every question", "area", write=_write_text("system_prompt")
        ),
        ModelField(
            "temperature",
            "Temperature",
            "0 to 2; empty: not sent",
            "number",
            refusal="Enter a number from 0 to 2. Leave it empty to send no temperature.",
        ),
        ModelField(
            "max_tokens",
            "Max output tokens",
            f"default: {ModelConfig.model_fields['max_tokens'].default:,}",
            "number",
            refusal="Enter a whole number, 1 or more. Leave it empty for the default.",
        ),
        ModelField(
            "request_timeout",
            "Call timeout (s)",
            "default: the run’s",
            "number",
            refusal="Enter more than 0 seconds. Leave it empty for the run’s timeout.",
        ),
        ModelField(
            "extra_kwargs",
            "Additional parameters",
            'Sent with every request. Use the provider’s names and JSON values: 0.9, true, or "text".',
            "rows",
            read=_additional_rows,
            write=_additional,
            refusal="One of the names is that of an API key. Remove the line and enter the key on the API keys page.",
            columns=(Column("name", "Name"), Column("value", "Value (JSON)", width="2fr")),
            add="Add parameter",
        ),
        ModelField(
            "retry_policy",
            "Custom retries",
            "otherwise the run’s",
            "switch",
            read=lambda model: model.retry_policy is not None,
            write=_own_retries,
        ),
    )
}
"""{name: field}, in the order of the form; its parts for agents are in `agent_fields.py`."""

_SAMPLING = ("system_prompt", "temperature", "max_tokens")
_AGENT = (
    "workspace_tools",
    "mcp_urls_dict",
    "mcp_servers",
    "mcp_tool_filter",
    "mcp_tool_description_overrides",
    "mcp_http_timeout",
    "mcp_sse_read_timeout",
    "agent_middleware",
    "agent_timeout",
)
"""Configuration fields in the agent part of the form (`agent_fields.py`)."""
_LIVE = ("api_key_env", *_SAMPLING, "request_timeout", "extra_kwargs", "retry_policy", *_AGENT)
FIELDS_OF_INTERFACE: dict[str, Sequence[str]] = {
    "manual": (),
    "openai_endpoint": ("model_name", "endpoint_base_url", "raw_address", *_LIVE),
    "openrouter": ("model_name", *_LIVE),
    "claude_tool": ("model_name", "anthropic_base_url", *_LIVE),
    # The agent samples as it sees fit; a judge by this interface goes the way of claude_tool.
    "claude_agent_sdk": (
        *("model_name", "anthropic_base_url", "api_key_env", "system_prompt"),
        *("max_tokens", "request_timeout", "retry_policy"),
        "claude_code_tools",
        *(name for name in _AGENT if name != "mcp_tool_description_overrides"),
    ),
    "langchain": ("model_provider", "model_name", "endpoint_base_url", *_LIVE),
    # A recorded reply is found by what was asked and how it was sampled.
    "replay": ("model_name", "recording", *_SAMPLING, "extra_kwargs", *_AGENT),
}
"""{interface: its fields}, besides the name."""


def visible_fields(interface: str) -> Sequence[str]:
    """Return the fields of an interface. Other packages' interfaces get those of an OpenAI-compatible one."""
    return FIELDS_OF_INTERFACE.get(interface, FIELDS_OF_INTERFACE["openai_endpoint"])


def sentence(error: ValidationError) -> str:
    """Return the configuration's own message of a validation error."""
    return str(error.errors(include_url=False)[0]["msg"]).removeprefix("Value error, ")
