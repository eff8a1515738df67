"""A control of a form: saves what is entered, says what is wrong with it, and follows what others enter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement

from karenina_gui.gui.parts.clash import Clash

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
    """`show` waits while somebody is in the control. Typing on over what waits is a clash: nothing is overwritten."""

    def __init__(self, control: ValueElement[Any], save: Save) -> None:
        self.control = control
        self.save = save
        self.error = FieldError()
        self.clash = Clash(self._keep, self._take)
        self._busy = False
        """Somebody is in the control, or its value is being saved."""
        self._quiet = False
        self._waiting: list[Any] = []
        control.on_value_change(self._changed)
        control.on("focus", self._enter, args=[])
        control.on("blur", self._leave, args=[])

    def show(self, value: Any) -> None:
        """A value that comes from elsewhere; it is not saved again."""
        if value == self.control.value:
            self._settle()
            self.error.say(None)
            self.control.classes(remove="bad")
        elif self._busy or self.clash.visible:
            self._waiting = [value]
            if self.clash.visible:
                self.clash.show(value)
        else:
            self._quiet = True
            self.control.value = value
            self._quiet = False
            self.error.say(None)

    def _changed(self) -> None:
        if self._quiet:
            return
        if not self._waiting:
            before, self._busy = self._busy, True
            problem = self.save(self.control.value)
            self._busy = before
            self.error.say(problem)
            self.control.classes(add="bad") if problem else self.control.classes(remove="bad")
        if self._waiting:
            self.clash.show(self._waiting[0])

    def _enter(self) -> None:
        self._busy = True

    def _leave(self) -> None:
        self._busy = False
        if self._waiting and not self.clash.visible:
            self.show(self._waiting.pop())

    def _keep(self) -> None:
        self._settle()
        self._changed()

    def _take(self) -> None:
        theirs = self._waiting[0]
        self._settle()
        self._busy = False
        self.show(theirs)

    def _settle(self) -> None:
        self._waiting = []
        self.clash.clear_up()
