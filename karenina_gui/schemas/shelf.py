"""Library of traits and templates that authors use in several benchmarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

ShelfKind = Literal["trait", "template"]
SOURCE = "source"
"""Key of a template's content: its source."""


@dataclass(frozen=True)
class ShelfItem:
    """Trait or template in the library."""

    id: int
    kind: ShelfKind
    name: str
    type_name: str
    """Type of a trait; empty for templates."""
    content: dict[str, Any]
    author: str
    at: str
