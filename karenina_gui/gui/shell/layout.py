"""Frame around every page (menu bar, sidebar, status bar, messages) and routing to the pages."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from nicegui import PageArguments, ui

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.kit.elements import button, icon_button
from karenina_gui.gui.kit.routing import NotFound, Router, readdress, redraw
from karenina_gui.gui.pages.benchmarks.deleted_page import TYPED, absence_note, deleted_page
from karenina_gui.gui.pages.comparison.file_banner import file_banner
from karenina_gui.gui.pages.problems.panel import ProblemPanel
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.session.nicegui_internals import router_of
from karenina_gui.gui.session.page import Page, PageRoute
from karenina_gui.gui.session.toasts import Toasts
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.shell.file_drop import FileDropZone
from karenina_gui.gui.shell.help_panel import HelpPanel
from karenina_gui.gui.shell.menus import Palette, ShortcutSheet, listen_to_keys, menu_bar
from karenina_gui.gui.shell.navigation import Navigation
from karenina_gui.gui.shell.pages import PAGES
from karenina_gui.gui.shell.row_menu import RowMenu
from karenina_gui.gui.shell.status import StatusBar
from karenina_gui.gui.shell.theme import ThemeSwitch
from karenina_gui.gui.shell.tour import Tour

log = logging.getLogger(__name__)


def draw(services: AppContext) -> None:
    """Build one window."""
    window = Window(services)
    window.toasts = Toasts()
    window.outbox.listen()
    window.benchmark_id = _last_benchmark(window)
    with ui.header().classes("menu-bar line gap-4").props('role="banner"'):
        ui.link("Skip to content", "#page").classes("skip")
        help_button = _menu_bar(window)
    help_button.on_click(HelpPanel(window).toggle)
    with (
        ui.left_drawer(value=window.preferences.navigation)
        .props('width="208" :breakpoint="0"')
        .classes("drawer") as side
    ):
        navigation = Navigation(window)
    with ui.footer().classes("status").props('role="contentinfo"'):
        status = StatusBar(window)
    FileDropZone(window)
    RowMenu(window)
    Tour(window)
    window.toasts.set_below_links(bool(side.value))
    side.on_value_change(lambda change: window.toasts.set_below_links(bool(change.value)))
    _register_window_commands(window, side)
    listen_to_keys(window)
    router = router_of(ui.context.client)
    if at_home := urlsplit(router.current_path).path == "/":
        router.current_path = _home(window)  # drawn with the page, which saves a round trip
    router.on_path_changed(navigation.follow)
    router.on_path_changed(partial(_note_address, window))
    window.benchmark_switched.subscribe(lambda: navigation.follow(router.current_path))
    with ui.element("div").classes("page").props('id="page" tabindex="-1"'):
        routes = {page.path: builder(window, page) for page in PAGES} | {"/": _homeward(window)}
        Router(routes, within={page.path: page.within for page in PAGES})
    ProblemPanel(window, status.walk)
    window.path = router.current_path
    navigation.follow(router.current_path)
    status.follow(router.current_path)
    if at_home:
        readdress(router.current_path)


def _note_address(window: Window, address: str) -> None:
    window.path = address
    window.address_changed.emit(address)


def builder(window: Window, page: Page) -> Callable[[PageArguments], Any]:
    """Return a function that draws the page for an address; errors replace the page."""

    def build(arguments: PageArguments) -> Any:
        try:
            numbers = {name: int(value) for name, value in arguments.path_parameters.items()}
        except ValueError:
            return NotFound()
        try:
            if "b" in numbers:
                if deleted := window.services.library.benchmarks.get_deleted(numbers["b"]):
                    return deleted_page(window, deleted)
                window.enter(numbers["b"])
                absence_note(window, numbers["b"], TYPED)
                # The comparison shows the changes themselves.
                if page.drawn_by != "pages.comparison.page":
                    file_banner(window, numbers["b"])
            ui.page_title(f"{page.title} · Karenina")
            window.enter_chapter(page.chapter)
            return page.load()(window, PageRoute(numbers, dict(arguments.query_parameters)))
        except NotFoundError as error:
            return NotFound(str(error))
        except InputError as error:
            return NotFound(str(error), "Can’t show this page")

    return build


def _menu_bar(window: Window) -> ui.button:
    """Draw the menu bar; returns its button for help."""
    ui.icon("science").classes("logo")
    menu_bar(window)
    ui.space()
    palette = Palette(window)
    window.register_command("view.palette", palette.show)
    search = button("Find a command", palette.show, icon="search", look="quiet").classes("find-command")
    with search:
        ui.label("Ctrl+K").classes("shortcut hint")
    ui.space()
    run = button("Run", lambda: _configure_run(window), icon="play_arrow", look="main")
    run.props('aria-label="Run benchmark"')
    help_button = icon_button("help_outline", "Page help")
    ThemeSwitch(window)
    return help_button


def _configure_run(window: Window) -> None:
    if window.benchmark_id is None:
        window.notify("Open a benchmark first.")
    else:
        ui.navigate.to(f"/benchmarks/{window.benchmark_id}/run")


def _register_window_commands(window: Window, side: ui.left_drawer) -> None:
    sheet = ShortcutSheet()

    def turn_navigation() -> None:
        side.toggle()
        window.preferences.navigation = bool(side.value)

    window.register_command("help.shortcuts", sheet.show)
    window.register_command("view.navigation", turn_navigation)


def _last_benchmark(window: Window) -> int | None:
    last = window.preferences.benchmark
    numbers = window.services.library.benchmarks.numbers()
    return last if last in numbers else next(iter(numbers), None)


def _home(window: Window) -> str:
    """Address of the start page."""
    return f"/benchmarks/{window.benchmark_id}/questions" if window.benchmark_id else "/benchmarks"


def _homeward(window: Window) -> Callable[[PageArguments], Any]:
    def build(arguments: PageArguments) -> NotFound | None:
        if arguments.remaining_path:  # unknown addresses match "/" too
            return NotFound()
        home = _home(window)
        # Before the browser has "/" in its history: Back would lead to it, and from there here again.
        router_of(ui.context.client).current_path = home
        redraw(home)
        return None

    return build
