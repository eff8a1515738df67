"""Templates in the library: saved under a name, and used for other questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.authoring.template_form import TemplateForm, read_form
from karenina_gui.errors import InputError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import button, field, focus_on, note, on_enter, text_input
from karenina_gui.gui.kit.searched_list import SearchedList
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.schemas.shelf import SOURCE, ShelfItem
from karenina_gui.text import quantity


class SaveTemplate:
    """Dialog that saves a template under a name."""

    def __init__(self, window: Window, source: str) -> None:
        self._window, self._source = window, source
        with dialog("Save to library", classes="dialog-narrow") as self._dialog:
            ui.label("Saves a copy for other questions and benchmarks, with its expected values.").classes("hint")
            with field("Name"):
                self._name = text_input("Name", ", ".join(_field_names(source)))
                on_enter(self._name, self._save)
            self._problem = ui.element("div")
            with dialog_actions():
                button("Cancel", self._dialog.close, look="quiet")
                button("Save", self._save, look="main")
        focus_on(self._name)

    async def _save(self) -> None:
        name = str(self._name.value or "").strip()
        self._problem.clear()
        if not name:
            with self._problem:
                note("Enter a name.", "bad")
            return
        window, by = self._window, self._window.preferences.author.get("name", "")
        add = window.services.library.shelf.add
        saved = await window.write(as_one(add), "template", name, {SOURCE: self._source}, by=by)
        self._dialog.close()
        message = f"Saved “{saved.outcome.name}” to the library."
        window.notify(message, "good", undo=lambda: window.undo(saved.command_id))


class TemplatePicker(SearchedList):
    """Dialog that starts a question’s template from one of the library."""

    def __init__(self, window: Window, use: Callable[[str], Any]) -> None:
        """`use`: receives the source."""
        self.window, self._use = window, use
        super().__init__("Templates in the library", "Search templates", "Use", "template")
        self.hint.text = "Uses a copy. Adapt its expected values to the question."
        with self.actions:
            self._remove = button("Remove from library", self._remove_chosen, look="quiet", icon="delete")
        self._remove.move(target_index=0)
        self._count()

    def _find(self, query: str) -> list[tuple[Any, Any, str, str]]:
        terms = query.casefold().split()
        entries = self.window.services.library.shelf.all("template")
        rows = [(entry.id, entry, entry.name, _about(entry)) for entry in entries]
        return [row for row in rows if all(word in f"{row[2]} {row[3]}".casefold() for word in terms)]

    def _empty_text(self) -> str:
        return "No templates yet. Save one with Save to library on the tab Template of a question."

    def _count(self) -> None:
        super()._count()
        # A question has one template only.
        self.action.set_enabled(len(self.ticked) == 1)
        self._remove.set_visibility(bool(self.ticked))

    def apply_choice(self, chosen: list[ShelfItem]) -> None:
        self._use(str(chosen[0].content[SOURCE]))

    async def _remove_chosen(self) -> None:
        """Delete the selected entries. A message offers undo."""
        chosen: list[ShelfItem] = list(self.ticked.values())
        library = self.window.services.library

        def remove() -> None:
            for entry in chosen:
                library.shelf.delete(entry.id)

        try:
            removed = await self.window.write(as_one(remove))
        except InputError as error:
            self.window.notify(str(error), "bad")
            return
        self.close()
        message = f"Removed {quantity(len(chosen), 'template')} from the library."
        self.window.notify(message, undo=lambda: self.window.undo(removed.command_id))


def _field_names(source: str) -> list[str]:
    form = read_form(source)
    return [form_field.name for form_field in form.fields] if isinstance(form, TemplateForm) else []


def _about(item: ShelfItem) -> str:
    names = _field_names(str(item.content.get(SOURCE) or ""))
    return ", ".join(names) or "custom code"
