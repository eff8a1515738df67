"""History of benchmarks and of everything else that authors edit: undo, redo, and earlier versions."""

from __future__ import annotations

from karenina_gui.authoring.changes import ChangeKind, Changes
from karenina_gui.events import Signal
from karenina_gui.schemas.command import benchmark_in
from karenina_gui.store.capture import SOFT
from karenina_gui.store.command_log import Reversal, Row
from karenina_gui.store.library import Library


class History:
    """Undoes and redoes commands and announces what changes; safe to use from any thread.

    Raises `CannotUndoError` if a later change stands against it; nothing is changed then.
    """

    def __init__(self, library: Library, changes: Changes) -> None:
        self._commands = library.commands
        self._versions = library.versions
        self._changes = changes
        self.reversed: Signal[[Reversal]] = Signal()
        """A command was undone or redone; emitted in the thread that did it, after the changes of benchmarks."""

    def undo_last(self, scope: str, person: str) -> Reversal | None:
        """Undo the last command of this person; None if nothing is left to undo."""
        command = self._commands.next_undo(scope, person)
        return None if command is None else self.undo(command.id)

    def redo_last(self, scope: str, person: str) -> Reversal | None:
        """Redo the command of this person that was undone last; None if nothing is left to redo."""
        command = self._commands.next_redo(scope, person)
        return None if command is None else self.redo(command.id)

    def undo(self, command_id: int) -> Reversal:
        """Undo one command of any author."""
        return self._announce(self._commands.undo(command_id))

    def redo(self, command_id: int) -> Reversal:
        """Redo one command of any author."""
        return self._announce(self._commands.redo(command_id))

    def restore(self, benchmark_id: int, command_id: int, number: int | None = None) -> int:
        """Bring back the version of a question after a command, as a new command; returns how many rows changed.

        `number` None: the version of the whole benchmark.
        """
        row = None if number is None else ("question", str(number))
        changed = self._versions.restore(benchmark_id, command_id, row)
        if changed:
            self._changes.emit(benchmark_id, "replaced")
        return len(changed)

    def _announce(self, reversal: Reversal) -> Reversal:
        for benchmark_id, kind, number in _news(reversal):
            self._changes.emit(benchmark_id, kind, number)
        self.reversed.emit(reversal)
        return reversal


def _news(reversal: Reversal) -> list[tuple[int, ChangeKind, int | None]]:
    """News about the benchmarks that a reversal has changed."""
    rows = [row for row in {**reversal.before, **reversal.after} if _differs(reversal, row)]
    benchmark_id = benchmark_in(reversal.command.scope)
    if benchmark_id is None:
        return [(int(row[1]), _presence(reversal, row), None) for row in rows if row[0] == "benchmark"]
    return [_news_of(reversal, benchmark_id, rows)]


def _news_of(reversal: Reversal, benchmark_id: int, rows: list[Row]) -> tuple[int, ChangeKind, int | None]:
    """News about one benchmark."""
    questions = [row for row in rows if row[0] == "question"]
    if len(rows) > 1 or not questions:
        return benchmark_id, "replaced" if questions else "edited", None
    kind = _presence(reversal, questions[0])
    # A template that came back is unchecked, and only a list that is read again has it checked.
    if kind == "edited" and _has_other_template(reversal, questions[0]):
        return benchmark_id, "replaced", None
    return benchmark_id, kind, int(questions[0][1])


def _has_other_template(reversal: Reversal, row: Row) -> bool:
    return bool(reversal.before[row]["answer_template"] != reversal.after[row]["answer_template"])


def _differs(reversal: Reversal, row: Row) -> bool:
    """Check that more than the place in the order changed."""
    before, after = reversal.before.get(row), reversal.after.get(row)
    if before is None or after is None:
        return before is not after
    return any(before[name] != value for name, value in after.items() if name not in SOFT)


def _presence(reversal: Reversal, row: Row) -> ChangeKind:
    before, after = (_is_there(rows.get(row)) for rows in (reversal.before, reversal.after))
    return "edited" if before == after else "added" if after else "removed"


def _is_there(image: dict[str, object] | None) -> bool:
    return image is not None and not image.get("deleted_at")
