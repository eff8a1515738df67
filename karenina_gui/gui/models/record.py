"""A saved model while it is edited: each field is saved alone, and only over the value that this window has seen."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.frame.outbox import Outbox
from karenina_gui.gui.frame.studio import ModelNews, Studio
from karenina_gui.gui.models.fields import ModelField, switched
from karenina_gui.gui.parts.field_edit import FieldWithoutDraft, Outcome, Theirs
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.saved_model import SavedModel, named

WITHOUT_SECRETS = ("model_name", "system_prompt")
"""Texts that the browser may keep. People paste keys into the other fields, which refuse them."""
GONE = "Not saved: this model was deleted in another window. Restore it above to save your edits."


@dataclass
class ModelRecord:
    """One for each form, for the model with one number. Every change is announced to all windows."""

    studio: Studio
    seen: SavedModel
    """As this window last read it, also after it was deleted elsewhere."""
    memory: dict[str, Any] = field(default_factory=dict)
    """Values of the fields that only other interfaces have."""
    outbox: Outbox | None = None
    """The window's outbox; None: the browser keeps nothing."""

    @property
    def name(self) -> str:
        return self.seen.name

    @property
    def place(self) -> str:
        return f"model/{self.seen.number}"

    @property
    def last(self) -> ModelConfig:
        return self.seen.config

    def kept(self) -> ModelConfig | None:
        """As it is saved now; None: it was deleted."""
        try:
            self.seen = self.studio.runs.models.kept.get(self.seen.number)
        except NotFoundError:
            return None
        return self.last

    async def edit(self, change: Callable[[ModelConfig], ModelConfig]) -> None:
        """Save what `change` makes of the model as it is saved now, whatever else is being edited.

        Errors: `NotFoundError` once it is deleted; those of `change`.
        """
        await self.studio.write(self._edit, change)
        self._announce(self.name)

    def _edit(self, change: Callable[[ModelConfig], ModelConfig]) -> None:
        shelf = self.studio.runs.models.kept
        shelf.update(self.seen.number, change(shelf.get(self.seen.number).config))

    async def restore(self) -> None:
        """Bring it back as this window last read it."""
        self.seen = await self.studio.write(self.studio.runs.models.kept.restore, self.seen)
        self._announce(None)

    async def put_back(self, before: ModelConfig) -> None:
        """Undo: the earlier configuration again, under the name that the model has by now."""
        if self.kept() is not None:
            await self.edit(lambda now: named(before, now.id or self.name))

    async def rename(self, name: str) -> str | None:
        """What is wrong with the name; None: it has it now."""
        name, before = name.strip(), self.name
        if not name:
            return "Enter a name. Runs and results show it."
        try:
            await self.studio.write(self.studio.runs.models.kept.rename, self.seen.number, name)
        except NotFoundError:
            return GONE
        except InputError as error:
            return str(error)
        self._announce(before)
        return None

    async def switch(self, interface: str) -> None:
        """Reach the model in another way."""
        if self.kept() is not None:
            await self.edit(lambda model: switched(model, interface, self.memory))

    def _announce(self, before: str | None) -> None:
        self.kept()
        self.studio.models_changed.emit(ModelNews(self.seen.number, before, self.name))


@dataclass(frozen=True)
class KeptField(FieldWithoutDraft):
    """A field for `FieldEdit`. An invalid value is not stored anywhere: it may be a key that somebody pasted."""

    record: ModelRecord
    field: ModelField

    @property
    def place(self) -> str:
        return f"{self.record.place}/{self.field.name}"

    @property
    def outbox(self) -> Outbox | None:
        return self.record.outbox if self.field.name in WITHOUT_SECRETS else None

    def read(self) -> Any:
        return deepcopy(self.field.of(self.record.last))

    async def save(self, value: Any, base: Any) -> Outcome:
        """Save a value that was typed over `base`."""
        try:
            await self.record.edit(partial(self._changed, value, base))
        except _ChangedElsewhere as error:
            self.record.kept()
            return Theirs(error.now)
        except NotFoundError:
            return GONE
        except ValueError as error:
            return str(error)
        return None

    def _changed(self, value: Any, base: Any, model: ModelConfig) -> ModelConfig:
        now = self.field.of(model)
        if now not in (base, value):
            raise _ChangedElsewhere(now)
        return self.field.changed(model, value)


class _ChangedElsewhere(Exception):
    """Another window has saved this value meanwhile."""

    def __init__(self, now: Any) -> None:
        super().__init__()
        self.now = now


@dataclass(frozen=True)
class KeptName(FieldWithoutDraft):
    """The name itself, for `FieldEdit`."""

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
        if self.record.kept() is None:
            return GONE
        if self.record.name not in (base, str(value).strip()):
            return Theirs(self.record.name)
        return await self.record.rename(str(value or ""))
