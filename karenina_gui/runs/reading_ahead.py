"""Templates of later questions, read while the first answers are under way and there is nothing else to do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox import Sandbox

_BEGIN_AFTER = 0.1
"""Seconds, in which the first requests leave."""
_LET_OTHERS_IN = 0.0005
"""Seconds between two templates, so that no worker waits long for the interpreter."""
_AHEAD = 128
"""Templates at most; a sandbox keeps a few times as many."""
_GLANCE = 0.05
"""Seconds between two looks at how far the run is."""


class ReadingAhead(threading.Thread):
    """Ends by itself, or soon after `over` is set. Whatever goes wrong is met again by the job, which tells it."""

    def __init__(
        self, sandbox: Sandbox, sources: Sequence[str], begun: Callable[[], int], over: threading.Event, *, trust: bool
    ) -> None:
        """`sources`: templates in the order in which they are needed. `begun`: how many were needed so far."""
        super().__init__(name="reading-ahead", daemon=True)
        self._sandbox = sandbox
        self._sources = sources
        self._begun = begun
        self._over = over
        self._trust = trust

    def run(self) -> None:
        with suppress(SandboxError):
            self._sandbox.level  # noqa: B018  (tried out here, lest the first results wait for it)
            self._over.wait(_BEGIN_AFTER)
            place = self._begun()
            while place < len(self._sources) and not self._over.wait(_LET_OTHERS_IN):
                place = max(place, self._begun())
                if place >= self._begun() + _AHEAD:
                    self._over.wait(_GLANCE)
                elif place < len(self._sources):
                    self._sandbox.read_ahead(self._sources[place], trust=self._trust)
                    place += 1
