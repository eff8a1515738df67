"""Rubric of a benchmark or a question: the list of traits and the form of the selected one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.trait_catalog import TraitCatalog
from karenina_gui.errors import InputError
from karenina_gui.gui.binding.optimistic_edit import OptimisticEdit
from karenina_gui.gui.components.calibration_links import calibration_address
from karenina_gui.gui.components.elements import button, empty_state, icon_button
from karenina_gui.gui.rubric.dynamic import dynamic_traits
from karenina_gui.gui.rubric.kinds import ReadyTrait, Record, TraitKind
from karenina_gui.gui.rubric.list_view import TraitListBox
from karenina_gui.gui.rubric.new_trait import NewTraitMenu, kind_cards
from karenina_gui.gui.rubric.picker import CopyDialog, TraitPicker
from karenina_gui.gui.rubric.rubric_record import RubricOwner, RubricRecord, RubricState, Trait
from karenina_gui.gui.rubric.trait_commands import handle_key, register_commands
from karenina_gui.gui.rubric.trait_form import TraitSheet
from karenina_gui.gui.rubric.trait_suggestions import TraitSuggestions
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.schemas.calibration import CalibrationTarget, DrawnAnswer
from karenina_gui.text import quote_list


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
        self.shown: Callable[[], bool] = lambda: True
        self._numbers: dict[str, int] = {}
        """Numbers of the traits in this window, by id. Numbers are not reused."""
        self._refreshing = False
        self.suggestions = TraitSuggestions(window, self.owner, self._names_here, self.add_all)
        with ui.element("div").classes("traits"):
            self._draw()
            if window.outbox is not None:
                window.outbox.watch(f"{self.owner.record}/trait/", "the rubric", self)
            self.record.on_saved(self._on_change)
            self.record.on_elsewhere(self._on_change)
        self.choose(next((trait.id for trait in reversed(self.record.traits) if trait.incomplete), self._first()))
        for name in self.record.unsaved:
            if name.startswith("trait/"):
                self.open(name.removeprefix("trait/"), None, left=True)
        register_commands(window, self, lambda: self.shown())
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
        self._draw_other_fields()
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
        await record.remove(trait.id)
        self.list.run_method("focus")

        async def undo() -> None:
            await record.put_back(trait, index)
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

    def open(self, path: str, text: Any, *, left: bool) -> None:
        """Open the form of a trait, for text of it that the browser kept. It may not be in the library any more."""
        trait_id, _, field = path.partition("/")
        trait_id = unquote(trait_id)
        # Text that was typed last before another form was opened is being saved.
        if not left and self.record.has_typed(trait_id, field, text):
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
            self.list = TraitListBox(self.choose_key, lambda key: handle_key(self, key))
            self.order = ui.label("Reorder within a group with Alt+Up and Alt+Down.").classes("hint")
        with ui.element("div").classes("trait-main"):
            self.main = ui.element("div").classes("trait-part")
            self.beside = ui.element("div").classes("trait-part")
        self._draw_other_fields()

    def _draw_other_fields(self) -> None:
        self.beside.clear()
        with self.beside:
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

    def choose_key(self, key: int) -> None:
        self.choose(next((trait.id for trait in self.record.traits if self._number(trait.id) == key), None))

    def into_form(self) -> None:
        """Focus the form."""
        if self.sheet is not None:
            self.sheet.focus()

    def reveal(self, place: str) -> None:
        """Show the trait of a place such as `trait:depth`, with the focus in its form."""
        name = place.partition(":")[2]
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
