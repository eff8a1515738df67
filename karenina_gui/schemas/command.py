"""Commands of authors as the log keeps them: who did what, when, and with which changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from karenina_gui.text import join_list, quantity

Operation = Literal["insert", "update", "delete"]
State = Literal["done", "undone", "dropped"]
"""dropped: undone, and can no longer be redone, because its author went on with something else."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Author of a command."""

    person: str = ""
    """Browser id; empty: a program, such as the command line."""
    name: str = ""
    """Name in the settings of the browser at the time; empty: none was given."""


@dataclass(frozen=True, slots=True)
class LoggedCommand:
    """One command of the log."""

    id: int
    scope: str
    """Undo stack: `benchmark/3`, `benchmarks`, `models`, `presets`, or `prices`."""
    kind: str
    """Table and verb, such as `question.delete`."""
    data: dict[str, Any]
    """Parts of its sentence: `count`, `title`, `fields`, `number`, `file`."""
    actor: Actor
    at: str
    state: State
    undone_at: str | None = None
    undone_by: str | None = None
    """Name of its undoer; None: nobody, or unknown."""

    @property
    def number(self) -> int | None:
        """Number of the only question that it changed; None: several, or none."""
        return self.data.get("number")

    @property
    def benchmark_id(self) -> int | None:
        return benchmark_in(self.scope)


@dataclass(frozen=True, slots=True)
class RowChange:
    """Change of one row by a command. `update` holds only the columns that differ."""

    table: str
    key: str
    operation: Operation
    before: dict[str, Any] | None = field(default=None)
    """Column values; None: the row did not exist."""
    after: dict[str, Any] | None = field(default=None)
    """Column values; None: the row is gone, or was inserted and has not been undone yet."""


def benchmark_scope(benchmark_id: int) -> str:
    return f"benchmark/{benchmark_id}"


def benchmark_in(scope: str) -> int | None:
    """Id of the benchmark of a scope; None: it belongs to no benchmark."""
    kind, _, number = scope.partition("/")
    return int(number) if kind == "benchmark" and number else None


NOUNS = {
    "question": "question",
    "benchmark": "benchmark",
    "comment": "comment",
    "question_pair": "pair of similar questions",
    "calibration": "calibration",
    "answer_label": "label",
    "shelf_item": "saved trait or template",
    "model": "model",
    "preset": "preset",
    "model_price": "price",
}
FIELDS = {
    "question": "question text",
    "raw_answer": "reference answer",
    "answer_notes": "notes",
    "answer_template": "template",
    "keywords": "keywords",
    "question_rubric": "traits",
    "trait_edits": "incomplete traits",
    "workspace_path": "workspace",
    "few_shot_examples": "few-shot examples",
    "question_id": "ID",
    "id_set": "ID",
    "author": "author",
    "sources": "sources",
    "custom_metadata": "metadata or sample answers",
    "separate_review": "setting “Authors can’t finish their own questions”",
    "done_at": "status (open or done)",
    "finished": "finished mark",
    "value": "value",
    "skipped": "status (labeled or skipped)",
    "name": "name",
    "description": "description",
    "version": "version",
    "creator": "creator",
    "rubric": "traits",
    "custom_properties": "metadata",
    "workspace_root": "workspace root",
    "config": "settings",
    "manual_traces": "recorded answers",
    "input": "input price",
    "output": "output price",
    "cache_read": "cache read price",
    "cache_creation": "cache write price",
}
"""Names of columns on the screen. The log keeps others, too, which follow from these."""
_FOLLOWS = {
    "question": {"question_id", "id_set", "custom_metadata"},
    "question_rubric": {"trait_edits"},
    "rubric": {"trait_edits"},
    "name": {"config"},
}
"""Columns that change with another one, by that one; a sentence names only the cause."""
_VERBS = {
    "add": ("add", "Added"),
    "duplicate": ("duplicate", "Duplicated"),
    "import": ("import", "Imported"),
    "merge": ("merge", "Merged"),
    "apply": ("apply changes to", "Applied changes to"),
    "delete": ("delete", "Deleted"),
    "restore": ("restore", "Restored"),
    "replace": ("replace text in", "Replaced text in"),
    "confirm": ("confirm", "Confirmed"),
    "return": ("return", "Returned"),
    "ask": ("ask for review of", "Asked for review of"),
    "revert": ("restore earlier version of", "Restored an earlier version of"),
}
_ABOUT = {
    "comment": "comment",
    "question_pair": "pair of similar questions",
    "calibration": "calibration of",
    "answer_label": "label of the answer",
    "shelf_item": "saved trait or template",
    "model": "model",
    "preset": "preset",
    "model_price": "price of",
}
"""Words before a title that does not say by itself what it is the title of."""
_MARKS = {"finish": "finished", "unfinish": "unfinished", "review": "reviewed"}


def sentence(command: LoggedCommand) -> str:
    """Past tense, such as `Deleted 3 questions`."""
    table, verb = command.kind.split(".")
    what = _object(command, table)
    if mark := _MARKS.get(verb):
        return f"Marked {what} as {mark}"
    if verb == "edit":
        return f"Edited the {_field_list(command)} of {what}"
    return f"{_VERBS[verb][1]} {what}{_origin(command)}"


def imperative(command: LoggedCommand) -> str:
    """Lowercase imperative for menus, such as `delete 3 questions`."""
    table, verb = command.kind.split(".")
    what = quantity(command.data["count"], NOUNS[table]) if command.data["count"] > 1 else NOUNS[table]
    if mark := _MARKS.get(verb):
        return f"mark {what} {mark}"
    return f"edit {_field_list(command)}" if verb == "edit" else f"{_VERBS[verb][0]} {what}"


def field_titles(names: Sequence[str]) -> list[str]:
    """Names of changed columns on the screen, each once, without those that follow from others."""
    implied = {name for cause, names_after in _FOLLOWS.items() if cause in names for name in names_after}
    return list(dict.fromkeys(FIELDS[name] for name in names if name in FIELDS and name not in implied))


def _object(command: LoggedCommand, table: str) -> str:
    count, title = command.data["count"], command.data.get("title")
    if count > 1:
        return quantity(count, NOUNS[table])
    if title and table in _ABOUT:
        return f"the {_ABOUT[table]} “{title}”"
    if title:
        return f"“{title}”"
    return f"an untitled {NOUNS[table]}"


def _field_list(command: LoggedCommand) -> str:
    return join_list(field_titles(command.data.get("fields", []))) or "settings"


def _origin(command: LoggedCommand) -> str:
    return f" from {command.data['file']}" if "file" in command.data else ""
