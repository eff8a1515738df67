"""Rubric of a benchmark or a question: the list of traits and the form of the selected one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any
from urllib.parse import unquote

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.trait_catalog import TraitCatalog, traits_in
from karenina_gui.errors import InputError
from karenina_gui.gui.kit.calibration_links import calibration_address
from karenina_gui.gui.kit.elements import button, empty_state, heading, hold_typing, icon_button, key_values
from karenina_gui.gui.kit.html import Html, icon, join_html, tag
from karenina_gui.gui.pages.rubric.form_values import outcome
from karenina_gui.gui.pages.rubric.kinds import (
    ARROWS,
    READY,
    ReadyTrait,
    Record,
    TraitKind,
    directions,
    heading_of_type,
    kind_of,
    kinds,
    outcome_of,
)
from karenina_gui.gui.pages.rubric.picker import CopyDialog, TraitPicker
from karenina_gui.gui.pages.rubric.rubric_record import RubricOwner, RubricRecord, RubricState, Trait
from karenina_gui.gui.pages.rubric.trait_form import TraitSheet
from karenina_gui.gui.pages.rubric.trait_suggestions import TraitSuggestions
from karenina_gui.gui.records.optimistic_edit import OptimisticEdit
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.schemas.calibration import CalibrationTarget, DrawnAnswer
from karenina_gui.text import quote_list

NAME_OF_TRAIT = '.traits input[aria-label="Name"]'


class TraitList:
    """List of the traits of a rubric beside the form of one of them."""

    def __init__(self, window: Window, owner: RubricOwner | None = None) -> None:
        """`owner` None: the rubric of the window's benchmark."""
        self.window = window
        self.editor = window.services.editor
        self.owner = owner or RubricOwner(window.benchmark_id or 0)
        self.catalog = TraitCatalog(self.editor)
        self.record = RubricRecord(window, self.owner)
        self.chosen: str | None = None
        """Id of the trait whose form is open."""
        self.sheet: TraitSheet | None = None
        self.is_visible: Callable[[], bool] = lambda: True
        self._numbers: dict[str, int] = {}
        """Numbers of the traits in this window, by id. Numbers are not reused."""
        self._refreshing = False
        self.suggestions = TraitSuggestions(window, self.owner, self._names_here, self.add_all)
        with ui.element("div").classes("traits"):
            self._draw()
            window.outbox.watch_forms(f"{self.owner.record}/trait/", self.open)
            self.record.listen(self._on_change, "saved", "elsewhere")
        self.choose(next((trait.id for trait in reversed(self.record.traits) if trait.incomplete), self._first()))
        for name in self.record.unsaved:
            if name.startswith("trait/"):
                self.open(name.removeprefix("trait/"), None, True)
        self._register_commands()
        background_tasks.create(self._load_names(), name="names of other traits", context=self.main)
        window.listen(window.services.changes_debounced, self._load_names)

    def _first(self) -> str | None:
        return next((trait.id for trait in self.record.traits), None)

    def _on_change(self, _: RubricState) -> None:
        """Follow a change of the rubric, in any window."""
        # A deleted trait whose form holds unsaved text waits for a decision.
        is_gone = self.chosen is not None and self.record.get(self.chosen) is None
        if (is_gone and not any(edit.dirty for edit in self._edits())) or (self.chosen is None and self._first()):
            self.choose(self._first())
        self.side.set_visibility(bool(self.record.traits))
        self.refresh()

    def _edits(self) -> list[OptimisticEdit]:
        return self.sheet.form.edits if self.sheet is not None else []

    # What the author does

    def choose(self, trait_id: str | None) -> None:
        """Show the form of a trait. None: show the empty state."""
        if self.chosen is not None and self.chosen != trait_id:
            self._leave(self.chosen)
        self.chosen = trait_id
        self.side.set_visibility(bool(self.record.traits))
        self.main.clear()
        self.sheet = None
        with self.main:
            trait = self.record.get(trait_id)
            if trait is None:
                self._empty()
            else:
                playground = self.editor.traits(self.owner.benchmark_id)
                self.sheet = TraitSheet(self.window, self.record, trait, playground, self)
        self._show()

    async def add(self, kind: TraitKind | ReadyTrait) -> None:
        """Add a trait. It is in the rubric once it is complete; a predefined one is complete."""
        if isinstance(kind, ReadyTrait):
            await self.add_all([(kind.type_name, kind.make())])
        else:
            self.choose(self.record.begin(kind.type_name, {"name": "", **kind.blank}).id)
            self.into_form()

    async def paste(self) -> None:
        """Paste the trait copied last, in this or another window."""
        if copied := self.window.services.copied_trait:
            self._choose_added(await self.record.add([copied]))
        else:
            self.window.notify("Copy a trait first.")

    async def add_all(self, traits: list[tuple[str, Record]]) -> None:
        """Add copies of traits from elsewhere."""
        if made := self._choose_added(await self.record.add(traits)):
            names = quote_list(trait.name for trait in made)
            self.window.notify(f"Added {names}.", "good", undo=lambda: self._remove_all(made))

    async def duplicate(self) -> None:
        if self.sheet is not None:
            trait = self.sheet.trait
            if self._choose_added(await self.record.add([(trait.type_name, trait.to_record())], after=trait.id)):
                self.into_form()

    def _choose_added(self, traits: list[Trait]) -> list[Trait]:
        if traits:
            self.choose(traits[-1].id)
        return traits

    def copy(self) -> None:
        if self.sheet is not None:
            trait = self.sheet.trait
            self.window.services.copied_trait = (trait.type_name, trait.to_record())
            self.window.notify(f"Copied “{trait.name}”. Paste it into any rubric.")

    async def remove(self) -> None:
        """Delete the selected trait. A message offers undo."""
        if self.sheet is None:
            return
        trait, record = self.sheet.trait, self.record
        ids = [other.id for other in record.traits]
        index = ids.index(trait.id)
        ids.remove(trait.id)
        self.choose(ids[min(index, len(ids) - 1)] if ids else None)
        # A save that was on its way may have changed the trait in the meantime.
        deleted = await record.remove(trait.id) or (trait, index)
        if not self.list.is_deleted:
            self.list.run_method("focus")

        async def undo() -> None:
            await record.put_back(*deleted)
            if not self.main.is_deleted:
                self.choose(trait.id)

        self.window.notify(
            f"Deleted the trait “{trait.name}”." if trait.name else "Deleted an unnamed trait.", undo=undo
        )

    async def move(self, step: int) -> None:
        """Move the selected trait within its type. A rubric has no order between types."""
        if self.chosen is not None:
            await self.record.move(self.chosen, step)

    # What the form calls

    def on_edited(self) -> None:
        self.refresh()

    async def keep_local(self) -> None:
        """Restore a trait that was deleted in another window, as the form shows it."""
        if self.sheet is not None:
            edits = self._edits()
            await self.record.put_back(self.sheet.trait)
            for edit in edits:
                edit.flush()

    def accept_remote(self) -> None:
        """Close the form of a trait that was deleted in another window."""
        for edit in self._edits():
            edit.type(edit.base)
        self.choose(self._first())

    def open(self, path: str, text: Any, is_gone: bool) -> None:
        """Open the form of a trait, for text of it that the browser kept. It may not be in the library any more."""
        trait_id, _, field = path.partition("/")
        trait_id = unquote(trait_id)
        # Text that was typed last before another form was opened is being saved.
        if not is_gone and self.record.has_typed(trait_id, field, text):
            return
        if self.record.get(trait_id) is None:
            self.record.begin(trait_id.partition(":")[0], {}, trait_id)
        if trait_id != self.chosen:
            self.choose(trait_id)

    # Drawing

    def _draw(self) -> None:
        with ui.element("div").classes("trait-side") as self.side:
            with ui.element("div").classes("trait-tools").props('role="toolbar" aria-label="Rubric"'):
                self.menu = NewTraitMenu(self.add)
                icon_button("library_add", "Add existing traits", self.pick)
                icon_button("content_paste", "Paste trait", self.paste)
                icon_button("auto_awesome", "Suggest traits", self.suggest)
            keys: dict[str, Callable[[], Any]] = {
                "Delete": self.remove,
                "Enter": self.into_form,
                "Ctrl+c": self.copy,
                "Ctrl+v": self.paste,
                "Ctrl+d": self.duplicate,
            }
            self.list = TraitListBox(self.choose_key, lambda key: keys[key]())
            self.order = ui.label("Reorder within a group with Alt+Up and Alt+Down.").classes("hint")
        with ui.element("div").classes("trait-main"):
            self.main = ui.element("div").classes("trait-part")
            with ui.element("div").classes("trait-part"):
                dynamic_traits(self.record.state.others)

    def _empty(self) -> None:
        with empty_state(
            "rule",
            "No traits yet",
            "A trait rates a quality of the answer, such as its depth or what it mentions. Choose a type to add one.",
        ):
            kind_cards(self.add)
            button("Suggest traits…", self.suggest, icon="auto_awesome")
            button("Add existing traits…", self.pick, icon="library_add")
            if self.window.services.copied_trait:
                button("Paste trait", self.paste, icon="content_paste")

    def refresh(self) -> None:
        """Update the list and the messages of the form, once all edits have heard of a change."""
        if not self._refreshing:
            self._refreshing = True
            asyncio.get_running_loop().call_soon(self._refresh_now)

    def _refresh_now(self) -> None:
        self._refreshing = False
        if not self.main.is_deleted:
            with self.main:
                self._show()

    def _show(self) -> None:
        open_trait = self.sheet.trait if self.sheet is not None else None
        traits = [open_trait if open_trait and trait.id == open_trait.id else trait for trait in self.record.traits]
        self.list.show([(self._number(trait.id), trait) for trait in traits], self.chosen)
        if self.sheet is not None:
            self.sheet.show_problems()

    # Helpers

    def _number(self, trait_id: str) -> int:
        return self._numbers.setdefault(trait_id, len(self._numbers) + 1)

    def _names_here(self) -> set[str]:
        return {trait.name.lower() for trait in self.record.traits}

    def _register_commands(self) -> None:
        """Offer the menu commands while the rubric is visible."""
        offers: dict[str, Callable[[], Any]] = {
            "trait.new": self.ask_kind,
            "trait.suggest": self.suggest,
            "trait.from": self.pick,
            "trait.duplicate": self.duplicate,
            "trait.copy": self.copy,
            "trait.paste": self.paste,
            "trait.spread": self.spread,
            "trait.shelve": self.shelve,
            "trait.calibrate": self.calibrate,
            "trait.up": lambda: self.move(-1),
            "trait.down": lambda: self.move(1),
            "trait.delete": self.remove,
        }

        def here(action: Callable[[], Any]) -> Callable[[], Any]:
            return lambda: action() if self.is_visible() else self.window.notify("Open the Rubric tab first.")

        def on_row(action: Callable[[], Any]) -> Callable[[int], Any]:
            def act(key: int) -> Any:
                self.choose_key(key)
                return action()

            return act

        for command, action in offers.items():
            self.window.register_command(command, here(action))
        self.window.register_row_menu("trait", {command: on_row(offers[command]) for command in ROW_MENU})

    def choose_key(self, key: int) -> None:
        self.choose(next((trait.id for trait in self.record.traits if self._number(trait.id) == key), None))

    def into_form(self) -> None:
        """Focus the form."""
        if self.sheet is not None:
            self.sheet.focus()

    def reveal(self, target: str) -> None:
        """Show the trait of a place such as `trait:depth`, with the focus in its form."""
        name = target.partition(":")[2]
        self.choose(next((trait.id for trait in self.record.traits if trait.name == name), self.chosen))
        self.into_form()

    async def _remove_all(self, made: list[Trait]) -> None:
        for trait in made:
            if self.record.get(trait.id) is not None:
                await self.record.remove(trait.id)
        self.choose(self._first())

    def _leave(self, trait_id: str) -> None:
        """Leave a trait: save what is typed, or remove an untouched new trait."""
        for edit in self._edits():
            edit.leave()
        if not self.record.begun.get(trait_id, True):
            self.record.drop(trait_id)

    def ask_kind(self) -> None:
        """Choose the kind of a new trait."""
        self.side.set_visibility(True)
        self.menu.open()

    def pick(self) -> None:
        """Choose traits of other rubrics."""
        with self.main:
            TraitPicker(self.window, self.catalog, self.owner, self.add_all).open()

    def suggest(self) -> None:
        """Ask a model for traits."""
        with self.main:
            self.suggestions.order()

    def spread(self) -> None:
        """Copy the selected trait to other rubrics of this benchmark."""
        if self.sheet is not None:
            trait = self.sheet.trait
            with self.main:
                CopyDialog(self.window, self.catalog, self.owner, trait.type_name, trait.to_record()).open()

    async def shelve(self) -> None:
        """Save a copy of the selected trait to the library."""
        trait = self.record.get(self.chosen)
        if trait is None or trait.stored is None:
            self.window.notify("Complete the trait first: it isn’t saved yet.")
            return
        name = self.window.preferences.author.get("name", "")
        saved = await self.window.write(as_one(self.catalog.shelve), trait.type_name, trait.stored, name)
        message = f"Saved “{saved.outcome}” to the library. Add it to any rubric with Add existing traits."
        self.window.notify(message, "good", undo=lambda: self.window.undo(saved.command_id))

    def calibrate(self) -> None:
        """Compare judgments of the selected trait with labels of the user."""
        trait = self.record.get(self.chosen)
        if trait is None or trait.stored is None:
            self.window.notify("Complete the trait first: it isn’t saved yet.")
            return
        target = CalibrationTarget(
            self.owner.benchmark_id, self.owner.number, "trait", str(trait.stored.get("name") or "")
        )
        ui.navigate.to(calibration_address(target))

    def stored_answers(self) -> list[DrawnAnswer]:
        """Answers of the library that the traits of this rubric rate. Blocks."""
        return self.editor.calibrations.texts(self.owner.benchmark_id, self.owner.number)

    async def _load_names(self) -> None:
        """Load names used in the other rubrics of a run. Runs in a thread, since there can be many."""
        try:
            taken = await run.io_bound(self.catalog.taken_names, self.owner.benchmark_id, self.owner.number)
        except InputError:
            return
        if taken is not None and taken != self.record.taken and not self.main.is_deleted:
            self.record.taken = taken
            self.refresh()


ROW_MENU = (
    *("trait.duplicate", "trait.copy", "trait.paste", "trait.spread", "trait.shelve"),
    *("trait.calibrate", "trait.up", "trait.down", "trait.new", "trait.delete"),
)
"""Commands of the context menu of a trait."""


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
            title = heading_of_type(type_name)
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


OnChoose = Callable[[TraitKind | ReadyTrait], Any]


class NewTraitMenu:
    """Button with a menu. Arrow keys, Home and End move through it."""

    def __init__(self, on_choose: OnChoose) -> None:
        self._on_choose = on_choose
        self._chosen: TraitKind | ReadyTrait | None = None
        with button("New trait", icon="add", look="main").props('aria-haspopup="menu"'):
            self.menu = ui.menu().props('auto-close transition-duration="80" aria-label="New trait"')
            with self.menu.classes("trait-menu"), ui.element("div") as rows:
                rows.on("keydown", js_handler=_ARROWS)
                for number, kind in enumerate(kinds()):
                    self._row(kind, kind.title, kind.line, number == 0)
                ui.separator()
                for ready in READY:
                    self._row(ready, ready.title, ready.line)
        self.menu.on("hide", self._on_hide, args=[])

    def open(self) -> None:
        self.menu.open()

    def _choose(self, kind: TraitKind | ReadyTrait) -> None:
        self._chosen = kind

    def _on_hide(self) -> Any:
        # Only now: a menu that closes gives the focus back to its button.
        chosen, self._chosen = self._chosen, None
        return None if chosen is None else self._on_choose(chosen)

    def _row(self, kind: TraitKind | ReadyTrait, title: str, about: str, first: bool = False) -> None:
        with ui.menu_item(on_click=lambda: self._choose(kind)).classes("menu-item trait-menu-item") as item:
            item.props('role="menuitem"' + (" autofocus" if first else ""))
            ui.icon(kind.icon)
            with ui.element("div"):
                ui.label(title)
                ui.label(about).classes("hint")


def kind_cards(on_choose: OnChoose) -> None:
    """Draw the kinds as cards, for an empty rubric."""
    with ui.element("div").classes("starter-grid trait-cards"):
        offers: list[TraitKind | ReadyTrait] = [*kinds(), *READY]
        for kind in offers:
            with ui.element("button").props('type="button"').classes("starter") as card:
                ui.icon(kind.icon)
                with ui.element("span"):
                    ui.label(kind.title).classes("starter-title")
                    ui.label(kind.line).classes("hint")
            card.on("click", lambda kind=kind: on_choose(kind), args=[])
            if isinstance(kind, TraitKind):
                hold_typing(card, NAME_OF_TRAIT)


_ARROWS = """(event) => {
  const items = [...event.currentTarget.querySelectorAll(".q-item")], here = items.indexOf(document.activeElement);
  const there = {ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: items.length - 1}[event.key];
  if (there === undefined) return;
  event.preventDefault();
  items[(there + items.length) % items.length].focus();
}"""


def dynamic_traits(beside: Record) -> None:
    """List dynamic traits by name and unknown content by key. Draws nothing if there is neither."""
    dynamic = beside.get("dynamic")
    traits = list(traits_in(dynamic)) if isinstance(dynamic, dict) else []
    if traits:
        with ui.element("section").classes("trait-beside").props('aria-label="Dynamic traits"'):
            heading("Dynamic traits")
            ui.label(
                "Dynamic traits apply only to answers that mention their subject. They are preserved in the file, but "
                "you can’t edit them here, and runs don’t rate them."
            ).classes("hint")
            key_values([(str(trait.get("name")), _about(type_name, trait)) for type_name, trait in traits])
    unknown = [key for key in beside if key != "dynamic"]
    if unknown:
        ui.label(f"Also preserved: {', '.join(unknown)}.").classes("hint")


def _about(type_name: str, trait: Record) -> str:
    kind = kind_of(type_name, outcome_of(trait))
    return str(trait.get("description") or kind.line)
