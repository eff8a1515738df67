"""MCP servers of a model's agent, and references to secrets in their entries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from karenina_gui.text.urls import authority_of

_LEAST_SECRET = 4
"""Length in characters of the shortest variable value that is hidden; hiding shorter ones would garble every text."""
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_NAME = re.compile(r"key|authorization|password|secret|bearer|token|cookie", re.I)


class ToolServer(BaseModel):
    """Access to one MCP server: a program to start (stdio), or a URL (streamable HTTP, or the older SSE).

    Command, arguments, URL and the values of `env` and `headers` may refer to environment variables as `${NAME}`;
    values that look like a key must, since entries are saved and exported with a run.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    type: Literal["http", "sse", "stdio"] = "http"
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    command: str | None = None
    """Program, found on the PATH or given as a path; it runs unsandboxed, with the user's rights."""
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    """Variables of the program, in addition to a few harmless ones (`PATH`, `HOME`, `LANG`); no others reach it."""
    tools: list[str] | None = None
    """Only these tools of the server are offered; None: all."""
    connect_seconds: float = Field(default=30.0, gt=0, le=600)
    """Seconds in which it must have listed its tools."""
    call_seconds: float = Field(default=60.0, gt=0, le=3600)
    """Seconds for one tool call."""

    @model_validator(mode="before")
    @classmethod
    def _kind_follows(cls, data: Any) -> Any:
        """Infer the type: entries of other programs omit it, or call it `streamable_http`."""
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
                    f"{name!r} looks like an API key. Put it in an environment variable and write ${{NAME}} here."
                )
        return values

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.type == "stdio" and not (self.command or "").strip():
            raise ValueError("A server of type 'stdio' needs a command: the program to start.")
        # A reference is resolved only when the server is opened, so the URL cannot be checked here.
        if self.type != "stdio" and not _REFERENCE.match(self.url or ""):
            self._check_url()
        return self

    def _check_url(self) -> None:
        parts = urlsplit(self.url or "")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"A server of type {self.type!r} needs a url such as http://127.0.0.1:8000/mcp.")
        if "@" in authority_of(self.url or ""):
            raise ValueError("The URL contains a user name or password. Put it in a header as ${NAME}.")
        if "\\" in (self.url or "") or parts.fragment:
            raise ValueError("The URL contains “#” or “\\”. Enter it without.")

    @property
    def variables(self) -> list[str]:
        """Environment variables that the entry refers to."""
        texts = (*self.env.values(), *self.headers.values(), *self.args, self.command or "", self.url or "")
        return sorted({name for text in texts for name in _REFERENCE.findall(text)})

    @property
    def command_line(self) -> str:
        """Command line for a shell; references to variables stay unresolved."""
        return " ".join(_shell_quote(part) for part in (self.command or "", *self.args))

    @property
    def reach(self) -> str:
        """Whole command of a program, or the URL; references to variables stay unresolved."""
        return self.command_in_full if self.type == "stdio" else str(self.url)

    @property
    def command_in_full(self) -> str:
        """Command line with the variables that the program gets: they can change what it does."""
        return " ".join([*(f"{name}={_shell_quote(value)}" for name, value in self.env.items()), self.command_line])

    def secrets(self, environment: Mapping[str, str]) -> dict[str, str]:
        """{value: sign in its place} of the variables that the entry refers to, as far as they are set."""
        values = {environment.get(name, ""): f"[{name}]" for name in self.variables}
        return {value: sign for value, sign in values.items() if len(value) >= _LEAST_SECRET}

    def only(self, tools: Sequence[str] | None) -> Self:
        """The server with only these of its offered tools; None: all of them."""
        if tools is None:
            return self
        return self.model_copy(update={"tools": [tool for tool in tools if self.tools is None or tool in self.tools]})


def resolve_references(text: str, environment: Mapping[str, str]) -> str:
    """Replace `${NAME}` by the environment's value; a variable that is not set stays as written."""
    return _REFERENCE.sub(lambda match: environment.get(match[1]) or match[0], text)


def _shell_quote(part: str) -> str:
    return part if part and not set(part) & set(" \t\n\"'\\;&|<>()*?#~") else "'" + part.replace("'", "'\\''") + "'"
