"""A page on which scripts can be imported without the application."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Route

from karenina_gui.static_files import static_folder

ORIGIN = "http://modules.test"
FOLDERS = {"static": static_folder(), "tests": Path(__file__).parents[1]}


@contextmanager
def module_page(chromium: Browser) -> Iterator[Page]:
    """A page with a storage of its own; `/static/` and `/tests/` are the folders of these names."""
    with chromium.new_page() as page:
        page.route(f"{ORIGIN}/**", _answer)
        page.goto(f"{ORIGIN}/")
        yield page


def _answer(route: Route) -> None:
    folder, _, name = urlsplit(route.request.url).path.removeprefix("/").partition("/")
    if folder in FOLDERS and (FOLDERS[folder] / name).is_file():
        route.fulfill(path=FOLDERS[folder] / name, content_type="text/javascript")
    else:
        route.fulfill(body="<!doctype html><title>Modules</title>", content_type="text/html")
