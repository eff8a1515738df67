"""Access token: when it is required, and its sources."""

from __future__ import annotations

import ipaddress
import os
import secrets
from dataclasses import dataclass, field

from karenina_gui.errors import ConfigurationError
from karenina_gui.settings import Settings

VARIABLE = "KARENINA_GUI_TOKEN"
SHORTEST = 16
"""Minimum characters of a token set by the user."""


@dataclass(frozen=True)
class AccessToken:
    value: str = field(repr=False)
    source: str | None = None
    """Source of the token, for messages; None: generated for this start."""


def access_token(settings: Settings) -> AccessToken | None:
    """The required token; None: not required, because only this computer is served.

    Raises `ConfigurationError` for a token that cannot be read or is too short.
    """
    # Removed from the environment, so that no child process inherits it.
    token = os.environ.pop(VARIABLE, None)
    if settings.token_file is not None:
        return _validate(_read_file(settings), f"the file {settings.token_file}")
    if token is not None:
        return _validate(token.strip(), f"the environment variable {VARIABLE}")
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


def _read_file(settings: Settings) -> str:
    assert settings.token_file is not None
    try:
        return settings.token_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it isn’t UTF-8 text"
        raise ConfigurationError(f"Couldn’t read the access token from {settings.token_file}: {why}.") from None


def _validate(value: str, source: str) -> AccessToken:
    if len(value) < SHORTEST or not value.isprintable():
        raise ConfigurationError(
            f"The access token in {source} needs at least {SHORTEST} characters on one line. To create one, run:  "
            'python3 -c "import secrets; print(secrets.token_urlsafe(32))"'
        )
    return AccessToken(value, source)
