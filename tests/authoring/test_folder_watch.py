"""Changes that other programs make in a workspace."""

from __future__ import annotations

import inspect
import logging
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.workspace_files import WorkspaceFiles


@pytest.fixture
def news(editor: BenchmarkEditor) -> list[Path]:
    told: list[Path] = []
    editor.workspaces.changed_outside.subscribe(told.append)
    return told


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "nothing came"
        time.sleep(0.02)


def test_changes_from_outside_are_told_while_somebody_looks(
    editor: BenchmarkEditor, task: Path, news: list[Path]
) -> None:
    stop = editor.workspaces.watch(task)
    second = editor.workspaces.watch(task)
    assert stop is not None
    assert second is not None
    (task / "a.txt").write_text("hello")
    wait_for(lambda: bool(news))
    assert news[0] == task
    stop()
    before = len(news)
    (task / "b.txt").write_text("hello")
    wait_for(lambda: len(news) > before)
    second()
    time.sleep(0.3)
    before = len(news)
    (task / "c.txt").write_text("hello")
    time.sleep(0.5)
    assert len(news) == before


def test_a_burst_of_changes_is_told_in_few_pieces(editor: BenchmarkEditor, task: Path, news: list[Path]) -> None:
    stop = editor.workspaces.watch(task)
    assert stop is not None
    for number in range(400):
        (task / "a.txt").write_text(str(number))
        time.sleep(0.001)
    wait_for(lambda: bool(news))
    stop()
    assert len(news) <= 40


def test_reading_is_no_change(editor: BenchmarkEditor, files: WorkspaceFiles, task: Path, news: list[Path]) -> None:
    (task / "a.txt").write_text("hello")
    stop = editor.workspaces.watch(task)
    assert stop is not None
    files.read("a.txt")
    files.entries()
    files.totals()
    time.sleep(0.5)
    stop()
    assert news == []


def test_one_window_that_looks_at_a_folder_alone_takes_nothing_from_one_that_looks_into_it(
    editor: BenchmarkEditor, task: Path, news: list[Path]
) -> None:
    (task / "inner").mkdir()
    shallow, deep = editor.workspaces.watch(task, deep=False), editor.workspaces.watch(task)
    assert shallow is not None
    assert deep is not None
    (task / "inner" / "a.txt").write_text("hello")
    wait_for(lambda: bool(news))
    shallow()
    shallow()
    before = len(news)
    (task / "inner" / "b.txt").write_text("hello")
    wait_for(lambda: len(news) > before)
    deep()


def test_a_folder_that_is_not_there_cannot_be_watched(editor: BenchmarkEditor, task: Path) -> None:
    before = threading.active_count()
    assert editor.workspaces.watch(task / "nowhere") is None
    wait_for(lambda: threading.active_count() <= before)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other observers")
def test_the_late_event_that_is_not_logged_has_these_words() -> None:
    from watchdog.observers import inotify

    assert "when the thread is inactive" in inspect.getsource(inotify.InotifyEmitter)
    late = logging.LogRecord("", logging.ERROR, "", 0, "queue_events() called when the thread is inactive", (), None)
    assert not inotify.logger.filter(late)
