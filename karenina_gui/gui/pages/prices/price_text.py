"""Costs in words; an unknown cost never looks like zero."""

from __future__ import annotations

from karenina_gui.analysis.costs import Cost
from karenina_gui.gui.kit.html import Html, join_html, link, tag
from karenina_gui.runs.models import interface_title
from karenina_gui.text import join_list, quantity

LEAST = 0.0001
"""Smallest amount in dollars that is shown exactly."""
PAGE = "/prices"


def in_dollars(amount: float | None) -> str:
    """Format dollars: `$12.34`, `$0.0031`; None is `unknown`."""
    if amount is None:
        return "unknown"
    if amount == 0:
        return "$0"
    if amount < LEAST:
        return f"<${LEAST:g}"
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.4f}"


def at_least(amount: float | None, *, exact: bool) -> str:
    """Format dollars; `at least` if they are not exact."""
    return in_dollars(amount) if exact or amount is None else f"at least {in_dollars(amount)}"


def in_words(cost: Cost) -> str:
    """Format a cost; `at least` if it is partly unknown, `unknown` if it is entirely unknown."""
    if cost.is_known:
        return in_dollars(cost.dollars)
    return f"at least {in_dollars(cost.dollars)}" if cost.dollars else "unknown"


def reasons(cost: Cost) -> Html | None:
    """Explain an unknown cost with a link to the Prices page; None if the cost is known."""
    if cost.is_known:
        return None
    parts: list[Html | str] = []
    if names := cost.unpriced:
        parts += [
            f"No price for {join_list([model_in_words(name) for name in names])}. ",
            link(PAGE, "Enter prices"),
            ". ",
        ]
    if names := cost.inexact:
        parts.append(
            f"The price of {join_list([model_in_words(name) for name in names])} depends on the length of single "
            "requests, or on how long their cache lasts, which isn’t known. "
        )
    if cost.untold:
        parts.append(f"The provider didn’t report all tokens of {quantity(cost.untold, 'result')}.")
    return tag("p", join_html(parts), class_="result-muted result-after")


def model_in_words(model: str) -> str:
    """Format `openrouter:gpt-4.1` as `gpt-4.1 (OpenRouter)`."""
    interface, colon, name = model.partition(":")
    return f"{name} ({interface_title(interface)})" if colon else model
