"""A kept model while it is edited: its fields are saved one by one, and never over what another window has saved."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from karenina_gui.gui.frame.studio import ModelNews, Studio
from karenina_gui.gui.models.fields import ModelField, named, switched
from karenina_gui.gui.parts.field_edit import FieldWithoutDraft, Theirs
from karenina_gui.schemas.config import ModelConfig

GONE = "This model was deleted in another window. Have it back above, then this is kept."


@dataclass
class ModelRecord:
    """One for each form. Every change is told to all windows."""

    studio: Studio
    name: str
    """Under which it is kept now."""
    last: ModelConfig
    """As this window last saw it, should it be deleted elsewhere."""
    memory: dict[str, Any] = field(default_factory=dict)
    """What other interfaces made use of."""

    def kept(self) -> ModelConfig | None:
        """As it is now; None: it was deleted."""
        model = self.studio.runs.models.kept.all().get(self.name)
        self.last = model or self.last
        return model

    def keep(self, model: ModelConfig) -> None:
        self.studio.runs.models.kept.save(self.name, model)
        self.last = model
        self.studio.models_changed.emit(ModelNews(self.name, self.name))

    def rename(self, name: str) -> str | None:
        """What is wrong with the name; None: it has it now."""
        name, shelf = name.strip(), self.studio.runs.models.kept
        models = shelf.all()
        if not name:
            return "Give the model a name: runs and results call it by that."
        if name != self.name and name in models:
            return "Another model has this name already."
        if self.name not in models:
            return GONE
        before, self.name = self.name, name
        self.last = named(models[before], name)
        shelf.save(name, self.last)
        if name != before:
            shelf.delete(before)
        self.studio.models_changed.emit(ModelNews(before, name))
        return None

    def switch(self, interface: str) -> None:
        """Reach the model in another way."""
        if (model := self.kept()) is not None:
            self.keep(switched(model, interface, self.memory))


@dataclass(frozen=True)
class KeptField(FieldWithoutDraft):
    """A field for `FieldEdit`. What is wrong and cannot be saved is written nowhere: somebody may have pasted a key
    into it."""

    record: ModelRecord
    field: ModelField

    def read(self) -> Any:
        return deepcopy(self.field.of(self.record.last))

    def save(self, value: Any, base: Any) -> str | Theirs | None:
        """Keep a value that was typed over `base`; otherwise what is wrong, or what another window has kept."""
        model = self.record.kept()
        if model is None:
            return GONE
        now = self.field.of(model)
        if now not in (base, value):
            return Theirs(now)
        try:
            self.record.keep(self.field.changed(model, value))
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
        if self.record.name not in (base, str(value).strip()):
            return Theirs(self.record.name)
        return self.record.rename(str(value or ""))
