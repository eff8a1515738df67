"""Form of one trait, with a toolbar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from nicegui import ui

from karenina_gui.authoring.trait_playground import TraitPlayground
from karenina_gui.gui.kit.elements import button, heading, icon_button, menu_button, menu_item
from karenina_gui.gui.pages.rubric import rules
from karenina_gui.gui.pages.rubric.callable_form import draw_callable
from karenina_gui.gui.pages.rubric.form import TraitForm
from karenina_gui.gui.pages.rubric.form_values import outcome
from karenina_gui.gui.pages.rubric.kinds import kind_of
from karenina_gui.gui.pages.rubric.model_form import draw_agentic, draw_llm, draw_metric
from karenina_gui.gui.pages.rubric.other_form import draw_other
from karenina_gui.gui.pages.rubric.regex_form import draw_regex
from karenina_gui.gui.pages.rubric.rubric_record import GONE, RubricRecord, Trait, obstacles
from karenina_gui.gui.records.optimistic_edit import State
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.calibration import DrawnAnswer

PLACEHOLDERS = {
    "llm": "Does the answer say where its figures come from?",
    "agentic": "Does the script in the workspace run without errors?",
    "metric": "Which of the known side effects are named?",
}

CALIBRATED = ("llm", "regex")
"""Types of traits whose judgments can be compared with labels."""


class TraitFormOwner(Protocol):
    """Owner of the form, with the actions on its trait."""

    def duplicate(self) -> object: ...

    def copy(self) -> None: ...

    def spread(self) -> None: ...

    def calibrate(self) -> None: ...

    def shelve(self) -> object: ...

    def move(self, step: int) -> object: ...

    def remove(self) -> object: ...

    def stored_answers(self) -> list[DrawnAnswer]: ...

    def on_edited(self) -> None: ...

    async def keep_local(self) -> None: ...

    def accept_remote(self) -> None: ...


class TraitSheet:
    def __init__(
        self,
        window: Window,
        record: RubricRecord,
        trait: Trait,
        playground: TraitPlayground,
        owner: TraitFormOwner,
    ) -> None:
        self._window, self._record, self._playground, self._owner = window, record, playground, owner
        self.form = TraitForm(record, trait.id, owner.on_edited)
        with ui.element("section").classes("trait-sheet").props('aria-label="Trait"'):
            self._head(trait)
            self.deleted = ui.element("div")
            self.name = self.form.text("name", "Name", "short; used as the results column name")
            about = PLACEHOLDERS.get(trait.type_name, "")
            whom = "agent" if trait.type_name == "agentic" else "judge"
            hint = f"what the {whom} looks for" if about else "for readers of the results"
            self.form.text("description", "Trait description", hint, area=True, placeholder=about)
            self.form.text("summary", "Summary", "one line for trait lists; optional")
            self._kind(trait.type_name)

    @property
    def trait(self) -> Trait:
        """The trait as the form shows it."""
        return replace(self.form.trait, values=self.form.values)

    @property
    def is_deleted(self) -> bool:
        """True if the trait was deleted in another window."""
        return self._record.get(self.form.id) is None

    def show_problems(self) -> None:
        """Show problems at their fields. A new trait shows only a summary, except for edited fields."""
        trait = self.trait
        taken = self._record.taken_by_others(trait)
        problems = rules.problems(trait.type_name, trait.values, taken)
        hints = rules.doubts(trait.type_name, trait.values)
        edited = self._record.begun.get(trait.id) if trait.stored is None else None
        if edited is not None:
            names = {name.partition(".")[0] for name in edited}
            problems = {key: message for key, message in problems.items() if key.partition(".")[0] in names}
            hints = {}
        self._title.text = _title(trait)
        self.form.show_problems(problems, hints)
        self._show_deleted()
        self._status(*self._saved_state(trait, obstacles(trait, taken)))

    def _saved_state(self, trait: Trait, faults: rules.Problems) -> tuple[str, str]:
        """Return icon and message about whether the trait is saved."""
        edits = self.form.edits
        if self.is_deleted or any(edit.undecided for edit in edits):
            return "error", "Not saved: choose a version."
        if problem := next((edit.problem for edit in edits if edit.problem), None):
            return "error", problem
        if any(edit.state is State.BEHIND for edit in edits):
            return "sync", "Changed in another window. Leave this form to see the new version."
        if faults:
            return _incomplete_state(trait, faults)
        if delay := next((edit.delay for edit in edits if edit.delay), None):
            return "error", delay
        return ("sync", "Saving…") if any(edit.dirty for edit in edits) else ("check_circle", "Saved")

    def _show_deleted(self) -> None:
        """Offer to keep a trait that was deleted in another window. The form holds the user's version."""
        is_drawn = bool(self.deleted.default_slot.children)
        if self.is_deleted == is_drawn:
            return
        self.deleted.clear()
        if is_drawn:
            return
        with (
            self.deleted,
            ui.element("div").classes("clash").props('role="group" aria-label="Two versions of this trait"'),
        ):
            ui.label(GONE).classes("clash-words").props('role="alert"')
            with ui.element("div").classes("clash-choice"):
                button("Keep mine", self._owner.keep_local)
                button("Delete mine", self._owner.accept_remote)

    def focus(self) -> None:
        self.name.run_method("focus")

    def _head(self, trait: Trait) -> None:
        owner = self._owner
        kind = kind_of(trait.type_name, outcome(trait.values))
        with ui.element("div").classes("trait-head"):
            ui.icon(kind.icon).classes("trait-head-icon")
            self._title = heading(_title(trait))
            ui.label(kind.title).classes("hint")
            ui.space()
            with ui.element("div").classes("trait-actions").props('role="toolbar" aria-label="This trait"'):
                icon_button("control_point_duplicate", "Duplicate trait", owner.duplicate)
                icon_button("delete", "Delete trait", owner.remove)
                with menu_button("more_vert", "Trait actions"):
                    menu_item("Move up (Alt+Up)", lambda: owner.move(-1))
                    menu_item("Move down (Alt+Down)", lambda: owner.move(1))
                    menu_item("Copy trait", owner.copy)
                    menu_item("Copy to rubrics…", owner.spread)
                    menu_item("Save to library", owner.shelve)
                    if trait.type_name in CALIBRATED:
                        menu_item("Calibrate trait", owner.calibrate)
        with ui.element("div").classes("trait-status").props('role="status"'):
            self.sign = ui.icon("check_circle")
            self.status = ui.label()

    def _kind(self, type_name: str) -> None:
        playground = self._playground
        draw: dict[str, Callable[[], None]] = {
            "llm": lambda: draw_llm(self.form),
            "regex": lambda: draw_regex(self.form, playground, self._owner.stored_answers),
            "callable": lambda: draw_callable(self.form, playground, self._window),
            "metric": lambda: draw_metric(self.form),
            "agentic": lambda: draw_agentic(self.form, self._window.services.library.models),
        }
        draw.get(type_name, lambda: draw_other(self.form))()

    def _status(self, icon: str, message: str) -> None:
        self.sign.name = icon
        self.sign.classes(replace=f"trait-sign-{icon}")
        self.status.text = message


def _title(trait: Trait) -> str:
    return trait.name.strip() or "New trait"


def _incomplete_state(trait: Trait, faults: rules.Problems) -> tuple[str, str]:
    fields = rules.field_names(faults)
    if trait.stored is None:
        return "edit", f"Not saved yet. Needed: {fields}."
    return "error", f"Not saved. Fix: {fields}. Runs use the last saved version."
