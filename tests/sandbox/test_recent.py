"""A memory of bounded size."""

from __future__ import annotations

from karenina_gui.sandbox.recent import Recent


def test_what_was_used_longest_ago_makes_room() -> None:
    recent: Recent[int] = Recent(2)
    recent.keep("a", 1)
    recent.keep("b", 2)
    assert recent.find("a") == 1
    recent.keep("c", 3)
    assert [recent.find(key) for key in "abc"] == [1, None, 3]
    recent.keep("a", 4)
    recent.keep("d", 5)
    assert [recent.find(key) for key in "acd"] == [4, None, 5]
