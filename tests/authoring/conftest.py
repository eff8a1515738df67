from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from karenina_gui.authoring.desk import Desk
from karenina_gui.sandbox import Sandbox
from karenina_gui.store.library import Library


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(slots=1) as sandbox:
        yield sandbox


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "data") as library:
        yield library


@pytest.fixture
def desk(library: Library, sandbox: Sandbox) -> Desk:
    return Desk(library, sandbox)
