"""A number between two limits: checked as it is typed, never changed silently."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from karenina_gui.gui.parts.bound_field import FieldError


@dataclass(frozen=True)
class Limits:
    title: str
    """What the number is called."""
    least: int
    most: int
    whole: bool = True

    def refusal(self, value: float | None) -> str | None:
        """What is wrong with the value, as a sentence for the place of the field; None: nothing."""
        if value is not None and self.least <= value <= self.most and not (self.whole and value != int(value)):
            return None
        return f"{'A whole number' if self.whole else 'A number'} from {self.least:,} to {self.most:,}."


class BoundedNumber:
    """Draws itself where it is made. `accepted` gets every number within the limits; `refused` what is wrong, or None
    once nothing is: until then the number that was accepted last is not what stands in the field."""

    def __init__(
        self,
        value: float,
        limits: Limits,
        accepted: Callable[[Any], Any],
        refused: Callable[[str | None], Any],
    ) -> None:
        self._limits, self._accepted, self._refused = limits, accepted, refused
        # Limits given to the control itself would change the number without a word when somebody leaves the field.
        self.control = ui.number(value=value, on_change=lambda event: self._typed(event.value))
        self.control.props("outlined dense").classes("inp rf-number").props["aria-label"] = limits.title
        self._error = FieldError()
        self._say(limits.refusal(value))

    def _typed(self, value: float | None) -> None:
        problem = self._limits.refusal(value)
        self._say(problem)
        self._refused(problem)
        if problem is None and value is not None:
            self._accepted(int(value) if self._limits.whole else float(value))

    def _say(self, problem: str | None) -> None:
        self._error.say(problem)
        self.control.classes(add="bad") if problem else self.control.classes(remove="bad")
