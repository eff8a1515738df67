"""Start of the web server and of the browser."""

from __future__ import annotations

import faulthandler
import gc
import hashlib
import json
import os
import secrets
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType

from nicegui import app, ui
from starlette.middleware.sessions import SessionMiddleware
from starlette.responses import Response

from karenina_gui.access_token import AccessToken
from karenina_gui.gui.pages.runs import api as run_routes
from karenina_gui.gui.pages.workspaces import api as workspace_routes
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.session.nicegui_internals import PatientProtocol, map_import
from karenina_gui.gui.shell import api, layout
from karenina_gui.gui.shell.menus import shortcut_script
from karenina_gui.gui.shell.origin_check import OriginCheckMiddleware
from karenina_gui.gui.shell.token_gate import FIELD, Door
from karenina_gui.static_files import static_address, static_folder

SCRIPTS = (
    *("shortcuts.js", "menu_keys.js", "window_parts.js", "outbox.js", "http_events.js"),
    *("download.js", "clipboard.js", "file_drop.js", "links.js", "context_menus.js"),
)
"""Scripts of every page; those of single pages are loaded when a page needs them."""
STYLES = (
    *("base", "shell", "controls", "primitives", "questions", "guide", "templates", "drafts", "review", "calibration"),
    *("versions", "imports", "outcomes", "runs", "run_form", "result", "trace", "evidence", "terminal", "charts"),
    *("rubric", "workspaces", "settings", "start", "problems", "replace", "narrow"),
)
"""Style sheets in the order of their rules: of rules of the same weight the last one counts."""
TERMINAL_COLORS = "\n".join(
    f".ansi-{n} {{color: var(--ansi-{n})}} "
    f".ansi-on-{n} {{background: color-mix(in srgb, var(--ansi-{n}) 18%, var(--bg))}}"
    for n in range(16)
)
"""Rules for the sixteen colors of terminals, as text and behind it."""
YEAR = 365 * 24 * 3600


def prepare(services: AppContext) -> None:
    """Register routes, static files, and start-up tasks that all windows share."""
    api.register(services)
    run_routes.register(services)
    workspace_routes.register(services)
    app.on_startup(services.connect)
    app.on_startup(lambda: services.library.writes.keep_off(threading.get_ident()))
    app.on_startup(_collect_garbage)
    app.on_startup(_take_turns)
    app.on_startup(_bound_shutdown)
    # For all windows: colors that each one sets for itself are computed for its whole page a second time.
    app.colors(primary="#2f5fd0", dark_page="#1b1e24", dark="#1b1e24")
    ui.add_head_html(f'<meta name="karenina-library" content="{_library(services)}">', shared=True)
    below = services.settings.root_path
    if below:  # before any script sends a request: NiceGUI sets the prefix only after the page is built
        ui.add_head_html(f"<script>window.path_prefix = {json.dumps(below)}</script>", shared=True)
    sheets = [_text(f"styles/{name}.css") for name in STYLES]
    styles = _serve("all.css", "\n".join([TERMINAL_COLORS, *sheets]), "text/css")
    ui.add_head_html(f'<link rel="stylesheet" href="{below}{styles}">', shared=True)
    _serve_scripts(below + static_address())
    app.add_static_files(static_address(), static_folder(), max_cache_age=YEAR)
    # Most pages begin with a table: load its code while the rest of the page is in transit.
    ui.add_head_html("<script>import('nicegui-aggrid')</script>", shared=True)


def serve(services: AppContext, token: AccessToken | None = None) -> None:
    """Serve until interrupted; `services.settings.port` must be set. `token`: required access token, or None."""
    settings = services.settings
    assert settings.port is not None
    prepare(services)
    secret = _secret(settings.data / "browser.key")
    door = None if token is None else Door(token.value, secret, settings.port, random=token.source is None)
    # Before the check, which is then around it: a refused request must not leave a session behind.
    app.add_middleware(SessionMiddleware, secret_key=secret)
    app.add_middleware(OriginCheckMiddleware, host=settings.host, allowed=settings.allowed_host, door=door)
    ui.run(
        lambda: layout.draw(services),
        host=settings.host,
        port=settings.port,
        title="Karenina",
        favicon=static_folder() / "favicon.svg",
        language="en-US",
        reload=False,
        tailwind=False,
        show=settings.browser and (f"/?{FIELD}={door.ticket()}" if door else True),
        show_welcome_message=False,
        reconnect_timeout=60,
        gzip_middleware_factory=None,
        storage_secret=secret,
        root_path=settings.root_path,
        # Without a proxy, any client on this computer could tell another address for each wrong token. None: uvicorn’s
        # default, which is this computer or `FORWARDED_ALLOW_IPS`.
        forwarded_allow_ips=None if settings.allowed_host or settings.root_path else "",
        http=PatientProtocol,
        timeout_graceful_shutdown=CLOSING,
    )


CLOSING = 5
"""Seconds in which open requests may end when the application is told to."""

ALLOCATIONS = 5_000
"""Number of new objects after which garbage is collected.

At Python's default of 700 (2,000 since 3.13), collections take up to a fifth of the server's time for a page: see
`tests/benchmarks/page_builds.py`.
"""
BETWEEN_LOOKS = 0.5
"""Seconds between two looks at what there is to collect."""
QUIET = 0.02
"""Share of a processor that the application takes at most while nobody types.

Three idle windows take a fifth of it, and one keystroke more than all of it for half a second: 0.010 to 0.014 s.
"""
PORTION = 10
"""Collections of new objects after which what they leave is a portion: 50,000 objects, searched in 0.02 s."""
SOME_PORTIONS, MANY_PORTIONS = 3, 80
"""Portions that are collected at once, and that are too many to wait for a quiet second."""
MANY_BLOCKS = 4_000_000
"""Memory blocks of 60 to 100 bytes that are too many to wait for five quiet seconds."""
BETWEEN_WHOLE_COLLECTIONS = 600.0
"""Seconds after which all objects are searched, in five quiet seconds or when there are `MANY_BLOCKS` more."""
SHUTDOWN = 8.0
"""Seconds after SIGTERM in which the application must have ended."""


def _bound_shutdown() -> None:
    """End the process some seconds after SIGTERM, whatever still holds it up."""
    # Python's own threads would wait for what holds the interpreter; this one does not.
    before = signal.getsignal(signal.SIGTERM)

    def end(number: int, frame: FrameType | None) -> None:
        faulthandler.dump_traceback_later(SHUTDOWN, exit=True, file=os.open(os.devnull, os.O_WRONLY))
        if callable(before):
            before(number, frame)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)


def _collect_garbage() -> None:
    """Enable garbage collection except for loaded code, whose scan would block every window.

    Whole collections block them, too, and longest while an import is in memory, so they wait for a quiet moment.
    """
    gc.freeze()
    gc.set_threshold(ALLOCATIONS, PORTION, 1_000_000)
    gc.enable()
    app.timer(BETWEEN_LOOKS, _QuietCollector().look, immediate=False)


class _QuietCollector:
    """Collects garbage in small portions, so that nobody who types has to wait.

    What a collection leaves is not searched again until nobody has typed for five seconds: that takes a second with
    fifty open windows.
    """

    def __init__(self) -> None:
        self._whole = time.monotonic()
        """Time of the last collection of all objects."""
        self._blocks = sys.getallocatedblocks()
        """Memory blocks after it."""
        self._processor = time.process_time()
        """Processor time at the last look."""
        self._quiet = 0.0
        """Seconds since somebody typed."""

    def look(self) -> None:
        is_quiet = time.process_time() - self._processor < QUIET * BETWEEN_LOOKS
        self._quiet = self._quiet + BETWEEN_LOOKS if is_quiet else 0.0
        if self._is_whole_due():
            gc.unfreeze()
            self._collect()
            self._whole, self._blocks = time.monotonic(), sys.getallocatedblocks()
        elif self._is_due():
            self._collect()
        self._processor = time.process_time()

    @staticmethod
    def _collect() -> None:
        gc.collect()
        gc.freeze()

    def _is_whole_due(self) -> bool:
        if time.monotonic() - self._whole < BETWEEN_WHOLE_COLLECTIONS:
            return False
        # A run keeps the application busy for hours, in which windows are opened and closed.
        return self._quiet >= 5 or sys.getallocatedblocks() - self._blocks >= MANY_BLOCKS

    def _is_due(self) -> bool:
        portions = gc.get_count()[2]
        # Twice as many take a tenth of a second; of more, such as an import, one waits for the end.
        at_once = SOME_PORTIONS <= portions < 2 * SOME_PORTIONS or portions >= MANY_PORTIONS
        return at_once or (portions > 0 and self._quiet >= 1)


def _take_turns() -> None:
    """Let threads that compute give way to those that answer windows sooner than by default (5 ms)."""
    sys.setswitchinterval(0.001)


def _serve_scripts(folder: str) -> None:
    """Let every page load its scripts, and import the modules of `static/lib` by name."""
    # Preloaded, or each would be requested only once what imports it has arrived.
    for name in module_names():
        map_import(f"karenina/{name}.js", f"{folder}/lib/{name}.js")
        ui.add_head_html(f'<link rel="modulepreload" href="{folder}/lib/{name}.js">', shared=True)
    for script in SCRIPTS:
        ui.add_head_html(f'<script type="module" src="{folder}/{script}"></script>', shared=True)
    ui.add_head_html(f'<script type="module">{shortcut_script()}</script>', shared=True)


def module_names() -> list[str]:
    return sorted(file.stem for file in (static_folder() / "lib").glob("*.js"))


def _text(file: str) -> str:
    return (static_folder() / file).read_text("utf-8")


def _serve(name: str, text: str, kind: str) -> str:
    """Serve a text and return its address."""
    address = f"{static_address()}/{name}"
    headers = {"Cache-Control": f"public, max-age={YEAR}"}
    app.get(address)(lambda: Response(text, media_type=kind, headers=headers))
    return address


def _library(services: AppContext) -> str:
    """Identifier of the library: the browser keeps unsaved texts of several libraries at one address apart."""
    return hashlib.sha256(str(services.settings.data.resolve()).encode()).hexdigest()[:16]


def _secret(file: Path) -> str:
    """Return the key that signs the browsers' cookies; created once per data folder."""
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_hex(32))
    return file.read_text().strip()
