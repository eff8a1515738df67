"""Texts of a benchmark in which something is found: where they are stored, and how they are after a replacement."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from karenina_gui.errors import InputError
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.text_edits import FieldEdits, QuestionTexts
from karenina_gui.store.row_mapping import REVIEWED

ReplacePart = Literal["question", "raw_answer", "answer_notes", "keywords", "answer_template", "question_rubric"]
REPLACE_PARTS: tuple[ReplacePart, ...] = (
    "question",
    "raw_answer",
    "answer_notes",
    "keywords",
    "answer_template",
    "question_rubric",
)
"""Fields in which text is replaced; of rubrics, the descriptions of their traits."""


@dataclass(frozen=True, slots=True)
class FoundMatch:
    """One match. Its number is its place in `FoundText.matches` of all texts together."""

    id: int
    start: int
    end: int
    replaced: str


@dataclass(frozen=True, slots=True)
class FoundText:
    """One text with its matches."""

    number: int | None
    """Number of the question; None: the benchmark itself."""
    position: int
    """Place of the question, from 1; 0: the benchmark itself."""
    title: str
    finished: bool
    part: ReplacePart
    path: tuple[Any, ...]
    """Place of the text in the stored value of the field; empty: it is the value itself."""
    text: str
    matches: tuple[FoundMatch, ...]

    def with_replacements(self, chosen: Collection[int]) -> str:
        """The text with the chosen matches replaced."""
        parts, done = [], 0
        for match in self.matches:
            if match.id in chosen:
                parts += [self.text[done : match.start], match.replaced]
                done = match.end
        return "".join([*parts, self.text[done:]])


@dataclass(frozen=True)
class FoundTexts:
    """Result of a search."""

    texts: Sequence[FoundText] = ()
    complete: bool = True
    """False: there are more matches than are listed."""

    @property
    def count(self) -> int:
        return sum(len(text.matches) for text in self.texts)

    @property
    def ids(self) -> set[int]:
        return {match.id for text in self.texts for match in text.matches}

    def of_part(self, part: ReplacePart) -> list[FoundText]:
        return [text for text in self.texts if text.part == part]

    def choose(self, ids: Collection[int]) -> list[FoundText]:
        """Texts with a chosen match."""
        return [text for text in self.texts if any(match.id in ids for match in text.matches)]

    def reviewed_again(self, ids: Collection[int]) -> list[FoundText]:
        """Finished questions that a reviewer has to look at again, each by its first text."""
        touched = [text for text in self.choose(ids) if text.finished and text.part in REVIEWED]
        return list({text.number: text for text in reversed(touched)}.values())[::-1]


def texts_of(row: QuestionTexts, parts: Collection[ReplacePart]) -> Iterator[FoundText]:
    title = str(row.fields["question"])[:200]
    for part in REPLACE_PARTS:
        value = row.fields[part]
        # An empty text has no matches, and most questions have no notes or traits.
        if part not in parts or not value:
            continue
        for path, text in _strings(part, value):
            yield FoundText(row.number, row.position, title, row.finished, part, path, text, ())


def texts_of_benchmark(rubric: Rubric | None) -> Iterator[FoundText]:
    value = rubric.model_dump(mode="json", exclude_defaults=True) if rubric else {}
    for path, text in _strings("question_rubric", value):
        yield FoundText(None, 0, "", False, "question_rubric", path, text, ())


def _strings(part: ReplacePart, value: Any) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Texts in a stored value, with their paths."""
    if part == "keywords":
        yield from (((at,), str(word)) for at, word in enumerate(value))
    elif part == "question_rubric":
        # Names stay: results, other rubrics, and conditions refer to them.
        for kind, traits in value.items():
            for at, trait in enumerate(traits if isinstance(traits, list) else ()):
                if isinstance(trait, dict) and isinstance(trait.get("description"), str):
                    yield (kind, at, "description"), trait["description"]
    elif isinstance(value, str):
        yield (), value


def edits_of(row: QuestionTexts, texts: Sequence[FoundText], ids: Collection[int]) -> FieldEdits:
    """Edits of one question. Raises `InputError` if it was edited meanwhile."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for part in dict.fromkeys(text.part for text in texts):
        before[part] = row.fields[part]
        after[part] = edit_value([text for text in texts if text.part == part], row.fields[part], ids)
        if part == "keywords":
            after[part] = list(dict.fromkeys(word.strip() for word in after[part] if word.strip()))
    return FieldEdits(row.number, before, after)


def edit_value(texts: Sequence[FoundText], value: Any, ids: Collection[int]) -> Any:
    """A stored value with the chosen matches of its texts replaced. Raises `InputError` if it was edited meanwhile."""
    changed = deepcopy(value)
    for text in texts:
        if not text.path:
            _expect(changed, text.text)
            return text.with_replacements(ids)
        *way, last = text.path
        container = changed
        try:
            for step in way:
                container = container[step]
            _expect(container[last], text.text)
        except (LookupError, TypeError) as error:
            raise InputError("It was edited in the meantime.") from error
        container[last] = text.with_replacements(ids)
    return changed


def _expect(value: Any, text: str) -> None:
    if value != text:
        raise InputError("It was edited in the meantime.")
