"""Theme switch: light, dark, or that of the operating system."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.session.preferences import Theme
from karenina_gui.gui.session.window import Window

_DARK: dict[Theme, bool | None] = {"system": None, "light": False, "dark": True}
_NEXT: dict[Theme, Theme] = {"system": "dark", "dark": "light", "light": "system"}
_ICONS: dict[Theme, str] = {"system": "brightness_auto", "light": "light_mode", "dark": "dark_mode"}
_TITLES: dict[Theme, str] = {"system": "System theme", "light": "Light theme", "dark": "Dark theme"}


class ThemeSwitch:
    """Button that cycles through the themes; the menu selects one directly."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.dark = ui.dark_mode(_DARK[window.preferences.theme])
        self.button = (
            ui.button(icon="dark_mode", color=None, on_click=self.turn).props("flat dense").classes("icon-button")
        )
        with self.button:
            self.tooltip = ui.tooltip("")
        self._show()
        window.register_command("view.light", lambda: self.choose("light"))
        window.register_command("view.dark", lambda: self.choose("dark"))
        window.register_command("view.system", lambda: self.choose("system"))

    def turn(self) -> None:
        self.choose(_NEXT[self.window.preferences.theme])

    def choose(self, theme: Theme) -> None:
        self.window.preferences.theme = theme
        self.dark.value = _DARK[theme]
        self._show()
        self.window.theme_changed.emit()

    def _show(self) -> None:
        theme = self.window.preferences.theme
        self.button.icon = _ICONS[theme]
        self.button.props(aria_label(f"Change theme. Current: {_TITLES[theme]}"))
        self.tooltip.text = _TITLES[theme]
