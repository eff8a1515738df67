"""Wrong values that a template accepts, found by trying values made from its expected ones.

A template that passes them judges nothing, however good it looks. No model is asked: made-up values
replace a judge's extraction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.authoring.wrong_values import TEXTS, FieldValues, MadeUpValue, WrongKind, field_values
from karenina_gui.schemas.benchmark_summaries import MutationOutcome
from karenina_gui.schemas.template import AnswerToVerify, TemplateField, TemplateOutline, TemplateVerdict

UNRELATED = (
    "",
    f"{TEXTS[0]}.",
    "The quick brown fox jumps over the lazy dog while the band plays on. " * 40,
)
"""Texts of answers that say nothing about any question."""
MANY = 3
"""Answers with all fields wrong at once."""


@dataclass(frozen=True)
class AcceptsEverything:
    """Answers with every field wrong pass."""


@dataclass(frozen=True)
class AcceptsWrongValues:
    """Wrong values of one field pass."""

    field: str
    kinds: tuple[WrongKind, ...]
    remark: bool = False
    """True if that may be intended: a method or weight decides, or other fields may pass instead."""


@dataclass(frozen=True)
class RefusesExpected:
    """The expected values themselves do not pass."""

    fields: tuple[str, ...] = ()
    """Fields whose comparison fails; empty if none does by itself."""
    error: str = ""
    """Sentence about an error of the template; empty: it returned a verdict."""


MutationCase = AcceptsEverything | AcceptsWrongValues | RefusesExpected


@dataclass(frozen=True)
class MutationPlan:
    """Answers to try on a template, and the meaning of its verdicts on them. Created by `plan_mutations`."""

    outline: TemplateOutline
    reference: str
    """Reference answer, in which trace fields search."""
    values: tuple[FieldValues, ...]
    """Values of the fields that a judge fills; empty: the template reads the trace alone."""

    @property
    def answers(self) -> list[AnswerToVerify]:
        """Answers in the order in which `cases` takes their verdicts; empty for an invalid template."""
        if not self.outline.valid:
            return []
        if not self.values:
            return [AnswerToVerify(trace=trace) for trace in UNRELATED]
        wrong = [AnswerToVerify(values=values, trace=UNRELATED[1]) for values in _all_wrong(self.values)]
        right = self._right
        # A method that hides its expected value leaves nothing to change one at a time.
        if None in right.values():
            return wrong
        single = [
            AnswerToVerify(values={**right, name: wrong.value}, trace=self.reference) for name, wrong in self._single
        ]
        # The right one first: code that is stopped a few times in a row is not run on the rest.
        return [AnswerToVerify(values=right, trace=self.reference), *wrong, *single]

    def cases(self, verdicts: Sequence[TemplateVerdict]) -> list[MutationCase]:
        """Return the faults that the verdicts on `answers` show; empty if the template tells right from wrong."""
        if not verdicts:
            return []
        if not self.values or None in self._right.values():
            return [AcceptsEverything()] if all(map(passes, verdicts)) else []
        right, end = verdicts[0], len(verdicts) - len(self._single)
        if refusal := _refusal(self.outline, right):
            return [refusal]
        if end > 1 and all(map(passes, verdicts[1:end])):
            return [AcceptsEverything()]
        return self._of_single_fields(right, verdicts[end:])

    @cached_property
    def _right(self) -> dict[str, Any]:
        return {value.name: value.right for value in self.values}

    @cached_property
    def _single(self) -> list[tuple[str, MadeUpValue]]:
        """Each wrong value with its field, to be tried with the expected values of the others."""
        # Without methods a field that is left null never passes, so there is nothing to find out.
        plain = {field.name for field in self.outline.fields if field.primitive and self.outline.execution == "data"}
        tried = [(value.name, wrong) for value in self.values for wrong in value.wrong]
        return [(name, wrong) for name, wrong in tried if wrong.kind != "null" or name not in plain]

    def _of_single_fields(self, right: TemplateVerdict, verdicts: Sequence[TemplateVerdict]) -> list[MutationCase]:
        """Cases of one field wrong at a time. `right`: verdict on the expected values."""
        accepted: dict[str, list[WrongKind]] = {}
        for (name, wrong), verdict in zip(self._single, verdicts, strict=True):
            if _accepts(self.outline, name, verdict, right):
                accepted.setdefault(name, []).append(wrong.kind)
        by_name = {field.name: field for field in self.outline.fields}
        return [
            AcceptsWrongValues(name, tuple(dict.fromkeys(kinds)), _is_remark(by_name[name], self.outline))
            for name, kinds in accepted.items()
        ]


def plan_mutations(outline: TemplateOutline, reference: str = "") -> MutationPlan:
    """Plan the trials of a checked template. Only expected values that are known are tried."""
    fields = [field for field in outline.fields if not field.is_trace] if outline.valid else []
    return MutationPlan(outline, reference, tuple(field_values(field, outline) for field in fields))


def mutation_cases(
    source: str, outline: TemplateOutline, playground: TemplatePlayground, reference: str = ""
) -> list[MutationCase]:
    """Try wrong values on a checked template and return its faults; empty if it is invalid or has none."""
    plan = plan_mutations(outline, reference)
    return plan.cases(playground.try_answers(source, plan.answers))


def mutation_outcome(cases: Sequence[MutationCase]) -> MutationOutcome:
    """Summary of the cases; remarks do not count."""
    if any(isinstance(case, RefusesExpected) for case in cases):
        return "refuses_expected"
    return "fine" if all(map(is_remark, cases)) else "accepts_wrong"


def is_remark(case: MutationCase) -> bool:
    """True if the case may be intended."""
    return isinstance(case, AcceptsWrongValues) and case.remark


def passes(verdict: TemplateVerdict) -> bool:
    """True if the template gave its verdict, and it is in favor of the answer."""
    return verdict.error is None and verdict.passed is True


def _all_wrong(values: Sequence[FieldValues]) -> Iterator[dict[str, Any]]:
    """Answers that are wrong in every field that can be; a null tells less than a value, so it comes alone at the end.

    A field that accepts each value there is keeps its right one.
    """
    stated = [[wrong.value for wrong in value.wrong if wrong.kind != "null"] for value in values]
    if not any(stated):
        return
    for row in list(zip_longest(*stated, fillvalue=_LAST))[:MANY]:
        chosen = zip(values, stated, row, strict=True)
        yield {field.name: _pick(field, wrong, value) for field, wrong, value in chosen}


_LAST = object()


def _pick(field: FieldValues, wrong: Sequence[Any], value: Any) -> Any:
    if value is not _LAST:
        return value
    return wrong[-1] if wrong else field.right


def _refusal(outline: TemplateOutline, verdict: TemplateVerdict) -> RefusesExpected | None:
    """Case of the verdict on the expected values; None: they pass."""
    own, by_trace = _failing(outline, verdict)
    if verdict.error is not None or (own and not _may_fail_alone(outline)):
        return RefusesExpected(own, verdict.error or "")
    # A trace field searches a whole answer, and the reference answer may be a word.
    return RefusesExpected(own) if verdict.field_verification_result is False and not by_trace else None


def _failing(outline: TemplateOutline, verdict: TemplateVerdict) -> tuple[tuple[str, ...], bool]:
    """Fields of the judge that fail, and whether a trace field does."""
    failed = {name for name, passed in (verdict.field_results or {}).items() if passed is not True}
    own = tuple(field.name for field in outline.fields if field.name in failed and not field.is_trace)
    return own, len(own) < len(failed)


def _may_fail_alone(outline: TemplateOutline) -> bool:
    return outline.composition_strategy not in (None, "all_of")


def _accepts(outline: TemplateOutline, name: str, verdict: TemplateVerdict, right: TemplateVerdict) -> bool:
    if verdict.error is not None:
        return False
    passed = (verdict.field_results or {}).get(name, verdict.field_verification_result)
    if outline.composition_strategy != "all_of" or right.field_verification_result is False:
        return passed is True
    # A method that refuses what the comparison accepts has the last word.
    return passed is True and verdict.field_verification_result is True


def _is_remark(field: TemplateField, outline: TemplateOutline) -> bool:
    return field.primitive is None or field.weight == 0 or _may_fail_alone(outline)
