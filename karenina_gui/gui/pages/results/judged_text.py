"""Judged part of a result: its final message, its whole trace, or nothing, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

from karenina_gui.schemas.messages import (
    USER_HEADER,
    final_answer,
    final_answer_of_text,
    from_stored,
    is_dialogue,
    last_answer,
)
from karenina_gui.schemas.outcome import NO_FINAL_MESSAGE
from karenina_gui.schemas.result import ResultTemplate, VerificationResult
from karenina_gui.schemas.stop_reasons import CUT_OFF

CUT_SHORT = "partial_content"
"""Caveat of an answer that ended at its token limit."""


@dataclass(frozen=True)
class JudgedText:
    """Text that the stages of a result read."""

    text: str
    """Exact text; empty: nothing was read."""
    whole: bool = False
    """True if `text` is the text form of the whole trace."""
    final: str = ""
    """Final message; empty: the trace does not end with one."""
    note: str = ""
    """Reason why nothing was read, or only some stages read it; empty: nothing to report."""


def judged_text(result: VerificationResult) -> JudgedText:
    """Return the judged text as recorded by the result."""
    template = result.template
    if template is None:
        return JudgedText("", note=f"{_failure_in_words(result)} Nothing was judged.")
    # An earlier message must never be shown as the answer if there is no final one.
    final, problem = _final(result, template)
    cause = ending(result) or NO_FINAL_MESSAGE.get(problem or "", "") or _failure_in_words(result)
    text, by_template = _text_read(result, template, final)
    if not text.strip():
        return JudgedText("", final=final, note=_reason_not_judged(result, template, cause))
    whole = text.strip() != final.strip()
    if by_template or result.metadata.evaluation_mode == "rubric_only":
        return JudgedText(text, whole, final)
    judged = JudgedText(text, whole, "" if has_ended_early(result) else final)
    only = f"Only traits were scored, on the {part_judged(result, judged) if whole else 'final message'}."
    return replace(judged, note=f"{cause} {only}")


def part_judged(result: VerificationResult, judged: JudgedText) -> str:
    """Return the name of the trace that was judged as a whole: it may lack the messages of the user."""
    template = result.template
    if template is None or not is_dialogue(from_stored(template.trace_messages)):
        return "full trace"
    with_user = any(line == USER_HEADER for line in judged.text.split("\n"))
    return "whole dialogue" if with_user else "full trace, without the user’s messages"


def ending(result: VerificationResult) -> str | None:
    """Return why the model stopped before its answer was complete, as a sentence; None: it did not."""
    template = result.template
    if template is None:
        return None
    if template.recursion_limit_reached:
        limit = (template.agent_metrics or {}).get("limit")
        return f"The agent reached its limit{f' of {limit}' if limit else ''} before it answered."
    if template.response_timeout_partial:
        return "The agent ran out of time before it answered."
    if has_broken_off(result):
        return "The model failed before it answered." if template.trace_messages else "The model did not answer."
    return _cause_of_cut(result) if CUT_SHORT in result.metadata.caveats else None


def _cause_of_cut(result: VerificationResult) -> str:
    causes = (warning for warning in result.metadata.warnings if warning.startswith(CUT_OFF))
    return next(causes, f"{CUT_OFF} the model reached its “Max output tokens”.")


def has_ended_early(result: VerificationResult) -> bool:
    """Return True if the model stopped without an answer, so that the last message is intermediate."""
    template = result.template
    return template is not None and (
        template.recursion_limit_reached or template.response_timeout_partial or has_broken_off(result)
    )


def has_broken_off(result: VerificationResult) -> bool:
    """Return True if the call of the answering model failed."""
    failure = result.metadata.failure
    return (
        failure is not None
        and failure.stage == "GenerateAnswer"
        and result.error is not None
        and failure.category not in ("tools_unused", "tools_failed")
        and not (result.template is not None and result.template.response_timeout_partial)
    )


def _text_read(result: VerificationResult, template: ResultTemplate, final: str) -> tuple[str, bool]:
    """Return the text that was read, and whether it was read for the template."""
    evaluated, raw = result.evaluation_input or "", template.raw_llm_response or ""
    if evaluated.strip():
        return evaluated, True
    if _has_investigation(result):
        return (raw, True) if result.used_full_trace else ("", True)
    if _has_template_check(result, template):
        return raw, True
    if not result.stages and template.verify_result is not None and not has_ended_early(result):
        return final or raw, True  # of another program, which does not say what it read
    return _text_of_traits(result, raw, final), False


def _text_of_traits(result: VerificationResult, raw: str, final: str) -> str:
    rubric = result.rubric
    if result.traits_read == "message":
        return final
    if result.traits_read == "trace" or (rubric is not None and rubric.rubric_evaluation_performed):
        return raw
    return ""


def _has_template_check(result: VerificationResult, template: ResultTemplate) -> bool:
    """Return True if the template's own code read the trace, without a judge."""
    return template.template_verification_performed or any(
        record.name == "VerifyTemplate" and record.status != "skipped" for record in result.stages
    )


def _has_investigation(result: VerificationResult) -> bool:
    template = result.template
    return bool(
        (template and (template.agentic_parsing_performed or template.investigation_trace))
        or any(investigation.subject == "template" for investigation in result.investigations or ())
    )


def _reason_not_judged(result: VerificationResult, template: ResultTemplate, cause: str) -> str:
    if _has_investigation(result):
        return "An agent judged this result: see Investigation."
    if any(investigation.subject == "traits" for investigation in result.investigations or ()):
        return f"{cause} Only agent traits were scored: see Investigation.".strip()
    on_the_way = " The trace shows what the model did until then." if template.trace_messages else ""
    return f"{cause} Nothing was judged.{on_the_way}".strip()


def _failure_in_words(result: VerificationResult) -> str:
    failure = result.metadata.failure
    if failure is not None and failure.category == "refusal":
        return "The provider blocked the request or reply."
    if result.error is not None:
        return "The job failed before the template was evaluated."
    return "" if result.template is not None else "The model was not reached."


def _final(result: VerificationResult, template: ResultTemplate) -> tuple[str, str | None]:
    """Return the final message, or an empty text and the reason."""
    messages = from_stored(template.trace_messages)
    # Of a recorded dialogue, the last message of the model may have been judged.
    last = last_answer(messages)
    if last and (last == (result.evaluation_input or "").strip() or result.traits_read == "message"):
        return last, None
    text, problem = final_answer(messages) if messages else final_answer_of_text(template.raw_llm_response or "")
    return text or "", problem
