"""Rubric of a benchmark or a question: the list of traits and the form of the selected one."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.trait_catalog import TraitCatalog
from karenina_gui.errors import InputError
from karenina_gui.gui.binding.deferred_update import update_when_unfocused
from karenina_gui.gui.components.calibration_links import calibration_address
from karenina_gui.gui.components.elements import button, empty_state, icon_button
from karenina_gui.gui.rubric.dynamic import dynamic_traits
from karenina_gui.gui.rubric.form_values import to_record
from karenina_gui.gui.rubric.incomplete_traits import IncompleteTraits
from karenina_gui.gui.rubric.kinds import ReadyTrait, Record, TraitKind
from karenina_gui.gui.rubric.list_view import TraitListBox
from karenina_gui.gui.rubric.new_trait import NewTraitMenu, kind_cards
from karenina_gui.gui.rubric.picker import CopyDialog, TraitPicker
from karenina_gui.gui.rubric.rubric_autosave import RubricAutosave, Save
from karenina_gui.gui.rubric.rubric_draft import RubricDraft, TraitDraft
from karenina_gui.gui.rubric.rubric_owner import RubricOwner
from karenina_gui.gui.rubric.trait_commands import handle_key, register_commands
from karenina_gui.gui.rubric.trait_form import TraitSheet
from karenina_gui.gui.rubric.trait_suggestions import TraitSuggestions
from karenina_gui.gui.rubric.trait_texts import TraitTexts
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.schemas.calibration import CalibrationTarget, DrawnAnswer
from karenina_gui.text import quote_list


class TraitList:
    """Autosaving trait list.

    Remote edits are merged by trait. A trait changed in two windows is a conflict.
    """

    def __init__(
        self,
        window: Window,
        rubric: Record | None,
        save: Save,
        place: RubricOwner | None = None,
    ) -> None:
        """`place` None: the rubric of the window's benchmark."""
        self.window = window
        self.editor = window.services.editor
        self.place = place or RubricOwner(window.benchmark_id or 0)
        self.catalog = TraitCatalog(self.editor)
        self.rubric = RubricDraft(rubric)
        self.chosen: TraitDraft | None = None
        self.shown: Callable[[], bool] = lambda: True
        self._busy = False
        unkept = IncompleteTraits(window.services.library.drafts, self.place, window.browser_id)
        self.suggestions = TraitSuggestions(window, self.place, self._taken_here, self.add_all)
        with ui.element("div").classes("traits"):
            self.texts = TraitTexts(
                window.outbox, self.place.drafts, self.rubric, self._on_restored, lambda: self.saving
            )
            self._kept = RubricAutosave(self.rubric, save, unkept, self.texts, window, self._refresh)
            self._draw()
        left = self._kept.restore_incomplete()
        self.choose(left[-1] if left else next(iter(self.rubric.traits), None))
        register_commands(window, self, lambda: self.shown())
        background_tasks.create(self._load_names(), name="names of other traits", context=self.main)
        window.listen(window.services.changes_debounced, self._load_names)

    def show(self, rubric: Record | None) -> None:
        """Show a rubric from elsewhere."""
        before = self.chosen
        values = before.values if before else None
        if not self._kept.merge_remote(rubric, before):
            return
        if before is None or before not in self.rubric.traits:
            self.choose(next(iter(self.rubric.traits), None))
        elif before.values is not values:
            self.choose(before)
        else:
            self._refresh()
            self._apply_waiting()

    # What the author does

    def choose(self, trait: TraitDraft | None) -> None:
        """Show the form of a trait. None: show the empty state."""
        if self.chosen is not None and self.chosen is not trait:
            self._leave()
        self.chosen = trait
        self._busy = False
        self.side.set_visibility(bool(self.rubric.traits))
        self.main.clear()
        with self.main:
            if trait is None:
                self._empty()
                self.sheet = None
            else:
                playground = self.editor.traits(self.place.benchmark_id)
                self.sheet = TraitSheet(self.window, self.rubric, trait, self.texts, playground, self)
        self._refresh()

    def add(self, kind: TraitKind | ReadyTrait) -> None:
        """Add a trait. It is saved once it is complete; a predefined one is complete."""
        if isinstance(kind, ReadyTrait):
            self.add_all([(kind.type_name, kind.make())])
        else:
            self._insert(kind.type_name, {"name": "", **kind.blank}, focus=True)

    def paste(self) -> None:
        """Paste the trait copied last, in this or another window."""
        if copied := self.window.services.copied_trait:
            self._insert(*copied)
        else:
            self.window.notify("Copy a trait first.")

    def add_all(self, traits: list[tuple[str, Record]]) -> None:
        """Add copies of traits from elsewhere."""
        made = [self.rubric.add(type_name, record) for type_name, record in traits]
        self.save()
        if made:
            self.choose(made[-1])
            names = quote_list(trait.name for trait in made)
            self.window.notify(f"Added {names}.", "good", undo=lambda: self._remove_all(made))

    def duplicate(self) -> None:
        if trait := self.chosen:
            self._insert(trait.type_name, to_record(trait.type_name, trait.values), after=trait)

    def copy(self) -> None:
        if trait := self.chosen:
            self.window.services.copied_trait = (trait.type_name, to_record(trait.type_name, trait.values))
            self.window.notify(f"Copied “{trait.name}”. Paste it into any rubric.")

    def remove(self) -> None:
        """Delete the selected trait. A message offers undo."""
        if (trait := self.chosen) is None:
            return
        index = self.rubric.remove(trait)
        # The trait is no longer stored, so an undo adds it as a new one.
        trait.stored, trait.state = None, ""
        self.save()
        rest = self.rubric.traits
        self.choose(rest[min(index, len(rest) - 1)] if rest else None)
        self.list.run_method("focus")

        async def undo() -> None:
            if self.main.is_deleted:
                await self._restore_in_store(trait)
                return
            self.rubric.insert(trait, min(index, len(self.rubric.traits)))
            self.save()
            self.choose(trait)

        self.window.notify(
            f"Deleted the trait “{trait.name}”." if trait.name else "Deleted an unnamed trait.", undo=undo
        )

    def move(self, step: int) -> None:
        """Move the selected trait within its type. A rubric has no order between types."""
        if self.chosen is None or not self.rubric.move(self.chosen, step):
            return
        self.save()
        self._refresh()

    # What the form calls

    def on_edited(self, trait: TraitDraft, key: str) -> None:
        """Record that the user edited a field."""
        self.rubric.touch(trait, key)
        self.save()
        self._refresh()

    def on_focus_in(self) -> None:
        self._busy = True

    def on_focus_out(self) -> None:
        self._busy = False
        self._apply_waiting()

    def _apply_waiting(self) -> None:
        """Show the waiting remote version as soon as the form has no focus."""
        trait = self.chosen
        if trait is not None and self._is_waiting(trait):
            update_when_unfocused(self.main, lambda: self._is_waiting(trait), self.accept_remote)

    def _is_waiting(self, trait: TraitDraft) -> bool:
        return trait is self.chosen and trait.state == "waiting" and not self._busy

    def keep_local(self) -> None:
        if self.chosen is not None:
            self.rubric.keep_local(self.chosen)
            self.save()
            self.choose(self.chosen)

    def accept_remote(self) -> None:
        if self.chosen is not None:
            self.rubric.accept_remote(self.chosen)
            self.save()
            gone = self.chosen not in self.rubric.traits
            self.choose(next(iter(self.rubric.traits), None) if gone else self.chosen)

    def _on_restored(self, trait: TraitDraft) -> None:
        """Show a trait after the browser restored one of its texts."""
        self.save()
        self.choose(trait)

    def save(self) -> None:
        """Save all complete traits in the background."""
        self._kept.save()

    @property
    def saving(self) -> bool:
        return self._kept.dirty

    @property
    def delay(self) -> str | None:
        """User-facing reason for a delay of the save in flight. None: no delay."""
        return self._kept.delay

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
            dynamic_traits(self.rubric.other_fields)

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

    def _refresh(self, problem: str | None = None) -> None:
        """Update the list and the messages of the form. The form's controls are not redrawn."""
        self.list.show(self.rubric, self.chosen)
        if self.sheet is not None:
            self.sheet.show_problem(problem)

    # Helpers

    def _taken_here(self) -> set[str]:
        return {trait.name.lower() for trait in self.rubric.traits}

    def choose_key(self, key: int) -> None:
        self.choose(next((trait for trait in self.rubric.traits if trait.key == key), None))

    def into_form(self) -> None:
        """Focus the form."""
        if self.sheet is not None:
            self.sheet.focus()

    def reveal(self, place: str) -> None:
        """Show the trait of a place such as `trait:depth`, with the focus in its form."""
        name = place.partition(":")[2]
        self.choose(next((trait for trait in self.rubric.traits if trait.name == name), self.chosen))
        self.into_form()

    def _insert(self, type_name: str, record: Record, *, after: TraitDraft | None = None, focus: bool = False) -> None:
        trait = self.rubric.add(type_name, record, after)
        self.save()
        self.choose(trait)
        if focus or after:
            self.into_form()

    def _remove_all(self, made: list[TraitDraft]) -> None:
        for trait in made:
            if trait in self.rubric.traits:
                self.rubric.remove(trait)
        self.save()
        self.choose(next(iter(self.rubric.traits), None))

    async def _restore_in_store(self, trait: TraitDraft) -> None:
        """Restore a deleted trait in the stored rubric, since this list is no longer on the page."""
        record = to_record(trait.type_name, trait.values)
        place = self.place.number
        copied = await self.window.write(self.catalog.copy, trait.type_name, record, self.place.benchmark_id, [place])
        for sentence in copied.refused:
            self.window.notify(sentence, "bad")

    def _leave(self) -> None:
        """Leave a trait: apply a waiting remote version, or remove an untouched new trait."""
        trait = self.chosen
        if trait is None or trait not in self.rubric.traits:
            return
        if trait.state == "waiting":
            self.rubric.accept_remote(trait)
        elif trait.stored is None and not trait.touched and not trait.name:
            self.rubric.remove(trait)

    def ask_kind(self) -> None:
        """Choose the kind of a new trait."""
        self.side.set_visibility(True)
        self.menu.open()

    def pick(self) -> None:
        """Choose traits of other rubrics."""
        with self.main:
            TraitPicker(self.window, self.catalog, self.place, self.add_all).open()

    def suggest(self) -> None:
        """Ask a model for traits."""
        with self.main:
            self.suggestions.order()

    def spread(self) -> None:
        """Copy the selected trait to other rubrics of this benchmark."""
        if self.chosen is not None:
            record = to_record(self.chosen.type_name, self.chosen.values)
            with self.main:
                CopyDialog(self.window, self.catalog, self.place, self.chosen.type_name, record).open()

    async def shelve(self) -> None:
        """Save a copy of the selected trait to the library."""
        trait = self.chosen
        if trait is None or trait.stored is None:
            self.window.notify("Complete the trait first: it isn’t saved yet.")
            return
        name = self.window.preferences.author.get("name", "")
        saved = await self.window.write(as_one(self.catalog.shelve), trait.type_name, trait.stored, name)
        told = f"Saved “{saved.outcome}” to the library. Add it to any rubric with Add existing traits."
        self.window.notify(told, "good", undo=lambda: self.window.undo(saved.command_id))

    def calibrate(self) -> None:
        """Compare judgments of the selected trait with labels of the user."""
        trait = self.chosen
        if trait is None or trait.stored is None:
            self.window.notify("Complete the trait first: it isn’t saved yet.")
            return
        target = CalibrationTarget(
            self.place.benchmark_id, self.place.number, "trait", str(trait.stored.get("name") or "")
        )
        ui.navigate.to(calibration_address(target))

    def stored_answers(self) -> list[DrawnAnswer]:
        """Answers of the library that the traits of this rubric rate. Blocks."""
        return self.editor.calibrations.texts(self.place.benchmark_id, self.place.number)

    async def _load_names(self) -> None:
        """Load names used in the other rubrics of a run. Runs in a thread, since there can be many."""
        try:
            taken = await run.io_bound(self.catalog.taken_names, self.place.benchmark_id, self.place.number)
        except InputError:
            return
        if taken is not None and taken != self.rubric.taken and not self.main.is_deleted:
            self.rubric.taken = taken
            self._refresh()
