"""Page of a run: its summary, or its results if the address filters them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.runs import results_view, summary_view
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.result_summaries import ResultSort

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/runs/{r}`."""
    query = ResultQuery.from_query(route.query)
    view = results_view if query.filtered or query.group or query.sort != ResultSort() else summary_view
    view.draw(window, route)
