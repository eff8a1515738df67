"""Configuration of a model, and how it is reached.

Names and defaults follow upstream, so that its presets load unchanged. Unknown fields are rejected.
"""

from __future__ import annotations

from typing import Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    field_serializer,
    field_validator,
    model_validator,
)

from karenina_gui.schemas.extra_kwargs import without_secrets
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.workspace import ClaudeCodeToolName, WorkspaceToolName
from karenina_gui.text.header_values import is_sendable
from karenina_gui.text.urls import authority_of

MASK = "**********"
"""Placeholder of a masked key in files; read as no key."""

PLAYED_BACK = ("manual", "replay")
"""Interfaces that play back earlier replies: no model is called, and nothing is paid."""


class ModelConfig(BaseModel):
    """One answering or judging model and how it is reached."""

    model_config = ConfigDict(
        extra="forbid", validate_assignment=True, protected_namespaces=(), hide_input_in_errors=True
    )

    id: str | None = None
    """Name of this configuration in a run; default: the model's name."""
    model_provider: str | None = None
    model_name: str | None = None
    """The provider's name of the model; default for recorded answers: `id`."""
    temperature: float | None = Field(default=0.1, ge=0, le=2)
    """None: the parameter is not sent (some models reject it)."""
    max_tokens: int = Field(default=16384, ge=1)
    """Most tokens in one reply."""
    interface: str = "langchain"
    """Name of the adapter; see `AdapterRegistry.names()`."""
    system_prompt: str | None = None
    """Sent before the question; None: only the question is sent."""
    max_retries: int = Field(default=2, ge=0)
    mcp_urls_dict: dict[str, str] | None = None
    """{name: URL} of MCP servers for the model's agent."""
    # Fields that upstream does not have are left out of dumps at their default, since its readers reject unknown ones.
    mcp_servers: dict[str, ToolServer] | None = Field(default=None, exclude_if=lambda servers: servers is None)
    """{name: entry} of MCP servers that need more than a URL."""
    mcp_tool_filter: list[str] | None = None
    """Only these tools of MCP servers are offered; None: all."""
    mcp_tool_description_overrides: dict[str, str] | None = None
    """{tool: description} that replaces the server's own."""
    mcp_http_timeout: float | None = Field(default=None, gt=0)
    """Seconds in which a server of `mcp_urls_dict` must have listed its tools; None: 30."""
    mcp_sse_read_timeout: float | None = Field(default=None, gt=0)
    """Seconds for one tool call on such a server; None: 60."""
    workspace_tools: list[WorkspaceToolName] | None = Field(default=None, exclude_if=lambda tools: tools is None)
    """Built-in tools for the question's workspace while the model answers; None: none."""
    claude_code_tools: list[ClaudeCodeToolName] | None = Field(default=None, exclude_if=lambda tools: tools is None)
    """Claude Code's own tools that it may use (interface `claude_agent_sdk`), in a sandbox around the whole program.

    Without such a sandbox on this computer they are off, unless the run allows unconfined commands. With any of them,
    Claude Code also has the tools named in `workspace_tools`, and no others. None: not chosen. It then has all
    workspace tools, and all of its own if commands cannot be confined and the run allows that.
    """
    endpoint_base_url: str | None = None
    """URL of an OpenAI-compatible server."""
    endpoint_api_key: SecretStr | None = Field(default=None, repr=False)
    anthropic_base_url: str | None = None
    anthropic_api_key: SecretStr | None = Field(default=None, repr=False)
    api_key_env: str | None = None
    """Environment variable of the key; None: the interface's usual one."""
    agent_runtime: dict[str, Any] | None = None
    """Upstream's settings of agent runtimes, preserved unchanged."""
    extra_kwargs: dict[str, Any] = Field(default_factory=dict)
    """Extra request parameters, passed to the provider unchanged."""
    manual_traces: dict[str, Any] | None = Field(default=None, repr=False, exclude=True)
    """Recorded answers by question id: a text, a message list, or a list with one of them per replicate.

    `{"messages": [...], "judged": "last" | "whole" | "specified"}` chooses the judged part of a conversation (see
    `traces.dialogues`); without it, that is the model's last message in dialogues, else the final message.
    """
    recording: str | None = None
    """File of recorded model exchanges (interface `replay`)."""
    agent_middleware: dict[str, Any] | None = None
    max_context_tokens: int | None = None
    agent_timeout: float | None = Field(default=None, gt=0)
    """Seconds for an agent's whole loop; None: 180."""
    request_timeout: float | None = Field(default=None, gt=0)
    """Seconds for one call; None: the run's."""
    retry_policy: RetryPolicy | None = None
    """None: the run's."""

    @field_validator("endpoint_api_key", "anthropic_api_key", mode="before")
    @classmethod
    def _mask_is_no_key(cls, key: Any) -> Any:
        # Files with masked keys come from exports: the mask must not be sent as a key.
        plain = key.get_secret_value() if isinstance(key, SecretStr) else key
        return None if plain is None or not str(plain).strip("*") else key

    @field_validator("endpoint_api_key", "anthropic_api_key")
    @classmethod
    def _key_can_be_sent(cls, key: SecretStr | None) -> SecretStr | None:
        plain = key.get_secret_value().strip() if key else ""
        if not is_sendable(plain):
            raise ValueError("The key contains a line break or an unsupported character. Copy only the key again.")
        return SecretStr(plain) if plain else None

    @field_validator("extra_kwargs", mode="before")
    @classmethod
    def _none_is_empty(cls, value: Any) -> Any:
        return {} if value is None else value

    @field_validator("extra_kwargs")
    @classmethod
    def _without_secrets(cls, value: dict[str, Any]) -> dict[str, Any]:
        return without_secrets(value)

    @field_validator("endpoint_base_url", "anthropic_base_url")
    @classmethod
    def _address_of_a_server(cls, address: str | None) -> str | None:
        address = address.strip() if address else address
        if not address:
            return address
        # Addresses are shown, logged and exported, unlike keys.
        if "@" in authority_of(address):
            raise ValueError(
                "The base URL contains a user name or password. Remove it, and name the key’s variable under API key "
                "variable (api_key_env)."
            )
        # What is called has to be what people and other parsers read.
        if extra := next((sign for sign in "?#\\" if sign in address), None):
            raise ValueError(
                f"The base URL contains “{extra}”. Enter only its server and path, such as https://a.org/v1."
            )
        return address

    @field_validator("agent_middleware")
    @classmethod
    def _limits_are_a_table(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        limits = (value or {}).get("limits") or {}
        names = ("model_call_limit", "tool_call_limit", "token_limit")
        wrong = not isinstance(limits, dict) or any(
            not isinstance(limits[name], int) or limits[name] < 1 for name in names if limits.get(name) is not None
        )
        if wrong:
            raise ValueError("agent_middleware.limits must be a table such as {'model_call_limit': 25}.")
        return value

    @model_validator(mode="after")
    def _complete(self) -> Self:
        # `validate_assignment` would call this validator again for every assignment.
        fields = self.__dict__
        if self.interface == "manual":
            if self.mcp_urls_dict or self.mcp_servers:
                raise ValueError("Recorded answers (interface 'manual') cannot use MCP servers.")
            fields["id"] = self.id or self.model_name or "manual"
            fields["model_name"] = self.model_name or self.id
        if not self.model_name:
            raise ValueError("A model needs a name: enter the provider’s name for it under Model (model_name).")
        fields["id"] = self.id or self.model_name
        return self

    @property
    def max_turns(self) -> int:
        """Turns that an agent may take before the recursion limit is reached (default 25)."""
        return int(self._limit("model_call_limit") or 25)

    @property
    def max_tool_calls(self) -> int | None:
        """Limit on an agent's tool calls (`tool_call_limit`); None: no limit."""
        return self._limit("tool_call_limit")

    @property
    def max_agent_tokens(self) -> int | None:
        """Limit on the input and output tokens of an agent's whole loop (`token_limit`); None: no limit."""
        return self._limit("token_limit")

    @property
    def agent_seconds(self) -> float:
        """Seconds for an agent's whole loop."""
        return self.agent_timeout or 180.0

    @property
    def tool_servers(self) -> dict[str, ToolServer]:
        """All MCP servers of the model by name; an entry takes precedence over a bare URL."""
        connect, call = self.mcp_http_timeout or 30.0, self.mcp_sse_read_timeout or 60.0
        named = {
            name: ToolServer(url=url, connect_seconds=connect, call_seconds=call)
            for name, url in (self.mcp_urls_dict or {}).items()
        }
        return {**named, **(self.mcp_servers or {})}

    def _limit(self, name: str) -> int | None:
        limit = ((self.agent_middleware or {}).get("limits") or {}).get(name)
        return None if limit is None else int(limit)

    @field_serializer("endpoint_api_key", "anthropic_api_key")
    # Not even masked: a file without the field cannot be mistaken for one with a key.
    def _never_written(self, _key: SecretStr | None) -> None:
        return None
