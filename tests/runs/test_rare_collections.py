from __future__ import annotations

import gc

import pytest

from karenina_gui.runs.rare_collections import NEW_OBJECTS, rare_collections


def test_garbage_is_collected_as_before_once_the_last_run_has_ended() -> None:
    before = gc.get_threshold()
    first, second = rare_collections(), rare_collections()
    with first:
        second.__enter__()
    assert gc.get_threshold()[0] >= NEW_OBJECTS
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before


def test_it_is_so_after_a_run_that_broke() -> None:
    before = gc.get_threshold()
    with pytest.raises(ZeroDivisionError), rare_collections():
        raise ZeroDivisionError
    assert gc.get_threshold() == before
