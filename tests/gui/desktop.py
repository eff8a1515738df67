"""A window with all of its pages, worked as a person does: by names of buttons and fields, and by links."""

from __future__ import annotations

import re
from typing import Any

from nicegui import Client, ui
from nicegui.testing import User, UserInteraction

from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.gui.shell import layout
from tests.until import until

ENTRY = re.compile(r'<a href="([^"]*)" class="model-list-entry"(?: aria-current="true")?><b>(.*?)</b>')


class Desktop:
    """The window of one person."""

    def __init__(self, user: User, services: AppContext) -> None:
        self.user, self.services = user, services
        user.javascript_rules[re.compile(r"holdStill\(\d+\)")] = lambda _: True  # nobody is in a field for long
        services.connect()

        @ui.page("/")
        @ui.page("/{_:path}")
        def window() -> None:
            layout.draw(services)

    @property
    def client(self) -> Client:
        assert self.user.client is not None
        return self.user.client

    @property
    def address(self) -> str:
        """As the router has it."""
        return self.client.sub_pages_router.current_path

    def reach_menus(self, arrival: str = "mouseenter.once") -> None:
        """As the pointer (or the focus) comes to the menu bar, which draws the entries of all menus."""
        (bar,) = (each for each in self.client.elements.values() if each.props.get("role") == "menubar")
        UserInteraction(self.user, {bar}, None).trigger(arrival)

    async def load(self, address: str) -> None:
        """Load the window, as after typing an address."""
        await self.user.open(address)

    async def follow(self, address: str) -> None:
        """Go there inside the window, as by a link."""
        with self.client:
            ui.navigate.to(address)
        await until(lambda: self.address.partition("#")[0] == address)

    async def press(self, name: str) -> None:
        """The button with this text, or that screen readers call so; the last one where there are several."""
        await until(lambda: self._buttons(name))
        UserInteraction(self.user, {self._buttons(name)[-1]}, None).click()

    async def choose(self, entry: str) -> None:
        """Choose the entry of a menu with this text; the last one where there are several."""
        await until(lambda: self._menu_entries(entry))
        UserInteraction(self.user, {self._menu_entries(entry)[-1]}, None).click()

    async def type(self, field: str, text: str) -> None:
        await until(lambda: self.fields(field))
        self.fields(field)[-1].set_value(text)

    def fields(self, name: str) -> list[Any]:
        """Text fields whose names fit this pattern, in the order of the page."""
        found = self.elements(ui.input, ui.textarea)
        return [each for each in found if re.fullmatch(name, str(each.props.get("aria-label")))]

    def text(self, field: str) -> str | None:
        """What is in a field; None: it is not on the page."""
        found = self.fields(field)
        return str(found[-1].value or "") if found else None

    def entries(self) -> dict[str, str]:
        """{name: address} of the list of models or presets."""
        shown = [str(each.content) for each in self.elements(ui.html)]
        return {name: address for text in shown for address, name in ENTRY.findall(text)}

    def elements(self, *kinds: type[Any]) -> list[Any]:
        found = [each for each in self.client.layout.descendants() if isinstance(each, kinds)]
        return [each for each in found if each.visible]

    def _menu_entries(self, text: str) -> list[Any]:
        """Entries of menus, closed ones included."""
        return [each for each in self.elements(ui.menu_item) if text_of(each) == text]

    def _buttons(self, name: str) -> list[Any]:
        return [each for each in self.elements(ui.button) if name in (each.text, each.props.get("aria-label"))]


def text_of(item: ui.menu_item) -> str:
    return " ".join(text for each in item.descendants(include_self=True) if (text := str(getattr(each, "text", ""))))
