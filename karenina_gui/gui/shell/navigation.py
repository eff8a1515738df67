"""Sidebar with the pages and their counts; follows the address and changes of the library."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.gui.session.page import Page
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.shell.pages import PAGES

GROUPS = ("Write", "Evaluate", "Application")


class Navigation(ui.element):
    def __init__(self, window: Window) -> None:
        super().__init__("nav")
        self.window = window
        self.props('aria-label="Pages"').classes("nav")
        self.links: dict[str, tuple[Page, ui.link, ui.label]] = {}
        with self:
            for group in GROUPS:
                pages = [page for page in PAGES if page.group == group]
                if pages:
                    ui.label(group).classes("nav-group")
                for page in pages:
                    self._link(page)
        self.refresh()
        window.listen(window.services.changes_debounced, self.refresh_counts)
        window.listen(window.benchmark_switched, self.refresh)

    def refresh(self) -> None:
        """Update links and counts after the window has switched to another benchmark."""
        for page, link, _ in self.links.values():
            if page.needs_benchmark:
                link.set_visibility(self.window.benchmark_id is not None)
                link.props(f'href="{page.path.format(b=self.window.benchmark_id)}"')
        self.refresh_counts()

    def refresh_counts(self) -> None:
        for page, _link, figure in self.links.values():
            if page.count is not None:
                figure.text = page.count(self.window)

    def follow(self, path: str) -> None:
        """Highlight the page that the address belongs to."""
        path = _sidebar_path(path.split("?")[0].split("#")[0])
        # `/runs` is a prefix of `/runs/3/charts`: the longest match wins.
        fitting = [at for at, (_, link, _) in self.links.items() if _begins(str(link.props.get("href")), path)]
        here = max(fitting, key=len, default=None)
        for at, (_, link, _) in self.links.items():
            link.classes(add="on") if at == here else link.classes(remove="on")
            link.props('aria-current="page"') if at == here else link.props(remove="aria-current")

    def _link(self, page: Page) -> None:
        with ui.link(target=page.path) as link:
            ui.icon(page.icon)
            ui.label(page.title)
            figure = ui.label().classes("nav-count")
        self.links[page.path] = (page, link, figure)


def _sidebar_path(path: str) -> str:
    """Address of the page that stands for this one in the sidebar."""
    for page in PAGES:
        start, _, end = page.path.partition("{b}")
        if page.marked_in_sidebar and path.startswith(start) and path.endswith(end):
            return page.marked_in_sidebar.replace("{b}", path.removeprefix(start).removesuffix(end))
    return path


def _begins(address: str, path: str) -> bool:
    return path == address or path.startswith(f"{address}/")
