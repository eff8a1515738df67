"""Editable preset: each field is saved by itself, never over edits in other windows."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from karenina_gui.gui.binding.record import EditableRecord
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.preset import Preset


class PresetDraft(EditableRecord[Preset]):
    DELETED = "Not saved: the preset was deleted. Restore it to save your edits."

    def __init__(self, window: Window, preset_id: str) -> None:
        self.preset_id = preset_id
        self._presets = window.services.library.presets
        super().__init__(window, f"preset/{preset_id}")

    @property
    def preset(self) -> Preset:
        return self.state

    def _listen(self) -> None:
        self.window.listen(self.window.services.presets_changed, self._on_preset_changed)

    def _on_preset_changed(self, preset_id: str) -> None:
        if preset_id == self.preset_id:
            self._reload()

    def _read(self) -> tuple[Preset, int]:
        preset = self._presets.get(self.preset_id)
        return preset, _revision(preset)

    def _write(self, changes: dict[str, Any], revision: int) -> tuple[int, str] | None:
        now = self._presets.get(self.preset_id)
        if _revision(now) != revision:
            return None
        saved = self._presets.save(Preset.model_validate({**dict(now), **changes}))
        return _revision(saved), saved.updated_at

    def _on_written(self, before: Preset) -> None:
        self.window.services.emit_preset_changed(self.preset_id)


def _revision(preset: Preset) -> int:
    """Return the time of the last save in milliseconds as the revision."""
    # Preset files have no revision of their own.
    return round(datetime.fromisoformat(preset.updated_at).timestamp() * 1000)
