"""How answers are checked and how the run goes about it, on the Run page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.gui.parts.bounded_number import BoundedNumber
from karenina_gui.gui.parts.elements import button, field, key_values
from karenina_gui.gui.presets.words import further
from karenina_gui.gui.runs.choice import LIMITS, MODES, RunChoice

SWITCHES = (
    ("refusal_check", "Ask the judge whether the model refused", "One more call for each answer."),
    ("sufficiency_check", "Ask the judge whether the answer says enough", "One more call for each answer it reads."),
    (
        "full_trace_for_template",
        "Judge the whole conversation",
        "Otherwise only its final message is read into fields.",
    ),
    ("full_trace_for_rubric", "Rate traits on the whole conversation", "Otherwise only on its final message."),
    ("record", "Record every exchange with a model", "Into a file of the data folder, to be played back without cost."),
)
"""Choices that are on or off: name in `RunChoice`, text, what it means."""


class SettingsChoice:
    """`changed` gets a name in `RunChoice` and its new value; `rated`: the benchmark has a rubric."""

    def __init__(self, choice: RunChoice, changed: Callable[[str, Any], Any], *, rated: bool) -> None:
        self._choice = choice
        self._changed = changed
        self._rated = rated

    def draw(self) -> None:
        with field("Replicates", "how often each model answers each question"):
            self._number("replicates")
        with field("What is checked"):
            modes = {mode: title for mode, (title, _) in MODES.items()}
            ui.radio(modes, value=self._choice.mode, on_change=lambda e: self._mode(e.value)).props(
                'inline dense aria-label="What is checked"'
            ).classes("rf-radio")
            self._mode_hint = ui.label().classes("hint")
            self._show_mode()
        with ui.expansion("More options").classes("rf-more").props("dense"):
            self._options()

    def _mode(self, mode: Any) -> None:
        self._changed("mode", mode)
        self._show_mode()

    def _show_mode(self) -> None:
        upgraded = self._choice.mode == "template_only" and self._rated
        self._mode_hint.text = MODES[self._choice.mode][1] + (
            " This benchmark has a rubric, so its traits are rated too." if upgraded else ""
        )

    def _options(self) -> None:
        with ui.element("div").classes("rf-pair"):
            with field("Jobs at the same time"):
                self._number("workers")
            with field("Time limit of a call", "seconds"):
                self._number("time_limit")
        for name, text, hint in SWITCHES:
            with ui.element("div").classes("rf-switch"):
                box = ui.checkbox(text, value=getattr(self._choice, name))
                box.props("dense").on_value_change(lambda e, name=name: self._changed(name, bool(e.value)))
                ui.label(hint).classes("hint")
        if self._choice.settings:
            self._further()

    def _further(self) -> None:
        """Settings that came with a preset or an earlier run, which have no control here."""
        with ui.element("div").classes("group") as place:
            ui.label("Further settings, from the preset or the earlier run").classes("field-label")
            key_values(further(self._choice.settings))

            def forget() -> None:
                self._changed("settings", {})
                place.delete()

            button("Use the usual ones instead", forget, icon="restart_alt", look="quiet")

    def _number(self, name: str) -> None:
        def refuse(problem: str | None) -> None:
            others = {each: why for each, why in self._choice.refused.items() if each != name}
            self._changed("refused", {**others, name: problem} if problem else others)

        BoundedNumber(getattr(self._choice, name), LIMITS[name], lambda value: self._changed(name, value), refuse)
