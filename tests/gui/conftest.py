"""What the tests of pages share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from karenina_gui.sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(slots=1) as sandbox:
        yield sandbox
