"""How many cases property tests draw: few each time, many where `HYPOTHESIS_PROFILE=thorough`, as before a release."""

from __future__ import annotations

import os

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"


def examples(quick: int, thorough: int) -> int:
    """The number for this run of the tests."""
    return thorough if THOROUGH else quick
