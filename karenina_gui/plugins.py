"""Plug-ins: packages with their own trait types, stages or interfaces, imported on first use.

A package names a module in the entry point group `karenina_gui`. Importing that module registers its parts.
"""

from __future__ import annotations

import logging
from threading import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

log = logging.getLogger(__name__)

GROUP = "karenina_gui"


class Plugins:
    """Loader of plug-ins. Thread-safe."""

    def __init__(self) -> None:
        # Reentrant, because a plug-in may trigger `load` while it is imported.
        self._lock = RLock()
        self._problems: list[str] | None = None
        """Messages about failed imports; None: not loaded yet."""

    def load(self) -> list[str]:
        """Import all plug-ins on the first call; returns a message for each failed import."""
        with self._lock:
            if self._problems is None:
                from importlib.metadata import entry_points  # slow to import, and most windows never need it

                self._problems = []
                for point in entry_points(group=GROUP):
                    self._load(point, self._problems)
            return self._problems

    def _load(self, point: EntryPoint, problems: list[str]) -> None:
        try:
            point.load()
        except Exception as error:
            name = point.dist.name if point.dist else point.value
            log.exception("The package %s could not be loaded", name)
            problems.append(f"Couldn’t load the package “{name}”: {error}.")


PLUGINS = Plugins()
