"""What was typed and is on its way to the server when something else happens: an edit elsewhere, or the next key."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocket, WebSocketRoute, expect


class Line:
    """Between a window and the server; can keep back what the window says."""

    def __init__(self, page: Page) -> None:
        self._kept: list[str | bytes] | None = None
        self._server: WebSocketRoute | None = None
        page.route_web_socket("**/socket.io/**", self._connect)

    def keep_back(self) -> None:
        self._kept = []

    def let_through(self) -> None:
        kept, self._kept = self._kept, None
        for message in kept or []:
            self._send(message)

    def drop(self) -> None:
        self._kept = None

    def _connect(self, route: WebSocketRoute) -> None:
        self._server = route.connect_to_server()
        route.on_message(lambda message: self._send(message) if self._kept is None else self._kept.append(message))

    def _send(self, message: str | bytes) -> None:
        assert self._server is not None
        self._server.send(message)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("place", "label"),
    [("/benchmarks/1/rubric", "Trait description"), ("/benchmarks/1/questions/1?tab=question", "Notes")],
)
def test_text_on_its_way_is_not_lost_to_an_edit_that_arrives(
    new_page: Callable[..., Page], address: str, place: str, label: str
) -> None:
    mine, theirs = new_page(once=True), new_page()
    line = Line(mine)
    for page in (mine, theirs):
        page.goto(address + place)
        expect(page.get_by_label(label)).to_be_visible()
        expect(page.locator("#popup")).to_be_hidden()
    line.keep_back()
    mine.get_by_label(label).fill("Typed in this window.")
    theirs.get_by_label(label).fill("Typed in the other window.")
    theirs.get_by_label(label).blur()
    expect(theirs.get_by_text(re.compile("^Saved [0-9]"))).to_be_visible()
    line.let_through()
    expect(mine.get_by_role("button", name="Keep mine")).to_be_visible()
    expect(mine.get_by_label(label)).to_have_value("Typed in this window.")
    expect(theirs.get_by_label(label)).to_have_value("Typed in the other window.")


def test_letters_that_a_reload_overtakes_are_in_the_conflict(new_page: Callable[..., Page], address: str) -> None:
    mine, theirs = new_page(once=True), new_page()
    mine.on("dialog", lambda dialog: dialog.accept())
    line = Line(mine)
    for page in (mine, theirs):
        page.goto(f"{address}/benchmarks/1/questions/2?tab=question")
        expect(page.get_by_label("Notes")).to_be_visible()
        expect(page.locator("#popup")).to_be_hidden()
    before = mine.get_by_label("Notes").input_value()
    line.keep_back()
    mine.get_by_label("Notes").press("Control+End")
    mine.keyboard.type("I")
    theirs.get_by_label("Notes").fill("Typed in the other window.")
    theirs.get_by_label("Notes").blur()
    expect(theirs.get_by_text(re.compile("^Saved [0-9]"))).to_be_visible()
    line.let_through()
    expect(mine.get_by_role("button", name="Keep mine")).to_be_visible()
    line.keep_back()
    mine.keyboard.type(" mean it")
    line.drop()
    mine.reload()
    expect(mine.get_by_label("Notes")).to_have_value(f"{before}I mean it")
    mine.get_by_role("button", name="Keep mine").click()
    expect(theirs.get_by_label("Notes")).to_have_value(f"{before}I mean it")


def test_the_application_is_told_that_a_browser_has_left_its_window(page: Page, address: str) -> None:
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    page.goto(f"{address}/guide")
    page.wait_for_function("window.did_handshake")
    leave = page.evaluate("mounted_app.elements[0].events.find(({ type }) => type === 'leave').listener_id")
    with sockets[0].expect_event("framesent", lambda message: str(leave) in str(message)):
        page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")


@pytest.mark.thorough
def test_a_line_moves_with_the_letters_that_were_typed_last(page: Page, address: str) -> None:
    page.goto(f"{address}/benchmarks/1/rubric")
    page.get_by_role("button", name="New trait").click()
    page.get_by_role("menuitem", name="A judge picks one of your classes.").click()
    first, second = page.get_by_label("Name, class 1"), page.get_by_label("Name, class 2")
    first.fill("casual")
    second.click()
    page.keyboard.type("formal")
    page.keyboard.press("Alt+ArrowUp")
    expect(first).to_have_value("formal")
    expect(second).to_have_value("casual")


@pytest.mark.thorough
def test_enter_uses_the_text_as_it_stands_at_that_moment(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}/benchmarks/1/details")
    expect(page.locator("#popup")).to_be_hidden()
    page.get_by_label("Workspace root").fill(str(tmp_path))
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"Set the workspace root to {tmp_path}.")).to_be_visible()


@pytest.mark.thorough
def test_a_name_that_is_typed_before_its_dialog_opens_is_kept(new_page: Callable[..., Page], address: str) -> None:
    page = new_page(once=True)
    line = Line(page)
    page.goto(f"{address}/benchmarks")
    opener = page.get_by_role("button", name="New benchmark", exact=True)
    expect(opener).to_be_visible()
    expect(page.locator("#popup")).to_be_hidden()
    line.keep_back()
    opener.click()
    page.keyboard.type("Cell biology")
    line.let_through()
    expect(page.get_by_role("dialog").get_by_label("Name")).to_have_value("Cell biology")
    page.keyboard.type(" of yeast")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No questions yet")).to_be_visible()
    expect(page.get_by_role("contentinfo").get_by_role("link", name="Cell biology of yeast")).to_be_visible()


@pytest.mark.thorough
def test_a_field_that_is_clicked_meanwhile_gets_the_text(new_page: Callable[..., Page], address: str) -> None:
    page = new_page(once=True)
    line = Line(page)
    page.goto(f"{address}/benchmarks/1/questions")
    search = page.get_by_label("Search questions")
    expect(search).to_be_visible()
    expect(page.locator("#popup")).to_be_hidden()
    line.keep_back()
    page.get_by_role("button", name="New question (Ctrl+Alt+N)").click()
    search.click()
    page.keyboard.type("dose")
    expect(search).to_have_value("dose")
    line.let_through()
    expect(page.get_by_label("Question", exact=True)).to_be_empty()
