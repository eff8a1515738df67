"""One command of the history: who, when, what it changed, and the version of the benchmark after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import run, ui

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.diff_view import diff_table
from karenina_gui.gui.kit.elements import button, field, heading, key_values, scrolling, toolbar
from karenina_gui.gui.kit.expected_found import format_value
from karenina_gui.gui.kit.html import Html, join_html, tag
from karenina_gui.gui.kit.record_text import is_record, record_text
from karenina_gui.gui.pages.history.places import place_of_command
from karenina_gui.gui.pages.templates.sample_row import KIND_TITLES
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.schemas.command import FIELDS, NOUNS, LoggedCommand, sentence
from karenina_gui.schemas.sample_answer import SAMPLE_ANSWERS, SampleAnswer, samples_in
from karenina_gui.store.command_log import Reversal
from karenina_gui.store.question_ids import shorten
from karenina_gui.text import quantity

MOST_ROWS = 20
"""Rows of a command that are shown."""
NOW = 2**62
"""Stands for the version that is there now: no command comes after it."""
CHANGE = 0
"""Stands for the changes of the command itself."""
OLDEST = -1
"""Stands for the version before all commands of the history."""
Values = Mapping[str, Any] | None
_HIDDEN = {"id_set", "has_template", "finished_at"}
"""Columns that only say how another one came about."""

_DATES = {"deleted_at": ("Deleted.", "Restored."), "returned_at": ("Returned to its author.", "Open for review.")}
"""Sentences about columns that hold the time of a state: while it lasts, and once it is over."""


class CommandView:
    """Pane of one command. `number`: the question whose history is open; None: that of all."""

    def __init__(
        self, window: Window, command: LoggedCommand, number: int | None, others: Sequence[LoggedCommand]
    ) -> None:
        self._window, self._command, self._number = window, command, number
        self._others = others
        self._of = command.benchmark_id
        """Benchmark whose questions the command changed; None: unknown yet, or none."""
        self._history = window.services.editor.history

    def draw(self) -> None:
        command = self._command
        with toolbar("Action"):
            ui.space()
            self._draw_actions()
        with scrolling("Changes"), ui.element("div").classes("history-detail"):
            heading(sentence(command))
            key_values(self._facts())
            if command.benchmark_id is not None and command.state == "done":
                with field("Compare"):
                    choice = ui.select(self._versions(), value=CHANGE, on_change=lambda e: self._choose(int(e.value)))
                    choice.props('outlined dense options-dense aria-label="Compare"').classes("input")
            changes = tag("div", self._changes())
            self._changes_view = ui.html(changes, sanitize=False).classes("history-changes")

    def _facts(self) -> list[tuple[str, str]]:
        command = self._command
        facts = [("Author", author_of(command)), ("Time", day_and_time(command.at))]
        if command.undone_at:
            facts.append(("Undone", f"{day_and_time(command.undone_at)}, {command.undone_by or 'unnamed'}"))
        return facts

    def _draw_actions(self) -> None:
        command = self._command
        if command.benchmark_id is not None:
            button("Show", partial(ui.navigate.to, self._place_of()), look="quiet")
            if command.state == "done":
                what = "question" if self._number is not None else "benchmark"
                button(f"Restore {what} version", self._restore)
        if command.state == "done":
            button("Undo", self._undo, icon="undo")
        elif command.state == "undone":
            button("Redo", self._redo, icon="redo")

    def _place_of(self) -> str:
        command = self._command
        questions, number = self._window.services.library.questions, command.number
        try:
            is_there = number is not None and bool(questions.summary(command.benchmark_id or 0, number))
        except NotFoundError:
            is_there = False
        return place_of_command(command, is_there=is_there)

    def _versions(self) -> dict[int, str]:
        """Choices of the comparison: the command itself, the present, and the versions after other commands."""
        others = [command for command in self._others if command.state == "done" and command.id != self._command.id]
        return {
            CHANGE: "This change",
            NOW: "With the current version",
            OLDEST: "With the oldest version",
            **{command.id: f"With {day_and_time(command.at)}: {sentence(command)}" for command in others},
        }

    async def _choose(self, other: int) -> None:
        # A long history takes a while, in which no window must wait.
        changes = await run.io_bound(self._changes if other == CHANGE else partial(self._difference, other))
        if changes is not None and not self._changes_view.is_deleted:
            self._changes_view.set_content(tag("div", changes))

    def _changes(self) -> Html:
        changes = self._window.services.library.commands.changes(self._command.id, self._row, limit=MOST_ROWS)
        # A command about the whole library, such as an import, names the benchmark by its row.
        self._of = self._of or next((int(change.key) for change in changes if change.table == "benchmark"), None)
        parts = []
        for change in changes:
            before, after = change.before, {} if change.operation == "insert" else change.after
            parts.append(row_changes(change.table, self._title(change.table, change.key, before), before, after, SIDES))
        total = 1 if self._row else int(self._command.data["count"])
        return join_html([*parts, self._rest(total - len(parts))])

    def _difference(self, other: int) -> Html:
        first, second = sorted((self._command.id, max(other, 0)))
        versions = self._window.services.library.versions
        differences = versions.difference(self._command.benchmark_id or 0, first, second, self._row)
        if not differences:
            return tag("p", "Both versions are the same.", class_="hint")
        titles = ("Earlier", "Now" if other == NOW else "Later")
        parts = [
            row_changes(table, self._title(table, key, left or right), left, right, titles)
            for (table, key), left, right in differences[:MOST_ROWS]
        ]
        return join_html([*parts, self._rest(len(differences) - len(parts))])

    @property
    def _row(self) -> tuple[str, str] | None:
        """The row whose history is open; None: all."""
        return None if self._number is None else ("question", str(self._number))

    def _rest(self, count: int) -> Html:
        return tag("p", f"… and {quantity(count, 'more row')}", class_="hint") if count > 0 else Html("")

    def _title(self, table: str, key: str, image: Values) -> str:
        if table == "question" and self._of is not None:
            try:
                title = self._window.services.library.questions.summary(self._of, int(key)).text
            except NotFoundError:
                title = str((image or {}).get("question", ""))
            return shorten(title)
        return str((image or {}).get("name", "")) or str(self._command.data.get("title", ""))

    async def _undo(self) -> None:
        await self._reverse(self._history.undo, "Undone")

    async def _redo(self) -> None:
        await self._reverse(self._history.redo, "Redone")

    async def _reverse(self, reverse: Callable[[int], Reversal], word: str) -> None:
        try:
            await self._window.write(reverse, self._command.id)
        except InputError as error:
            self._window.notify(str(error), "bad")
            return
        self._window.note_saved()
        self._window.notify(f"{word}: {sentence(self._command)}.")

    async def _restore(self) -> None:
        command, window = self._command, self._window
        assert command.benchmark_id is not None
        try:
            done = await window.write(as_one(self._history.restore), command.benchmark_id, command.id, self._number)
        except InputError as error:
            window.notify(str(error), "bad")
            return
        if not done.outcome:
            window.notify("This is the current version.")
            return
        window.note_saved()
        what = "question" if self._number is not None else "benchmark"
        window.notify(
            f"Restored the {what} as of {day_and_time(command.at)}.", "good", partial(window.undo, done.command_id)
        )


def author_of(command: LoggedCommand) -> str:
    """Name of the author of a command; programs, such as the first start, have none."""
    return command.actor.name or ("Unnamed" if command.actor.person else "Application")


SIDES = ("Before", "After")


def row_changes(table: str, title: str, before: Values, after: Values, titles: tuple[str, str]) -> Html:
    """Heading of a row and its differences; None: the row did not exist, or is gone."""
    head = tag("h3", f"{NOUNS[table].capitalize()} “{title}”" if title else NOUNS[table].capitalize(), class_="h3")
    if before is None or after is None:
        word = "Added." if before is None else "Deleted."
        return join_html([head, tag("p", word, class_="hint")])
    parts = [_difference(name, before, after, titles) for name in after if _is_shown(name, before, after)]
    states = [tag("p", text, class_="hint") for text in _state_changes(before, after)]
    return join_html([head, *parts, *states])


def _state_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    changed = [name for name in _DATES if name in after and before.get(name) != after[name]]
    return [_DATES[name][0 if after[name] else 1] for name in changed]


def _is_shown(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    return name in FIELDS and name not in _HIDDEN and before.get(name) != after[name]


def _difference(name: str, before: Mapping[str, Any], after: Mapping[str, Any], titles: tuple[str, str]) -> Html:
    documents = [_document(name, values.get(name)) for values in (before, after)]
    one, other = (_text(name, document) for document in documents)
    table = diff_table(one, other, titles, code=name == "answer_template", aligned=any(map(is_record, documents)))
    title = FIELDS[name]
    return join_html([tag("div", title[:1].upper() + title[1:], class_="field-label"), table])


def _document(name: str, value: Any) -> Any:
    """Value of a column, parsed where it is JSON."""
    document = json.loads(value) if name in _DOCUMENTS and isinstance(value, str) else value
    if name == "trait_edits":
        return [edit["values"] for edit in document or () if "values" in edit]
    return document


def _text(name: str, document: Any) -> str:
    """Parsed value of a column for a reader."""
    if name == "finished":
        return "finished" if document else "unfinished"
    if name == "custom_metadata" and isinstance(document, dict):
        return _metadata_text(document)
    return record_text(document, titled=name not in ("custom_properties", "manual_traces"))


def _metadata_text(metadata: dict[str, Any]) -> str:
    """Metadata and sample answers of a question, a line each."""
    samples = samples_in(metadata)
    rest = {name: value for name, value in metadata.items() if samples is None or name != SAMPLE_ANSWERS}
    return "\n".join(
        [*map(_entry_line, rest.items()), *(line for sample in samples or () for line in _sample_lines(sample))]
    )


def _sample_lines(sample: SampleAnswer) -> list[str]:
    expected = "should pass" if sample.passes else "should fail"
    items = (sample.values or {}).items()
    values = [f"  {name}: {'not stated' if value is None else format_value(value)}" for name, value in items]
    source = [f"  Source: {sample.origin}"] if sample.origin else []
    return [f"Sample answer, {KIND_TITLES[sample.kind].lower()}, {expected}:", f"  {sample.text}", *values, *source]


def _entry_line(item: tuple[str, Any]) -> str:
    name, value = item
    return f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"


_DOCUMENTS = {
    *("keywords", "author", "sources", "question_rubric", "trait_edits"),
    *("few_shot_examples", "custom_metadata"),
    *("creator", "rubric", "custom_properties", "config", "manual_traces"),
}
"""Columns that hold JSON."""
