"""Preset controls of the Run page: choose a preset, save the settings as a preset, or update the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import ui
from pydantic import ValidationError

from karenina_gui.errors import InputError
from karenina_gui.gui.forms.bound_field import FieldError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import button, field, on_enter, one_at_a_time, select, text_area, text_input
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.session.app_context import ModelChange
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.presets import with_saved_models
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.problems import problem_at_its_field
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list

NONE = "No preset"
NOT_TAKEN = "It is off here. Turn it on under Workspace limits if this run needs it."


class PresetBar:
    """Preset controls; `taken` is called with a preset's choices, `refresh` updates them after changes on the page."""

    def __init__(
        self,
        window: Window,
        current: Callable[[], VerificationConfig],
        taken: Callable[[RunDraft], None],
        refusals: Callable[[], Sequence[str]],
    ) -> None:
        """`refusals`: invalid settings of the page, which prevent a save."""
        self._window = window
        self._presets = window.services.library.presets
        self._current = current
        self._taken = taken
        self._refusals = refusals
        self.chosen: Preset | None = None
        self._stored: VerificationConfig | None = None
        """Saved configuration of the chosen preset, as this page knows it."""

    def draw(self) -> None:
        """Draw the controls in the current element."""
        presets = self._presets.all()
        names: dict[str | None, str] = {None: NONE, **{preset.id: preset.name for preset in presets.values()}}
        chosen = self.chosen.id if self.chosen and self.chosen.id in presets else None
        self._select = select("Preset", names, chosen, on_change=lambda e: self.apply_preset(e.value))
        self._select.classes("run-form-preset")
        self._renew = button("Update preset", self._update, icon="save", look="quiet")
        button("Save as preset…", self._ask_name, icon="bookmark_add", look="quiet")
        self.refresh()

    def refresh(self) -> None:
        """Offer an update if the page's settings differ from the preset."""
        changed = self.chosen is not None and self.chosen.config.model_dump() != self._current().model_dump()
        self._renew.set_visibility(changed)

    async def apply_preset(self, preset_id: str | None) -> None:
        """Apply a preset; its models are added to the Models page."""
        if self.chosen is not None and preset_id == self.chosen.id:
            return
        if preset_id is None:
            self.chosen = None
            self.refresh()
            return
        try:
            preset = self._presets.get(preset_id)
        except InputError as error:
            self._window.notify(str(error), "bad")
            return
        config, added = await self._window.write(with_saved_models, preset.config, self._window.services.library.models)
        if self._select.is_deleted:
            return
        if config.allow_unconfined_commands:
            self._window.notify(f"“{preset.name}” allows unsandboxed commands. {NOT_TAKEN}")
        config = _without_permissions(config)
        self.chosen = preset.model_copy(update={"config": config})
        if added:
            self._window.notify(f"Added to the Models page: {join_list(added)}.")
        self._stored = preset.config
        self._taken(RunDraft.of(config))
        for model in self._window.services.library.models.entries():
            if model.name in added:
                self._window.services.models_changed.emit(ModelChange(model.number, None, model.name))

    async def _update(self) -> None:
        if self.chosen is None:
            return
        if refusals := self._refusals():
            self._window.notify(" ".join(refusals), "bad")
            return
        try:
            before = self._presets.get(self.chosen.id)
            elsewhere = before.config != self._stored
            await self._save(before.model_copy(update={"config": self._current()}))
        except InputError as error:
            self._window.notify(f"{error} Save these settings as a new preset.", "bad")
            return
        replaced = " This replaced a change made in another window." if elsewhere else ""
        self._window.notify(f"Updated preset “{before.name}”.{replaced}", "good", undo=lambda: self._save(before))

    async def _save(self, preset: Preset) -> None:
        self.chosen = await self._window.write(self._presets.save, Preset.model_validate(dict(preset)))
        self._stored = self.chosen.config
        self._window.services.emit_preset_changed(preset.id)
        self._window.note_saved()
        if not self._renew.is_deleted:
            self.refresh()

    def _ask_name(self) -> None:
        with dialog("Save as preset", "Save as preset") as form:
            ui.label("Saves models and settings, not the questions. API keys are never saved.").classes("hint")
            with field("Name"):
                name = text_input("Preset name").props("autofocus")
                error = FieldError()
            with field("Description", "optional"):
                description = text_area("Preset description")

            @one_at_a_time
            async def save() -> None:
                if refusals := self._refusals():
                    error.show_message(" ".join(refusals))
                    return
                try:
                    preset = Preset(name=name.value or "", description=description.value or "", config=self._current())
                    await self._save(preset)
                except ValidationError as fault:
                    error.show_message(problem_at_its_field(fault))
                    return
                except InputError as fault:
                    error.show_message(str(fault))
                    return
                self._window.notify(f"Saved preset “{preset.name}”.", "good")
                if form.is_deleted:  # the user left the page during the write
                    return
                form.close()
                names = {preset.id: preset.name for preset in self._presets.all().values()}
                self._select.set_options({None: NONE, **names}, value=preset.id)

            on_enter(name, save)
            with dialog_actions():
                button("Cancel", form.close)
                button("Save", save, look="main")


def _without_permissions(config: VerificationConfig) -> VerificationConfig:
    """Return the configuration without the permissions that the page asks for before each run."""
    permissions = [name for name in ("allow_programs", "allow_unconfined_commands") if getattr(config, name)]
    return config.model_copy(update=dict.fromkeys(permissions, False))
