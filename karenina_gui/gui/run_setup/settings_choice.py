"""Settings of checks and execution on the Run page."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from karenina_gui.gui.components.elements import field
from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.gui.run_setup.option import SettingContext
from karenina_gui.gui.run_setup.option_controls import OptionContext, OptionControl
from karenina_gui.gui.run_setup.option_groups import OptionGroups
from karenina_gui.gui.run_setup.options import FIXED_JUDGES, JUDGE_REPLICATES, MODE, MODES, REPLICATES
from karenina_gui.gui.session.window import Window


class SettingsChoice:
    """Settings; `look` refreshes them, `opened` holds the names of expanded groups."""

    def __init__(
        self, window: Window, choosing: OptionContext, situation: Callable[[], SettingContext], opened: set[str]
    ) -> None:
        self._choosing = choosing
        self._situation = situation
        self._groups = OptionGroups(window, choosing, situation, opened)

    def draw(self) -> None:
        OptionControl(REPLICATES, self._choosing)
        OptionControl(JUDGE_REPLICATES, self._choosing)
        OptionControl(FIXED_JUDGES, self._choosing)
        with field(MODE.title):
            modes = {mode: title for mode, (title, _) in MODES.items()}
            mode = ui.radio(modes, value=self._choosing.choice.value(MODE.name))
            mode.on_value_change(lambda e: self._choosing.set_option(MODE, e.value))
            mode.props(f"inline dense {aria_label(MODE.title)}").classes("run-form-radio")
            self._mode_hint = ui.label().classes("hint")
        with field("Options", "changes from the defaults are highlighted"):
            self._groups.draw()
        self.refresh()

    def refresh(self) -> None:
        mode = self._choosing.choice.value(MODE.name)
        upgraded = mode == "template_only" and self._situation().rated
        self._mode_hint.text = MODES[mode][1] + (
            " This benchmark has a rubric, so its traits are rated too." if upgraded else ""
        )
        self._groups.refresh()
