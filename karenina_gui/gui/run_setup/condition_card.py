"""Card of a condition: its name and a summary of its differences; expanded, all its settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nicegui import ui

from karenina_gui.gui.binding.bound_field import FieldError
from karenina_gui.gui.components.elements import chip, focus_on, icon_button, sent_while_typing, text_input
from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.gui.components.typed_text import strip_control_chars
from karenina_gui.gui.run_setup.condition_differences import difference_view, differences
from karenina_gui.gui.run_setup.condition_draft import ConditionDraft, name_problem
from karenina_gui.gui.run_setup.condition_parts import ConditionParts
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import ModelConfig

if TYPE_CHECKING:
    from karenina_gui.gui.run_setup.condition_list import ConditionList


class ConditionCard:
    """Card of a condition; `look` refreshes it after changes of other conditions or of the models."""

    def __init__(self, window: Window, of: ConditionList, number: int) -> None:
        self._window, self._of, self._number = window, of, number
        self.draft: ConditionDraft = of.drafts[number - 1]
        self._parts: ConditionParts | None = None
        self._seen = ""
        """Differences as last drawn."""
        with ui.element("div").classes("cd-card").props(f'role="group" {aria_label(f"Condition {number}")}'):
            self._head()
            self._error = FieldError()
            self._difference = ui.html("").classes("cd-difference")
            self._body = ui.element("div").classes("cd-body")
        self._show_body()

    def focus(self) -> None:
        focus_on(self._name)

    def focus_move(self, steps: int) -> None:
        """Keep the focus on the button after a move, so that the card can be moved again."""
        there, back = self._moves[steps], self._moves[-steps]
        focus_on(there if there.enabled else back)

    def refresh(self, models: Sequence[ModelConfig]) -> None:
        wrong = name_problem(self.draft, self._of.drafts)
        self._error.show_message(wrong)
        self._name.classes(add="bad") if wrong else self._name.classes(remove="bad")
        if self._parts is not None:
            self._parts.refresh()
        baseline = self._of.drafts[0]
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

    def _head(self) -> None:
        number, of, draft = self._number, self._of, self.draft
        with ui.element("div").classes("cd-top"):
            self._fold = icon_button("chevron_right", f"Settings of condition {number}", self._toggle)
            self._name = sent_while_typing(text_input(f"Condition {number} name", draft.name, placeholder="Name"))
            self._name.on_value_change(lambda event: self._rename(str(event.value or "")))
            of.memory.keep_in_browser(f"condition-{number - 1}.name", self._name)
            if number == 1:
                with chip("Baseline"):
                    ui.tooltip("Other conditions are compared with this one.")
            up = icon_button("arrow_upward", f"Move condition {number} up", lambda: of.move(draft, -1))
            down = icon_button("arrow_downward", f"Move condition {number} down", lambda: of.move(draft, 1))
            up.set_enabled(number > 1)
            down.set_enabled(number < len(of.drafts))
            self._moves = {-1: up, 1: down}
            icon_button("content_copy", f"Copy condition {number}", lambda: of.copy(draft))
            icon_button("delete_outline", f"Delete condition {number}", lambda: of.delete(draft))

    def _rename(self, name: str) -> None:
        self.draft.name = str(strip_control_chars(name, None))
        self._of.on_edited()

    def _toggle(self) -> None:
        self._of.fold(self.draft, unfolded=not self._of.is_open(self.draft))
        self._show_body()

    def _show_body(self) -> None:
        is_open = self._of.is_open(self.draft)
        self._fold.set_icon("expand_more" if is_open else "chevron_right")
        self._fold.props(f'aria-expanded="{str(is_open).lower()}"')
        self._body.set_visibility(is_open)
        # Built at the first expansion, because a card has dozens of elements.
        if is_open and self._parts is None:
            with self._body:
                self._parts = ConditionParts(
                    self._window, self.draft, self._number, self._of.memory, self._of.on_edited
                )
