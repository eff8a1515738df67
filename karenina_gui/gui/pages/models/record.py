"""Editable record of a saved model. Each field is saved separately, unless another window changed it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.pages.models.fields import changed_model, switch_interface
from karenina_gui.gui.records.form_field import FormField
from karenina_gui.gui.records.record import EditableRecord, RecordField
from karenina_gui.gui.session.app_context import ModelChange
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.saved_model import SavedModel, with_name
from karenina_gui.store.database import now

WITHOUT_SECRETS = ("model_name", "system_prompt")
"""Fields that the browser may keep. Users paste keys into the others, which reject them."""
REACHING = ("endpoint_base_url", "anthropic_base_url", "api_key_env", "tool_servers", "extra_kwargs")
"""Fields with servers, variables, and programs: to enter one is to agree to it."""


class ModelRecord(EditableRecord[SavedModel]):
    """Record of one model; `state` is the model as last read by this window, even if it was deleted since."""

    DELETED = "Not saved: this model was deleted in another window. Restore it above to save your edits."
    KEEPS_DRAFTS = False

    def __init__(self, window: Window, number: int) -> None:
        self.number = number
        self.memory: dict[str, Any] = {}
        """Values of fields that only other interfaces have."""
        self._models = window.services.library.models
        super().__init__(window, f"model/{number}")

    @property
    def config(self) -> ModelConfig:
        return self.state.config

    def load(self) -> ModelConfig | None:
        """Read the saved configuration. None: the model was deleted."""
        try:
            return self._read()[0].config
        except NotFoundError:
            return None

    def name_field(self) -> RecordField[SavedModel]:
        def changes(_: SavedModel, value: Any) -> dict[str, Any]:
            if not (name := str(value or "").strip()):
                raise ValueError("Enter a name. Runs and results show it.")
            return {"name": name}

        return self.field("name", changes=changes)

    def config_field(self, field: FormField[ModelConfig]) -> RecordField[SavedModel]:
        """Return a field of the configuration as its control shows it."""

        def changes(model: SavedModel, value: Any) -> dict[str, Any]:
            config = changed_model(model.config, field.changes(model.config, value), field.refusal)
            return {"config": config, "agree": field.name in REACHING}

        private = field.name not in WITHOUT_SECRETS
        return self.field(field.name, lambda model: field.value_of(model.config), changes, private=private)

    async def edit(self, change: Callable[[ModelConfig], ModelConfig]) -> None:
        """Save what `change` makes of the saved configuration.

        Raises `NotFoundError` if the model is deleted, and the errors of `change`.
        """
        await self.window.write(self._edit, change)
        self.window.note_saved()
        self._announce(self.state.name)

    def _edit(self, change: Callable[[ModelConfig], ModelConfig]) -> None:
        self._models.update(self.number, change(self._models.get(self.number).config))

    async def restore(self) -> None:
        """Restore the deleted model as last read by this window."""
        self.state = await self.window.write(self._models.restore, self.state)
        self._announce(None)

    async def put_back(self, before: ModelConfig) -> None:
        """Undo: save the earlier configuration under the model's current name."""
        if self.load() is not None:
            await self.edit(lambda model: with_name(before, model.id or self.state.name))

    async def switch(self, interface: str) -> None:
        """Change the model's interface."""
        if self.load() is not None:
            await self.edit(lambda model: switch_interface(model, interface, self.memory))

    def _announce(self, before: str | None) -> None:
        self.window.services.models_changed.emit(ModelChange(self.number, before, self.state.name))

    def _listen(self) -> None:
        self.window.listen(self.window.services.models_changed, self._on_model_change)

    def _on_model_change(self, news: ModelChange) -> None:
        if news.number == self.number:
            self._reload()

    def _read(self) -> tuple[SavedModel, SavedModel]:
        saved = self._models.get(self.number)
        return saved, saved

    def _write(self, changes: dict[str, Any], revision: SavedModel) -> tuple[SavedModel, str] | None:
        model = self._models.get(self.number)
        if model != revision:
            return None
        if "name" in changes:
            self._models.rename(self.number, changes["name"])
        else:
            if changes["agree"]:
                self.window.services.runs.models.agree_to_new(changes["config"], model.config)
            self._models.update(self.number, changes["config"])
        return self._models.get(self.number), now()

    def _on_written(self, before: SavedModel) -> None:
        self._announce(before.name)
