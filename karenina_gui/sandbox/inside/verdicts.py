"""Checks of a judge's reply against a template, and verdicts on answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from karenina_gui.sandbox.inside.author_errors import author_error
from karenina_gui.sandbox.inside.json_values import as_json
from karenina_gui.sandbox.inside.loaded_template import LoadedTemplate
from karenina_gui.sandbox.inside.parse_reply import (
    authors_exception,
    check,
    fill,
    open_fields,
    sentences,
    unanswered_fields,
    values_for,
)
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.composition import strategy_of
from karenina_gui.schemas.primitives.acceptance import acceptance_words
from karenina_gui.schemas.template import AnswerToVerify, JudgeReply, RegexVerdict, TemplateVerdict


def validate(loaded: LoadedTemplate, values: dict[str, Any]) -> JudgeReply:
    """Check that a judge's reply fits the template. Its values stay unconverted: verifying converts them, once.

    Null is an outcome for a verified field, and for a plain one that must have a value but does not allow null; a plain
    one with a default keeps it.
    """
    if loaded.answer is None:
        return JudgeReply(ok=False, errors=[_not_loaded(loaded)], fault="error")
    extracted = values_for(loaded, values)
    reply = _reply(loaded, extracted, open_fields(loaded, extracted))
    if reply.errors and (unanswered := unanswered_fields(loaded, extracted)):
        required = [name for name in unanswered if loaded.answer.model_fields[name].is_required()]
        extracted = {name: value for name, value in extracted.items() if name in required or name not in unanswered}
        reply = _reply(loaded, extracted, [*reply.nulls, *required])
    return reply


def verify(loaded: LoadedTemplate, item: AnswerToVerify) -> TemplateVerdict:
    """Return the verdict on one answer. Errors of the author's code are part of it."""
    if loaded.answer is None:
        line = next((problem.line for problem in loaded.problems if problem.severity == "error"), None)
        return TemplateVerdict(error=_not_loaded(loaded), error_line=line, fault="error")
    verdict = TemplateVerdict()
    extracted = values_for(loaded, item.values or {})
    open_names = {*item.nulls, *open_fields(loaded, extracted)}
    nulls = [name for name in loaded.fields if name in open_names]
    try:
        answer = fill(loaded, extracted, nulls)
        answer.read_trace(item.trace)
    except BaseException as error:
        _record_unfilled(verdict, loaded, error, extracted, nulls)
    else:
        _judge(verdict, loaded, answer, item, [name for name in nulls if name not in loaded.verified])
    return verdict


def ground_truth_of(loaded: LoadedTemplate, answer: BaseAnswer) -> dict[str, Any] | None:
    """Ground truth of the verified fields and `self.correct`, as JSON; None if there is neither."""
    verified = {name: verification.ground_truth for name, verification in loaded.verified.items()}
    truth: dict[str, Any] = as_json({**verified, **(getattr(answer, "correct", None) or {})})
    return truth or None


def _reply(loaded: LoadedTemplate, values: dict[str, Any], nulls: list[str]) -> JudgeReply:
    try:
        errors, fault = check(loaded, values, nulls), None
    except BaseException as error:
        errors, fault = [author_error(error, loaded.namespace).text], "error"
    return JudgeReply(ok=not errors, values=as_json(values), nulls=nulls, errors=errors, fault=fault)


def _record_unfilled(
    verdict: TemplateVerdict, loaded: LoadedTemplate, error: BaseException, values: dict[str, Any], nulls: list[str]
) -> None:
    fault = authors_exception(error)
    if fault is None:
        assert isinstance(error, ValidationError)
        verdict.error = "The extracted values do not fit the template: " + " ".join(sentences(error, values))
    # The author's own checks need not expect None: a field that was left open makes the answer wrong all the same.
    elif nulls:
        verdict.parsed = {name: as_json(values.get(name)) for name in loaded.fields}
        verdict.field_verification_result = False
        verdict.field_results = dict.fromkeys(nulls)
    else:
        _record_error(verdict, loaded, fault)


def _acceptance(loaded: LoadedTemplate) -> dict[str, str] | None:
    accepted = {name: acceptance_words(rule.verify_with, rule.ground_truth) for name, rule in loaded.verified.items()}
    return {name: accepts for name, accepts in accepted.items() if accepts} or None


def _judge(
    verdict: TemplateVerdict, loaded: LoadedTemplate, answer: BaseAnswer, item: AnswerToVerify, unanswered: list[str]
) -> None:
    if not item.brief:
        _add_details(verdict, loaded, answer)
    if regex := _search(loaded, answer, item.trace):
        verdict.regex = regex
    _decide(verdict, loaded, answer, unanswered)
    # The author's own method need not expect None, so it is not called with it.
    own = "verify_granular" in loaded.overridden
    if not unanswered if own else loaded.verified and not item.brief:
        verdict.granular = _granular(loaded, answer)


def _decide(verdict: TemplateVerdict, loaded: LoadedTemplate, answer: BaseAnswer, unanswered: list[str]) -> None:
    written = "verify" in loaded.overridden
    outcomes = _compare_fields(loaded, answer)
    verdict.field_results = {name: outcomes.get(name, False) for name in loaded.verified} or None
    if unanswered and written:
        verdict.field_verification_result = False
        verdict.field_results = {**(verdict.field_results or {}), **dict.fromkeys(unanswered)}
    elif loaded.verified or written:
        _run_verify(verdict, loaded, answer, outcomes)


def _compare_fields(loaded: LoadedTemplate, answer: BaseAnswer) -> dict[str, bool | None]:
    """Outcomes of the verified fields by name; those whose comparison raised an error are missing."""
    outcomes: dict[str, bool | None] = {}
    for name in loaded.verified:
        with suppress(BaseException):
            outcomes[name] = as_json(answer.verify_field(name))
    return outcomes


def _add_details(verdict: TemplateVerdict, loaded: LoadedTemplate, answer: BaseAnswer) -> None:
    """Fill what explains the verdict and takes no part in it, except `granular`."""
    verdict.parsed = {name: as_json(getattr(answer, name, None)) for name in loaded.fields}
    verdict.ground_truth = ground_truth_of(loaded, answer)
    if loaded.verified:
        verdict.field_scores = {name: _call_or(answer.score_field, name, 0.0) for name in loaded.verified}
        verdict.acceptance = _acceptance(loaded)


def _run_verify(
    verdict: TemplateVerdict, loaded: LoadedTemplate, answer: BaseAnswer, outcomes: dict[str, bool | None]
) -> None:
    verdict.field_verification_result = False
    try:
        if loaded.verified:
            verdict.composition_strategy = strategy_of(type(answer)).label
        outcome = _verify_once(loaded, answer, outcomes)
        if not isinstance(outcome, bool):
            raise TypeError(f"verify() must return True or False, but it returned {as_json(outcome)!r:.80}")
        verdict.field_verification_result = outcome
    except BaseException as error:
        _record_error(verdict, loaded, error)


def _verify_once(loaded: LoadedTemplate, answer: BaseAnswer, outcomes: dict[str, bool | None]) -> object:
    """Result of `verify()`. It compares no field again, unless the author wrote it or a comparison raised an error."""
    written = not loaded.overridden.isdisjoint(("verify", "verify_field", "_auto_verify"))
    if written or len(outcomes) < len(loaded.verified):
        return answer.verify()
    return strategy_of(type(answer)).evaluate(outcomes)


def _granular(loaded: LoadedTemplate, answer: BaseAnswer) -> Any:
    """Result of `verify_granular()`. An error takes the place of the score, since it must not void the verdict."""
    try:
        return as_json(answer.verify_granular())
    except BaseException as error:
        return {"error": author_error(error, loaded.namespace).text}


def _search(loaded: LoadedTemplate, answer: BaseAnswer, trace: str) -> RegexVerdict | None:
    """Outcome of the template's patterns; None: it has none."""
    written = "verify_regex" in loaded.overridden
    try:
        if not written and not answer.search_patterns():
            return None
        result = as_json(answer.verify_regex(trace))
        if not isinstance(result, dict) or not isinstance(result.get("success"), bool):
            raise TypeError("verify_regex() must return a dict with success, results and details")
    except BaseException as error:
        return RegexVerdict(performed=True, success=False, error=author_error(error, loaded.namespace).text)
    details = _dict(result.get("details"))
    results = {name: bool(passed) for name, passed in _dict(result.get("results")).items()}
    return RegexVerdict(
        performed=written or bool(results),
        success=result["success"],
        results=results,
        details=details,
        extraction_results={name: _dict(detail).get("matches_found", []) for name, detail in details.items()},
    )


def _not_loaded(loaded: LoadedTemplate) -> str:
    return next(problem.message for problem in loaded.problems if problem.severity == "error")


def _record_error(verdict: TemplateVerdict, loaded: LoadedTemplate, error: BaseException) -> None:
    fault = author_error(error, loaded.namespace)
    verdict.error, verdict.error_line, verdict.fault = fault.text, fault.line, "error"


def _call_or(call: Callable[[str], Any], name: str, instead: Any) -> Any:
    try:
        return as_json(call(name))
    except BaseException:
        return instead


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
