"""The access token: when it is required, and where it is read from."""

from __future__ import annotations

import ipaddress
import os
import secrets
from dataclasses import dataclass, field

from karenina_gui.errors import ConfigurationError
from karenina_gui.settings import Settings

VARIABLE = "KARENINA_GUI_TOKEN"
SHORTEST = 16
"""Minimum characters of a token that the user sets."""


@dataclass(frozen=True)
class AccessToken:
    value: str = field(repr=False)
    source: str | None = None
    """Where it was read from, for messages; None: it was generated for this start."""


def access_token(settings: Settings) -> AccessToken | None:
    """The required token; None: none is, because only this computer is served and no token was asked for.

    A token in the environment is removed from it, so that no child process inherits it. Errors:
    `ConfigurationError` for a token that cannot be read or is too short.
    """
    given = os.environ.pop(VARIABLE, None)
    if settings.token_file is not None:
        return _chosen(_read(settings), f"the file {settings.token_file}")
    if given is not None:
        return _chosen(given.strip(), f"the environment variable {VARIABLE}")
    if settings.ask_token or not serves_this_computer_only(settings.host):
        return AccessToken(secrets.token_urlsafe(32))
    return None


def serves_this_computer_only(host: str) -> bool:
    """True for a loopback address to listen on."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read(settings: Settings) -> str:
    assert settings.token_file is not None
    try:
        return settings.token_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not a text"
        raise ConfigurationError(f"The access token cannot be read from {settings.token_file}: {why}.") from None


def _chosen(value: str, source: str) -> AccessToken:
    if len(value) < SHORTEST or not value.isprintable():
        raise ConfigurationError(
            f"The access token in {source} must have at least {SHORTEST} characters in one line. A safe one:  "
            'python3 -c "import secrets; print(secrets.token_urlsafe(32))"'
        )
    return AccessToken(value, source)
