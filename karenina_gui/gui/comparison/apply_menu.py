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
        self._container = ui.element("div")
        """Container of the dialog."""
        with self._button:
            self._menu = ui.menu().props('auto-close role="menu" aria-label="Apply"').classes("menu")

    def show(self, comparison: BenchmarkComparison) -> None:
        """Offer what the comparison has."""
        choices = _choices(comparison.differences)
        self._button.set_enabled(bool(choices))
        self._menu.clear()
        with self._menu:
            for title, choice in choices:
                menu_item(title, partial(self._ask, comparison, title, choice))

    async def _ask(self, comparison: BenchmarkComparison, title: str, choice: Choice) -> None:
        consequence = effect(comparison.differences, choice)
        # Said before, because a deletion here is easily overlooked among hundreds of other differences.
        with self._container, dialog("Apply differences", f"{title}?") as confirmation:
            ui.label(f"{consequence} You can undo it in one step.")
            with dialog_actions():
                button("Cancel", lambda: confirmation.submit(False))
                button("Apply all", lambda: confirmation.submit(True), look="main")
        if await confirmation:
            await self._apply(choice, consequence)


def _choices(differences: Differences) -> list[tuple[str, Choice]]:
    """Titles and choices, those that change nothing left out."""
    offered = []
    if differences.by_ancestor:
        offered.append(("Apply everything that only the other version changed", made_by(differences, "theirs")))
    offered += [
        ("Apply all changed questions", of_kind(differences, "changed")),
        ("Add all questions of the other version", of_kind(differences, "there")),
        ("Delete all questions that only this benchmark has", of_kind(differences, "here")),
        ("Apply the benchmark details", Choice(details=frozenset(detail.name for detail in differences.details))),
        ("Apply all differences", everything(differences)),
    ]
    return [(title, choice) for title, choice in offered if choice]


def effect(differences: Differences, choice: Choice) -> str:
    """Count what a choice does to the benchmark, in one sentence."""
    kinds = [differences.by_key[key].kind for key in choice.questions]
    parts = [
        (kinds.count("changed"), "changed"),
        (kinds.count("there"), "added"),
        (kinds.count("here"), "deleted"),
    ]
    phrases = [f"{quantity(count, 'question')} {word}" for count, word in parts if count]
    if choice.details:
        phrases.append(f"{quantity(len(choice.details), 'field')} of the benchmark changed")
    return f"{join_list(phrases)}."
