"""Routing of addresses to pages, and the page for addresses that lead nowhere."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from nicegui import background_tasks, json, ui
from nicegui.page_arguments import RouteMatch

from karenina_gui.gui.kit.elements import button, empty_state
from karenina_gui.gui.session.nicegui_internals import SubPages, router_of


@dataclass(frozen=True)
class NotFound:
    """Return value of a page that has nothing to draw: what is missing, and links to other pages."""

    message: str = "Check the address, or open a page from the sidebar."
    title: str = "Page not found"
    ways: tuple[tuple[str, str], ...] = (("Questions", "/"), ("All benchmarks", "/benchmarks"), ("Runs", "/runs"))
    """Labels and addresses of the links."""
    first_way: Callable[[], Any] | None = None
    """Draws a control before the links that can bring the missing object back."""


class Router(SubPages):
    """Router of the pages; shows a "not found" page, and answers HTTP requests for such addresses with 404."""

    def __init__(
        self, routes: dict[str, Callable[..., Any]], *, within: Mapping[str, Container[str]] | None = None
    ) -> None:
        """Register the functions that draw pages; they return `Nothing` if there is nothing to show.

        `within`: {path: query parameters that the page follows by itself}; a change of only these does not redraw the
        page.
        """
        self._nothing: NotFound | None = None
        self._within = within or {}
        super().__init__({path: self._recording_result(draw) for path, draw in routes.items()})

    def _recording_result(self, draw: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(draw)  # NiceGUI passes arguments by the names in the signature
        def note(*arguments: Any, **named: Any) -> Any:
            drawn = draw(*arguments, **named)
            self._nothing = drawn if isinstance(drawn, NotFound) else None
            return None if self._nothing else drawn

        return note

    def begin_page(self) -> None:
        self._nothing = None

    def is_found(self) -> bool:
        return self._nothing is None

    def is_same_page(self, before: RouteMatch, now: RouteMatch) -> bool:
        return self._page_query(now) == self._page_query(before)

    def _page_query(self, match: RouteMatch) -> list[tuple[str, str]]:
        within = self._within.get(match.pattern, ())
        return [(name, value) for name, value in match.query_params.multi_items() if name not in within]

    def draw_missing_page(self) -> None:
        draw_not_found(self._nothing or NotFound())
        self._nothing = None


def readdress(address: str, *, step: bool = False) -> None:
    """Change the address of the open page without redrawing it.

    `step`: add an entry to the browser's history instead of replacing the current one.
    """
    client = ui.context.client
    # `ui.navigate.history` tells only the browser: the router would compare the next address with the replaced one, and
    # leave the wrong page open if the two are equal.
    router_of(client).current_path = address
    for pages in client.layout.descendants():
        if isinstance(pages, Router):
            pages.follow_address()
    page, change = json.dumps(address), "pushState" if step else "replaceState"
    client.run_javascript(f'history.{change}({{page: {page}}}, "", (window.path_prefix || "") + {page})')


def navigate_if_present(element: ui.element, address: str) -> None:
    """Open another page at the end of a slow action.

    Does nothing if `element`, a part of the page on which the action began, is gone: the user has left that page.
    """
    if not element.is_deleted:
        with element:  # the slot of the pressed button may be deleted
            ui.navigate.to(address)


def open_tab(address: str) -> None:
    """Open an address in a new tab of the browser."""
    ui.navigate.to(address, new_tab=True)


def redraw(path: str) -> None:
    """Redraw the page at this path if it is open."""
    router = router_of(ui.context.client)
    if router.current_path.partition("?")[0] == path:
        background_tasks.create(router.refresh(), name="draw the page again", context=ui.context.client)


def draw_not_found(nothing: NotFound) -> None:
    ui.page_title(f"{nothing.title} · Karenina")
    with empty_state("search_off", nothing.title, nothing.message, level=1):
        if nothing.first_way is not None:
            nothing.first_way()
        for name, address in nothing.ways:
            button(name, lambda address=address: ui.navigate.to(address))
