"""Menu that applies many differences together, after it has said how many."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from karenina_gui.authoring.comparison.differences import Differences
from karenina_gui.authoring.comparison.merging import Choice, everything, made_by, of_kind
from karenina_gui.authoring.comparison.service import BenchmarkComparison
from karenina_gui.gui.components.dialogs import dialog, dialog_actions
from karenina_gui.gui.components.elements import button, menu_item
from karenina_gui.text import join_list, quantity


class ApplyMenu:
    """Button with a menu, drawn into the current element."""

    def __init__(self, apply: Callable[[Choice, str], Awaitable[None]]) -> None:
        self._apply = apply
        self._button = button("Apply…", icon="call_merge", look="main").props('aria-haspopup="menu"')
        self._place = ui.element("div")
        """Container of the dialog."""
        with self._button:
            self._menu = ui.menu().props('auto-close role="menu" aria-label="Apply"').classes("menu")

    def show(self, found: BenchmarkComparison) -> None:
        """Offer what the comparison has."""
        choices = _choices(found.differences)
        self._button.set_enabled(bool(choices))
        self._menu.clear()
        with self._menu:
            for title, choice in choices:
                menu_item(title, partial(self._ask, found, title, choice))

    async def _ask(self, found: BenchmarkComparison, title: str, choice: Choice) -> None:
        told = effect(found.differences, choice)
        # Said before, because a deletion here is easily overlooked among hundreds of other differences.
        with self._place, dialog("Apply differences", f"{title}?") as asked:
            ui.label(f"{told} You can undo it in one step.")
            with dialog_actions():
                button("Cancel", lambda: asked.submit(False))
                button("Apply all", lambda: asked.submit(True), look="main")
        if await asked:
            await self._apply(choice, told)


def _choices(found: Differences) -> list[tuple[str, Choice]]:
    """Titles and choices, those that change nothing left out."""
    offered = []
    if found.by_ancestor:
        offered.append(("Apply everything that only the other version changed", made_by(found, "theirs")))
    offered += [
        ("Apply all changed questions", of_kind(found, "changed")),
        ("Add all questions of the other version", of_kind(found, "there")),
        ("Delete all questions that only this benchmark has", of_kind(found, "here")),
        ("Apply the benchmark details", Choice(details=frozenset(detail.name for detail in found.details))),
        ("Apply all differences", everything(found)),
    ]
    return [(title, choice) for title, choice in offered if choice]


def effect(found: Differences, choice: Choice) -> str:
    """Count what a choice does to the benchmark, in one sentence."""
    kinds = [found.by_key[key].kind for key in choice.questions]
    parts = [
        (kinds.count("changed"), "changed"),
        (kinds.count("there"), "added"),
        (kinds.count("here"), "deleted"),
    ]
    told = [f"{quantity(count, 'question')} {word}" for count, word in parts if count]
    if choice.details:
        told.append(f"{quantity(len(choice.details), 'field')} of the benchmark changed")
    return f"{join_list(told)}."
