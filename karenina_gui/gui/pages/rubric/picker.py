"""Dialogs that copy traits between rubrics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from karenina_gui.authoring.trait_catalog import Place, ShelvedTrait, TraitCatalog
from karenina_gui.errors import InputError
from karenina_gui.gui.kit.elements import button
from karenina_gui.gui.kit.searched_list import SearchedList
from karenina_gui.gui.pages.rubric.kinds import Record, kind_of, outcome_of
from karenina_gui.gui.pages.rubric.rubric_record import RubricOwner
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.text import quantity


class TraitPicker(SearchedList):
    """Dialog that adds traits of the library, of other rubrics, and ready-made ones."""

    def __init__(
        self,
        window: Window,
        catalog: TraitCatalog,
        owner: RubricOwner,
        on_choose: Callable[[list[tuple[str, Record]]], Awaitable[Any]],
    ) -> None:
        self.window, self.catalog, self.owner, self._on_choose = window, catalog, owner, on_choose
        super().__init__("Add existing traits", "Search traits and questions", "Add", "trait")
        self.hint.text = "From your library, other rubrics, and ready-made traits. Adds copies; originals don’t change."
        with self.actions:
            self._remove = button("Remove from library", self._unshelve, look="quiet", icon="delete")
        self._remove.move(target_index=0)
        self._count()

    def _count(self) -> None:
        super()._count()
        self._remove.set_visibility(bool(self._in_library()))

    def _in_library(self) -> list[int]:
        """Ids of the selected entries of the library."""
        return [trait.shelf_id for trait in self.ticked.values() if trait.shelf_id is not None]

    async def _unshelve(self) -> None:
        """Delete the selected entries of the library. A message offers undo."""
        ids = self._in_library()
        try:
            removed = await self.window.write(as_one(self.catalog.unshelve), ids)
        except InputError as error:
            self.window.notify(str(error), "bad")
            return
        self.close()
        message = f"Removed {quantity(len(ids), 'trait')} from the library."
        self.window.notify(message, undo=lambda: self.window.undo(removed.command_id))

    def _find(self, query: str) -> list[tuple[Any, Any, str, str]]:
        here = (self.owner.benchmark_id, self.owner.number)
        traits = self.catalog.find(query, apart_from=here)
        return [(self._key(trait), trait, trait.name, self._about(trait)) for trait in traits]

    def _empty_text(self) -> str:
        return "No other rubric has traits yet."

    async def apply_choice(self, chosen: list[ShelvedTrait]) -> None:
        await self._on_choose([(trait.type_name, trait.trait) for trait in chosen])

    def _key(self, trait: ShelvedTrait) -> Any:
        return (trait.origin, trait.benchmark_id, trait.number, trait.type_name, trait.name)

    def _about(self, trait: ShelvedTrait) -> str:
        kind = kind_of(trait.type_name, outcome_of(trait.trait))
        if trait.origin != "rubric":
            return f"{kind.title} · {'library' if trait.origin == 'library' else 'ready-made'}"
        where = f"question “{trait.question}”" if trait.question else "traits for every question"
        # The benchmark comes before the question, whose text may be cut.
        other = "" if trait.benchmark_id == self.owner.benchmark_id else f"{trait.benchmark} · "
        return f"{kind.title} · {other}{where}"


class CopyDialog(SearchedList):
    """Dialog that copies a trait to the benchmark's rubric or to those of questions."""

    def __init__(
        self, window: Window, catalog: TraitCatalog, owner: RubricOwner, type_name: str, trait: Record
    ) -> None:
        self.window, self.catalog, self.owner = window, catalog, owner
        self.type_name, self.trait = type_name, trait
        super().__init__(f"Copy “{trait['name']}” to other rubrics", "Search questions", "Copy to", "rubric")
        self.hint.text = "If the name is taken, a number is added to it."

    def _find(self, query: str) -> list[tuple[Any, Any, str, str]]:
        rows: list[tuple[Any, Any, str, str]] = []
        if self.owner.number is not None and not query:
            rows.append((None, None, "Whole benchmark", "applies to every question"))
        parts = query.casefold().split()
        for summary in self.window.services.library.questions.summaries(self.owner.benchmark_id):
            text = " ".join(summary.text.split())
            if summary.number != self.owner.number and all(word in text.casefold() for word in parts):
                about = "has traits" if summary.has_rubric else "has no traits yet"
                rows.append((summary.number, summary.number, text, about))
        return rows

    def _empty_text(self) -> str:
        return "This benchmark has no other questions."

    async def apply_choice(self, chosen: list[Place]) -> None:
        benchmark = self.owner.benchmark_id
        copied = await self.window.write_long(self.catalog.copy, self.type_name, self.trait, benchmark, chosen)
        number = len(copied.made)
        message = f"Copied “{self.trait['name']}” to {quantity(number, 'rubric')}."

        async def undo() -> None:
            await self.window.write_long(self.catalog.take_back, self.type_name, benchmark, copied)

        messages = "\n".join([message, *dict.fromkeys(copied.refused)])
        self.window.notify(messages, "bad" if copied.refused else "good", undo=undo if number else None)
