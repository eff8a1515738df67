"""The same trait was changed in two windows: what differs, side by side, until one version is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.gui.parts.differences import readable
from karenina_gui.gui.parts.elements import button
from karenina_gui.gui.parts.markup import Html, table
from karenina_gui.gui.rubric.draft import TraitDraft
from karenina_gui.gui.rubric.kinds import Record
from karenina_gui.gui.rubric.values import packed


def trait_clash(trait: TraitDraft, keep: Callable[[], Any], take: Callable[[], Any]) -> None:
    """Above the form, which holds the own version."""
    gone = trait.stored is None
    with ui.element("div").classes("clash").props('role="group" aria-label="Two versions of this trait"'):
        words = (
            "This trait was deleted in another window while you were editing. Your version below isn’t saved yet."
            if gone
            else "This trait was changed in another window while you were editing. Your version below isn’t saved yet."
        )
        ui.label(words).classes("clash-words").props('role="alert"')
        if not gone:
            with (
                ui.element("div").classes("clash-versions").props('tabindex="0" role="region" aria-label="Differences"')
            ):
                ui.html(differences(packed(trait.type_name, trait.values), trait.stored or {}))
        with ui.element("div").classes("clash-choice"):
            button("Keep mine", keep)
            button("Delete mine" if gone else "Use other version", take)


def differences(mine: Record, theirs: Record) -> Html:
    """A row for each field in which the two differ."""
    names = [key for key in dict.fromkeys([*mine, *theirs]) if mine.get(key) != theirs.get(key)]
    rows = [
        (key.replace("_", " "), _written(mine.get(key)), _written(theirs.get(key)))
        for key in names
        if key != "callable_code"
    ]
    return table(("Field", "Yours", "Other version"), rows, caption="Differences")


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "\n".join(f"{key}: {readable(each)}" for key, each in value.items())
    return readable(value) or "(empty)"
