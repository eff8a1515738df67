"""Composition root: opens the library and the sandbox, creates the services, and serves the application."""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from karenina_gui import example
from karenina_gui.access_token import AccessToken, access_token, serves_this_computer_only
from karenina_gui.adapters.consents import FILE_NAME as CONSENTS_FILE, Consents
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.keys import FILE_NAME as KEYS_FILE, KeyRing
from karenina_gui.adapters.patience import Patience
from karenina_gui.adapters.recording import Recorder
from karenina_gui.analysis.chart_process import ChartWorker
from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.changes import Change
from karenina_gui.authoring.drafting.service import Drafting
from karenina_gui.authoring.problem_index import ProblemIndex
from karenina_gui.cluster.address import ClusterAddress
from karenina_gui.cluster.clusters import Clusters
from karenina_gui.example import agents
from karenina_gui.private_folders import TEMPORARY
from karenina_gui.runs.model_calls import model_calls
from karenina_gui.runs.service import RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.review import CheckItem
from karenina_gui.settings import Settings
from karenina_gui.store.backups import DailyBackup
from karenina_gui.store.instance_lock import exclusive_lock
from karenina_gui.store.library import FILE_NAME, Library

if TYPE_CHECKING:
    from karenina_gui.gui.session.app_context import AppContext

log = logging.getLogger(__name__)

M_ARENA_MAX = -8
"""Parameter of mallopt in malloc.h of the GNU C library."""
FIRST_PAGE = 5.0
"""Seconds after which the first page is shown even on a slow computer."""


@dataclass(frozen=True)
class Application:
    """All open resources of the running application."""

    settings: Settings
    library: Library
    sandbox: Sandbox
    editor: BenchmarkEditor
    runs: RunService
    drafting: Drafting
    problems: ProblemIndex
    daily_backup: DailyBackup
    worker: ChartWorker = field(default_factory=ChartWorker)

    def services(self) -> AppContext:
        """Services for the browser windows."""
        from karenina_gui.gui.session.app_context import AppContext, Confinement

        def confinement() -> Confinement:
            level = self.sandbox.level
            return Confinement(level.name, level.confined, level.description)

        return AppContext(
            self.settings,
            self.library,
            self.editor,
            self.runs,
            confinement,
            self.worker,
            self.drafting,
            self.problems,
            self.daily_backup,
        )

    def close(self) -> None:
        """Close everything. Active runs are cancelled and marked as interrupted; finished jobs stay saved."""
        # First, so that no write that waits for the disk can block the others.
        self.library.writes.close()
        self.daily_backup.close()
        self.library.older_results.close()
        self.problems.close()
        self.editor.links.close()
        self.drafting.close()
        self.runs.close()
        self.worker.close()
        self.sandbox.close()
        self.library.close()


def build(settings: Settings, patience: Patience | None = None) -> Application:
    """Open the data folder and create the services. The first start adds the examples.

    `patience`: how long runs wait for unavailable models; None: without limit. Raises `InputError`.
    """
    # Before the library is opened, which creates the file.
    first_start = not (settings.data / FILE_NAME).exists()
    library = Library.open(settings.data)
    library.commands.prune()
    sandbox = Sandbox()
    editor = BenchmarkEditor(library, sandbox)
    keys = KeyRing(file=settings.data / KEYS_FILE)
    consents = Consents(settings.data / CONSENTS_FILE)

    def open_adapters(recorder: Recorder | None) -> AdapterFactory:
        return AdapterFactory(keys, recorder, example.RECORDINGS, consents)

    protection = ClusterAddress(
        settings.cluster, settings.insecure_cluster, settings.tls_ca, settings.tls_cert, settings.tls_key
    )
    runs = RunService(library, sandbox, open_adapters, patience, Clusters(protection, consents))
    drafting = Drafting(editor, lambda cancelled: model_calls(open_adapters, cancelled, patience))
    editor.changed.subscribe(lambda change: _withdraw(runs, drafting, change))
    problems = ProblemIndex(editor, _check_traits)
    backup = DailyBackup(library.backups)
    application = Application(settings, library, sandbox, editor, runs, drafting, problems, backup)
    if first_start:
        _add_examples(application)
    return application


def _check_traits(rubric: Mapping[str, Any], taken: Mapping[str, str]) -> list[CheckItem]:
    """Check the traits of a rubric by the rules of their forms."""
    from karenina_gui.gui.pages.rubric.rubric_record import check_traits

    return check_traits(rubric, taken)


def _withdraw(runs: RunService, drafting: Drafting, change: Change) -> None:
    """Cancel the runs and drafts of a deleted benchmark, so that no more model calls are made for it."""
    if change.kind == "removed" and change.of_presence:
        runs.withdraw(change.benchmark_id)
        drafting.cancel(change.benchmark_id)


def serve(settings: Settings) -> None:
    """Serve the application in the browser until it is interrupted. `settings.port` is set.

    Raises `InputError` if another application has the data folder open, and `ConfigurationError` for an invalid access
    token.
    """
    token = access_token(settings)
    address = address_of(settings.host, settings.port)
    with exclusive_lock(settings.data, address):
        _serve(settings, address, token)


def _serve(settings: Settings, address: str, token: AccessToken | None) -> None:
    use_own_temporary_folder(settings.data)
    application = build(settings)
    # Warming up takes a processor for a second, which the first page needs more. An earlier template check starts the
    # sandbox by itself.
    closing = threading.Event()
    warm_up = threading.Timer(FIRST_PAGE, _warm_up, args=(application, closing))
    warm_up.daemon = True
    warm_up.start()
    _share_memory_of_threads()
    # NiceGUI reads this variable once, when it is imported.
    os.environ["NICEGUI_STORAGE_PATH"] = str(settings.data / "preferences")
    import karenina_gui.gui.session.nicegui_internals  # noqa: F401  # first: it imports NiceGUI with fewer packages
    from karenina_gui.gui.shell.serving import serve as serve_window

    # What is loaded by now stays: to search it for garbage would stop everything for a tenth of a second each time.
    gc.freeze()
    print(greeting(settings, token), flush=True)
    # The web server ends in order, and raises the signal again: by default, that would leave no time to end the runs.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        serve_window(application.services(), token)
    finally:
        closing.set()
        warm_up.cancel()
        application.close()


def use_own_temporary_folder(data: Path) -> None:
    """Place all temporary files in the data folder; what a killed application left behind is removed."""
    folder = data / TEMPORARY
    abandoned = folder.with_name(f"{TEMPORARY}-{uuid4().hex}")
    with suppress(OSError):
        folder.rename(abandoned)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    for old in data.glob(f"{TEMPORARY}-*"):
        # Copies of workspaces can be large, and the first page should not wait.
        threading.Thread(target=shutil.rmtree, args=(old, True), daemon=True).start()


def _add_examples(application: Application) -> None:
    """Add the examples and their sample models, so that there is something to look at and to run."""
    for path in (agents.BENCHMARK, example.BENCHMARK):
        if not path.is_file():
            log.warning("The example is missing from this installation (%s).", path)
            return
    files = application.editor.files
    first = files.import_benchmark(example.BENCHMARK)
    files.import_with_workspaces(agents.BENCHMARK, agents.WORKSPACES)
    application.library.benchmarks.bring_first(first.benchmark_id)
    for configuration in (example.run_configuration(), agents.run_configuration()):
        for model in (*configuration.answering_models, *configuration.parsing_models):
            application.library.models.save(model.id or "", model)


def _share_memory_of_threads() -> None:
    """Let all threads allocate from one arena: each of the many would keep what a page on a large run took."""
    with suppress(OSError, AttributeError, TypeError):  # not the C library of GNU
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def _warm_up(application: Application, closing: threading.Event) -> None:
    application.daily_backup.start()
    application.library.older_results.start()
    # A thread that ends with an exception would leave the sandbox cold, too.
    try:
        application.editor.links.start()
    except Exception:
        log.exception("The linked benchmark files can’t be watched.")
    try:
        application.sandbox.start()
    except Exception:
        # Ending the application ends a process that is just starting, too.
        if not closing.is_set():
            log.exception("The sandbox could not be started; it will be tried again when a template is checked.")


def greeting(settings: Settings, token: AccessToken | None) -> str:
    """Lines to print. A generated token is part of the link; a token that the user set is never shown."""
    every_address = settings.host in ("0.0.0.0", "::")
    address = address_of(_own_address(settings.host) if every_address else settings.host, settings.port)
    link = f"/?token={token.value}" if token and not token.source else ""
    lines = [f"The application is at {address}{settings.root_path}{link}  (data in {settings.data}; Ctrl+C to quit)"]
    if token and not serves_this_computer_only(settings.host):
        secret = "the link" if link else "the token"
        lines += [
            f"Anyone who can reach this computer and has {secret} acts as you, with your benchmarks and API keys.",
            "They can also start programs, as MCP servers, and read every file that you can read.",
            "The connection is not encrypted. On an untrusted network, put a web server with HTTPS in front of it.",
        ]
    if token:
        lines.append(f"The access token is in {token.source}." if token.source else "The link has the access token.")
    return "\n".join(lines)


def address_of(host: str, port: int | None) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _own_address(host: str) -> str:
    """Address at which other computers probably reach this one."""
    family, elsewhere = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "192.0.2.1")
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            # Connecting a UDP socket sends nothing; it only selects the network interface for the route.
            probe.connect((elsewhere, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return "::1" if ":" in host else "127.0.0.1"
