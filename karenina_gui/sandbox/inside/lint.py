"""Lint rules for templates: what can never work, and what works but deserves a second look."""

from __future__ import annotations

import re
import symtable
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from karenina_gui.sandbox.inside.author_errors import author_error
from karenina_gui.sandbox.inside.expected_misfit import expected_misfit
from karenina_gui.sandbox.inside.json_values import as_json
from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
from karenina_gui.sandbox.inside.parse_reply import check
from karenina_gui.sandbox.inside.provided_names import INJECTED
from karenina_gui.sandbox.inside.verdicts import validate, verify
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.composition import strategy_of
from karenina_gui.schemas.primitives import (
    BooleanMatch,
    ComparisonPrimitive,
    ContainsAll,
    ContainsAny,
    DateRange,
    ExactMatch,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericRangeGraded,
    NumericThresholdGraded,
    RegexMatch,
    SetContainment,
    SynonymMap,
    TraceLength,
    TracePrimitive,
    VerificationPrimitive,
)
from karenina_gui.schemas.primitives.acceptance import acceptance_of, acceptance_words
from karenina_gui.schemas.primitives.normalizers import apply_normalizers
from karenina_gui.schemas.primitives.text import REGEX_FLAGS
from karenina_gui.schemas.template import AnswerToVerify, TemplateOutline, TemplateProblem
from karenina_gui.schemas.trace_patterns import problem_of
from karenina_gui.schemas.verified_field import Verification
from karenina_gui.text import join_list

LONGEST_QUOTE = 80
"""Maximum number of characters of an expected value in a message."""
LONGEST_EXACT_TEXT = 7
"""Maximum number of words of an expected text that another author of the same answer would write to the letter."""
BOUNDS = (NumericMinimum, NumericMaximum, NumericThresholdGraded)
"""Comparisons whose expected value is a bound, which may itself lie outside of what passes."""
WITHOUT_EXPECTED = (ContainsAll, ContainsAny, DateRange, NumericRange, NumericRangeGraded, RegexMatch)
"""Comparisons in which the expected value plays no part."""


def lint(loaded: LoadedTemplate, answer: type[BaseAnswer], outline: TemplateOutline) -> list[TemplateProblem]:
    """Return the problems in the order of their lines. `outline`: what the template declares."""
    problems = [
        *_fields_without_description(loaded, answer),
        *_fields_that_nothing_checks(loaded, answer),
        *_comparisons_that_cannot_work(loaded, answer),
        *_flags_that_nobody_knows(loaded, answer),
        *_expected_values_that_do_not_fit(loaded, answer),
        *_expected_values_of_another_type(loaded, answer),
        *_comparisons_that_accept_anything(loaded, answer),
        *_lengths_that_no_answer_has(loaded, answer),
        *_comparisons_that_accept_too_much(loaded, answer),
        *_comparisons_that_accept_too_little(loaded, answer),
        *_synonyms_that_cannot_match(loaded, answer),
        *_patterns_that_cannot_work(loaded, outline.regex),
        *_strategy_over_missing_fields(loaded, answer),
        *_names_that_upstream_does_not_see(loaded),
    ]
    if all(problem.severity != "error" for problem in problems):
        problems += methods_that_fail_expected_values(loaded, answer, outline.ground_truth or {})
    return sorted(problems, key=lambda problem: problem.line or 0)


def _fields_without_description(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    for name in loaded.fields:
        if not (answer.model_fields[name].description or "").strip():
            message = f"{name} has no description: the judge has only its name to go by."
            yield _warning(message, loaded.places.field_line(answer, name))


def _fields_that_nothing_checks(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    if not loaded.verified or "verify" in loaded.overridden:
        return
    for name in loaded.fields:
        if name not in loaded.verified:
            message = f"{name} is extracted but not checked: without a verify() only verified fields are compared."
            yield _warning(message, loaded.places.field_line(answer, name))


def _comparisons_that_cannot_work(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    for name, verification in loaded.verified.items():
        try:
            _compare_with_itself(verification)
        except BaseException as error:
            fault = author_error(error, loaded.namespace)
            yield TemplateProblem(
                message=f"{name} can never pass, not even with its own expected value: {fault.sentence}",
                line=loaded.places.field_line(answer, name),
            )


def _flags_that_nobody_knows(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    for name, verification in loaded.verified.items():
        if isinstance(verification.verify_with, RegexMatch):
            for flag in verification.verify_with.unknown_flags:
                message = (
                    f"{name}: RegexMatch knows no flag {flag!r} and ignores it. Known are {', '.join(REGEX_FLAGS[:6])}."
                )
                line = loaded.places.field_line(answer, name)
                yield TemplateProblem(message=message, severity="warning", line=line, refused_here=True)


def _expected_values_that_do_not_fit(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    """Flag comparisons that fail an answer that gives exactly the expected value."""
    rejects = _rejects_its_own(loaded, answer)
    for name, verification in loaded.verified.items():
        primitive, truth = verification.verify_with, verification.ground_truth
        if truth is None or not isinstance(primitive, ComparisonPrimitive):
            continue
        if misfit := _misfit_of_truth(primitive, truth):
            never = rejects and decides(primitive) and _fails_itself(primitive, truth)
            yield TemplateProblem(
                message=f"{name}{misfit}",
                severity="error" if never else "warning",
                line=loaded.places.field_line(answer, name),
            )


def _rejects_its_own(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> bool:
    """True if the fields' outcomes on their own expected values fail the template; False where a method decides."""
    if "verify" in loaded.overridden:
        return False
    outcomes: dict[str, bool | None] = {}
    for name, verification in loaded.verified.items():
        primitive, truth = verification.verify_with, verification.ground_truth
        compared = truth is not None and decides(primitive)
        outcomes[name] = not (compared and _fails_itself(primitive, truth))
    try:
        return bool(outcomes) and not strategy_of(answer).evaluate(outcomes)
    except Exception:  # told by `_strategy_over_missing_fields`
        return False


def _expected_values_of_another_type(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    """Flag expected values that no judge can give, because the field's type refuses them."""
    for name, verification in loaded.verified.items():
        truth, primitive = verification.ground_truth, verification.verify_with
        if not _needs_exact_value(verification) or (misfit := _refusal(loaded, name, as_json(truth))) is None:
            continue
        # A field for texts takes the digits of a number.
        text = str(truth)
        if _refusal(loaded, name, text) is not None or _fails(primitive, text, truth):
            message = expected_misfit(misfit) or f"The expected value does not fit its field: {misfit}"
            yield TemplateProblem(message=message, line=loaded.places.field_line(answer, name))


def _refusal(loaded: LoadedTemplate, name: str, value: Any) -> str | None:
    """Sentence of the field's type about a value; None: it takes it."""
    try:
        errors = check(loaded, {name: value}, [field for field in loaded.fields if field != name])
    except BaseException:  # an author's check of the answer as a whole, which has one of its fields here
        return None
    return next((error for error in errors if error.startswith((f"{name}:", f"{name}."))), None)


def _needs_exact_value(verification: Verification) -> bool:
    """True if only the expected value itself passes, so that a judge must be able to give it."""
    primitive, truth = verification.verify_with, verification.ground_truth
    if truth is None or not isinstance(primitive, ComparisonPrimitive) or not decides(primitive):
        return False
    try:
        if not primitive.check(truth, truth):
            return False
    except BaseException:  # told by `_comparisons_that_cannot_work`
        return False
    passes = acceptance_of(primitive, truth)
    return passes is None or passes.low == passes.high


def _misfit_of_truth(primitive: ComparisonPrimitive, truth: Any) -> str | None:
    """Reason why the comparison fails its own expected value, as the rest of a sentence; None: it passes it."""
    if isinstance(primitive, BooleanMatch) and not isinstance(truth, bool):
        return f": the expected value {truth!r} is not True or False. Write it without quotes."
    if isinstance(primitive, SetContainment) and isinstance(truth, str):
        return f": the expected value is a text, not a list. Write [{truth!r}]."
    if isinstance(primitive, BOUNDS) or not _fails_itself(primitive, truth):
        return None
    accepted = acceptance_words(primitive, truth)
    why = f": it {accepted}" if accepted else ""
    return f" fails an answer that gives the expected value {_in_words(truth)}{why}."


def _in_words(value: Any) -> str:
    if isinstance(value, str):
        return f"“{value if len(value) <= LONGEST_QUOTE else value[:LONGEST_QUOTE] + '…'}”"
    return join_list([_in_words(item) for item in value]) if isinstance(value, list) and value else repr(value)


def _fails_itself(primitive: VerificationPrimitive, truth: Any) -> bool:
    return _fails(primitive, truth, truth)


def _fails(primitive: VerificationPrimitive, value: Any, truth: Any) -> bool:
    try:
        return isinstance(primitive, ComparisonPrimitive) and not primitive.check(value, truth)
    except Exception:
        return False  # told by `_comparisons_that_cannot_work`


def _comparisons_that_accept_anything(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    for name, verification in loaded.verified.items():
        primitive = verification.verify_with
        with suppress(Exception):  # told by `_comparisons_that_cannot_work`
            trace = isinstance(primitive, TracePrimitive) and primitive.check_trace("") is True
            text = isinstance(primitive, RegexMatch) and primitive.check("", verification.ground_truth)
            if (trace and verification.ground_truth is True) or text:
                yield _warning(f"“{name}” also passes for an empty answer.", loaded.places.field_line(answer, name))


def _lengths_that_no_answer_has(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    for name, verification in loaded.verified.items():
        length = verification.verify_with
        if not isinstance(length, TraceLength) or length.min is None or length.max is None:
            continue
        if length.min > length.max:
            unit = "words" if length.unit == "words" else "characters"
            message = f"{name}: no answer has at least {length.min:,} and at most {length.max:,} {unit}."
            yield _warning(message, loaded.places.field_line(answer, name))


def _comparisons_that_accept_too_much(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    """Flag tolerances that were probably meant in the unit of the value: read as a fraction they are a hundredfold."""
    for name, verification in loaded.verified.items():
        primitive = verification.verify_with
        setting = next((name for name in ("tolerance", "cutoff", "margin") if hasattr(primitive, name)), None)
        if setting is None or isinstance(primitive, NumericRangeGraded):
            continue
        if excess := _excess(primitive, verification.ground_truth, setting):
            yield _warning(f"{name}{excess}", loaded.places.field_line(answer, name))


def _comparisons_that_accept_too_little(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    """Flag exact comparisons with a sentence, such as a whole reference answer."""
    for name, verification in loaded.verified.items():
        primitive, truth = verification.verify_with, verification.ground_truth
        count = len(truth.split()) if isinstance(primitive, ExactMatch) and isinstance(truth, str) else 0
        if count > LONGEST_EXACT_TEXT:
            message = (
                f"{name} passes only if the judge writes the same {count} words. Expect a short name, or a yes or no."
            )
            yield _warning(message, loaded.places.field_line(answer, name))


def _synonyms_that_cannot_match(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    for name, verification in loaded.verified.items():
        if isinstance(verification.verify_with, ExactMatch):
            for fault in _faults_of_synonyms(verification.verify_with, str(verification.ground_truth)):
                yield _warning(f"{name}: {fault}", loaded.places.field_line(answer, name))


def _faults_of_synonyms(primitive: ExactMatch, expected: str) -> Iterator[str]:
    """Sentences about synonyms that can never match."""
    expected = apply_normalizers(expected, primitive.normalize)
    plain = [step for step in primitive.normalize if isinstance(step, str)]
    for index, synonyms in enumerate(primitive.normalize):
        before, after = primitive.normalize[:index], primitive.normalize[index + 1 :]
        for key, value in synonyms.mapping.items() if isinstance(synonyms, SynonymMap) else ():
            normal = apply_normalizers(key, [step for step in before if isinstance(step, str)])
            if normal != key:
                yield f"the accepted name “{key}” can’t match: answers are compared as “{normal}”. Write “{normal}”."
            elif apply_normalizers(value, plain) == expected != apply_normalizers(value, after):
                yield f"the accepted name “{key}” can’t match: it stands for “{value}”. Write “{expected}” instead."


def _excess(primitive: Any, truth: Any, setting: str) -> str | None:
    """Rest of a sentence about a comparison that accepts too much; None: it does not. `setting`: its tolerance."""
    passes = acceptance_of(primitive, truth)
    if passes is None:
        return None
    amount, relative = getattr(primitive, setting), getattr(primitive, "mode", "") == "relative"
    if relative and amount >= 1:
        accepted = acceptance_words(primitive, truth)
        advice = f'Write mode="absolute" if {amount:g} is meant in the unit of the value.'
        return f": {setting}={amount:g} is {amount:.0%} of the expected value: {accepted}. {advice}"
    if passes.low and passes.high and float(truth) != 0 and passes.low.value <= 0 <= passes.high.value:
        accepted = acceptance_words(primitive, truth)
        return f" {accepted}, which includes 0 or the other sign. Choose a smaller {setting}, unless that is intended."
    return None


def _compare_with_itself(verification: Verification) -> None:
    primitive, truth = verification.verify_with, verification.ground_truth
    if isinstance(primitive, TracePrimitive):
        primitive.check_trace("")
    elif isinstance(primitive, ComparisonPrimitive):
        value = _probe(primitive) if isinstance(primitive, WITHOUT_EXPECTED) else truth
        primitive.check(value, truth)


def _probe(primitive: ComparisonPrimitive) -> Any:
    """A value that the comparison can look at."""
    if isinstance(primitive, DateRange):
        return "2020-01-31"
    return 0 if isinstance(primitive, NumericRange | NumericRangeGraded) else ""


def _patterns_that_cannot_work(loaded: LoadedTemplate, patterns: dict[str, Any]) -> Iterator[TemplateProblem]:
    for name, spec in patterns.items():
        if problem := problem_of(spec):
            message = f"The pattern {name} can never hold: {problem}."
            yield TemplateProblem(message=message, line=loaded.places.key_line(name))


def _strategy_over_missing_fields(loaded: LoadedTemplate, answer: type[BaseAnswer]) -> Iterator[TemplateProblem]:
    missing = sorted(set(strategy_of(answer).field_names()) - loaded.verified.keys())
    if missing:
        message = f"The pass rule refers to {', '.join(missing)}, but no field of that name has an expected value."
        yield _warning(message, loaded.places.class_line("VerificationStrategy"))


def _names_that_upstream_does_not_see(loaded: LoadedTemplate) -> Iterator[TemplateProblem]:
    """Flag names that upstream's engine would not find: its classes and functions do not see a template's globals."""
    lines = {name: line for name, line in loaded.places.outer_lines().items() if name not in INJECTED}
    # Most templates mention only the name of their class, and only once: tables of symbols would cost them a tenth.
    if all(loaded.source.count(name) == 1 or _is_once(name, loaded.source) for name in lines):
        return
    used = set(_outer_names_used_inside(symtable.symtable(loaded.source, "<string>", "exec")))
    names_by_line: defaultdict[int, list[str]] = defaultdict(list)
    for name, line in lines.items():
        if name in used:
            names_by_line[line].append(name)
    for line, names in names_by_line.items():
        yield _warning(
            f"Defined outside of the class: {', '.join(names)}. It works here, but karenina would not find it. "
            "If the benchmark is to run there, too, define or import it inside the method that uses it.",
            line,
        )


def _is_once(name: str, source: str) -> bool:
    """True if the name is one word of the source."""
    return len(re.findall(rf"\b{re.escape(name)}\b", source)) == 1


def _outer_names_used_inside(table: symtable.SymbolTable) -> Iterator[str]:
    for inner in table.get_children():
        yield from (
            symbol.get_name() for symbol in inner.get_symbols() if symbol.is_global() and symbol.is_referenced()
        )
        yield from _outer_names_used_inside(inner)


def _warning(message: str, line: int | None) -> TemplateProblem:
    return TemplateProblem(message=message, severity="warning", line=line)


def decides(primitive: VerificationPrimitive) -> bool:
    """True if an answer is compared with the expected value itself."""
    return not isinstance(primitive, (*BOUNDS, *WITHOUT_EXPECTED, TracePrimitive))


def methods_that_fail_expected_values(
    loaded: LoadedTemplate, answer: type[BaseAnswer], truth: dict[str, Any]
) -> Iterator[TemplateProblem]:
    """Flag a `verify()` of the author's that raises an error on the expected values, or rejects them."""
    names = [name for name in loaded.fields if name not in loaded.traced]
    # The answer's text is not known here.
    if "verify" not in loaded.overridden or not names or "trace" in loaded.source.lower():
        return
    expected = _expected_values(loaded, names, truth)
    if expected.keys() == set(names) and validate(loaded, expected).ok:
        yield from _failed_trial(loaded, answer, expected)
    elif errors := _errors_of_trials(loaded, answer, names):
        yield TemplateProblem(message=f"verify() fails on every answer: {errors[0]}")


def _expected_values(loaded: LoadedTemplate, names: list[str], truth: dict[str, Any]) -> dict[str, Any]:
    return {name: truth[name] for name in names if truth.get(name) is not None and _is_own(loaded, name)}


def _failed_trial(
    loaded: LoadedTemplate, answer: type[BaseAnswer], expected: dict[str, Any]
) -> Iterator[TemplateProblem]:
    verdict = verify(loaded, AnswerToVerify(values=expected, brief=True))
    if verdict.error is not None:
        message = f"verify() fails on the template’s own expected values: {verdict.error}"
        yield TemplateProblem(message=message, line=verdict.error_line)
    elif verdict.field_verification_result is False and "regex" not in loaded.source:
        message = "verify() rejects the template’s own expected values."
        yield TemplateProblem(message=message, line=loaded.places.class_line(answer.__name__))


def _errors_of_trials(loaded: LoadedTemplate, answer: type[BaseAnswer], names: list[str]) -> list[str]:
    """Errors of `verify()` on two very different answers, where the expected values are unknown; empty: not on both."""
    kinds = [answer.model_fields[name].annotation for name in names]
    # A text may have a form that these two have not.
    certain = ERRORS_OF_ANY_TEXT if str in kinds else ("",)
    errors = [verify(loaded, AnswerToVerify(values=values, brief=True)).error for values in _trials(names, kinds)]
    raised = [error for error in errors if error and error.startswith(certain)]
    return raised if len(raised) == len(errors) else []


def _trials(names: list[str], kinds: list[Any]) -> list[dict[str, Any]]:
    pairs = [_VALUES[kind] for kind in kinds if isinstance(kind, type) and kind in _VALUES]
    if len(pairs) < len(kinds):
        return []
    return [dict(zip(names, values, strict=True)) for values in zip(*pairs, strict=True)]


_VALUES: dict[Any, tuple[Any, Any]] = {bool: (True, False), int: (1, 42), float: (1.0, 41.5), str: ("text", "42")}
ERRORS_OF_ANY_TEXT = ("NameError", "UnboundLocalError", "AttributeError", "TypeError", "NotImplementedError")


def _is_own(loaded: LoadedTemplate, name: str) -> bool:
    """True if the answer with this field's expected value should pass."""
    return name not in loaded.verified or decides(loaded.verified[name].verify_with)
