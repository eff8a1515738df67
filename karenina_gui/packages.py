"""Packages that bring trait types, stages or interfaces of their own: imported once, when one is asked for.

A package names a module under the entry point group `karenina_gui`; importing the module registers what it brings.
"""

from __future__ import annotations

import logging
from threading import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

log = logging.getLogger(__name__)

GROUP = "karenina_gui"


class Packages:
    """Thread-safe. What a package asks for while it is imported does not import the others again."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._problems: list[str] | None = None
        """None: not looked for yet."""

    def load(self) -> list[str]:
        """Import them all, the first time; returns a sentence for each that could not be imported."""
        with self._lock:
            if self._problems is None:
                from importlib.metadata import entry_points  # most windows never need it

                self._problems = []
                for point in entry_points(group=GROUP):
                    self._load(point, self._problems)
            return self._problems

    def _load(self, point: EntryPoint, problems: list[str]) -> None:
        try:
            point.load()
        except Exception as error:
            whose = point.dist.name if point.dist else point.value
            log.exception("The package %s could not be loaded", whose)
            problems.append(f"The package {whose!r} could not be loaded: {error}.")


PACKAGES = Packages()
