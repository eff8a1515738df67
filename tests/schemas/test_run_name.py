"""Names of runs to which nobody gave one."""

from __future__ import annotations

from datetime import datetime

from karenina_gui.schemas.run_name import by_date, is_by_date, title_of, unique_name


def test_runs_of_one_minute_are_told_apart() -> None:
    name = by_date(datetime(2026, 11, 21, 12, 3))
    assert unique_name(name, set()) == "Nov 21, 2026, 12:03"
    assert unique_name(name, {name}) == "Nov 21, 2026, 12:03 (2)"
    assert unique_name(name, {name, f"{name} (2)", f"{name} (4)"}) == "Nov 21, 2026, 12:03 (3)"
    assert all(is_by_date(each) for each in (name, f"{name} (2)", f"{name} (12)"))
    assert is_by_date("21 Nov 2026, 12:03 (2)")
    assert not is_by_date(f"{name} again")
    assert [title_of(3, each) for each in (name, f"{name} (2)", "mine")] == ["Run 3", "Run 3", "mine"]
