"""Fields of forms, without their controls: titles, and how a value is read from a record and written to it.

Values of controls are texts (empty: not set), numbers (None: not set), True or False, lists
of picked values, and rows of texts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, get_args

from pydantic import BaseModel

from karenina_gui.gui.kit.number_text import NumberLimits

Kind = Literal["text", "area", "number", "switch", "picks", "rows"]
T = TypeVar("T")


@dataclass(frozen=True)
class Column:
    key: str
    title: str
    area: bool = False
    """True for multi-line text."""
    width: str = "1fr"


@dataclass(frozen=True)
class FormField(Generic[T]):
    """Field of a form that edits a record."""

    name: str
    title: str
    hint: str = ""
    kind: Kind = "text"
    read: Callable[[T], Any] | None = None
    """Returns the control's value. None: the record's field of this name, with an empty value for None."""
    write: Callable[[T, Any], dict[str, Any]] | None = None
    """Returns the changed fields of the record. Raises `ValueError` or `InputError` if the value is invalid.

    None: stores the value; an empty one is None or the default, as the model of the record has it.
    """
    model: type[BaseModel] | None = None
    """Model with the limits and the default of the field; needed without `write`."""
    label: str = ""
    """Accessible name, if it is not the title."""
    placeholder: str = ""
    refusal: str = ""
    """Message about a number out of range. Empty: the range."""
    doubt: Callable[[Any], Any] | None = None
    """Returns a warning about a value, or None; of rows, {index of a row: warning}."""
    choices: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """{value that can be picked: title}."""
    columns: Sequence[Column] = ()
    add: str = ""
    """Title of the button that adds a row."""

    @property
    def accessible_name(self) -> str:
        return self.label or self.title

    def value_of(self, record: T) -> Any:
        """Return the control's value."""
        if self.read:
            return self.read(record)
        value = getattr(record, self.name)
        return _EMPTY[self.kind] if value is None else value

    def changes(self, record: T, value: Any) -> dict[str, Any]:
        """Return the changed fields of the record. Raises `ValueError` or `InputError` if the value is invalid."""
        if self.write:
            return self.write(record, value)
        return {self.name: self._value(value)}

    def _value(self, value: Any) -> Any:
        if self.kind == "number":
            return self._nothing if value is None else NumberLimits.of(self._info).read(value, self.refusal)
        if self._nothing is None:
            return None if not value or (isinstance(value, str) and not value.strip()) else value
        return _EMPTY[self.kind] if value is None else value

    @property
    def _info(self) -> Any:
        assert self.model is not None  # by the definition of `write`
        return self.model.model_fields[self.name]

    @property
    def _nothing(self) -> Any:
        """Stored value of an empty control."""
        info = self._info
        return None if type(None) in get_args(info.annotation) else info.get_default(call_default_factory=True)


_EMPTY: dict[Kind, Any] = {"text": "", "area": "", "number": None, "switch": False, "picks": [], "rows": []}
