"""Money in words: what is not known is said, and never looks like nothing."""

from __future__ import annotations

from karenina_gui.analysis.costs import Cost
from karenina_gui.gui.parts.markup import Html, joined, link, tag
from karenina_gui.text import join_list, quantity

LEAST = 0.0001
"""Dollars below which only `less than` is said."""
PAGE = "/prices"


def in_dollars(amount: float | None) -> str:
    """`$12.34`, `$0.0031`; None is `unknown`."""
    if amount is None:
        return "unknown"
    if amount == 0:
        return "$0"
    if amount < LEAST:
        return f"<${LEAST:g}"
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.4f}"


def in_words(cost: Cost) -> str:
    """The whole cost; `at least` where a part of it is not known, `unknown` where nothing is."""
    if cost.is_known:
        return in_dollars(cost.dollars)
    return f"at least {in_dollars(cost.dollars)}" if cost.dollars else "unknown"


def reasons(cost: Cost) -> Html | None:
    """Why it is not known, and where to mend that; None: it is."""
    if cost.is_known:
        return None
    parts: list[Html | str] = []
    if names := cost.unpriced:
        parts += [
            f"No price for {join_list([model_in_words(each) for each in names])}. ",
            link(PAGE, "Enter prices"),
            ". ",
        ]
    if cost.untold:
        parts.append(f"The provider didn’t report all tokens of {quantity(cost.untold, 'result')}.")
    return tag("p", joined(parts), class_="rz-mut rz-after")


def model_in_words(model: str) -> str:
    """`gpt-4.1 (openai)` for `openai:gpt-4.1`."""
    interface, found, name = model.partition(":")
    return f"{name} ({interface})" if found else model
