"""Benchmarks as checkpoint files (JSON-LD), as upstream reads and writes them.

Reading executes nothing and refuses little: what cannot be used stays in the file and is reported. Writing starts from
the JSON that was read and changes only what has changed, so that keys and properties of others survive.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Container, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from karenina_gui.errors import FileFormatError, InputError
from karenina_gui.formats.atomic_file import write_atomically
from karenina_gui.formats.checkpoints.json_patch import as_list
from karenina_gui.formats.checkpoints.questions import (
    EntryDefaults,
    UnreadableEntry,
    explicit_id,
    read_entry,
    write_entry,
)
from karenina_gui.formats.checkpoints.root import read_root, write_root
from karenina_gui.formats.checkpoints.trait_lists import rated_in
from karenina_gui.formats.json_text import read_json, to_json_bytes, without_secrets
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.placeholder_ids import is_placeholder
from karenina_gui.schemas.problems import as_sentence
from karenina_gui.schemas.published_version import PublishedVersion
from karenina_gui.schemas.question import question_fingerprint
from karenina_gui.text import quantity

SUFFIXES = (".jsonld", ".json")
MOST_NOTES = 1000
_CHOOSE = "Choose a .jsonld file that this application or karenina wrote."
_WOULD_CHANGE = (
    "would change when the file is read again, so nothing was saved. Undo the latest edit of it, and try again."
)


def load_checkpoint(path: str | Path) -> BenchmarkDocument:
    """The benchmark in the file.

    See `read_checkpoint` for what was not understood. Raises `FileFormatError` if it is no benchmark.
    """
    return read_checkpoint(path)[0]


def read_checkpoint(path: str | Path) -> tuple[BenchmarkDocument, list[str]]:
    """The benchmark in the file, and one sentence for each part of it that is kept but not used as it stands."""
    path = Path(path)
    return parse_checkpoint(read_json(path), path=path)


def parse_checkpoint(data: Any, *, path: Path, repair: bool = True) -> tuple[BenchmarkDocument, list[str]]:
    """The benchmark and the notes of `read_checkpoint`, from JSON that is already parsed.

    `path` is for messages and for a missing name. `repair`: replace placeholder ids of earlier versions
    (`schemas.placeholder_ids`) by the ids of the texts.
    """
    _check_is_benchmark(data, path)
    notes: list[str] = []
    clean = without_secrets(data)
    if clean is not data:
        notes.append("The file contained an API key, which was removed. Use an environment variable instead.")
    document = read_root(clean, path.stem, notes)
    if "dataFeedElement" not in clean and not clean.get("hasPart"):
        notes.append("The file has no list of questions ('dataFeedElement'), so the benchmark is empty.")
    if scenarios := len(document.scenarios):
        notes.append(
            f"The file contains {quantity(scenarios, 'scenario')}. Scenarios are exported unchanged, but not run here."
        )
    document.entries, unreadable = _read_entries(as_list(clean.get("dataFeedElement")), document, notes, repair=repair)
    # Entries that were read stand in `entries`; only the unreadable ones have to be carried along here.
    document.source = {k: unreadable if k == "dataFeedElement" else v for k, v in clean.items()}
    if (more := len(notes) - MOST_NOTES) > 0:
        notes[MOST_NOTES:] = [f"There are {more:,} more warnings about this file."]
    return document, notes


def _check_is_benchmark(data: Any, path: Path) -> None:
    if not isinstance(data, dict) or not isinstance(data.get("dataFeedElement", []), list | dict):
        raise FileFormatError(
            f"{path.name} is not a benchmark: it is not one JSON object with a list 'dataFeedElement'. {_CHOOSE}",
            path=str(path),
        )
    if "dataFeedElement" not in data and data.get("@type") != "DataFeed":
        raise FileFormatError(
            f"{path.name} is not a benchmark: it has no list of questions ('dataFeedElement'). {_CHOOSE}",
            path=str(path),
        )


def save_checkpoint(document: BenchmarkDocument, path: str | Path, version: PublishedVersion | None = None) -> Path:
    """Write the benchmark and return the path, which ends in `.jsonld` unless it names `.jsonld` or `.json`.

    `version`: the published version that the document is; the file then names it.

    The file is complete and has been read back before it replaces an older one, which stays as `<name>.bak`. Keys of
    providers are never written.

    Raises `InputError` if the benchmark cannot be written, `FileFormatError` if the place cannot.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        path = path.with_name(f"{path.name}.jsonld")
    content = checkpoint_bytes(document, version)
    return write_atomically(path, content, backup=True)


def checkpoint_bytes(document: BenchmarkDocument, version: PublishedVersion | None = None) -> bytes:
    """The file's content, for a download.

    Raises `InputError` if the benchmark cannot be written.
    """
    elements = [write_entry(entry) for entry in document.entries] + as_list(document.source.get("dataFeedElement"))
    data = without_secrets(write_root(document, elements, version))
    content = to_json_bytes(data)
    _check_that_it_reads_back(document, content)
    return content


def _read_entries(
    elements: list[Any], document: BenchmarkDocument, notes: list[str], *, repair: bool
) -> tuple[list[BenchmarkEntry], list[Any]]:
    """The readable questions, each with an id of its own, and the elements that hold none."""
    entries: list[BenchmarkEntry] = []
    unreadable: list[Any] = []
    elements = [_repair(element, notes) for element in elements] if repair else elements
    # Ids that the file states are kept before others are made up: an id computed from a text must not take one of them.
    explicit = {id_ for element in elements if (id_ := explicit_id(element))}
    taken: set[str] = set()
    copies: dict[str, Iterator[int]] = defaultdict(lambda: count(1))
    for number, element in enumerate(elements, 1):
        try:
            defaults = EntryDefaults(document.date_created, document.date_modified)
            entry = read_entry(element, defaults, notes)
        except UnreadableEntry as fault:
            unreadable.append(element)
            notes.append(f"Entry {number} is preserved but not used: {as_sentence(str(fault))}")
            continue
        if entry.id in taken or (entry.id in explicit and not explicit_id(element)):
            stated = entry.id
            entry.question.id = _free_id(stated, copies[stated], taken, explicit)
            notes.append(f"Entry {number}: the ID {stated!r} belongs to another question. It is now {entry.id!r}.")
        taken.add(entry.id)
        entries.append(entry)
    return entries, unreadable


def _repair(element: Any, notes: list[str]) -> Any:
    """The element without the id that an earlier version gave to a question before it had its text."""
    id_ = explicit_id(element)
    item = element.get("item") if id_ else None
    text = item.get("text") if isinstance(item, dict) else None
    if id_ is None or not isinstance(text, str) or not is_placeholder(id_, text):
        return element
    notes.append(f"The ID of the question “{text[:60]}” was a placeholder. It is now derived from the text.")
    return {**element, "@id": question_fingerprint(text)}


def _free_id(question_id: str, copies: Iterator[int], *taken: Container[str]) -> str:
    """The id with the next number of a copy that is free in all of `taken`."""
    ids = (f"{question_id}-{number}" for number in copies)
    return next(free for free in ids if not any(free in ids_taken for ids_taken in taken))


def _check_that_it_reads_back(document: BenchmarkDocument, content: bytes) -> None:
    """Refuse to write what would not be read as it is.

    Raises `InputError` if something would be lost or changed.
    """
    again, _ = parse_checkpoint(json.loads(content), path=Path(f"{document.name}.jsonld"), repair=False)
    if [_essence(entry) for entry in again.entries] != [_essence(entry) for entry in document.entries]:
        pairs = zip(document.entries, again.entries, strict=False)
        odd = next((a for a, b in pairs if _essence(a) != _essence(b)), None)
        what = f"The question “{odd.question.question[:60]}”" if odd else "The list of questions"
        raise InputError(f"{what} {_WOULD_CHANGE}")
    reread, own = ({rated.key: rated.trait for rated in rated_in(version.rubric, "")} for version in (again, document))
    if reread != own:
        raise InputError(f"The benchmark’s rubric {_WOULD_CHANGE}")


def _essence(entry: BenchmarkEntry) -> tuple[object, ...]:
    question = entry.question
    template = question.answer_template if (question.answer_template or "").strip() else None
    traits = rated_in(question.question_rubric, "")
    return (
        entry.id,
        question.question,
        question.raw_answer,
        template,
        entry.finished,
        entry.changed_since_review,
        question.keywords,
        question.answer_notes,
        question.workspace_path,
        {rated.key: rated.trait for rated in traits},
    )
