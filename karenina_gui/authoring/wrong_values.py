"""Values of one template field that should pass, and values that must not."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Literal

from pydantic import ValidationError

from karenina_gui.schemas.primitives import (
    ContainsAll,
    ContainsAny,
    DateMatch,
    DateRange,
    DateTolerance,
    SetContainment,
    VerificationPrimitive,
    primitive_from_json,
)
from karenina_gui.schemas.primitives.acceptance import Acceptance, acceptance_of
from karenina_gui.schemas.primitives.written_dates import written_date
from karenina_gui.schemas.template import TemplateField, TemplateOutline

WrongKind = Literal["null", "text", "empty text", "high", "low", "flipped", "choice", "empty list", "items", "date"]
TEXTS = ("Quixotic jukebox", "Zwyx vlomf", "7q7q", "—")
"""Made-up texts. Those that contain an expected text are not used."""
FAR = 1000.0
"""Distance from the expected number, as a multiple of it and of 1."""
FAR_DAYS = 40_000
OTHER_ITEMS: dict[str, list[Any]] = {"integer": [-987_654], "number": [-987_654.5], "boolean": []}
"""Items that no list is expected to have, by their type in JSON schema; other types have the made-up texts."""


@dataclass(frozen=True)
class MadeUpValue:
    """A value that an answer with another content could have."""

    kind: WrongKind
    value: Any


@dataclass(frozen=True)
class FieldValues:
    """Values of a field to try. `right` None: not known."""

    name: str
    right: Any
    wrong: tuple[MadeUpValue, ...]


def field_values(field: TemplateField, outline: TemplateOutline) -> FieldValues:
    """Values to try in a field that a judge fills."""
    truth = field.ground_truth if field.primitive else (outline.ground_truth or {}).get(field.name)
    tried = _Tried(_primitive(field), truth, _schema(field, outline))
    right = tried.right()
    wrong = [*tried.wrong()]
    if right is not None:
        wrong.append(MadeUpValue("null", None))
    return FieldValues(field.name, right, tuple(wrong))


def _primitive(field: TemplateField) -> VerificationPrimitive | None:
    if field.primitive is None:
        return None
    try:
        return primitive_from_json({**field.settings, "type": field.primitive})
    except (ValueError, ValidationError):
        return None


def _schema(field: TemplateField, outline: TemplateOutline) -> dict[str, Any]:
    """JSON schema of the field, without references and alternatives to null."""
    root = outline.judge_schema or {}
    schema = _resolve(root.get("properties", {}).get(field.name) or {}, root)
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    return _resolve(options[0], root) if options else schema


def _resolve(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in schema:
        return schema
    definition: dict[str, Any] = root.get("$defs", {}).get(str(schema["$ref"]).rsplit("/", 1)[-1]) or {}
    return definition


@dataclass(frozen=True)
class _Tried:
    rule: VerificationPrimitive | None
    truth: Any
    schema: dict[str, Any]

    @property
    def whole(self) -> bool:
        return self.schema.get("type") == "integer"

    @cached_property
    def accepted(self) -> Acceptance | None:
        return None if self.rule is None else acceptance_of(self.rule, self.truth)

    def right(self) -> Any:
        """A value that must pass: the expected one, unless it is a bound, or plays no part and is not given."""
        accepted = self.accepted
        if accepted is not None and not (_is_number(self.truth) and accepted.contains(self.truth)):
            return _inside(accepted, self.whole)
        if self.truth is None and isinstance(self.rule, ContainsAny | ContainsAll):
            return " ".join(self.rule.substrings)
        if self.truth is None and isinstance(self.rule, DateRange):
            return self.rule.min or self.rule.max
        return self.truth

    def wrong(self) -> Iterator[MadeUpValue]:
        if isinstance(self.rule, DateMatch | DateTolerance | DateRange) or self._is_date:
            return self._dates()
        if self.choices is not None:
            return (MadeUpValue("choice", choice) for choice in self.choices if choice != self.truth)
        by_type = {"boolean": self._opposite, "array": self._lists, "number": self._numbers, "integer": self._numbers}
        of_any_type = self._numbers if _is_number(self.truth) else self._texts
        return by_type.get(str(self.schema.get("type")), of_any_type)()

    @property
    def choices(self) -> list[Any] | None:
        return [self.schema["const"]] if "const" in self.schema else self.schema.get("enum")

    @property
    def _is_date(self) -> bool:
        return self.schema.get("format") in ("date", "date-time")

    def _opposite(self) -> Iterator[MadeUpValue]:
        return (MadeUpValue("flipped", value) for value in (True, False) if self.truth is None or value != self.truth)

    def _texts(self) -> Iterator[MadeUpValue]:
        parts = [self.truth, *getattr(self.rule, "substrings", ())]
        rightful = [text for part in parts if part is not None and (text := str(part).strip().lower())]
        made_up = [text for text in TEXTS if not any(part in text.lower() for part in rightful)]
        yield from (MadeUpValue("text", text) for text in made_up[:2])
        if rightful:
            yield MadeUpValue("empty text", "")

    def _numbers(self) -> Iterator[MadeUpValue]:
        limits = [*_ends(self.accepted), *([float(self.truth)] if _is_number(self.truth) else [])] or [0.0]
        reach = FAR * max(1.0, max(limits) - min(limits), *map(abs, limits))
        tried = [MadeUpValue("high", max(limits) + reach), MadeUpValue("low", min(limits) - reach)]
        for made_up in self._outside(tried) or tried:
            if math.isfinite(made_up.value):
                yield MadeUpValue(made_up.kind, int(made_up.value)) if self.whole else made_up

    def _outside(self, tried: list[MadeUpValue]) -> list[MadeUpValue]:
        """Values on the sides that have a limit: on the others everything passes by design."""
        if isinstance(self.rule, DateRange):
            rule = self.rule
            return [made_up for made_up in tried if not _is_in_period(rule, made_up.value)]
        accepted = self.accepted
        return [made_up for made_up in tried if accepted is None or not accepted.contains(made_up.value)]

    def _lists(self) -> Iterator[MadeUpValue]:
        kind = str((self.schema.get("items") or {}).get("type"))
        others = OTHER_ITEMS.get(kind, list(TEXTS[:2]))
        expected = list(self.truth) if isinstance(self.truth, list | tuple | set) else []
        if others and not any(item in expected for item in others):
            yield MadeUpValue("items", others)
        # An empty list is a subset of every list.
        by_design = isinstance(self.rule, SetContainment) and self.rule.mode == "subset"
        if expected and not by_design:
            yield MadeUpValue("empty list", [])

    def _dates(self) -> Iterator[MadeUpValue]:
        days = FAR_DAYS + (self.rule.tolerance if isinstance(self.rule, DateTolerance) else 0)
        first, last = (self.rule.min, self.rule.max) if isinstance(self.rule, DateRange) else (self.truth, self.truth)
        moved = _far_from(first, -days, self._date_format), _far_from(last, days, self._date_format)
        tried = [MadeUpValue("date", self._write(moment)) for moment in moved if moment is not None]
        yield from self._outside(tried) or tried

    @property
    def _date_format(self) -> str | None:
        return self.rule.format if isinstance(self.rule, DateMatch) else None

    def _write(self, moment: datetime) -> str:
        if self._date_format is not None:
            return moment.strftime(self._date_format)
        return moment.isoformat() if self.schema.get("format") == "date-time" else moment.date().isoformat()


def _inside(accepted: Acceptance, whole: bool) -> float | int | None:
    """Number that is accepted; None if no number is, or any."""
    ends = _ends(accepted)
    if not ends:
        return None
    middle = sum(ends) / len(ends)
    points = [middle, *(end + step for end in ends for step in (0.0, -max(1.0, abs(end)), max(1.0, abs(end))))]
    points = [point for point in points if math.isfinite(point)]
    tried: list[float] | list[int] = [int(round_(n)) for n in points for round_ in ROUNDINGS] if whole else points
    return next((point for point in tried if accepted.contains(point)), None)


ROUNDINGS = (math.floor, math.ceil)


def _ends(accepted: Acceptance | None) -> list[float]:
    ends = [] if accepted is None else [float(end.value) for end in (accepted.low, accepted.high) if end is not None]
    return [end for end in ends if math.isfinite(end)]


def _far_from(value: Any, days: int, form: str | None) -> datetime | None:
    """The day at this distance from a date, or from any other where it is not one; None: no calendar has it."""
    try:
        return (_moment(value, form) or datetime(2000, 1, 1)) + timedelta(days=days)
    except OverflowError:
        return None


def _moment(value: Any, form: str | None) -> datetime | None:
    text = str(value)
    try:
        moment = datetime.strptime(text, form) if form else datetime.fromisoformat(text)
    except (ValueError, re.error):  # `re.error`: the format contains a part twice
        return written_date(text)
    return moment.replace(tzinfo=None)


def _is_in_period(period: DateRange, value: Any) -> bool:
    try:
        return period.check(value, None)
    except ValueError:  # a limit is not a date, so no value passes
        return False


def _is_number(value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False
