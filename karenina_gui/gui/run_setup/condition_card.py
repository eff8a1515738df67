"""Card of a condition: its name and a summary of its differences; expanded, all its settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from nicegui import ui

from karenina_gui.gui.binding.bound_field import FieldError
from karenina_gui.gui.components.elements import chip, focus_on, icon_button, sent_while_typing, text_input
from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.gui.components.typed_text import strip_control_chars
from karenina_gui.gui.run_setup.condition_differences import difference_view, differences
from karenina_gui.gui.run_setup.condition_draft import ConditionDraft, name_problem
from karenina_gui.gui.run_setup.condition_parts import ConditionParts
from karenina_gui.gui.run_setup.draft_memory import ChoiceMemory
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import ModelConfig


class ConditionActions(Protocol):
    """Actions of a card that the list performs."""

    def on_edited(self) -> None: ...

    def is_open(self, draft: ConditionDraft) -> bool: ...

    def fold(self, draft: ConditionDraft, *, unfolded: bool) -> None: ...

    def move(self, draft: ConditionDraft, steps: int) -> None: ...

    def copy(self, draft: ConditionDraft) -> None: ...

    def delete(self, draft: ConditionDraft) -> None: ...


class ConditionCard:
    """Card of a condition; `refresh` after changes of other conditions or of the models."""

    def __init__(
        self,
        window: Window,
        drafts: Sequence[ConditionDraft],
        number: int,
        memory: ChoiceMemory,
        actions: ConditionActions,
    ) -> None:
        self._window, self._number, self._memory, self._actions = window, number, memory, actions
        self.draft = drafts[number - 1]
        self._parts: ConditionParts | None = None
        self._seen = ""
        """Differences as last drawn."""
        with ui.element("div").classes("condition-card").props(f'role="group" {aria_label(f"Condition {number}")}'):
            self._head(is_last=number == len(drafts))
            self._error = FieldError()
            self._difference = ui.html("").classes("condition-difference")
            self._body = ui.element("div").classes("condition-body")
        self._show_body()

    def focus(self) -> None:
        focus_on(self._name)

    def focus_move(self, steps: int) -> None:
        """Keep the focus on the button after a move, so that the card can be moved again."""
        there, back = self._moves[steps], self._moves[-steps]
        focus_on(there if there.enabled else back)

    def refresh(self, drafts: Sequence[ConditionDraft], models: Sequence[ModelConfig]) -> None:
        wrong = name_problem(self.draft, drafts)
        self._error.show_at(self._name, wrong)
        if self._parts is not None:
            self._parts.refresh()
        baseline = drafts[0]
        if self.draft is not baseline:
            self._show_difference(baseline, models)

    def _show_difference(self, baseline: ConditionDraft, models: Sequence[ModelConfig]) -> None:
        before = baseline.condition
        found = differences(before, self.draft.condition, models)
        unwritten = not found and (
            self.draft.refused or baseline.refused
        )  # unknown until the invalid input is corrected
        content = "" if unwritten else difference_view(before, found)
        if content != self._seen:  # a redraw would collapse expanded texts
            self._seen = content
            self._difference.set_content(content)

    def _head(self, *, is_last: bool) -> None:
        number, actions, draft = self._number, self._actions, self.draft
        with ui.element("div").classes("condition-top"):
            self._fold = icon_button("chevron_right", f"Settings of condition {number}", self._toggle)
            self._name = sent_while_typing(text_input(f"Condition {number} name", draft.name, placeholder="Name"))
            self._name.on_value_change(lambda event: self._rename(str(event.value or "")))
            self._memory.keep_in_browser(f"condition-{number - 1}.name", self._name)
            if number == 1:
                with chip("Baseline"):
                    ui.tooltip("Other conditions are compared with this one.")
            up = icon_button("arrow_upward", f"Move condition {number} up", lambda: actions.move(draft, -1))
            down = icon_button("arrow_downward", f"Move condition {number} down", lambda: actions.move(draft, 1))
            up.set_enabled(number > 1)
            down.set_enabled(not is_last)
            self._moves = {-1: up, 1: down}
            icon_button("content_copy", f"Copy condition {number}", lambda: actions.copy(draft))
            icon_button("delete_outline", f"Delete condition {number}", lambda: actions.delete(draft))

    def _rename(self, name: str) -> None:
        self.draft.name = str(strip_control_chars(name, None))
        self._actions.on_edited()

    def _toggle(self) -> None:
        self._actions.fold(self.draft, unfolded=not self._actions.is_open(self.draft))
        self._show_body()

    def _show_body(self) -> None:
        is_open = self._actions.is_open(self.draft)
        self._fold.set_icon("expand_more" if is_open else "chevron_right")
        self._fold.props(f'aria-expanded="{str(is_open).lower()}"')
        self._body.set_visibility(is_open)
        # Built at the first expansion, because a card has dozens of elements.
        if is_open and self._parts is None:
            with self._body:
                self._parts = ConditionParts(
                    self._window, self.draft, self._number, self._memory, self._actions.on_edited
                )
