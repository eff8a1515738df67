"""A saved model while it is edited: each field is saved alone, and only over the value that this window has seen."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.frame.studio import ModelNews, Studio
from karenina_gui.gui.models.fields import ModelField, switched
from karenina_gui.gui.parts.field_edit import FieldWithoutDraft, Theirs
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.saved_model import SavedModel, named

GONE = "Not saved: this model was deleted in another window. Restore it above to save your edit."


@dataclass
class ModelRecord:
    """One for each form, for the model with one number. Every change is announced to all windows."""

    studio: Studio
    seen: SavedModel
    """As this window last read it, also after it was deleted elsewhere."""
    memory: dict[str, Any] = field(default_factory=dict)
    """Values of the fields that only other interfaces have."""

    @property
    def name(self) -> str:
        return self.seen.name

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

    def keep(self, model: ModelConfig) -> None:
        """Errors: `NotFoundError` once it is deleted."""
        self.studio.runs.models.kept.update(self.seen.number, model)
        self._announce(self.name)

    def restore(self) -> None:
        """Bring it back as this window last read it."""
        self.seen = self.studio.runs.models.kept.restore(self.seen)
        self._announce(None)

    def put_back(self, before: ModelConfig) -> None:
        """Undo: the earlier configuration again, under the name that the model has by now."""
        if self.kept() is not None:
            self.keep(named(before, self.name))

    def rename(self, name: str) -> str | None:
        """What is wrong with the name; None: it has it now."""
        name, before = name.strip(), self.name
        if not name:
            return "Enter a name: runs and results show it."
        try:
            self.studio.runs.models.kept.rename(self.seen.number, name)
        except NotFoundError:
            return GONE
        except InputError as error:
            return str(error)
        self._announce(before)
        return None

    def switch(self, interface: str) -> None:
        """Reach the model in another way."""
        if (model := self.kept()) is not None:
            self.keep(switched(model, interface, self.memory))

    def _announce(self, before: str | None) -> None:
        self.kept()
        self.studio.models_changed.emit(ModelNews(self.seen.number, before, self.name))


@dataclass(frozen=True)
class KeptField(FieldWithoutDraft):
    """A field for `FieldEdit`. An invalid value is not stored anywhere: it may be a key that somebody pasted."""

    record: ModelRecord
    field: ModelField

    def read(self) -> Any:
        return deepcopy(self.field.of(self.record.last))

    def save(self, value: Any, base: Any) -> str | Theirs | None:
        """Save a value that was typed over `base`. Returns what is wrong, or what another window saved meanwhile."""
        model = self.record.kept()
        if model is None:
            return GONE
        now = self.field.of(model)
        if now not in (base, value):
            return Theirs(now)
        try:
            self.record.keep(self.field.changed(model, value))
        except NotFoundError:
            return GONE
        except ValueError as error:
            return str(error)
        return None


@dataclass(frozen=True)
class KeptName(FieldWithoutDraft):
    """The name itself, for `FieldEdit`."""

    record: ModelRecord

    def read(self) -> str:
        return self.record.name

    def save(self, value: Any, base: Any) -> str | Theirs | None:
        if self.record.kept() is None:
            return GONE
        if self.record.name not in (base, str(value).strip()):
            return Theirs(self.record.name)
        return self.record.rename(str(value or ""))
