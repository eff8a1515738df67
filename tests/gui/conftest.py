"""What tests of windows share."""

from __future__ import annotations

import asyncio
import gc
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from nicegui import Client
from nicegui.testing import User, general

from karenina_gui.analysis.chart_process import ChartWorker
from karenina_gui.app import Application, build
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.settings import Settings

PATIENCE = 100
"""Tenths of a second."""
Start = Callable[[], AbstractContextManager[Application]]


@pytest.fixture(scope="module", autouse=True)
def nothing_old_is_looked_through() -> Iterator[None]:
    """Garbage is collected once a file: the simulated person of NiceGUI would do so twice a test."""
    gc.collect()
    gc.freeze()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(general, "gc", SimpleNamespace(collect=lambda: None))
        yield


@pytest.fixture
async def user(user: User) -> AsyncIterator[User]:
    """Waits patiently for what it should see, and lets the last change reach the page's outbox.

    Cancelled as it wakes up, that would be waited for two seconds.
    """
    user.should_see = partial(user.should_see, retries=PATIENCE)
    user.should_not_see = partial(user.should_not_see, retries=PATIENCE)
    yield user
    for _ in range(5):
        await asyncio.sleep(0)
    # NiceGUI would only forget its windows, so that what refers to them kept each of them in memory.
    for client in [*Client.instances.values()]:
        client.delete()


@pytest.fixture(scope="session")
def first_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder as after the first start; only to be copied, which takes a tenth of the time of a first start."""
    folder = tmp_path_factory.mktemp("first") / "data"
    build(Settings(data=folder)).close()
    return folder


@pytest.fixture(scope="session")
def charts() -> Iterator[ChartWorker]:
    """One process for all applications: to load the libraries of statistics takes it a second."""
    charts = ChartWorker()
    yield charts
    charts.close()


@pytest.fixture(scope="session")
def started(first_data: Path, charts: ChartWorker, tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Opens applications on folders of their own, as after the first start: the example and its sample models."""

    @contextmanager
    def started() -> Iterator[Application]:
        application = build(Settings(data=shutil.copytree(first_data, tmp_path_factory.mktemp("application") / "data")))
        try:
            yield replace(application, worker=charts)
        finally:
            application.close()

    return started


@pytest.fixture
def application(started: Start) -> Iterator[Application]:
    with started() as application:
        yield application


@pytest.fixture
def services(application: Application) -> AppContext:
    return application.services()
