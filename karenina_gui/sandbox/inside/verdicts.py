"""Filling a template from a judge's reply, and verifying the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from karenina_gui.sandbox.inside.author_errors import author_error, printed
from karenina_gui.sandbox.inside.json_values import as_json
from karenina_gui.sandbox.inside.outline import ground_truth_of
from karenina_gui.sandbox.inside.template_source import LoadedTemplate, load_template, overrides
from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.composition import strategy_of
from karenina_gui.schemas.template import AnswerToVerify, JudgeReply, RegexVerdict, TemplateVerdict

_SET_BY_TEMPLATE = {"correct", "regex"}
"""What `ground_truth()` sets, and a judge's reply must not."""


def validate(source: str, values: dict[str, Any]) -> JudgeReply:
    """Whether a judge's reply fits the template. Its values stay as they are: verifying converts them, once."""
    loaded = load_template(source)
    if loaded.answer is None:
        return JudgeReply(ok=False, errors=[_not_loaded(loaded)], fault="error")
    given = _relevant(loaded, values)
    nulls = [name for name in loaded.verified if name in given and given[name] is None]
    try:
        _fill(loaded, given, nulls)
    except ValidationError as error:
        return JudgeReply(ok=False, values=as_json(given), nulls=nulls, errors=_sentences(error))
    except BaseException as error:
        fault = author_error(error, loaded.namespace)
        return JudgeReply(ok=False, values=as_json(given), nulls=nulls, errors=[fault.text], fault="error")
    return JudgeReply(ok=True, values=as_json(given), nulls=nulls)


def verify(source: str, item: AnswerToVerify) -> TemplateVerdict:
    """The verdict on one answer. What the author's code raises is part of it."""
    loaded = load_template(source)
    if loaded.answer is None:
        line = next((problem.line for problem in loaded.problems if problem.severity == "error"), None)
        return TemplateVerdict(error=_not_loaded(loaded), error_line=line, fault="error")
    verdict = TemplateVerdict()
    with printed() as output:
        try:
            answer = _fill(loaded, _relevant(loaded, item.values or {}), item.nulls)
            answer.read_trace(item.trace)
        except ValidationError as error:
            verdict.error = "The extracted values do not fit the template: " + " ".join(_sentences(error))
        except BaseException as error:
            _record_error(verdict, loaded, error)
        else:
            _judge(verdict, loaded, answer, item.trace)
    verdict.stdout = as_json(output.text)
    return verdict


def _judge(verdict: TemplateVerdict, loaded: LoadedTemplate, answer: BaseAnswer, trace: str) -> None:
    model = type(answer)
    verdict.parsed = {name: as_json(getattr(answer, name, None)) for name in model.model_fields if name != "id"}
    verdict.ground_truth = ground_truth_of(loaded, answer)
    verdict.regex = _search(loaded, answer, trace)
    if loaded.verified:
        verdict.field_results = {name: _contained(answer.verify_field, name, False) for name in loaded.verified}
        verdict.field_scores = {name: _contained(answer.score_field, name, 0.0) for name in loaded.verified}
    if loaded.verified or overrides(model, "verify"):
        _run_verify(verdict, loaded, answer)
    if loaded.verified or overrides(model, "verify_granular"):
        verdict.granular = _granular(loaded, answer)


def _run_verify(verdict: TemplateVerdict, loaded: LoadedTemplate, answer: BaseAnswer) -> None:
    verdict.field_verification_result = False
    try:
        if loaded.verified:
            verdict.composition_strategy = strategy_of(type(answer)).label
        outcome: object = answer.verify()
        if not isinstance(outcome, bool):
            raise TypeError(f"verify() must return True or False, but it returned {as_json(outcome)!r:.80}")
        verdict.field_verification_result = outcome
    except BaseException as error:
        _record_error(verdict, loaded, error)


def _granular(loaded: LoadedTemplate, answer: BaseAnswer) -> Any:
    """An error in it spoils no verdict; it stands in the place of the score."""
    try:
        return as_json(answer.verify_granular())
    except BaseException as error:
        return {"error": author_error(error, loaded.namespace).text}


def _search(loaded: LoadedTemplate, answer: BaseAnswer, trace: str) -> RegexVerdict:
    written = overrides(type(answer), "verify_regex")
    try:
        found = as_json(answer.verify_regex(trace))
        if not isinstance(found, dict) or not isinstance(found.get("success"), bool):
            raise TypeError("verify_regex() must return a dict with success, results and details")
    except BaseException as error:
        return RegexVerdict(performed=True, success=False, error=author_error(error, loaded.namespace).text)
    details = _dict(found.get("details"))
    results = {name: bool(passed) for name, passed in _dict(found.get("results")).items()}
    return RegexVerdict(
        performed=written or bool(results),
        success=found["success"],
        results=results,
        details=details,
        extraction_results={name: _dict(detail).get("matches_found", []) for name, detail in details.items()},
    )


def _fill(loaded: LoadedTemplate, given: dict[str, Any], nulls: list[str]) -> BaseAnswer:
    open_fields = {name for name in loaded.verified if name in nulls or (name in given and given[name] is None)}
    asked = [name for name, verification in loaded.verified.items() if not verification.is_trace]
    missing = [name for name in asked if name not in given and name not in open_fields]
    if missing:
        raise _missing(loaded, missing)
    return loaded.fillable.model_validate({name: value for name, value in given.items() if name not in open_fields})


def _missing(loaded: LoadedTemplate, names: list[str]) -> ValidationError:
    return ValidationError.from_exception_data(
        loaded.fillable.__name__, [{"type": "missing", "loc": (name,), "input": None} for name in names]
    )


def _relevant(loaded: LoadedTemplate, values: dict[str, Any]) -> dict[str, Any]:
    """Without what only the template or the trace may set."""
    assert loaded.answer is not None
    kept_out = _SET_BY_TEMPLATE - loaded.answer.model_fields.keys()
    kept_out |= {name for name, verification in loaded.verified.items() if verification.is_trace}
    return {name: value for name, value in values.items() if name not in kept_out and not name.startswith("_")}


def _sentences(error: ValidationError) -> list[str]:
    """One sentence per field that does not fit."""
    sentences = []
    for detail in error.errors(include_url=False, include_context=False):
        place = ".".join(str(part) for part in detail["loc"]) or "the reply"
        given = "" if detail["type"] == "missing" else f" (given: {as_json(detail['input'])!r:.80})"
        sentences.append(f"{place}: {detail['msg']}{given}.")
    return sentences


def _not_loaded(loaded: LoadedTemplate) -> str:
    return next(problem.message for problem in loaded.problems if problem.severity == "error")


def _record_error(verdict: TemplateVerdict, loaded: LoadedTemplate, error: BaseException) -> None:
    fault = author_error(error, loaded.namespace)
    verdict.error, verdict.error_line, verdict.fault = fault.text, fault.line, "error"


def _contained(call: Callable[[str], Any], name: str, instead: Any) -> Any:
    try:
        return as_json(call(name))
    except BaseException:
        return instead


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
