"""Form control bound to a stored field: saves input, shows problems, and follows edits elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement

from karenina_gui.gui.kit.elements import focus_on, sent_while_typing
from karenina_gui.gui.records.conflict import ConflictPanel
from karenina_gui.gui.records.deferred_update import update_when_unfocused
from karenina_gui.gui.records.optimistic_edit import CallbackField, Field, OptimisticEdit
from karenina_gui.gui.session.nicegui_internals import set_unseen

Save = Callable[[Any], str | Awaitable[str | None] | None]
"""Saves a value; returns the problem, or None."""

Doubt = Callable[[Any], str | None]
"""Returns a warning about a valid value, or None."""

LEFT_OUT = "An unsupported character was removed."


class FieldError(ui.label):
    """Message about a value, below its control; hidden while there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.classes("field-error")
        self.show_message(None)

    def show_message(self, message: str | None, *, doubt: bool = False) -> None:
        """Show a message; `doubt`: the value is saved, and the message is only a warning."""
        self.text = message or ""
        self.set_visibility(bool(message))
        self.classes(add="field-doubt") if doubt else self.classes(remove="field-doubt")
        self.props(f'role="{"status" if doubt else "alert"}"')

    def show_at(self, control: ui.element, problem: str | None) -> None:
        """Show the problem of a control's value, and mark the control; None: there is none."""
        self.show_message(problem)
        control.classes(add="bad") if problem else control.classes(remove="bad")
        control.props("aria-invalid=true") if problem else control.props(remove="aria-invalid")


class AppliedField:
    """Control whose values apply as they come to something that only this window edits, such as a run to be started.

    A wrong value stays in the control with its problem, and is no unsaved edit.
    """

    def __init__(
        self,
        control: ValueElement[Any],
        apply: Callable[[Any], str | None],
        problem: str | None = None,
        error: FieldError | None = None,
    ) -> None:
        """`apply` returns the problem of a value, or None. `error`: where it is shown; None: below the control."""
        self.control, self.error = control, error or FieldError()
        if isinstance(control, ui.input):
            sent_while_typing(control)
        self._empty = "" if isinstance(control, ui.input) else None
        self.show(problem)
        control.on_value_change(lambda event: self.show(apply(self._empty if event.value is None else event.value)))

    def show(self, problem: str | None) -> None:
        if not self.control.is_deleted:  # by what was applied
            self.error.show_at(self.control, problem)


class BoundField:
    """Binding of a control to a `OptimisticEdit`.

    `show` waits while the focus is in the control. Typing then leads to a conflict; nothing is overwritten.
    """

    def __init__(self, control: ValueElement[Any], field: Field | Save, doubt: Doubt | None = None) -> None:
        """`doubt` returns a warning about a value, which is saved all the same."""
        self.control, self.doubt = control, doubt
        self.fault: Doubt | None = None
        """Returns what is wrong with a value that is saved all the same, because its record may be incomplete."""
        self._is_typed = isinstance(control, ui.input | ui.number)
        self._is_setting = False
        # With a debounce, uninterrupted typing would be sent only at its end.
        control.props(remove="debounce")
        lonely = CallbackField(control.value, field) if callable(field) else field
        self.edit = OptimisticEdit(lonely, self)
        label = str(control.props.get("aria-label", ""))
        if isinstance(control, ui.input):
            self.edit.keep_in_browser(label, control)
        self.error = FieldError()
        self.conflict_panel = ConflictPanel(label, self.edit)
        if self.edit.mine != control.value:
            # Part of the page as sent: a later update could overwrite text that the user types until then.
            set_unseen(control, self.edit.mine)
        control.on_value_change(self._on_input)
        control.on("focus", self.edit.enter, args=[])
        control.on("blur", self.edit.leave, args=[])
        self.show_status()

    def show(self, value: Any) -> None:
        """Show a value that was saved elsewhere; it is not saved again."""
        self.edit.on_remote_change(value)

    def follow(self, value: Any) -> None:
        update_when_unfocused(self.control, lambda: self.edit.is_pending(value), lambda: self._apply_remote(value))

    def set_value(self, value: Any) -> None:
        # Setting the value fires the change event, which must not count as typing.
        self._is_setting = True
        self.control.set_value(value)
        self._is_setting = False
        self.show_status()

    def show_status(self) -> None:
        if self.control.is_deleted:
            return
        problem = self.edit.problem
        self.error.show_at(self.control, None if self.edit.undecided else problem)
        if not problem and self.fault:
            self.error.show_message(problem := self.fault(self.edit.mine))
        doubt = self.doubt(self.edit.mine) if self.doubt and not problem else None
        if not self.error.text and (remark := doubt or (LEFT_OUT if self.edit.left_out else None)):
            self.error.show_message(remark, doubt=True)
        self.conflict_panel.show()

    def focus(self) -> None:
        focus_on(self.control)

    def _apply_remote(self, value: Any) -> None:
        self.set_value(value)
        self.edit.type(value)

    def _on_input(self) -> None:
        if not self._is_setting:
            self.edit.type(self.control.value)
            if not self._is_typed:
                self.edit.flush()  # a choice is complete at once
