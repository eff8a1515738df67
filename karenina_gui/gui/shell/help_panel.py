"""Help beside the page: the chapter of the guide about it."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.gui.kit.elements import icon_button, scrolling
from karenina_gui.gui.pages.guide.chapters import CHAPTERS, HOME, address
from karenina_gui.gui.session.window import Window


class HelpPanel:
    """Drawer on the right, which follows the page while it is open."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._chapter = ""
        drawer = ui.right_drawer(value=False).props('width="380" :breakpoint="0" role="complementary"')
        with drawer.props('aria-label="Help"').classes("drawer help-panel") as self._drawer:
            with ui.element("div").classes("line gap-4 full-width"):
                self._link = ui.link("Open in the guide", "/guide")
                ui.space()
                self._close = icon_button("close", "Close help", self._drawer.hide)
            with scrolling():
                self._text = ui.markdown("", extras=["tables", "fenced-code-blocks", "header-ids"]).classes("guide")
        window.register_command("help.guide", self.toggle)
        window.listen(window.chapter_changed, self._follow)

    def toggle(self) -> None:
        self._drawer.toggle()
        if self._drawer.value:
            self._fill()
            ui.run_javascript(f"getHtmlElement({self._close.id})?.focus()")

    def _follow(self) -> None:
        if self._drawer.value:
            self._fill()

    def _fill(self) -> None:
        chapter = CHAPTERS[self._window.chapter or HOME]
        if chapter.name != self._chapter:
            self._chapter = chapter.name
            self._link.props["href"] = address(chapter.name)
            self._text.set_content(chapter.markdown)
