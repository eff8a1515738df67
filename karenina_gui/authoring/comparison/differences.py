"""Differences of a benchmark from another version of it, by question and field.

With a common ancestor, each difference also says who made it: this side, the other, or both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from karenina_gui.authoring.comparison.fields import (
    BENCHMARK_FIELDS,
    QUESTION_FIELDS,
    benchmark_values,
    question_values,
    same,
)
from karenina_gui.authoring.comparison.matching import pairs
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry

Kind = Literal["changed", "there", "here", "same"]
"""`here`, `there`: only this version has the question."""
Maker = Literal["ours", "theirs", "both"]
"""Side that changed something since the common ancestor."""

_Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """Field that differs. None: it is empty on that side."""

    name: str
    here: Any
    there: Any
    base: Any = None
    maker: Maker | None = None
    """None: no common ancestor is known."""


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """Question of both versions, or of one of them."""

    kind: Kind
    here: BenchmarkEntry | None
    there: BenchmarkEntry | None
    fields: tuple[FieldDifference, ...] = ()
    """Empty unless `changed`."""
    maker: Maker | None = None
    """Side that added or deleted it; both: one deleted what the other changed. None: both versions have it, or no
    common ancestor is known."""

    @property
    def makers(self) -> frozenset[Maker]:
        """Sides that made its differences; `both` is among them if there is a conflict. Empty: see `maker`."""
        makers = [self.maker, *(field.maker for field in self.fields)]
        return frozenset(maker for maker in makers if maker is not None)

    @property
    def key(self) -> str:
        """Its id here, or there if this benchmark lacks it."""
        return self._entry.id

    @property
    def text(self) -> str:
        return self._entry.question.question

    @property
    def _entry(self) -> BenchmarkEntry:
        entry = self.here or self.there
        assert entry is not None
        return entry


@dataclass(frozen=True)
class Differences:
    """Comparison of two versions."""

    questions: tuple[ComparedQuestion, ...]
    """All questions: those of this benchmark in its order, then those that only the other one has."""
    details: tuple[FieldDifference, ...]
    """Differing fields of the benchmark itself."""
    by_ancestor: bool = False
    """True if a common ancestor is known."""

    @cached_property
    def counts(self) -> Counter[Kind]:
        return Counter(question.kind for question in self.questions)

    @cached_property
    def differing(self) -> tuple[ComparedQuestion, ...]:
        return tuple(question for question in self.questions if question.kind != "same")

    @property
    def some(self) -> bool:
        return bool(self.differing or self.details)

    @cached_property
    def by_key(self) -> dict[str, ComparedQuestion]:
        return {question.key: question for question in self.questions}


def compare(
    here: BenchmarkDocument,
    there: BenchmarkDocument,
    base: BenchmarkDocument | None = None,
    *,
    names: bool = True,
) -> Differences:
    """Compare two versions. `base`: their common ancestor, if known. `names`: compare the names of the benchmarks."""
    ancestors = _Ancestors(here.entries, there.entries, base.entries if base else ())
    questions = tuple(
        _question(ours, theirs, ancestors.of(ours, theirs), has_base=base is not None)
        for ours, theirs in pairs(here.entries, there.entries)
    )
    fields = BENCHMARK_FIELDS if names else tuple(name for name in BENCHMARK_FIELDS if name != "name")
    details = _fields(
        fields, benchmark_values(here), benchmark_values(there), None if base is None else benchmark_values(base)
    )
    return Differences(questions, details, base is not None)


class _Ancestors:
    """Questions of the common ancestor by those of both sides."""

    def __init__(
        self, here: Sequence[BenchmarkEntry], there: Sequence[BenchmarkEntry], base: Sequence[BenchmarkEntry]
    ) -> None:
        self._of_here, self._of_there = (
            {ours.id: before for ours, before in pairs(side, base) if ours and before} if base else {}
            for side in (here, there)
        )

    def of(self, here: BenchmarkEntry | None, there: BenchmarkEntry | None) -> BenchmarkEntry | None:
        ours = self._of_here.get(here.id) if here else None
        return ours or (self._of_there.get(there.id) if there else None)


def _question(
    here: BenchmarkEntry | None, there: BenchmarkEntry | None, base: BenchmarkEntry | None, *, has_base: bool
) -> ComparedQuestion:
    if here is None or there is None:
        kind: Kind = "there" if here is None else "here"
        return ComparedQuestion(kind, here, there, maker=_presence_maker(here, there, base) if has_base else None)
    before = None if not has_base else question_values(base) if base else {}
    fields = _fields(QUESTION_FIELDS, question_values(here), question_values(there), before)
    return ComparedQuestion("changed" if fields else "same", here, there, fields)


def _presence_maker(here: BenchmarkEntry | None, there: BenchmarkEntry | None, base: BenchmarkEntry | None) -> Maker:
    """Side that added the question, or deleted it; both: one deleted what the other changed."""
    entry = here or there
    assert entry is not None
    if base is None:
        return "ours" if here else "theirs"
    # An edited question that the other side deleted must not go with all its deletions.
    values, before = question_values(entry), question_values(base)
    if _fields(QUESTION_FIELDS, values, before, None):
        return "both"
    return "theirs" if here else "ours"


def _fields(names: Sequence[str], here: _Values, there: _Values, base: _Values | None) -> tuple[FieldDifference, ...]:
    # Most questions of two versions are equal in all fields.
    if here == there and all(same(here.get(name), there.get(name)) for name in ("question_rubric", "rubric")):
        return ()
    return tuple(
        FieldDifference(
            name,
            here.get(name),
            there.get(name),
            None if base is None else base.get(name),
            None if base is None else _maker(here.get(name), there.get(name), base.get(name)),
        )
        for name in names
        if not same(here.get(name), there.get(name))
    )


def _maker(here: Any, there: Any, base: Any) -> Maker:
    if same(here, base):
        return "theirs"
    return "ours" if same(there, base) else "both"
