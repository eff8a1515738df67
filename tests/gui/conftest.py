"""What tests of windows share."""

from __future__ import annotations

import gc

import pytest


@pytest.fixture(scope="module", autouse=True)
def nothing_old_is_looked_through() -> None:
    """The simulated person of NiceGUI collects garbage twice a test: a third of a second, most of it in loaded code."""
    gc.collect()
    gc.freeze()
