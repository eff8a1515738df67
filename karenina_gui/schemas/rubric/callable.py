"""Traits that author-written code decides."""

from __future__ import annotations

import base64
import binascii
from typing import Self

from pydantic import Field, model_validator

from karenina_gui.schemas.rubric.trait import Classes, RubricTrait, ScalarKind, literal_range

_PICKLE_MAGIC = b"\x80"


class CallableRubricTrait(RubricTrait):
    """A function of the answer's text. Its code is carried along here and never run or unpickled."""

    kind: ScalarKind
    callable_code: str = ""
    """Base64 of a pickled function, or of Python source; preserved unchanged."""
    min_score: int | None = None
    max_score: int | None = None
    invert_result: bool = False
    classes: Classes | None = None
    higher_is_better: bool | None = True
    source: str | None = Field(default=None, exclude_if=lambda source: source is None)
    """Python source of the function; None if only a pickled form is known."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        literal_range(self)
        fields = self.__dict__
        if self.source is not None:
            fields["callable_code"] = base64.b64encode(self.source.encode()).decode("ascii")
        elif not self.callable_code:
            raise ValueError("A function needs its code ('source' or 'callable_code').")
        else:
            fields["source"] = _plain_source(self.callable_code)
        return self


def _plain_source(code: str) -> str | None:
    """Python source in the base64; None for a pickle or anything unreadable."""
    try:
        raw = base64.b64decode(code, validate=True)
        # Never unpickled, since that runs whatever the author has put there.
        return None if raw.startswith(_PICKLE_MAGIC) else raw.decode("utf-8")
    except (binascii.Error, ValueError):
        return None
