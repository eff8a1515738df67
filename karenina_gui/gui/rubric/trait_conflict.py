"""Conflict panel: shows the differences of a trait changed in two windows, to choose a version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.gui.components.diff import readable
from karenina_gui.gui.components.elements import button
from karenina_gui.gui.components.html import Html, table
from karenina_gui.gui.rubric.form_values import to_record
from karenina_gui.gui.rubric.kinds import Record
from karenina_gui.gui.rubric.rubric_draft import TraitDraft


def trait_conflict(trait: TraitDraft, keep: Callable[[], Any], take: Callable[[], Any]) -> None:
    """Draw the conflict panel. The form below it holds the user's own version."""
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
                ui.html(differences(to_record(trait.type_name, trait.values), trait.stored or {}))
        with ui.element("div").classes("clash-choice"):
            button("Keep mine", keep)
            button("Delete mine" if gone else "Use other version", take)


def differences(mine: Record, theirs: Record) -> Html:
    """Return a table with one row for each field that differs."""
    names = [key for key in dict.fromkeys([*mine, *theirs]) if mine.get(key) != theirs.get(key)]
    rows = [
        (key.replace("_", " "), _field_text(mine.get(key)), _field_text(theirs.get(key)))
        for key in names
        # Compiled code is not readable, and its source has a row of its own.
        if key != "callable_code"
    ]
    return table(("Field", "Yours", "Other version"), rows, caption="Differences")


def _field_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "\n".join(f"{key}: {readable(each)}" for key, each in value.items())
    return readable(value) or "(empty)"
