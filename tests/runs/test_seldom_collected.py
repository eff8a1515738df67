"""How often Python searches for cycles, during runs and after them."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from karenina_gui.runs.seldom_collected import seldom_collected


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_runs_that_overlap_leave_things_as_the_first_has_found_them() -> None:
    gc.set_threshold(700, 10, 10)
    one, other = seldom_collected(), seldom_collected()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert gc.get_threshold()[0] > 700
    assert gc.get_threshold()[1:] == (10, 10)
    other.__exit__(None, None, None)
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("chosen", [0, 10**6])
def test_who_searches_more_seldom_already_or_not_at_all_goes_on_so(chosen: int) -> None:
    gc.set_threshold(chosen, 10, 10)
    with seldom_collected():
        assert gc.get_threshold() == (chosen, 10, 10)
    assert gc.get_threshold() == (chosen, 10, 10)
