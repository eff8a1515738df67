"""`karenina-gui`: open the application in the browser."""

from __future__ import annotations

import argparse
import gc
import socket
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from karenina_gui.commands.outcome import DONE
from karenina_gui.errors import ConfigurationError
from karenina_gui.settings import FIRST_PORT, Settings, settings_file

NAME = ""
SUMMARY = "Open karenina_gui in the browser: write benchmarks for language models, run them, read the results."
DETAILS = """
    The same settings can stand in the environment (KARENINA_GUI_DATA, KARENINA_GUI_HOST, KARENINA_GUI_PORT,
    KARENINA_GUI_BROWSER=false and so on) or in settings.toml in your configuration folder; the command line wins.
    KARENINA_GUI_TOKEN holds the access token itself.

    Keys of providers are read from the environment, or entered on the page Keys:
    ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY.

    Examples:
      karenina-gui
      karenina-gui --data ./study --port 9000 --no-browser
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="folder for benchmarks, runs and results; made if missing (default: one in your home folder)",
    )
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        help="address to listen on (default: 127.0.0.1, this computer only); any other asks for an access token",
    )
    parser.add_argument(
        "--port", type=int, metavar="N", help=f"port to listen on (default: the first free one from {FIRST_PORT} on)"
    )
    parser.add_argument(
        "--no-browser", dest="browser", action="store_false", default=None, help="open no browser window"
    )
    parser.add_argument(
        "--token",
        dest="ask_token",
        action="store_true",
        default=None,
        help="ask for an access token on this computer, too, for one that several people share",
    )
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="file that holds the access token (default: one is made for each start, and its link printed)",
    )
    parser.add_argument(
        "--allowed-host",
        action="append",
        metavar="NAME",
        help="further name under which the application is reached, as behind a proxy; may be repeated",
    )
    parser.add_argument("--root-path", metavar="PATH", help="path under which a proxy serves it, such as /karenina")


def run(options: argparse.Namespace) -> int:
    """Serve the application until it is interrupted."""
    settings = read_settings(options)
    port = settings.port or free_port(settings.host)
    # The web server would report a port in use only after the whole application has loaded.
    _check_free(settings.host, port)
    # Garbage collection during the imports takes a fifth of the start and frees nothing; serving enables it again.
    gc.disable()
    try:
        from karenina_gui.app import serve  # takes a second to load, which `--help` and `verify` do not need

        serve(settings.model_copy(update={"port": port}))
    finally:
        gc.enable()
    return DONE


def read_settings(options: argparse.Namespace) -> Settings:
    """Settings from all sources. Raises `ConfigurationError` that names an invalid setting."""
    given: dict[str, Any] = {name: getattr(options, name) for name in Settings.model_fields}
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        complaints = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise ConfigurationError(f"A setting cannot be used ({complaints}). See  karenina-gui --help") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{settings_file()} cannot be read: {error}. Correct it, or delete it.") from None


def free_port(host: str) -> int:
    """First free port from `FIRST_PORT` on. Raises `ConfigurationError` if 100 ports are taken."""
    ports = range(FIRST_PORT, FIRST_PORT + 100)
    for port in ports:
        if _is_free(host, port):
            return port
    raise ConfigurationError(f"No port from {ports[0]} to {ports[-1]} is free on {host}. Name one with --port.")


def _check_free(host: str, port: int) -> None:
    if not _is_free(host, port):
        raise ConfigurationError(
            f"Port {port} on {host} cannot be used: perhaps the application is already open there. "
            "Look at it in the browser, or name another port with --port."
        )


def _is_free(host: str, port: int) -> bool:
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return True
    except OSError:
        return False
