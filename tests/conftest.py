"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of specifications, oracles and published data beside the checkout; tests skip where it is absent."""
    folder = Path(os.environ.get("KARENINA_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    if not folder.is_dir():
        pytest.skip(f"needs the shared data at {folder} (or wherever KARENINA_SHARED says)")
    return folder
