"""Settings of checks and execution on the Run page; the head of a collapsed group shows its non-default values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from nicegui import ui

from karenina_gui.gui.kit.elements import field, fold, icon_button, note
from karenina_gui.gui.kit.expected_found import format_value
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.pages.models.model_text import enter_key, key_words
from karenina_gui.gui.pages.run_setup.agent_text import set_root
from karenina_gui.gui.pages.run_setup.option import Group, SettingContext
from karenina_gui.gui.pages.run_setup.option_controls import OptionContext, OptionControl
from karenina_gui.gui.pages.run_setup.option_text import changes, further, group_summary, has_changes, title
from karenina_gui.gui.pages.run_setup.options import (
    FIXED_JUDGES,
    JUDGE_REPLICATES,
    MODE,
    MODES,
    REPLICATES,
    WITHOUT_CONTROL,
    shown_groups,
)
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.aids import EMBEDDING_COMMAND, embedding_installed, embeds_always, search_key
from karenina_gui.runs.problems.agents import UNSANDBOXED_CLAUDE_CODE

ADVANCED = (JUDGE_REPLICATES, FIXED_JUDGES)
"""Options that come before the groups."""
SAVED_WHILE_TYPING = {"text", "examples"}
"""Kinds of options whose last words the browser may hold after a lost connection: they are always drawn."""


class SettingsChoice:
    """Settings of a run; `opened` holds the names of expanded groups."""

    def __init__(
        self, window: Window, choosing: OptionContext, situation: Callable[[], SettingContext], opened: set[str]
    ) -> None:
        self._window = window
        self._choosing = choosing
        self._situate = situation
        self._opened = opened
        self._groups = shown_groups()
        self._folds: dict[str, ui.expansion] = {}
        self._bodies: dict[str, tuple[ui.element, ui.label]] = {}
        self._controls: dict[str, list[OptionControl]] = {}
        """Controls by group; without the groups that were not expanded yet."""
        self._note_values: dict[str, tuple[Any, ...]] = {}
        """Values for which the notes below options were drawn, by option name."""

    def draw(self) -> None:
        OptionControl(REPLICATES, self._choosing)
        with field(MODE.title):
            self._mode = ui.radio(_modes(rated=False), value=self._choosing.choice.value(MODE.name))
            self._mode.on_value_change(lambda e: self._choose_mode(e.value))
            self._mode.props(f"inline dense {aria_label(MODE.title)}").classes("run-form-radio")
            self._mode_hint = ui.label().classes("hint")
        situation = self._situate()
        self._opened |= {group.name for group in self._groups if group.invalid_options(situation)}
        self._advanced = fold(self._window, "run-form", "Advanced", unfolded=self._is_wrong(situation))
        with self._advanced.classes("run-form-advanced wide"), ui.element("div").classes("stack wide gap-12"):
            for option in ADVANCED:
                OptionControl(option, self._choosing)
            self._draw_groups()
        self._window.listen(self._window.services.keys_changed, self._refresh_notes)
        self.refresh()

    def _draw_groups(self) -> None:
        """Draw the groups; those with problems are expanded."""
        with ui.element("div").classes("run-form-groups wide card"):
            for group in self._groups:
                self._group(group)
        self._further = ui.element("div").classes("run-form-further stack gap-2")
        self._draw_further()

    def refresh(self) -> None:
        """Show the options that apply, and refresh the heads."""
        situation = self._situate()
        self._show_mode(situation)
        self._show_changes(situation)
        for group in self._groups:
            matters = group.is_relevant(situation)
            body, instead = self._bodies[group.name]
            body.set_visibility(matters)
            instead.text = "" if matters else group.reason(situation)
            instead.set_visibility(not matters)
            self._head(group, situation)
        for controls in self._controls.values():
            _refresh(controls, situation)
        self._note(situation)

    def _show_mode(self, situation: SettingContext) -> None:
        """Show the mode. Where there are traits, any run rates them, so there is no “Template only”."""
        modes = _modes(rated=situation.rated)
        mode = self._choosing.choice.value(MODE.name)
        shown = mode if mode in modes else "template_and_rubric"
        if self._mode.options != modes:
            self._mode.set_options(modes, value=shown)
        self._mode_hint.text = MODES[shown][1]

    def _choose_mode(self, mode: str) -> None:
        is_shown_so = mode == "template_and_rubric" and self._situate().rated
        if not (is_shown_so and self._choosing.choice.value(MODE.name) == "template_only"):
            self._choosing.set_option(MODE, mode)

    def _show_changes(self, situation: SettingContext) -> None:
        """Say in the head of the advanced settings what differs from the defaults."""
        wrong = self._is_wrong(situation)
        differing = changes(self._groups, ADVANCED, situation)
        caption = "Needs fixing" if wrong else " · ".join(differing) or "Defaults"
        if self._advanced.props.get("caption") != caption:
            self._advanced.props["caption"] = caption
            self._advanced.props["toggle-aria-label"] = f"Advanced: {caption}"
        _mark(self._advanced, wrong=wrong, differs=bool(differing))

    def _is_wrong(self, situation: SettingContext) -> bool:
        alone = any(option.problem_in(situation.choice) for option in ADVANCED)
        return alone or any(group.invalid_options(situation) for group in self._groups)

    def _head(self, group: Group, situation: SettingContext) -> None:
        wrong = bool(group.invalid_options(situation))
        caption = "Needs fixing" if wrong else group_summary(group, situation)
        head = self._folds[group.name]
        # Setting a property sends an update to the browser, even if the value is the same.
        if head.props.get("caption") != caption:
            head.props["caption"] = caption
            head.props["toggle-aria-label"] = f"{group.title}: {caption}"
        _mark(head, wrong=wrong, differs=has_changes(group, situation))

    def _group(self, group: Group) -> None:
        head = ui.expansion(group.title, value=group.name in self._opened).classes("run-form-group").props("dense")
        head.on_value_change(lambda e: self._turn(group, opened=bool(e.value)))
        self._folds[group.name] = head
        with head:
            instead = ui.label().classes("hint")
            body = ui.element("div").classes("stack wide gap-12")
        self._bodies[group.name] = body, instead
        if group.name in self._opened or any(option.kind in SAVED_WHILE_TYPING for option in group.options):
            self._fill(group)

    def _turn(self, group: Group, *, opened: bool) -> None:
        """Note that a group was expanded or collapsed, and draw its options before they are first seen."""
        if not opened:
            self._opened.discard(group.name)
            return
        self._opened.add(group.name)
        if group.name not in self._controls:
            self._fill(group)
            situation = self._situate()
            _refresh(self._controls[group.name], situation)
            self._note(situation)

    def _fill(self, group: Group) -> None:
        """Draw the options of a group. Those of all groups would take longer than the rest of the page."""
        with self._bodies[group.name][0]:
            for sentence in group.about:
                ui.label(sentence).classes("hint run-form-about")
            self._controls[group.name] = [OptionControl(option, self._choosing) for option in group.options]
            if group.name == "pace":
                self._recording()

    def _recording(self) -> None:
        """Checkbox for recording, which is no setting of the configuration: it concerns this run only."""

        def record(on: bool) -> None:
            self._choosing.choice.record = on
            self._choosing.changed()

        with ui.element("div").classes("option option-switch"):
            box = ui.checkbox("Record model calls", value=self._choosing.choice.record)
            box.props("dense").on_value_change(lambda e: record(bool(e.value)))
            ui.label("Saved in the data folder; replaying costs nothing.").classes("hint")

    def _refresh_notes(self) -> None:
        """Redraw the notes after changes outside the choices."""
        self._note_values.clear()
        self._note(self._situate())

    def _note(self, situation: SettingContext) -> None:
        """Draw the note of an option: availability of its requirements, meaning of its value."""
        for control in chain.from_iterable(self._controls.values()):
            name = control.option.name
            depends = (situation.choice.value(name), situation.root)
            if name in NOTES and self._note_values.get(name) != depends:
                self._note_values[name] = depends
                control.below.clear()
                with control.below:
                    NOTES[name](self._window, depends[0], situation)

    def _draw_further(self) -> None:
        """List settings from a preset or an earlier run that have no control."""
        self._further.clear()
        settings = further(self._choosing.choice)
        self._further.set_visibility(bool(settings))
        with self._further:
            ui.label("Other settings, from the preset or earlier run").classes("field-label")
            for path, value in settings.items():
                with ui.element("div").classes("run-form-further-line"):
                    ui.label(title(path)).classes("hint")
                    ui.label(format_value(value))
                    ui.label(WITHOUT_CONTROL.get(path, "no effect in this version")).classes("hint")
                    icon_button("close", f"Remove {title(path)}", lambda path=path: self._drop(path))

    def _drop(self, path: str) -> None:
        """Reset a setting to its default."""
        self._choosing.choice.set(path, None)
        self._draw_further()
        self._choosing.changed()


def _modes(*, rated: bool) -> dict[str, str]:
    """{mode: title}. `rated`: the benchmark has traits."""
    return {mode: title for mode, (title, _) in MODES.items() if not (rated and mode == "template_only")}


def _mark(head: ui.expansion, *, wrong: bool, differs: bool) -> None:
    for looks, on in {"run-form-wrong": wrong, "run-form-differs": differs and not wrong}.items():
        head.classes(add=looks) if on else head.classes(remove=looks)


def _refresh(controls: Iterable[OptionControl], situation: SettingContext) -> None:
    """Show those controls that apply, with their choices."""
    for control in controls:
        control.element.set_visibility(control.option.is_relevant(situation))
        control.refresh()


def _note_search_key(window: Window, tool: Any, _situation: SettingContext) -> None:
    key = search_key(str(tool), window.services.runs.models.keys)
    if key is not None:
        ui.html(key_words(key)).props('role="status"')
        if not key.is_set:
            ui.html(enter_key(key))


def _note_forced(window: Window, _on: Any, _situation: SettingContext) -> None:
    if embeds_always(window.services.runs.models.keys):
        note("The environment variable EMBEDDING_CHECK turns it on for every run.")


def _note_installed(_window: Window, _model: Any, _situation: SettingContext) -> None:
    if embedding_installed():
        ui.label("Installed on this computer.").classes("hint")
    else:
        note(f"Not installed, so the check will be skipped. Install it with: {EMBEDDING_COMMAND}", "warn")


def _note_root(_window: Window, on: Any, situation: SettingContext) -> None:
    if on and situation.root is None:
        note("Agentic judging needs a workspace root on this computer.", "warn")
        ui.html(set_root(situation.benchmark_id))
    elif on:
        ui.label(f"Workspace root: {situation.root}").classes("hint")


def _note_in_place(_window: Window, copy: Any, _situation: SettingContext) -> None:
    if not copy:
        note(
            "Agents change your original files permanently. Jobs for the same question overwrite each other’s files: "
            "use working copies, or a single replicate of one model.",
            "warn",
        )


def _note_network(_window: Window, on: Any, _situation: SettingContext) -> None:
    if on:
        note(
            "Commands can reach everything that this computer can: the internet, your network, and local servers. They "
            "can send workspace files there.",
            "warn",
        )


def _note_unconfined(window: Window, on: Any, _situation: SettingContext) -> None:
    ui.label(window.services.runs.command_confinement.description).classes("hint")
    if on:
        note(
            "Models run commands with your permissions: they can read, change, and delete anything that you can. "
            + UNSANDBOXED_CLAUDE_CODE,
            "warn",
        )


NOTES: dict[str, Callable[[Window, Any, SettingContext], None]] = {
    "deep_judgment_search_tool": _note_search_key,
    "deep_judgment_rubric_search_tool": _note_search_key,
    "embedding_check_enabled": _note_forced,
    "embedding_check_model": _note_installed,
    "agentic_parsing": _note_root,
    "workspace_copy": _note_in_place,
    "workspace_limits.network": _note_network,
    "allow_unconfined_commands": _note_unconfined,
}
"""Functions that draw the note below an option, by option name."""
