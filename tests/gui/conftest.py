"""What tests of windows share."""

from __future__ import annotations

import asyncio
import gc
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from nicegui import Client
from nicegui.testing import User

from karenina_gui.app import Application, build
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.settings import Settings


@pytest.fixture(scope="module", autouse=True)
def nothing_old_is_looked_through() -> None:
    """The simulated person of NiceGUI collects garbage twice a test: a third of a second, most of it in loaded code."""
    gc.collect()
    gc.freeze()


@pytest.fixture
async def user(user: User) -> AsyncIterator[User]:
    """Lets the last change reach the page's outbox: cancelled as it wakes up, that would be waited for two seconds."""
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


@pytest.fixture
def application(first_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """As after the first start: the example and its sample models."""
    application = build(Settings(data=shutil.copytree(first_data, tmp_path_factory.mktemp("application") / "data")))
    yield application
    application.close()


@pytest.fixture
def services(application: Application) -> AppContext:
    return application.services()
