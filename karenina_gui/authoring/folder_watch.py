"""Watches folders for changes from outside, for as long as somebody looks at them."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path, PurePath

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

from karenina_gui.authoring.workspace_names import PARTIAL

log = logging.getLogger(__name__)

PAUSE = 0.2
"""Seconds in which all changes of a folder become one piece of news."""
_CHANGES = ("created", "modified", "deleted", "moved")
"""Kinds of events that are changes: opening or closing a file is none."""


Sight = tuple[Path, bool]
"""A folder, and true if the folders in it are watched too."""


class FolderWatch:
    """Watches folders, and calls `tell` with a folder in which something has changed.

    Safe to use from any thread; the calls come from a thread of the watch.
    """

    def __init__(self, tell: Callable[[Path], None]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._observer: BaseObserver | None = None
        self._watches: dict[Sight, ObservedWatch] = {}
        self._lookers: Counter[Sight] = Counter()

    def start(self, folder: Path, *, deep: bool = True) -> Callable[[], None] | None:
        """Watch a folder, with `deep` also all folders in it.

        Returns a function that ends it, and does nothing the second time. None: this computer cannot watch it, for
        instance because it has too many folders.
        """
        sight = folder, deep
        with self._lock:
            try:
                if sight not in self._watches:
                    self._watches[sight] = self._begin(sight)
                self._lookers[sight] += 1
            except OSError as fault:
                # Linux allows each person a number of watches; a folder with many others in it uses them up.
                log.warning("Changes in %s cannot be watched: %s", folder, fault)
                return None
            finally:
                self._rest()
        looks = [True]

        def stop() -> None:
            with self._lock:
                if looks:
                    looks.clear()
                    self._stop(sight)

        return stop

    def _begin(self, sight: Sight) -> ObservedWatch:
        folder, deep = sight
        if self._observer is None:
            self._observer = Observer()
            self._observer.daemon = True
            self._observer.start()
        return self._observer.schedule(_Listener(folder, self._tell), str(folder), recursive=deep)

    def _stop(self, sight: Sight) -> None:
        self._lookers[sight] -= 1
        if self._lookers[sight] > 0:
            return
        del self._lookers[sight]
        watch = self._watches.pop(sight)
        if self._observer is not None:
            self._observer.unschedule(watch)
        self._rest()

    def _rest(self) -> None:
        """Stop the threads if nothing is watched."""
        if not self._watches and self._observer is not None:
            self._observer.stop()
            self._observer = None


class _Listener(FileSystemEventHandler):
    """Makes one piece of news of a burst of changes."""

    def __init__(self, folder: Path, tell: Callable[[Path], None]) -> None:
        self._folder = folder
        self._news = tell
        self._lock = threading.Lock()
        self._due = False

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type not in _CHANGES or self._is_ours(event):
            return
        with self._lock:
            if self._due:
                return
            self._due = True
        timer = threading.Timer(PAUSE, self._flush)
        timer.daemon = True
        timer.start()

    def _flush(self) -> None:
        with self._lock:
            self._due = False
        self._news(self._folder)

    def _is_ours(self, event: FileSystemEvent) -> bool:
        """Check for a file that is just being written here; its renaming is the change."""
        name = PurePath(str(event.src_path)).name
        return event.event_type != "moved" and PARTIAL.match(name) is not None
