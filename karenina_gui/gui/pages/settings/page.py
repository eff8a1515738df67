"""Settings page: preferences apply immediately, application settings from the next start."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from karenina_gui import settings as application_settings
from karenina_gui.errors import InputError
from karenina_gui.gui.forms.bound_field import BoundField
from karenina_gui.gui.forms.form import draw_control, draw_field
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.elements import button, checkbox, field, heading, note, pane, scrolling, toolbar
from karenina_gui.gui.kit.number_text import NumberLimits
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.option import Option
from karenina_gui.gui.pages.run_setup.options import REPLICATES, TIME_LIMIT, WORKERS
from karenina_gui.gui.records.form_field import FormField
from karenina_gui.gui.records.optimistic_edit import CallbackField
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.shell.commands import BY_ID
from karenina_gui.settings import read_stored, settings_file, variable
from karenina_gui.store.backups import Backup
from karenina_gui.text import quantity, size_in_words

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

THEMES = {"system": "System theme", "light": "Light theme", "dark": "Dark theme"}
AUTHOR = {"name": "Name", "email": "Email", "affiliation": "Institution"}
RUN_DEFAULTS = (REPLICATES, WORKERS, TIME_LIMIT)
"""Options of the Run page with a default of the user."""

HOST = FormField[Any](
    "host",
    "Host",
    "default: this computer only",
    placeholder="127.0.0.1",
    doubt=lambda text: host_doubt(str(text or "")),
)
PORT = FormField[Any]("port", "Port", "default: first free port from 8080", "number")
CLUSTER = FormField[Any]("cluster", "Scheduler address", "default: none", placeholder="tls://cluster.example:8786")
CERTIFICATES = {"tls_ca": "Authority’s certificate", "tls_cert": "Own certificate", "tls_key": "Key of the certificate"}
UNENCRYPTED = "Allow unencrypted connections to other computers"
SAVED = (
    "Saved in {}. The command line and environment variables override it. These settings and the cluster’s take effect "
    "after a restart."
)
LIBRARY = "library.sqlite"
"""File that identifies a data folder."""


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/settings`."""
    SettingsPage(window).draw()


class SettingsPage:
    def __init__(self, window: Window) -> None:
        self._window = window
        self._running = window.services.settings

    def draw(self) -> None:
        with pane("Settings"):
            with toolbar():
                heading("Settings", 1)
            with scrolling(), ui.element("div").classes("form settings"):
                with _section("Appearance", "Applies to this browser."):
                    self._theme()
                with _section(
                    "Your name",
                    "Author of questions that you create, and your name in reviews, comments, and the history.",
                ):
                    self._author()
                with _section(
                    "New runs", "Defaults for a benchmark’s first run. Later runs begin with your last settings."
                ):
                    self._run_defaults()
                with _section("Application", SAVED.format(settings_file())):
                    self._data()
                    self._place_of_service()
                    self._browser()
                with _section(
                    "Cluster",
                    "Dask scheduler whose workers can verify the jobs of runs (New run, Advanced). "
                    "Certificates are files, for tls:// addresses.",
                ):
                    self._cluster()
                with _section(
                    "Backups",
                    "Made every day with changes, and before each update. To restore one, quit the application and run "
                    "karenina-gui restore.",
                ):
                    self._backups()
                with _section("API keys"), ui.element("div").classes("settings-link"):
                    ui.label("API keys have their own page:")
                    ui.link("API keys", "/keys")

    def _theme(self) -> None:
        choice = (
            ui.radio(THEMES, value=self._window.preferences.theme)
            .props('inline dense aria-label="Theme"')
            .classes("settings-theme")
        )
        choice.on_value_change(lambda e: BY_ID[f"view.{e.value}"].do(self._window))
        self._window.listen(self._window.theme_changed, lambda: choice.set_value(self._window.preferences.theme))

    def _author(self) -> None:
        with ui.element("div").classes("field-row"):
            for part, title in AUTHOR.items():
                spec = FormField[Any](f"author.{part}", title, label=f"Author: {title}")
                value, keep = self._window.preferences.author.get(part, ""), partial(self._save_author, part)
                draw_field(spec, CallbackField(value, keep, f"preference/{spec.name}", self._window.outbox))

    async def _save_author(self, part: str, value: Any) -> None:
        self._window.preferences.author = {**self._window.preferences.author, part: str(value or "").strip()}
        await self._window.preferences.flush()
        self._window.note_saved()

    def _run_defaults(self) -> None:
        choice = RunDraft(settings=dict(self._window.preferences.run_defaults))
        with ui.element("div").classes("field-row"):
            for option in RUN_DEFAULTS:
                name = f"{option.title}, for new runs"
                spec = FormField[Any](option.name, option.title, option.unit, "number", label=name)
                draw_field(spec, CallbackField(choice.value(option.name), partial(self._save_default, option)))

    async def _save_default(self, option: Option, number: float | None) -> str | None:
        if problem := option.problem(number):
            return problem
        choice = RunDraft(settings=dict(self._window.preferences.run_defaults))
        choice.set(option.name, option.read(number))
        self._window.preferences.run_defaults = choice.settings
        await self._window.preferences.flush()
        self._window.note_saved()
        return None

    def _data(self) -> None:
        current = self._running.data
        spec = FormField[Any](
            "data",
            "Data folder",
            "benchmarks, runs, results, and recordings",
            placeholder=str(current),
            doubt=lambda text: folder_doubt(str(text or ""), current),
        )
        with field(spec.title, spec.hint):
            self._setting(spec, current, folder_problem, lambda text: str(Path(text).expanduser()))
            size = ui.label(f"Current: {current}").classes("hint")

        async def measure() -> None:
            taken = await run.io_bound(size_of, current)
            if taken is not None and not size.is_deleted:
                size.text = f"Current: {current} ({size_in_words(taken)})"

        # After the page is shown: measuring a large folder takes a while.
        ui.timer(0.1, measure, once=True)

    def _backups(self) -> None:
        daily = self._window.services.daily_backup

        @ui.refreshable
        def state() -> None:
            ui.label(backups_text(daily.backups.all(), daily.backups.folder))
            if daily.problem:
                note(f"The last backup failed. {daily.problem}", "bad")

        async def back_up() -> None:
            try:
                await run.io_bound(daily.backups.make, "manual")
            except (InputError, OSError) as error:
                self._window.notify(f"No backup was made. {error}", "bad")
            state.refresh()

        state()
        with ui.element("div").classes("line"):
            button("Back up now", back_up, icon="backup")

    def _place_of_service(self) -> None:
        with ui.element("div").classes("field-row"):
            with field(HOST.title, HOST.hint):
                self._setting(HOST, self._running.host, host_problem, str)
            with field(PORT.title, PORT.hint):
                self._setting(PORT, self._running.port, port_problem, int)
        ui.label(f"Current: http://{self._running.host}:{self._running.port}").classes("hint")

    def _browser(self) -> None:
        if self._editable("browser", "yes" if self._running.browser else "no", "Open browser on startup"):
            saved = _saved_value("browser")
            box = checkbox("Open browser on startup", value=True if saved is None else bool(saved))
            # The file holds only what differs from the default.
            BoundField(box, lambda on: _save_setting("browser", None if on else False))

    def _cluster(self) -> None:
        with field(CLUSTER.title, CLUSTER.hint):
            self._setting(CLUSTER, self._running.cluster, cluster_problem, str)
        if self._editable("insecure_cluster", "yes" if self._running.insecure_cluster else "no", UNENCRYPTED):
            box = checkbox(UNENCRYPTED, value=bool(_saved_value("insecure_cluster")))
            ui.label(
                "Anyone on that network can then start programs on the workers. Use only a network of your own."
            ).classes("hint")
            BoundField(box, lambda on: _save_setting("insecure_cluster", True if on else None))
        with ui.element("div").classes("field-row"):
            for name, title in CERTIFICATES.items():
                spec = FormField[Any](name, title)
                with field(spec.title, spec.hint):
                    self._setting(spec, getattr(self._running, name), file_problem, str)

    def _setting(
        self, spec: FormField[Any], current: object, problem: Callable[[Any], str | None], kind: Callable[[Any], Any]
    ) -> None:
        """Draw the control of a setting in the file; an empty value restores the default."""

        def save(value: Any) -> str | None:
            value = value.strip() if isinstance(value, str) else value
            if value in (None, ""):
                return _save_setting(spec.name, None)
            return problem(value) or _save_setting(spec.name, kind(value))

        if self._editable(spec.name, current):
            value = _saved_value(spec.name)
            draw_control(spec, CallbackField(value if spec.kind == "number" else str(value or ""), save))

    def _editable(self, name: str, value: object, title: str = "") -> bool:
        """Return True if the file decides; else show the value and the source that overrides it."""
        source = self._running.source(name)
        if source in ("file", "default"):
            return True
        with ui.element("div").classes("settings-fixed flow"):
            if title:
                ui.label(f"{title}:")
            ui.label(str(value)).classes("settings-value")
            ui.label(variable(name) if source == "environment" else source).classes("hint")
        return False


@contextmanager
def _section(title: str, hint: str = "") -> Iterator[None]:
    with ui.element("section").classes("settings-section stack wide gap-10").props(aria_label(title)):
        heading(title, 2)
        if hint:
            ui.label(hint).classes("hint")
        yield


def backups_text(backups: Sequence[Backup], folder: Path) -> str:
    """Number, size, folder, and newest of the backups."""
    if not backups:
        return f"None yet. They will be in {folder}."
    size = size_in_words(sum(backup.size for backup in backups))
    newest = day_and_time(backups[0].made_at.astimezone(UTC).isoformat())
    return f"{quantity(len(backups), 'backup')} ({size}) in {folder}. Newest: {newest}."


def _saved_value(name: str) -> Any:
    """Return the value in the settings file; None if it is not set or the file is unreadable."""
    try:
        return read_stored().get(name)
    except (OSError, ValueError):
        return None


def _save_setting(name: str, value: Any) -> str | None:
    try:
        application_settings.store(name, value)
    except (OSError, ValueError) as error:
        return f"Couldn’t save to {settings_file()}: {error}. Fix the file, or make it writable."
    return None


def folder_problem(text: str) -> str | None:
    """Return the reason why a folder cannot hold the data, or None."""
    if not text.strip():
        return None
    folder = Path(text.strip()).expanduser()
    if not folder.is_absolute():
        return "Enter the full path of the folder."
    nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not nearest.is_dir():
        return f"{nearest} is a file, not a folder. Choose another path."
    if not os.access(nearest, os.W_OK | os.X_OK):
        return f"You can’t write to {nearest}. Choose another folder, or change its permissions."
    if (folder / LIBRARY).exists() and not os.access(folder / LIBRARY, os.W_OK):
        return f"The library in {folder} is read-only. Make it writable, or choose another folder."
    return None


def cluster_problem(text: str) -> str | None:
    """Return the reason why a text is not the address of a scheduler, or None."""
    if re.fullmatch(r"(tcp|tls)://[^\s/@]+:\d+", text):
        return None
    return "Enter an address with its port, such as tls://cluster.example:8786 or tcp://127.0.0.1:8786."


def file_problem(text: str) -> str | None:
    """Return the reason why a file cannot be read, or None."""
    path = Path(text).expanduser()
    return None if path.is_absolute() and path.is_file() else "Enter the full path of an existing file."


def folder_doubt(text: str, now: Path) -> str | None:
    """Describe the content of the folder at the next start, or return None if it is the current folder."""
    folder = Path(text.strip()).expanduser() if text.strip() else now
    if folder == now:
        return None
    if (folder / LIBRARY).exists():
        return f"{folder} has a library, which opens after a restart. The data in {now} stays there."
    return (
        f"After a restart, {folder} starts with an empty library. To move your data, quit the application and copy the "
        f"contents of {now}."
    )


def host_problem(text: str) -> str | None:
    """Return the reason why the server cannot listen on a host, or None."""
    host = text.strip()
    if not host:
        return None
    try:
        # Port 0 is any free port: only the address is tested.
        with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return None
    except (OSError, TypeError, ValueError):  # the latter two: a text that cannot be a name at all
        return f"{host} is not an address of this computer. Leave the host empty to use 127.0.0.1."


def host_doubt(text: str) -> str | None:
    """Warn about access from other computers, or return None."""
    host = text.strip()
    if host in ("", "127.0.0.1", "localhost", "::1"):
        return None
    return (
        "Anyone who can reach this address and has the access token acts as you on this computer: they can read, "
        "change, and run everything, use your API keys, page programs (as MCP servers), and read the files that you "
        "can read. The terminal shows a link with the token."
    )


def port_problem(number: float | None) -> str | None:
    """Return the reason why a port cannot be used, or None."""
    if number is None or NumberLimits(1, most=65535, whole=True).allows(number):
        return None
    return "Enter a port from 1 to 65535. Leave it empty for the first free port from 8080."


def size_of(folder: Path) -> int:
    """Return the size of a folder in bytes; files deleted meanwhile are skipped."""
    total = 0
    for parent, _, files in os.walk(folder):
        for name in files:
            try:
                # A link counts with its own size, because its target may be outside the folder.
                total += (Path(parent) / name).lstat().st_size
            except OSError:
                continue
    return total
