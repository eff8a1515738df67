"""Editable record of a saved model. Each field is saved separately, unless another window changed it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.binding.fields import FieldWithoutDraft, Outcome, RemoteValue
from karenina_gui.gui.models.fields import ModelField, switch_interface
from karenina_gui.gui.session.app_context import AppContext, ModelChange
from karenina_gui.gui.session.outbox import Outbox
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.saved_model import SavedModel, with_name

WITHOUT_SECRETS = ("model_name", "system_prompt")
"""Fields that the browser may keep. Users paste keys into the others, which reject them."""
REACHING = ("endpoint_base_url", "anthropic_base_url", "api_key_env", "tool_servers", "extra_kwargs")
"""Fields with servers, variables, and programs: to enter one is to agree to it."""
GONE = "Not saved: this model was deleted in another window. Restore it above to save your edits."


@dataclass
class ModelRecord:
    """Record of one model. Each change is announced to all windows."""

    window: Window
    seen: SavedModel
    """Model as last read by this window, even if it was deleted since."""
    memory: dict[str, Any] = field(default_factory=dict)
    """Values of fields that only other interfaces have."""

    @property
    def services(self) -> AppContext:
        return self.window.services

    @property
    def outbox(self) -> Outbox | None:
        """Outbox of the window. None: the browser keeps nothing."""
        return self.window.outbox

    @property
    def name(self) -> str:
        return self.seen.name

    @property
    def place(self) -> str:
        return f"model/{self.seen.number}"

    @property
    def last(self) -> ModelConfig:
        return self.seen.config

    def reload(self) -> ModelConfig | None:
        """Return the saved configuration. None: the model was deleted."""
        try:
            self.seen = self.services.library.models.get(self.seen.number)
        except NotFoundError:
            return None
        return self.last

    async def edit(self, change: Callable[[ModelConfig], ModelConfig]) -> None:
        """Save what `change` makes of the saved configuration.

        Raises `NotFoundError` if the model is deleted, and the errors of `change`.
        """
        await self.window.write(self._edit, change)
        self._announce(self.name)

    def _edit(self, change: Callable[[ModelConfig], ModelConfig]) -> None:
        catalog = self.services.library.models
        catalog.update(self.seen.number, change(catalog.get(self.seen.number).config))

    async def restore(self) -> None:
        """Restore the deleted model as last read by this window."""
        self.seen = await self.window.write(self.services.library.models.restore, self.seen)
        self._announce(None)

    async def put_back(self, before: ModelConfig) -> None:
        """Undo: save the earlier configuration under the model's current name."""
        if self.reload() is not None:
            await self.edit(lambda now: with_name(before, now.id or self.name))

    async def rename(self, name: str) -> str | None:
        """Rename the model and return the problem. None: renamed."""
        name, before = name.strip(), self.name
        if not name:
            return "Enter a name. Runs and results show it."
        try:
            await self.window.write(self.services.library.models.rename, self.seen.number, name)
        except NotFoundError:
            return GONE
        except InputError as error:
            return str(error)
        self._announce(before)
        return None

    async def switch(self, interface: str) -> None:
        """Change the model's interface."""
        if self.reload() is not None:
            await self.edit(lambda model: switch_interface(model, interface, self.memory))

    def _announce(self, before: str | None) -> None:
        self.reload()
        self.services.models_changed.emit(ModelChange(self.seen.number, before, self.name))


@dataclass(frozen=True)
class ModelRecordField(FieldWithoutDraft):
    """Field adapter for `OptimisticEdit`. Invalid values are not stored anywhere: they may be pasted keys."""

    record: ModelRecord
    field: ModelField

    @property
    def place(self) -> str:
        return f"{self.record.place}/{self.field.name}"

    @property
    def outbox(self) -> Outbox | None:
        return self.record.outbox if self.field.name in WITHOUT_SECRETS else None

    def read(self) -> Any:
        return deepcopy(self.field.value_of(self.record.last))

    async def save(self, value: Any, base: Any) -> Outcome:
        """Save a value that was edited from `base`."""
        try:
            await self.record.edit(partial(self._apply, value, base))
        except _ChangedElsewhere as error:
            self.record.reload()
            return RemoteValue(error.now)
        except NotFoundError:
            return GONE
        except ValueError as error:
            return str(error)
        return None

    def _apply(self, value: Any, base: Any, model: ModelConfig) -> ModelConfig:
        now = self.field.value_of(model)
        # Runs within the ordered write: no other save can come between this check and the save.
        if now not in (base, value):
            raise _ChangedElsewhere(now)
        edited = self.field.apply(model, value)
        if self.field.name in REACHING:
            self.record.services.runs.models.agree_to_new(edited, model)
        return edited


class _ChangedElsewhere(Exception):
    """Another window has saved the value in the meantime."""

    def __init__(self, now: Any) -> None:
        super().__init__()
        self.now = now


@dataclass(frozen=True)
class ModelRecordName(FieldWithoutDraft):
    """Field adapter of the model's name for `OptimisticEdit`."""

    record: ModelRecord

    @property
    def place(self) -> str:
        return f"{self.record.place}/name"

    @property
    def outbox(self) -> Outbox | None:
        return self.record.outbox

    def read(self) -> str:
        return self.record.name

    async def save(self, value: Any, base: Any) -> Outcome:
        if self.record.reload() is None:
            return GONE
        if self.record.name not in (base, str(value).strip()):
            return RemoteValue(self.record.name)
        return await self.record.rename(str(value or ""))
