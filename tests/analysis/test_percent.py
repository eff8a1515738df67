"""Shares in words."""

from __future__ import annotations

import pytest

from karenina_gui.analysis.percent import percent


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (0, 7, "0 %"), (7, 7, "100 %"), (1, 2, "50 %"), (1, 3, "33 %"), (2, 16, "13 %"), (29, 200, "15 %"),
        (999, 1000, ">99 %"), (199, 200, ">99 %"), (1, 300, "<1 %"), (1, 200, "1 %"), (198, 200, "99 %"),
    ],
)  # fmt: skip
def test_only_all_is_a_hundred_and_only_none_is_nothing(part: int, whole: int, said: str) -> None:
    assert percent(part / whole) == said
