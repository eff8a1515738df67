"""Application of differences to a benchmark, as one command of the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from karenina_gui.authoring.comparison.differences import ComparedQuestion, Differences, FieldDifference, Kind, Maker
from karenina_gui.authoring.comparison.fields import question_edit
from karenina_gui.schemas.benchmark import BenchmarkEntry
from karenina_gui.store.merges import MergeSteps

_EMPTY: Mapping[str, Any] = {"description": "", "version": "", "creator": "", "custom_properties": {}, "scenarios": []}
"""Values of empty fields of a benchmark; those of the others are None."""


@dataclass(frozen=True)
class Choice:
    """Differences to apply."""

    questions: Mapping[str, frozenset[str] | None] = field(default_factory=dict)
    """{key of a question: its fields}; None: all of it, so one that only this side has is deleted."""
    details: frozenset[str] = frozenset()
    """Fields of the benchmark itself."""

    def __bool__(self) -> bool:
        return bool(self.questions or self.details)


def everything(differences: Differences) -> Choice:
    """All differences: afterwards both versions are equal."""
    every = frozenset(detail.name for detail in differences.details)
    return Choice({question.key: None for question in differences.differing}, every)


def of_kind(differences: Differences, kind: Kind) -> Choice:
    """All questions of a kind."""
    return Choice({question.key: None for question in differences.differing if question.kind == kind})


def made_by(differences: Differences, maker: Maker) -> Choice:
    """All differences that one side has made since the common ancestor, field by field."""
    questions: dict[str, frozenset[str] | None] = {}
    # Field by field, since one side may have changed the text of a question and the other its keywords.
    for question in differences.differing:
        if question.kind != "changed":
            if question.maker == maker:
                questions[question.key] = None
        elif names := frozenset(field.name for field in question.fields if field.maker == maker):
            questions[question.key] = names
    return Choice(questions, frozenset(detail.name for detail in differences.details if detail.maker == maker))


def steps_of(differences: Differences, choice: Choice) -> MergeSteps:
    """Edits that apply the choice. Keys and fields without a difference are left out."""
    chosen = [question for key in choice.questions if (question := differences.by_key.get(key))]
    edits = {question.key: _edit(question, choice.questions[question.key]) for question in chosen}
    return MergeSteps(
        changed={key: edit for key, edit in edits.items() if edit},
        removed=[question.key for question in chosen if question.kind == "here"],
        added=_only_there(chosen),
        details={detail.name: _detail(detail) for detail in _among(differences.details, choice.details)},
    )


def _only_there(questions: Iterable[ComparedQuestion]) -> list[BenchmarkEntry]:
    return [question.there for question in questions if question.there is not None and question.here is None]


def _detail(field: FieldDifference) -> Any:
    return _EMPTY.get(field.name) if field.there is None else field.there


def _edit(question: ComparedQuestion, names: Iterable[str] | None) -> Mapping[str, Any]:
    if question.kind != "changed" or question.here is None or question.there is None:
        return {}
    chosen = [field.name for field in _among(question.fields, names)]
    return question_edit(question.here, question.there, chosen)


def _among(fields: Iterable[FieldDifference], names: Iterable[str] | None) -> list[FieldDifference]:
    chosen = None if names is None else set(names)
    return [field for field in fields if chosen is None or field.name in chosen]
