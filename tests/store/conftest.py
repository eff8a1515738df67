from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from karenina_gui.store.library import Library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "data") as library:
        yield library
