"""Presets page: list on the left, form on the right."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from nicegui import run, ui

from karenina_gui.formats.presets import read_preset
from karenina_gui.formats.reader_process import read_apart
from karenina_gui.gui.forms.form import draw_field
from karenina_gui.gui.kit.consent import access_note
from karenina_gui.gui.kit.dialogs import FileDialog, dialog, dialog_actions
from karenina_gui.gui.kit.download import download_file
from karenina_gui.gui.kit.elements import (
    button,
    empty_state,
    field,
    heading,
    icon_button,
    key_values,
    note,
    pane,
    scrolling,
    splitter,
    toolbar,
)
from karenina_gui.gui.kit.html import Html, join_html, link, tag
from karenina_gui.gui.kit.routing import readdress
from karenina_gui.gui.pages.models.retries import RetryGrid
from karenina_gui.gui.pages.models.retry_numbers import ESCALATION, retry_fields
from karenina_gui.gui.pages.run_setup import option_text
from karenina_gui.gui.pages.run_setup.condition_differences import in_words
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.options import (
    FIXED_JUDGES,
    JUDGE_REPLICATES,
    MODE,
    MODES,
    REPLICATES,
    TIME_LIMIT,
    WORKERS,
)
from karenina_gui.gui.records.form_field import FormField
from karenina_gui.gui.records.record import EditableRecord
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.models import models_of
from karenina_gui.runs.presets import unused_settings
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.model_labels import labels
from karenina_gui.schemas.preset import Preset
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

IMPORTED = "Imported preset “{name}”."
FIELDS: tuple[FormField[Preset], ...] = (
    FormField("name", "Name", model=Preset),
    FormField("description", "Description", kind="area", model=Preset),
)
RETRIES: dict[tuple[str, str], FormField[Preset]] = retry_fields(
    lambda preset: preset.config.retry_policy,
    lambda preset, policy: {"config": preset.config.model_copy(update={"retry_policy": policy})},
)
ALREADY_HERE = "The preset “{name}” is already here."


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/presets`; `?id=…` opens that preset, `?import=1` the import dialog."""
    presets = window.services.library.presets.all()
    page = PresetsPage(window, route.query.get("id", next(iter(presets), None)))
    page.draw()
    if route.query.get("import"):
        page.choose_file()


def address(preset_id: str) -> str:
    return f"/presets?id={quote(preset_id, safe='')}"


class PresetsPage:
    def __init__(self, window: Window, preset_id: str | None) -> None:
        self._window = window
        self._presets = window.services.library.presets
        self._open = preset_id
        """Id of the open preset; None: there are no presets."""
        self._draft: PresetDraft | None = None

    def draw(self) -> None:
        with splitter(self._window, "presets", 36) as panes:
            with panes.before, pane("Presets"):
                with toolbar():
                    heading("Presets", 1)
                    ui.space()
                    button("Import preset…", self.choose_file, icon="upload_file")
                self._list = ui.html("").classes("scroll")
            with panes.after:
                self._pane = ui.element("div").classes("pane")
        self._window.register_command("preset.import", self.choose_file)
        self._window.listen(self._window.services.presets_changed, self._on_preset_changed)
        self._fill()

    def choose_file(self) -> None:
        """Ask for a preset file and import it."""

        async def read(path: Path) -> None:
            imported = await run.io_bound(read_apart, read_preset, path)
            if imported is None:
                return
            # A preset that is here already stays as it is, with its dates.
            existing = await run.io_bound(self._find_same, imported[0])
            preset = existing or await self._save(imported[0])
            file_dialog.close()
            self._turn_to(preset.id)
            message = ALREADY_HERE if existing else IMPORTED
            self._window.notify(message.format(name=preset.name), "good")
            if imported[1] and not self._pane.is_deleted:
                with self._pane:
                    _show_left_out(preset, imported[1])

        hint = "A file with the models and settings of a run. API keys are never imported."
        file_dialog = FileDialog("Import preset", hint, ".json", read)

    def _find_same(self, preset: Preset) -> Preset | None:
        """Preset with the id and all that a user sees of another one."""
        saved = self._presets.all().get(preset.id)
        seen = {"name", "description", "config"}
        is_same = saved is not None and saved.model_dump(include=seen) == preset.model_dump(include=seen)
        return saved if is_same else None

    async def _save(self, preset: Preset) -> Preset:
        saved = await self._window.write(self._save_as_free, preset)
        self._window.services.emit_preset_changed(saved.id)
        return saved

    def _save_as_free(self, preset: Preset) -> Preset:
        """Save a preset; use a free name or id if another preset has it."""
        presets = self._presets.all()
        if preset.id in presets:
            preset = Preset(name=preset.name, description=preset.description, config=preset.config)
        taken = {other.name for other in presets.values() if other.id != preset.id}
        return self._presets.save(preset.model_copy(update={"name": free_name(preset.name, taken)}))

    async def _restore(self, deleted: Preset) -> Preset:
        """Restore a deleted preset unless that has happened already."""
        return self._presets.all().get(deleted.id) or await self._save(deleted)

    def _turn_to(self, preset_id: str | None) -> None:
        """Open a preset; do nothing if another page was opened meanwhile, for example during a write."""
        if self._pane.is_deleted:
            return
        self._open = preset_id
        with self._pane:  # the slot of the pressed button may be deleted
            readdress("/presets" if preset_id is None else address(preset_id))
        self._fill()

    def _fill(self) -> None:
        self._pane.clear()
        with self._pane:
            self._show()
        self._refresh()

    def _refresh(self) -> None:
        entries = (_entry(preset, preset.id == self._open) for preset in self._presets.all().values())
        self._list.set_content(tag("ul", *entries, class_="model-list"))

    def _on_preset_changed(self, preset_id: str) -> None:
        presets = self._presets.all()
        # With an empty form, a new preset of any window is shown; otherwise the user's edits stay in view.
        if self._draft is None and preset_id in presets and self._open in (None, preset_id):
            self._turn_to(preset_id)
        else:
            self._refresh()

    def _show(self) -> None:
        self._draft = None
        if self._open is None:
            with empty_state(
                "bookmarks",
                "No presets yet",
                "A preset saves the models and settings of a run. Save one on the page New run, or import a file.",
            ):
                if self._window.benchmark_id is not None:
                    button("New run", lambda: self._to_run(None), icon="play_arrow", look="main")
                button("Import preset…", self.choose_file, icon="upload_file")
            return
        if self._open not in self._presets.all():
            with empty_state("search_off", "Preset not found", "It may have been deleted. Select another one."):
                return
        self._draft = draft = PresetDraft(self._window, self._open)
        with toolbar():
            title = heading(draft.preset.name, 1)
            ui.space()
            if self._window.benchmark_id is not None:
                button("Use in run", lambda: self._to_run(draft.preset_id), icon="play_arrow", look="main")
            icon_button("download", "Export preset", lambda: download_file(f"/api/presets/{draft.preset_id}/file"))
            icon_button("delete_outline", "Delete preset", self._delete)
        self._gone_note(draft)
        with scrolling(), ui.element("div").classes("form"):
            for spec in FIELDS:
                draw_field(spec, draft.form_field(spec))
            settings = ui.element("div").classes("group")
            _retries(draft)

        def show(preset: Preset) -> None:
            title.text = preset.name
            settings.clear()
            with settings:
                self._settings(preset)

        show(draft.preset)
        draft.listen(show, "saved", "elsewhere")

    def _settings(self, preset: Preset) -> None:
        if reach := self._window.services.runs.consents.missing(*models_of(preset.config)):
            access_note("Its models", reach)
        for sentence in unused_settings(preset.config):
            note(sentence, "warn")
        with field("Settings", "to change them, use the preset in a run and update it there"):
            key_values(setting_rows(preset.config))

    def _gone_note(self, draft: PresetDraft) -> None:
        """Warning while the open preset is deleted; unsaved text stays."""
        with note("This preset was deleted in another window.", "warn") as warning:
            button("Restore preset", lambda: self._restore(draft.preset))
        warning.set_visibility(False)
        draft.listen(lambda _: warning.set_visibility(draft.deleted), "presence")

    async def _delete(self) -> None:
        if self._open is None or self._open not in self._presets.all():
            return
        removed = await self._window.write(self._presets.delete, self._open)
        self._window.services.emit_preset_changed(removed.id)

        async def undo() -> None:
            restored = await self._restore(removed)
            self._turn_to(restored.id)

        self._window.notify(f"Deleted preset “{removed.name}”.", undo=undo)
        if self._open == removed.id:  # unless another one was opened during the write
            self._turn_to(next(iter(self._presets.all()), None))

    def _to_run(self, preset_id: str | None) -> None:
        query = "" if preset_id is None else f"?preset={quote(preset_id, safe='')}"
        ui.navigate.to(f"/benchmarks/{self._window.benchmark_id}/run{query}")


def _retries(draft: PresetDraft) -> None:
    """Fields of the retry policy, expanded if it is not the default."""
    policy = draft.preset.config.retry_policy
    with ui.expansion("Retries", value=policy != RetryPolicy()).classes("model-form-more").props("dense"):
        ui.label("For failed calls of models without retry settings of their own.").classes("hint")
        RetryGrid(RETRIES, draft.form_field)


def _show_left_out(preset: Preset, sentences: Sequence[str]) -> None:
    """List settings of an imported file that were not imported."""
    with dialog("Imported with warnings", f"Imported “{preset.name}” without these settings") as box:
        for sentence in sentences:
            note(sentence, "warn")
        with dialog_actions():
            button("Close", box.close, look="main")


def free_name(name: str, taken: set[str]) -> str:
    """Return the name, or `name 2`, `name 3` and so on if it is in use."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name[:95]} {number}", number + 1
    return free


def _entry(preset: Preset, here: bool) -> Html:
    body = join_html(
        [tag("b", preset.name), tag("span", config_summary(preset.config), class_="model-words line wraps muted small")]
    )
    return tag("li", link(address(preset.id), body, class_="model-list-entry", aria_current="true" if here else None))


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


def config_summary(config: VerificationConfig) -> str:
    """Summarize a preset: `2 models · 1 judge · 3 replicates · Template only`."""
    parts = [quantity(len(config.answering_models), "model"), quantity(len(config.parsing_models), "judge")]
    if config.conditions:
        parts.append(quantity(len(config.conditions), "condition"))
    parts.append(quantity(config.replicate_count, "replicate"))
    return " · ".join([*parts, MODES[config.evaluation_mode][0]])


def setting_rows(config: VerificationConfig) -> list[tuple[str, str]]:
    """List titles and values of all settings of a preset, standard ones first."""
    choice = RunDraft.of(config)
    # The page shows retries as editable fields.
    choice.settings.pop("retry_policy", None)
    judged = bool(config.parsing_models)
    always = {WORKERS.title: f"{config.workers:,}", TIME_LIMIT.title: f"{config.request_timeout:g} s"}
    changed = [row for row in option_text.setting_rows(choice) if row[0] not in always]
    return [
        ("Answering models", _models(config.answering_models)),
        ("Judges", _models(config.parsing_models)),
        *[(f"Condition “{condition.name}”", in_words(condition)) for condition in config.conditions],
        (REPLICATES.title, f"{config.replicate_count:,}"),
        *([(JUDGE_REPLICATES.title, f"{config.judge_replicates:,}")] if config.judge_replicates > 1 else []),
        *([(FIXED_JUDGES.title, "on" if config.fixed_judges else "off")] if judged else []),
        (MODE.title, MODES[config.evaluation_mode][0]),
        *always.items(),
        *changed,
        *([("Retries", ESCALATION)] if config.retry_policy.timeout_escalation else []),
    ]


def _models(models: Sequence[ModelConfig]) -> str:
    return ", ".join(
        label if label == model.model_name else f"{label} ({model.model_name})"
        for label, model in zip(labels(models), models, strict=True)
    )
