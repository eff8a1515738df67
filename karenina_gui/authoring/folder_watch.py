"""Watches for changes of folders by other programs, as long as a page shows them."""

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
"""Seconds during which all changes of a folder are collected into one call."""
_CHANGES = ("created", "modified", "deleted", "moved")
"""Kinds of events that are changes, unlike the opening or closing of a file."""


def _is_no_late_event(record: logging.LogRecord) -> bool:
    # watchdog logs an error if it reads an event while its watch ends, although nothing went wrong.
    return "when the thread is inactive" not in record.getMessage()


logging.getLogger("watchdog.observers.inotify").addFilter(_is_no_late_event)

WatchTarget = tuple[Path, bool]
"""(Folder, true if its subfolders are watched, too)."""


class FolderWatch:
    """Watches folders, and calls `on_change` with a folder in which something has changed.

    Safe to use from any thread; the calls come from a thread of the watch.
    """

    def __init__(self, on_change: Callable[[Path], None]) -> None:
        self._on_change = on_change
        self._lock = threading.Lock()
        self._observer: BaseObserver | None = None
        self._watches: dict[WatchTarget, ObservedWatch] = {}
        self._users: Counter[WatchTarget] = Counter()

    def start(self, folder: Path, *, deep: bool = True) -> Callable[[], None] | None:
        """Watch a folder, with `deep` also all its subfolders.

        Returns a function that ends the watch and does nothing when called again. None: this computer cannot watch
        the folder, for instance because it has too many subfolders.
        """
        target = folder, deep
        with self._lock:
            try:
                if target not in self._watches:
                    self._watches[target] = self._begin(target)
                self._users[target] += 1
            except OSError as error:
                # Linux limits the number of watches for each user; a folder with many subfolders uses them up.
                log.warning("Changes in %s cannot be watched: %s", folder, error)
                return None
            finally:
                self._stop_if_unused()
        active = [True]

        def stop() -> None:
            with self._lock:
                if active:
                    active.clear()
                    self._stop(target)

        return stop

    def _begin(self, target: WatchTarget) -> ObservedWatch:
        folder, deep = target
        if self._observer is None:
            self._observer = Observer()
            self._observer.daemon = True
            self._observer.start()
        return self._observer.schedule(_Listener(folder, self._on_change), str(folder), recursive=deep)

    def _stop(self, target: WatchTarget) -> None:
        self._users[target] -= 1
        if self._users[target] > 0:
            return
        del self._users[target]
        watch = self._watches.pop(target)
        if self._observer is not None:
            self._observer.unschedule(watch)
        self._stop_if_unused()

    def _stop_if_unused(self) -> None:
        """Stop the threads if no folder is watched."""
        if not self._watches and self._observer is not None:
            self._observer.stop()
            self._observer = None


class _Listener(FileSystemEventHandler):
    """Makes one call of a burst of changes."""

    def __init__(self, folder: Path, on_change: Callable[[Path], None]) -> None:
        self._folder = folder
        self._on_change = on_change
        self._lock = threading.Lock()
        self._due = False

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type not in _CHANGES or self._is_own_upload(event):
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
        self._on_change(self._folder)

    def _is_own_upload(self, event: FileSystemEvent) -> bool:
        """Check for a file that an upload is writing; its renaming is the change."""
        name = PurePath(str(event.src_path)).name
        return event.event_type != "moved" and PARTIAL.match(name) is not None
