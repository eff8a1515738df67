"""Sandbox for author-written code (templates, traits, patterns), with graded confinement.

`Sandbox` is the public entry point. Names are imported on first use: the locked processes import this package, too, and
need none of the application's side.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karenina_gui.sandbox.isolation_level import SandboxLevel as SandboxLevel
    from karenina_gui.sandbox.limits import Limits as Limits
    from karenina_gui.sandbox.outcomes import (
        RegexOutcome as RegexOutcome,
        RegexSearch as RegexSearch,
        TextOutcome as TextOutcome,
        TraitOutcome as TraitOutcome,
        TraitOutline as TraitOutline,
    )
    from karenina_gui.sandbox.sandbox import Sandbox as Sandbox

_HOMES = {
    "Limits": "limits",
    "RegexOutcome": "outcomes",
    "RegexSearch": "outcomes",
    "Sandbox": "sandbox",
    "SandboxLevel": "isolation_level",
    "TextOutcome": "outcomes",
    "TraitOutcome": "outcomes",
    "TraitOutline": "outcomes",
}

__all__ = [
    *("Limits", "RegexOutcome", "RegexSearch", "Sandbox", "SandboxLevel"),
    *("TextOutcome", "TraitOutcome", "TraitOutline"),
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
