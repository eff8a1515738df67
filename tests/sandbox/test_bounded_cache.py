"""A memory of bounded size."""

from __future__ import annotations

from karenina_gui.sandbox.bounded_cache import BoundedCache


def test_what_was_used_longest_ago_makes_room() -> None:
    recent: BoundedCache[int] = BoundedCache(2)
    recent.store("a", 1)
    recent.store("b", 2)
    assert recent.find("a") == 1
    recent.store("c", 3)
    assert [recent.find(key) for key in "abc"] == [1, None, 3]
    recent.store("a", 4)
    recent.store("d", 5)
    assert [recent.find(key) for key in "acd"] == [4, None, 5]
