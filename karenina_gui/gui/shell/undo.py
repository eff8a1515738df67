"""Undo and redo of what the open page shows: of its benchmark, or of the models, presets, or prices."""

from __future__ import annotations

import re
from collections.abc import Callable

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.pages.history.places import place_of
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.command import LoggedCommand, benchmark_in, benchmark_scope, imperative, sentence
from karenina_gui.store.command_log import Reversal

_PAGES = "questions|table|replace|versions|calibration|details|rubric|history"
_OF_BENCHMARK = re.compile(rf"/benchmarks/(\d+)(/({_PAGES})(/.*)?)?")
_OTHERS = ("benchmarks", "models", "presets", "prices")
NO_SCOPE = "Open a benchmark first, or Models, Presets, or Prices."


def scope_in(path: str) -> str | None:
    """Scope of the commands about a page; None: authors edit nothing there."""
    path = path.split("?")[0].split("#")[0].rstrip("/")
    if match := _OF_BENCHMARK.fullmatch(path):
        return benchmark_scope(int(match[1]))
    return path[1:] if path[1:] in _OTHERS else None


def undo_title(window: Window) -> str:
    command = _next_undo(window)
    return f"Undo {imperative(command)}" if command else "Undo"


def redo_title(window: Window) -> str:
    command = _next_redo(window)
    return f"Redo {imperative(command)}" if command else "Redo"


def undo_obstacle(window: Window) -> str | None:
    if scope_in(window.path) is None:
        return NO_SCOPE
    return None if window.is_editing or _next_undo(window) else "You have nothing to undo here."


def redo_obstacle(window: Window) -> str | None:
    if scope_in(window.path) is None:
        return NO_SCOPE
    return None if _next_redo(window) else "You have nothing to redo here."


async def undo_last(window: Window) -> None:
    """Undo this user's last command about the open page."""
    await _reverse(window, window.services.editor.history.undo_last, "Undone")


async def redo_last(window: Window) -> None:
    """Redo this user's command about the open page that was undone last."""
    await _reverse(window, window.services.editor.history.redo_last, "Redone")


async def _reverse(window: Window, reverse: Callable[[str, str], Reversal | None], word: str) -> None:
    scope = scope_in(window.path)
    if scope is None:
        return
    await window.finish_edits()
    try:
        reversal = await window.write(reverse, scope, window.browser_id)
    except NotFoundError:
        window.notify("The benchmark was deleted. Restore it first.", "bad")
    except InputError as error:
        window.notify(str(error), "bad", address=_history(scope))
    else:
        if reversal is not None:
            window.note_saved()
            window.notify(f"{word}: {sentence(reversal.command)}.", address=place_of(reversal))


def _history(scope: str) -> str | None:
    """Address of the history of a scope, where commands can be undone in another order."""
    benchmark_id = benchmark_in(scope)
    return "/history" if benchmark_id is None else f"/benchmarks/{benchmark_id}/history"


def _next_undo(window: Window) -> LoggedCommand | None:
    scope = scope_in(window.path)
    return window.services.library.commands.next_undo(scope, window.browser_id) if scope else None


def _next_redo(window: Window) -> LoggedCommand | None:
    scope = scope_in(window.path)
    return window.services.library.commands.next_redo(scope, window.browser_id) if scope else None
