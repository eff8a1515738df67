"""List of traits, one row each, grouped by type. It is one HTML element regardless of length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from nicegui import ui

from karenina_gui.gui.components.html import Html, icon, join_html, tag
from karenina_gui.gui.rubric.form_values import outcome
from karenina_gui.gui.rubric.kinds import ARROWS, directions, heading, kind_of
from karenina_gui.gui.rubric.rubric_record import Trait

KEYS = ("ArrowUp", "ArrowDown", "Home", "End", "Delete", "Enter", "Ctrl+c", "Ctrl+v", "Ctrl+d")


class TraitListBox(ui.element):
    """List box with one Tab stop. Arrow keys move the selection; `on_key` gets the other `KEYS`."""

    def __init__(self, on_choose: Callable[[int], Any], on_key: Callable[[str], Any]) -> None:
        super().__init__("div")
        self._on_choose, self._on_key = on_choose, on_key
        self._keys: list[int] = []
        self._chosen: int | None = None
        self.classes("trait-list").props('role="listbox" tabindex="0" aria-label="Traits" data-row-menu="trait"')
        with self:
            # One element for all rows: an element each would cost a message and a component per trait.
            self.rows = ui.html("").classes("trait-list-rows").props('role="presentation"')
        self.on("click", lambda event: on_choose(int(event.args)), js_handler=_ON_CLICK)
        self.on("keydown", lambda event: self._key(str(event.args)), js_handler=_ON_KEY)

    def show(self, traits: Sequence[tuple[int, Trait]], chosen: str | None) -> None:
        """Show traits with their numbers; `chosen`: id of the one whose form is open."""
        self._keys = [key for key, _ in traits]
        before, self._chosen = self._chosen, next((key for key, trait in traits if trait.id == chosen), None)
        # The first trait is chosen as the page opens, which must stay at its top.
        has_moved = before not in (None, self._chosen)
        self.rows.content = join_html(self._groups(traits))
        if self._chosen is None:
            self.props.pop("aria-activedescendant", None)
        else:
            self.props["aria-activedescendant"] = self._id(self._chosen)
        self.update()
        if self._chosen is not None and has_moved:
            self.client.run_javascript(
                f"document.getElementById({self._id(self._chosen)!r})?.scrollIntoView({{block: 'nearest'}})"
            )

    def _groups(self, traits: Sequence[tuple[int, Trait]]) -> Iterable[Html]:
        for type_name, group in groupby(traits, key=lambda row: row[1].type_name):
            title = heading(type_name)
            head = tag("div", title, class_="trait-group", aria_hidden="true")
            yield tag("div", head, *(self._row(key, trait) for key, trait in group), role="group", aria_label=title)

    def _row(self, key: int, trait: Trait) -> Html:
        kind = kind_of(trait.type_name, outcome(trait.values))
        about = " ".join(str(trait.values.get("summary") or trait.values.get("description") or "").split())
        is_chosen, incomplete = key == self._chosen, trait.incomplete
        return tag(
            "div",
            tag("span", icon(kind.icon), class_="trait-icon", title=kind.line),
            tag("span", trait.name or "(unnamed)", class_="trait-name"),
            _direction(trait),
            _incomplete_mark(trait) if incomplete else None,
            tag("span", about or kind.line, class_="trait-about"),
            tag("span", f", {kind.title}, not saved" if incomplete else f", {kind.title}", class_="sr-only"),
            class_="trait-line on" if is_chosen else "trait-line",
            role="option",
            id=self._id(key),
            data_key=str(key),
            data_row=str(key),
            aria_selected="true" if is_chosen else "false",
        )

    def _id(self, key: int) -> str:
        return f"trait-{self.id}-{key}"

    def _key(self, key: str) -> Any:
        steps = {"ArrowUp": -1, "ArrowDown": 1, "Home": -len(self._keys), "End": len(self._keys)}
        if key not in steps:
            return self._on_key(key)
        if self._keys:
            index = self._keys.index(self._chosen) if self._chosen in self._keys else -1
            self._on_choose(self._keys[min(max(index + steps[key], 0), len(self._keys) - 1)])
        return None


def _incomplete_mark(trait: Trait) -> Html:
    is_new = trait.stored is None
    look = "trait-unkept" if is_new else "trait-unkept trait-unkept-bad"
    return tag("span", icon("edit" if is_new else "error"), class_=look, title="Not saved")


def _direction(trait: Trait) -> Html:
    if outcome(trait.values) == "template":
        return tag("span", class_="trait-direction")
    default = None if trait.type_name == "metric" else True
    better = trait.values.get("higher_is_better", default)
    title = directions(trait.type_name, outcome(trait.values))[better]
    label = tag("span", f", {title}", class_="sr-only")
    return tag("span", icon(ARROWS[better]), label, class_="trait-direction", title=title)


_ON_CLICK = """(event) => {
  const row = event.target.closest("[data-key]");
  if (row) emit(row.dataset.key);
}"""

_ON_KEY = f"""(event) => {{
  if (event.altKey || event.shiftKey) return;
  const key = (event.ctrlKey || event.metaKey ? "Ctrl+" : "") + event.key;
  if (!{list(KEYS)!r}.includes(key)) return;
  event.preventDefault();
  event.stopPropagation();
  emit(key);
}}"""
