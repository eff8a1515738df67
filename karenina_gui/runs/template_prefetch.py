"""Prefetching of templates: outlines of later questions are computed while the first answers are generated."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox import Sandbox

_BEGIN_AFTER = 0.1
"""Seconds before the first template is read, so that the first requests are sent without delay."""
_LET_OTHERS_IN = 0.0005
"""Seconds of sleep between templates, so that workers get the interpreter lock."""
_AHEAD = 128
"""Maximum number of templates read ahead; the sandbox caches 512."""
_GLANCE = 0.05
"""Seconds between two checks of the run's progress."""


class TemplatePrefetch(threading.Thread):
    """Prefetching thread. It ends after the last template or when `over` is set.

    Errors are ignored here, because the job itself meets and reports them.
    """

    def __init__(
        self, sandbox: Sandbox, sources: Sequence[str], begun: Callable[[], int], over: threading.Event, *, trust: bool
    ) -> None:
        """`sources`: templates in the order of use. `begun`: returns the number of templates used so far."""
        super().__init__(name="reading-ahead", daemon=True)
        self._sandbox = sandbox
        self._sources = sources
        self._begun = begun
        self._over = over
        self._trust = trust

    def run(self) -> None:
        with suppress(SandboxError):
            self._sandbox.level  # noqa: B018  (probing takes time, and the first results would wait for it)
            self._over.wait(_BEGIN_AFTER)
            place = self._begun()
            while place < len(self._sources) and not self._over.wait(_LET_OTHERS_IN):
                place = max(place, self._begun())
                if place >= self._begun() + _AHEAD:
                    self._over.wait(_GLANCE)
                elif place < len(self._sources):
                    self._sandbox.read_ahead(self._sources[place], trust=self._trust)
                    place += 1
