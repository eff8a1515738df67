"""MCP servers that a model's agent works with, and the references to secrets in their entries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_NAME = re.compile(r"key|authorization|password|secret|bearer|token|cookie", re.I)


class ToolServer(BaseModel):
    """How one MCP server is reached: a program that is started (stdio), or an address (streamable HTTP, or the older
    SSE).

    Command, arguments, address and the values of `env` and `headers` may name environment variables as `${NAME}`; what
    looks like a key must, since entries are kept and exported with a run.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    type: Literal["http", "sse", "stdio"] = "http"
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    command: str | None = None
    """Program, found on the PATH or given whole; it runs unconfined, with the rights of whoever starts the run."""
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    """Variables of the program, besides a few harmless ones (`PATH`, `HOME`, `LANG`); it sees no others of ours."""
    tools: list[str] | None = None
    """Only these tools of the server are offered; None: all."""
    connect_seconds: float = Field(default=30.0, gt=0, le=600)
    """Until it has said what tools it has."""
    call_seconds: float = Field(default=60.0, gt=0, le=3600)
    """For one call of a tool."""

    @model_validator(mode="before")
    @classmethod
    def _kind_follows(cls, data: Any) -> Any:
        """Entries of other programs leave out the type, or call it `streamable_http`."""
        if not isinstance(data, dict):
            return data
        data = dict(data)
        if str(data.get("type", "")).replace("-", "_") in ("streamable_http", "streamableHttp"):
            data["type"] = "http"
        if not data.get("type"):
            data["type"] = "stdio" if data.get("command") else "http"
        return data

    @field_validator("env", "headers")
    @classmethod
    def _without_secrets(cls, values: dict[str, str]) -> dict[str, str]:
        for name, value in values.items():
            if _SECRET_NAME.search(name) and value and not _REFERENCE.search(value):
                raise ValueError(
                    f"{name!r} looks like a key. Put it into an environment variable and write ${{NAME}} here instead."
                )
        return values

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.type == "stdio" and not (self.command or "").strip():
            raise ValueError("A server of type 'stdio' needs a command: the program to start.")
        if self.type != "stdio" and not _REFERENCE.match(self.url or ""):
            parts = urlsplit(self.url or "")
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError(f"A server of type {self.type!r} needs a url such as http://127.0.0.1:8000/mcp.")
            if "@" in parts.netloc:
                raise ValueError("The address holds a user name or a password; put it into a header as ${NAME}.")
        return self

    @property
    def variables(self) -> list[str]:
        """Environment variables that its entry names."""
        texts = (*self.env.values(), *self.headers.values(), *self.args, self.command or "", self.url or "")
        return sorted({name for text in texts for name in _REFERENCE.findall(text)})

    def only(self, tools: Sequence[str] | None) -> Self:
        """The server with none but these of the tools that it offers; None: with all of them."""
        if tools is None:
            return self
        return self.model_copy(update={"tools": [each for each in tools if self.tools is None or each in self.tools]})


def resolved(text: str, environment: Mapping[str, str]) -> str:
    """`${NAME}` replaced by what the environment has; a variable that is not there stays as it is written."""
    return _REFERENCE.sub(lambda found: environment.get(found[1]) or found[0], text)
