"""How much a run of the tests plays: what every change needs, or everything, as before a release.

`KARENINA_TESTS=thorough` (`make thorough`) draws many cases in property tests, and plays what is marked `thorough`:
journeys whose parts are held elsewhere, and further cases of tests of which one case is always played.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

THOROUGH = os.environ.get("KARENINA_TESTS") == "thorough"


def examples(quick: int, thorough: int) -> int:
    """How many cases a property test draws in this run."""
    return thorough if THOROUGH else quick


def cases(always: Iterable[Any], thorough: Iterable[Any]) -> list[Any]:
    """Cases of a parametrized test; the second ones only where everything is played."""
    further = (each if isinstance(each, tuple) else (each,) for each in thorough)
    return [*always, *(pytest.param(*each, marks=pytest.mark.thorough) for each in further)]
