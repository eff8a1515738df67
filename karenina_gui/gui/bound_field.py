"""A control of a form: saves what is entered, says what is wrong with it, and follows what others enter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement

Save = Callable[[Any], str | None]
"""Keeps a value; returns what is wrong with it, or None."""


class FieldError(ui.label):
    """What is wrong with a value, below its control; not there while nothing is."""

    def __init__(self) -> None:
        super().__init__()
        self.classes("field-error").props('role="alert"')
        self.say(None)

    def say(self, message: str | None) -> None:
        self.text = message or ""
        self.set_visibility(bool(message))


class BoundField:
    """`show` is ignored while somebody is in the control, and made up for when they leave it."""

    def __init__(self, control: ValueElement[Any], save: Save) -> None:
        self.control = control
        self.save = save
        self.error = FieldError()
        self._focused = False
        self._quiet = False
        self._waiting: list[Any] = []
        control.on_value_change(self._changed)
        control.on("focus", self._enter, args=[])
        control.on("blur", self._leave, args=[])

    def show(self, value: Any) -> None:
        """A value that comes from elsewhere; it is not saved again."""
        if value == self.control.value:
            return
        if self._focused:
            self._waiting = [value]
            return
        self._quiet = True
        self.control.value = value
        self._quiet = False
        self.error.say(None)

    def _changed(self) -> None:
        if self._quiet:
            return
        self._waiting = []
        problem = self.save(self.control.value)
        self.error.say(problem)
        self.control.classes(add="bad") if problem else self.control.classes(remove="bad")

    def _enter(self) -> None:
        self._focused = True

    def _leave(self) -> None:
        self._focused = False
        if self._waiting:
            self.show(self._waiting.pop())
