"""List of traits, one row each, grouped by type. It is one HTML element regardless of length."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

from nicegui import ui

from karenina_gui.gui.components.html import Html, icon, join_html, tag
from karenina_gui.gui.rubric.form_values import outcome
from karenina_gui.gui.rubric.kinds import ARROWS, directions, heading, kind_of
from karenina_gui.gui.rubric.rubric_draft import RubricDraft, TraitDraft

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

    def show(self, rubric: RubricDraft, chosen: TraitDraft | None) -> None:
        self._keys = [trait.key for trait in rubric.traits]
        # The first trait is chosen as the page opens, which must stay at its top.
        has_moved = chosen is not None and self._chosen not in (None, chosen.key)
        self._chosen = chosen.key if chosen else None
        unkept = set(rubric.unsaved_traits())
        self.rows.content = join_html(self._groups(rubric.traits, unkept))
        if chosen is None:
            self.props.pop("aria-activedescendant", None)
        else:
            self.props["aria-activedescendant"] = self._id(chosen)
        self.update()
        if chosen is not None and has_moved:
            self.client.run_javascript(
                f"document.getElementById({self._id(chosen)!r})?.scrollIntoView({{block: 'nearest'}})"
            )

    def _groups(self, traits: Iterable[TraitDraft], unkept: set[TraitDraft]) -> Iterable[Html]:
        for type_name, group in groupby(traits, key=lambda trait: trait.type_name):
            title = heading(type_name)
            rows = [self._row(trait, trait in unkept) for trait in group]
            head = tag("div", title, class_="trait-group", aria_hidden="true")
            yield tag("div", head, *rows, role="group", aria_label=title)

    def _row(self, trait: TraitDraft, unkept: bool) -> Html:
        kind = kind_of(trait.type_name, outcome(trait.values))
        about = " ".join(str(trait.values.get("summary") or trait.values.get("description") or "").split())
        here = trait.key == self._chosen
        return tag(
            "div",
            tag("span", icon(kind.icon), class_="trait-icon", title=kind.line),
            tag("span", trait.name or "(unnamed)", class_="trait-name"),
            _direction(trait),
            _unsaved_mark(trait) if unkept else None,
            tag("span", about or kind.line, class_="trait-about"),
            tag("span", f", {kind.title}, not saved" if unkept else f", {kind.title}", class_="sr-only"),
            class_="trait-line on" if here else "trait-line",
            role="option",
            id=self._id(trait),
            data_key=str(trait.key),
            data_row=str(trait.key),
            aria_selected="true" if here else "false",
        )

    def _id(self, trait: TraitDraft) -> str:
        return f"trait-{self.id}-{trait.key}"

    def _key(self, key: str) -> None:
        steps = {"ArrowUp": -1, "ArrowDown": 1, "Home": -len(self._keys), "End": len(self._keys)}
        if key not in steps:
            self._on_key(key)
        elif self._keys:
            here = self._keys.index(self._chosen) if self._chosen in self._keys else -1
            there = min(max(here + steps[key], 0), len(self._keys) - 1)
            self._on_choose(self._keys[there])


def _unsaved_mark(trait: TraitDraft) -> Html:
    begun = trait.stored is None and not trait.state
    look = "trait-unkept" if begun else "trait-unkept trait-unkept-bad"
    return tag("span", icon("edit" if begun else "error"), class_=look, title="Not saved")


def _direction(trait: TraitDraft) -> Html:
    if outcome(trait.values) == "template":
        return tag("span", class_="trait-direction")
    default = None if trait.type_name == "metric" else True
    better = trait.values.get("higher_is_better", default)
    sign, words = ARROWS[better], directions(trait.type_name, outcome(trait.values))[better]
    return tag("span", icon(sign), tag("span", f", {words}", class_="sr-only"), class_="trait-direction", title=words)


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
