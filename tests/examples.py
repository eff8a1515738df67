"""Extent of a test run: a selection for every change, or all tests before a release.

`KARENINA_TESTS=thorough` (`make thorough`) draws many cases in property tests, and runs tests marked `thorough`:
journeys whose parts are tested elsewhere, and additional cases of parametrized tests.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

THOROUGH = os.environ.get("KARENINA_TESTS") == "thorough"


def examples(quick: int, thorough: int) -> int:
    """Number of cases for a property test."""
    return thorough if THOROUGH else quick


def cases(always: Iterable[Any], thorough: Iterable[Any]) -> list[Any]:
    """Cases of a parametrized test. Those in `thorough` are used only in a thorough run."""
    further = (each if isinstance(each, tuple) else (each,) for each in thorough)
    return [*always, *(pytest.param(*each, marks=pytest.mark.thorough) for each in further)]
