"""The rubric of a benchmark or of a question: its traits as a list, and the form of the one that is chosen."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.trait_shelf import TraitShelf
from karenina_gui.errors import InputError
from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.parts.elements import button, empty_state, icon_button
from karenina_gui.gui.parts.stillness import when_still
from karenina_gui.gui.rubric.draft import RubricDraft, TraitDraft
from karenina_gui.gui.rubric.dynamic import dynamic_traits
from karenina_gui.gui.rubric.kept_rubric import KeptRubric, Save
from karenina_gui.gui.rubric.kinds import ReadyTrait, Record, TraitKind
from karenina_gui.gui.rubric.list_view import TraitListBox
from karenina_gui.gui.rubric.new_trait import NewTraitMenu, kind_cards
from karenina_gui.gui.rubric.picker import CopyDialog, TraitPicker
from karenina_gui.gui.rubric.place import RubricPlace
from karenina_gui.gui.rubric.trait_commands import by_key, offer_commands
from karenina_gui.gui.rubric.trait_form import TraitSheet
from karenina_gui.gui.rubric.trait_texts import TraitTexts
from karenina_gui.gui.rubric.unkept import Unkept
from karenina_gui.gui.rubric.values import packed
from karenina_gui.text import join_list


class TraitList:
    """Saves as it is edited. Edits of others are taken in trait by trait; the same trait is never overwritten."""

    def __init__(
        self,
        window: Window,
        rubric: Record | None,
        save: Save,
        place: RubricPlace | None = None,
    ) -> None:
        """`place` None: the rubric of the window's benchmark."""
        self.window = window
        self.desk = window.studio.desk
        self.place = place or RubricPlace(window.benchmark_id or 0)
        self.shelf = TraitShelf(self.desk)
        self.rubric = RubricDraft(rubric)
        self.chosen: TraitDraft | None = None
        self.shown: Callable[[], bool] = lambda: True
        self._busy = False
        unkept = Unkept(self.desk, self.place, window.person)
        with ui.element("div").classes("traits"):
            self.texts = TraitTexts(
                window.outbox, self.place.drafts, self.rubric, self._show_restored, lambda: self.saving
            )
            self._kept = KeptRubric(self.rubric, save, unkept, self.texts, window, self._tell)
            self._draw()
        left = self._kept.take_up()
        self.choose(left[-1] if left else next(iter(self.rubric.traits), None))
        offer_commands(self)
        background_tasks.create(self._learn_names(), name="names of other traits", context=self.main)
        window.listen(window.studio.settled, self._learn_names)

    def show(self, rubric: Record | None) -> None:
        """A rubric that comes from elsewhere."""
        before = self.chosen
        values = before.values if before else None
        if not self._kept.take_in(rubric, before):
            return
        if before is None or before not in self.rubric.traits:
            self.choose(next(iter(self.rubric.traits), None))
        elif before.values is not values:
            self.choose(before)
        else:
            self._tell()
            self._take_in()

    # What the author does

    def choose(self, trait: TraitDraft | None) -> None:
        """Show the form of a trait; None: there is none."""
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
                self.sheet = TraitSheet(self, trait)
        self._tell()

    def add(self, kind: TraitKind | ReadyTrait) -> None:
        """A new trait; it is kept once it is complete, which a ready one is."""
        if isinstance(kind, ReadyTrait):
            self.add_all([(kind.type_name, kind.make())])
        else:
            self._put_in(kind.type_name, {"name": "", **kind.blank}, focus=True)

    def paste(self) -> None:
        """The trait that was copied last, here or in another window."""
        if copied := self.window.studio.copied_trait:
            self._put_in(*copied)
        else:
            self.window.tell("Copy a trait first.")

    def add_all(self, traits: list[tuple[str, Record]]) -> None:
        """Copies of traits from elsewhere."""
        made = [self.rubric.add(type_name, record) for type_name, record in traits]
        self.keep()
        if made:
            self.choose(made[-1])
            names = join_list([f"“{trait.name}”" for trait in made])
            self.window.tell(f"Added {names}.", "good", undo=lambda: self._drop(made))

    def duplicate(self) -> None:
        if trait := self.chosen:
            self._put_in(trait.type_name, packed(trait.type_name, trait.values), after=trait)

    def copy(self) -> None:
        if trait := self.chosen:
            self.window.studio.copied_trait = (trait.type_name, packed(trait.type_name, trait.values))
            self.window.tell(f"Copied “{trait.name}”. Paste it into any rubric.")

    def remove(self) -> None:
        """Take the chosen trait out; a message offers to have it back."""
        if (trait := self.chosen) is None:
            return
        index = self.rubric.remove(trait)
        trait.stored, trait.state = None, ""
        self.keep()
        rest = self.rubric.traits
        self.choose(rest[min(index, len(rest) - 1)] if rest else None)
        self.list.run_method("focus")

        async def undo() -> None:
            if self.main.is_deleted:
                await self._add_apart(trait)
                return
            self.rubric.put(trait, min(index, len(self.rubric.traits)))
            self.keep()
            self.choose(trait)

        self.window.tell(f"Deleted the trait “{trait.name}”." if trait.name else "Deleted an unnamed trait.", undo=undo)

    def move(self, step: int) -> None:
        """Up or down among the traits of its type: a rubric keeps no order between types."""
        if self.chosen is None or not self.rubric.move(self.chosen, step):
            return
        self.keep()
        self._tell()

    # What the form calls

    def edited(self, trait: TraitDraft, key: str) -> None:
        """A field has another value now."""
        self.rubric.touch(trait, key)
        self.keep()
        self._tell()

    def entered(self) -> None:
        self._busy = True

    def left(self) -> None:
        self._busy = False
        self._take_in()

    def _take_in(self) -> None:
        """Show what waits for the chosen trait as soon as nobody is in its form."""
        trait = self.chosen
        if trait is not None and self._waits(trait):
            when_still(self.main, lambda: self._waits(trait), self.take_theirs)

    def _waits(self, trait: TraitDraft) -> bool:
        return trait is self.chosen and trait.state == "waiting" and not self._busy

    def keep_mine(self) -> None:
        if self.chosen is not None:
            self.rubric.keep_mine(self.chosen)
            self.keep()
            self.choose(self.chosen)

    def take_theirs(self) -> None:
        if self.chosen is not None:
            self.rubric.take_theirs(self.chosen)
            self.keep()
            gone = self.chosen not in self.rubric.traits
            self.choose(next(iter(self.rubric.traits), None) if gone else self.chosen)

    def _show_restored(self, trait: TraitDraft) -> None:
        """The browser gave back a text of this trait."""
        self.keep()
        self.choose(trait)

    def keep(self) -> None:
        """Save all that is complete, in the background."""
        self._kept.keep()

    @property
    def saving(self) -> bool:
        return self._kept.dirty

    @property
    def delay(self) -> str | None:
        """Why the save under way has to wait, for people; None: it need not."""
        return self._kept.delay

    # Drawing

    def _draw(self) -> None:
        with ui.element("div").classes("trait-side") as self.side:
            with ui.element("div").classes("trait-tools").props('role="toolbar" aria-label="Rubric"'):
                self.menu = NewTraitMenu(self.add)
                icon_button("library_add", "Add existing traits", self.pick)
                icon_button("content_paste", "Paste trait", self.paste)
            self.list = TraitListBox(self._choose_key, lambda key: by_key(self, key))
            self.order = ui.label("Reorder within a group with Alt+Up and Alt+Down.").classes("hint")
        with ui.element("div").classes("trait-main"):
            self.main = ui.element("div").classes("trait-part")
            self.beside = ui.element("div").classes("trait-part")
        self._draw_beside()

    def _draw_beside(self) -> None:
        self.beside.clear()
        with self.beside:
            dynamic_traits(self.rubric.beside)

    def _empty(self) -> None:
        with empty_state(
            "rule",
            "No traits yet",
            "A trait rates a quality of the answer, such as its depth or what it mentions. Choose a type to add one.",
        ):
            kind_cards(self.add)
            button("Add existing traits…", self.pick, icon="library_add")
            if self.window.studio.copied_trait:
                button("Paste trait", self.paste, icon="content_paste")

    def _tell(self, problem: str | None = None) -> None:
        """Bring the list and the sentences of the form up to date; its controls stay."""
        self.list.show(self.rubric, self.chosen)
        if self.sheet is not None:
            self.sheet.say(problem)

    # Helpers

    def _choose_key(self, key: int) -> None:
        self.choose(next((trait for trait in self.rubric.traits if trait.key == key), None))

    def into_form(self) -> None:
        """Put the keyboard's focus into the form."""
        if self.sheet is not None:
            self.sheet.focus()

    def _put_in(self, type_name: str, record: Record, *, after: TraitDraft | None = None, focus: bool = False) -> None:
        trait = self.rubric.add(type_name, record, after)
        self.keep()
        self.choose(trait)
        if focus or after:
            self.into_form()

    def _drop(self, made: list[TraitDraft]) -> None:
        for trait in made:
            if trait in self.rubric.traits:
                self.rubric.remove(trait)
        self.keep()
        self.choose(next(iter(self.rubric.traits), None))

    async def _add_apart(self, trait: TraitDraft) -> None:
        """Into the rubric as it is saved by now: the page of this list was left, and hears of no edits any more."""
        record = packed(trait.type_name, trait.values)
        place = self.place.number
        copied = await self.window.write(self.shelf.copy, trait.type_name, record, self.place.benchmark_id, [place])
        for sentence in copied.refused:
            self.window.tell(sentence, "bad")

    def _leave(self) -> None:
        """Another trait is chosen: what waited for this one is taken in, and what was never begun goes."""
        trait = self.chosen
        if trait is None or trait not in self.rubric.traits:
            return
        if trait.state == "waiting":
            self.rubric.take_theirs(trait)
        elif trait.stored is None and not trait.touched and not trait.name:
            self.rubric.remove(trait)

    def ask_kind(self) -> None:
        """Choose the kind of a new trait."""
        self.side.set_visibility(True)
        self.menu.open()

    def pick(self) -> None:
        """Choose traits of other rubrics."""
        with self.main:
            TraitPicker(self.shelf, self.place, self.add_all).open()

    def spread(self) -> None:
        """Copy the chosen trait into other rubrics of this benchmark."""
        if self.chosen is not None:
            record = packed(self.chosen.type_name, self.chosen.values)
            with self.main:
                CopyDialog(self.window, self.shelf, self.place, self.chosen.type_name, record).open()

    async def _learn_names(self) -> None:
        """Names that the other rubrics of a run have; looked up apart from the page, since there can be many."""
        try:
            taken = await run.io_bound(self.shelf.taken, self.place.benchmark_id, self.place.number)
        except InputError:
            return
        if taken is not None and taken != self.rubric.taken and not self.main.is_deleted:
            self.rubric.taken = taken
            self._tell()
