"""`karenina-gui`: open the application in the browser."""

from __future__ import annotations

import argparse
import gc
import socket
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from karenina_gui.commands.outcome import DONE, complain
from karenina_gui.commands.worker import add_cluster_options
from karenina_gui.errors import ConfigurationError
from karenina_gui.settings import FIRST_PORT, Settings, settings_file

NAME = ""
SUMMARY = "Open the application in the browser: write benchmarks for language models, run them, and read the results."
DETAILS = """
    Settings can also come from the environment (KARENINA_GUI_DATA, KARENINA_GUI_HOST, KARENINA_GUI_PORT,
    KARENINA_GUI_BROWSER=false, and so on) or from settings.toml in your configuration folder. The command line has
    priority. KARENINA_GUI_TOKEN holds the access token itself.

    API keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY), or from the API keys
    page of the application. The other commands take them from the environment alone.

    Examples:
      karenina-gui
      karenina-gui --data ./study --port 9000 --no-browser
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="folder for benchmarks, runs, and results; created if missing (default: one in your home folder)",
    )
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        help="address to listen on (default: 127.0.0.1, this computer only); all others require an access token",
    )
    parser.add_argument(
        "--port", type=int, metavar="N", help=f"port to listen on (default: the first free one from {FIRST_PORT} on)"
    )
    parser.add_argument(
        "--no-browser", dest="browser", action="store_false", default=None, help="don’t open a browser window"
    )
    parser.add_argument(
        "--token",
        dest="ask_token",
        action="store_true",
        default=None,
        help="require an access token on this computer, too (for shared computers)",
    )
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="file with the access token (default: a new token for each start, printed as a link)",
    )
    parser.add_argument(
        "--allowed-host",
        action="append",
        metavar="NAME",
        help="additional host name of the application, for example behind a proxy; may be repeated",
    )
    parser.add_argument(
        "--root-path", metavar="PATH", help="path under which a proxy serves the application, such as /karenina"
    )
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="scheduler of a Dask cluster that new runs can use, such as tls://host:8786",
    )
    add_cluster_options(parser)


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

        _offer_backup(lambda: serve(settings.model_copy(update={"port": port})), settings)
    finally:
        gc.enable()
    return DONE


def _offer_backup(start: Callable[[], None], settings: Settings) -> None:
    """Start; if the library is damaged and someone sits at the terminal, offer its newest backup."""
    from karenina_gui.commands.restore import restore
    from karenina_gui.store.library import DamagedLibraryError

    try:
        start()
    except DamagedLibraryError as damage:
        if damage.newest is None or not sys.stdin.isatty():
            raise
        complain(str(damage))
        made_at = f"{damage.newest.made_at:%Y-%m-%d %H:%M}"
        if (
            input(f"Restore the backup of {made_at} now? The damaged file is not deleted. [y/N] ").strip().lower()
            != "y"
        ):
            raise
        restore(settings.data, damage.newest.path)
        start()


def read_settings(options: argparse.Namespace) -> Settings:
    """Settings from all sources. Raises `ConfigurationError` that names an invalid setting."""
    values: dict[str, Any] = {name: getattr(options, name) for name in Settings.model_fields}
    try:
        return Settings(**{name: value for name, value in values.items() if value is not None})
    except ValidationError as error:
        complaints = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise ConfigurationError(f"Invalid setting ({complaints}). See  karenina-gui --help") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"Couldn’t read {settings_file()}: {error}. Correct it, or delete it.") from None


def free_port(host: str) -> int:
    """First free port from `FIRST_PORT` on. Raises `ConfigurationError` if 100 ports are taken."""
    ports = range(FIRST_PORT, FIRST_PORT + 100)
    for port in ports:
        if _is_free(host, port):
            return port
    raise ConfigurationError(f"Ports {ports[0]} to {ports[-1]} on {host} are all in use. Choose one with --port.")


def _check_free(host: str, port: int) -> None:
    if not _is_free(host, port):
        raise ConfigurationError(
            f"Port {port} on {host} is not available: the application may already be running there. "
            "Open it in the browser, or choose another port with --port."
        )


def _is_free(host: str, port: int) -> bool:
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return True
    except OSError:
        return False
