"""Form of one trait, with a toolbar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from nicegui import ui

from karenina_gui.authoring.trait_playground import TraitPlayground
from karenina_gui.gui.components.elements import icon_button
from karenina_gui.gui.rubric.callable_form import draw_callable
from karenina_gui.gui.rubric.form import TraitForm
from karenina_gui.gui.rubric.form_values import outcome, to_record
from karenina_gui.gui.rubric.kinds import heading_of_one, kind_of
from karenina_gui.gui.rubric.model_form import draw_agentic, draw_llm, draw_metric
from karenina_gui.gui.rubric.other_form import draw_other
from karenina_gui.gui.rubric.regex_form import draw_regex
from karenina_gui.gui.rubric.rubric_draft import RubricDraft, TraitDraft
from karenina_gui.gui.rubric.rules import Problems, doubts, field_names
from karenina_gui.gui.rubric.trait_commands import TraitActions
from karenina_gui.gui.rubric.trait_conflict import trait_conflict
from karenina_gui.gui.rubric.trait_texts import TraitTexts
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.calibration import DrawnAnswer

PLACEHOLDERS = {
    "llm": "Does the answer say where its figures come from?",
    "agentic": "Does the script in the workspace run without errors?",
    "metric": "Which of the known side effects are named?",
}

CALIBRATED = ("llm", "regex")
"""Types of traits whose judgments can be compared with labels."""


class TraitFormOwner(TraitActions, Protocol):
    """Owner of the form: it saves the edits, and resolves conflicts with other windows."""

    @property
    def saving(self) -> bool: ...

    @property
    def delay(self) -> str | None: ...

    def stored_answers(self) -> list[DrawnAnswer]: ...

    def on_edited(self, trait: TraitDraft, key: str) -> None: ...

    def on_focus_in(self) -> None: ...

    def on_focus_out(self) -> None: ...

    def keep_local(self) -> None: ...

    def accept_remote(self) -> None: ...


class TraitSheet:
    def __init__(
        self,
        window: Window,
        rubric: RubricDraft,
        trait: TraitDraft,
        texts: TraitTexts,
        playground: TraitPlayground,
        owner: TraitFormOwner,
    ) -> None:
        self._window, self._rubric, self._playground, self._owner = window, rubric, playground, owner
        self.trait = trait
        self.form = TraitForm(trait, owner.on_edited, texts)
        with ui.element("section").classes("trait-sheet").props('aria-label="Trait"') as sheet:
            self._head()
            self.versions = ui.element("div")
            self._shown: tuple[object, object] | None = None
            self.name = self.form.text("name", "Name", "short; used as the results column name")
            about = PLACEHOLDERS.get(trait.type_name, "")
            whom = "agent" if trait.type_name == "agentic" else "judge"
            hint = f"what the {whom} looks for" if about else "for readers of the results"
            self.form.text("description", "Trait description", hint, area=True, placeholder=about)
            self.form.text("summary", "Summary", "one line for trait lists; optional")
            self._kind()
        sheet.on("focusin", owner.on_focus_in, args=[], js_handler=_FOCUS_IN)
        sheet.on("focusout", owner.on_focus_out, args=[], js_handler=_FOCUS_OUT)

    def show_problem(self, problem: str | None) -> None:
        """Show problems at their fields. A new trait shows only a summary, except for edited fields."""
        rubric, trait = self._rubric, self.trait
        found = rubric.problems(trait)
        obstacles = rubric.obstacles(trait)
        quiet = trait.stored is None and trait.state == ""
        at_fields = {key: words for key, words in found.items() if not quiet or key.partition(".")[0] in trait.touched}
        hints = {key: words for key, words in doubts(trait.type_name, trait.values).items() if not quiet}
        self.form.show_problems(at_fields, hints)
        self._show_versions()
        self._status(*(("error", problem) if problem else self._saved_state(obstacles)))

    def _saved_state(self, obstacles: Problems) -> tuple[str, str]:
        """Return icon and message about whether the trait is saved."""
        trait = self.trait
        if trait.state == "clash":
            return "error", "Not saved: choose a version."
        if trait.state == "waiting":
            return "sync", "Changed in another window. Leave this form to see the new version."
        if obstacles and trait.stored is None:
            return "edit", f"Not saved yet. Needed: {field_names(obstacles)}."
        if obstacles:
            return "error", f"Not saved. Fix: {field_names(obstacles)}. Runs use the last saved version."
        if self._owner.delay:
            return "error", self._owner.delay
        return ("sync", "Saving…") if self._owner.saving else ("check_circle", "Saved")

    def _show_versions(self) -> None:
        """Show the conflict panel above the form. The form's controls are not redrawn."""
        # Redraw only on a change: a redraw would move the focus out of the panel.
        trait = self.trait
        now = (to_record(trait.type_name, trait.values), trait.stored) if trait.state == "clash" else None
        if now == self._shown:
            return
        self._shown = now
        self.versions.clear()
        if now is not None:
            with self.versions:
                trait_conflict(trait, self._owner.keep_local, self._owner.accept_remote)

    def focus(self) -> None:
        self.name.run_method("focus")

    def _head(self) -> None:
        trait, owner = self.trait, self._owner
        kind = kind_of(trait.type_name, outcome(trait.values))
        with ui.element("div").classes("trait-head"):
            ui.icon(kind.icon).classes("trait-head-icon")
            ui.label(heading_of_one(trait.type_name)).classes("h2").props('role="heading" aria-level="2"')
            ui.space()
            with ui.element("div").classes("trait-actions").props('role="toolbar" aria-label="This trait"'):
                icon_button("arrow_upward", "Move up (Alt+Up)", lambda: owner.move(-1))
                icon_button("arrow_downward", "Move down (Alt+Down)", lambda: owner.move(1))
                icon_button("control_point_duplicate", "Duplicate trait", owner.duplicate)
                icon_button("content_copy", "Copy trait", owner.copy)
                icon_button("drive_file_move", "Copy to rubrics", owner.spread)
                icon_button("bookmark_add", "Save to library", owner.shelve)
                if trait.type_name in CALIBRATED:
                    icon_button("balance", "Calibrate trait", owner.calibrate)
                icon_button("delete", "Delete trait", owner.remove)
        with ui.element("div").classes("trait-status").props('role="status"'):
            self.sign = ui.icon("check_circle")
            self.status = ui.label()

    def _kind(self) -> None:
        playground = self._playground
        draw: dict[str, Callable[[], None]] = {
            "llm": lambda: draw_llm(self.form),
            "regex": lambda: draw_regex(self.form, playground, self._owner.stored_answers),
            "callable": lambda: draw_callable(self.form, playground, self._window),
            "metric": lambda: draw_metric(self.form),
            "agentic": lambda: draw_agentic(self.form, self._window.services.library.models),
        }
        draw.get(self.trait.type_name, lambda: draw_other(self.form))()

    def _status(self, icon: str, words: str) -> None:
        self.sign.name = icon
        self.sign.classes(replace=f"trait-sign-{icon}")
        self.status.text = words


_FOCUS_IN = "(event) => { if (!event.currentTarget.contains(event.relatedTarget)) emit(); }"
_FOCUS_OUT = "(event) => { if (!event.currentTarget.contains(event.relatedTarget)) emit(); }"
