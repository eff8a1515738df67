"""Base classes of primitives: small, serializable rules that compare an answer with the truth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer


class VerificationPrimitive(BaseModel, ABC):
    """A rule with its settings. Its JSON form is the settings and `type`, the class name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @property
    def notation(self) -> str | None:
        """Notation in which a judge is to write the value, as in *write it as YYYY-MM-DD*; None: any."""
        return None

    def is_readable(self, extracted: Any) -> bool:
        """False for a text that may mean more than one thing, or something in a notation that is not read."""
        return True

    @model_serializer(mode="wrap")
    def _with_type(self, settings: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {"type": type(self).__name__, **settings(self)}


class ComparisonPrimitive(VerificationPrimitive):
    """Compares one extracted value with the expected one. Raises where the values cannot be compared at all."""

    @abstractmethod
    def check(self, extracted: Any, expected: Any) -> bool:
        """Return True if the extracted value passes."""

    def score(self, extracted: Any, expected: Any) -> float:
        """Partial credit, 0 to 1; 1 or 0 for primitives without partial credit."""
        return 1.0 if self.check(extracted, expected) else 0.0


class TracePrimitive(VerificationPrimitive):
    """Looks at the whole raw answer, so that no judge is asked."""

    @abstractmethod
    def check_trace(self, trace: str) -> bool:
        """Return True if the trace contains what the primitive searches for."""
