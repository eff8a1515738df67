"""Figures with an explanation: a tooltip, and a link to their entry in the guide."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from karenina_gui.gui.kit.html import Html, icon, join_html, link, tag
from karenina_gui.schemas.figure import Figure


def figure_link(figure: Figure, *content: Any, class_: str = "") -> Html:
    """Figure with its explanation; not in the tab order, because `ask` is."""
    look = f"figure {class_}".strip()
    return link(figure.address, *content, class_=look, title=figure.tooltip, data_figure=figure.key, tabindex="-1")


def figure_help(figure: Figure) -> Html:
    """Help icon beside a heading, about the figures below it."""
    name = f"About “{figure.name}”"
    return link(figure.address, icon("help_outline"), class_="figure-ask", title=figure.tooltip, aria_label=name)


def figure_heading(title: str, figure: Figure) -> Html:
    """Heading with the help icon of the figures below it."""
    return tag("div", tag("h2", title, class_="result-heading hint"), figure_help(figure), class_="figure-head")


def figure_list(figures: Iterable[Figure]) -> Html:
    """Names of several figures, each with its tooltip."""
    links = (link(figure.address, figure.name, class_="figure-name", title=figure.tooltip) for figure in figures)
    parts = [piece for name in links for piece in (" · ", name)][1:]
    return tag("p", "About these figures: ", join_html(parts), class_="chart-figures result-muted")


def figure_entries(figures: Iterable[Figure]) -> Html:
    """Glossary entries for the guide, each with its own address."""
    return tag("dl", *(part for figure in figures for part in _entry(figure)), class_="glossary")


def _entry(figure: Figure) -> tuple[Html, Html]:
    texts = (
        ("Counted", figure.counted),
        ("Excluded", figure.left_out),
        ("Weighting", figure.weighed),
        ("Interval", figure.interval),
    )
    lines = (tag("p", tag("b", f"{title}: "), text) for title, text in texts)
    return tag("dt", figure.name, id=figure.anchor, tabindex="-1"), tag("dd", *lines)
