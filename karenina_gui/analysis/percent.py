"""Shares in words, with what stands at either end told apart from what is only near it."""

from __future__ import annotations

import math


def percent(share: float) -> str:
    """`77 %`, halves upwards. `100 %` is all and `0 %` none: what is only near says `>99 %` or `<1 %`."""
    if share in (0, 1):
        return "100 %" if share else "0 %"
    whole = math.floor(share * 100 + 0.5 + 1e-9)
    if whole >= 100 and share < 1:
        return ">99 %"
    return "<1 %" if whole <= 0 else f"{whole} %"
